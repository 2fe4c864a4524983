CREATE TABLE `message_files` (
	`id` text PRIMARY KEY NOT NULL,
	`referenceNumber` text NOT NULL,
	`fileName` text NOT NULL,
	`mediaType` text NOT NULL,
	`byteLength` integer NOT NULL,
	`contentHash` text NOT NULL,
	`masterKey` text NOT NULL,
	`wrappedKey` blob NOT NULL,
	`content` blob NOT NULL,
	`createdAt` integer NOT NULL,
	FOREIGN KEY (`referenceNumber`) REFERENCES `reference_numbers`(`referenceNumber`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `message_files_reference` ON `message_files` (`referenceNumber`);