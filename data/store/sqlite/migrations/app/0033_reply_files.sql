ALTER TABLE `message_files` ADD `unsentBy` text;--> statement-breakpoint
CREATE INDEX `message_files_unsent` ON `message_files` (`unsentBy`,`createdAt`) WHERE "unsentBy" is not null;