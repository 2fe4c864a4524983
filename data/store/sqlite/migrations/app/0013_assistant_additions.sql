CREATE TABLE `assistant_additions` (
	`sequence` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`kind` text NOT NULL,
	`question` text NOT NULL,
	`href` text,
	`title` text,
	`answer` text,
	`adminId` text NOT NULL,
	`addedAt` integer NOT NULL,
	`withdrawnAt` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `assistant_additions_id_unique` ON `assistant_additions` (`id`);--> statement-breakpoint
CREATE INDEX `assistant_additions_withdrawn` ON `assistant_additions` (`withdrawnAt`);--> statement-breakpoint
ALTER TABLE `unanswered_questions` ADD `dismissedTimes` integer DEFAULT 0 NOT NULL;