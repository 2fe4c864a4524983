CREATE TABLE `record_note_versions` (
	`sequence` integer PRIMARY KEY NOT NULL,
	`noteId` text NOT NULL,
	`referenceNumber` text NOT NULL,
	`at` integer NOT NULL,
	`text` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `record_note_versions_note` ON `record_note_versions` (`noteId`,`sequence`);--> statement-breakpoint
CREATE INDEX `record_note_versions_reference` ON `record_note_versions` (`referenceNumber`);--> statement-breakpoint
ALTER TABLE `record_notes` ADD `changedAt` integer;--> statement-breakpoint
ALTER TABLE `record_notes` ADD `removedAt` integer;