CREATE TABLE `address_corrections` (
	`sequence` integer PRIMARY KEY NOT NULL,
	`referenceNumber` text NOT NULL,
	`at` integer NOT NULL,
	`adminId` text NOT NULL,
	`email` text NOT NULL,
	FOREIGN KEY (`referenceNumber`) REFERENCES `reference_numbers`(`referenceNumber`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `address_corrections_reference` ON `address_corrections` (`referenceNumber`,`sequence`);