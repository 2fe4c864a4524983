CREATE TABLE `record_messages` (
	`sequence` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`referenceNumber` text NOT NULL,
	`kind` text NOT NULL,
	`at` integer NOT NULL,
	`adminId` text,
	`sender` text,
	`subject` text NOT NULL,
	`text` text NOT NULL,
	`attachments` text NOT NULL,
	`mailId` text,
	FOREIGN KEY (`referenceNumber`) REFERENCES `reference_numbers`(`referenceNumber`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `record_messages_id_unique` ON `record_messages` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `record_messages_mailId_unique` ON `record_messages` (`mailId`);--> statement-breakpoint
CREATE INDEX `record_messages_reference` ON `record_messages` (`referenceNumber`,`sequence`);