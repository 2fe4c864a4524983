CREATE TABLE `note_mentions` (
	`id` text PRIMARY KEY NOT NULL,
	`noteId` text NOT NULL,
	`referenceNumber` text NOT NULL,
	`adminId` text NOT NULL,
	`at` integer NOT NULL,
	`readAt` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `note_mentions_once` ON `note_mentions` (`noteId`,`adminId`);--> statement-breakpoint
CREATE INDEX `note_mentions_admin` ON `note_mentions` (`adminId`,`readAt`);--> statement-breakpoint
CREATE INDEX `note_mentions_reference` ON `note_mentions` (`referenceNumber`);