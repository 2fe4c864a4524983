CREATE TABLE `alerts` (
	`id` text PRIMARY KEY NOT NULL,
	`code` text NOT NULL,
	`startedAt` integer NOT NULL,
	`endedAt` integer,
	`detail` text NOT NULL,
	`notifiedAt` integer NOT NULL,
	`reminders` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `alerts_open` ON `alerts` (`code`) WHERE "endedAt" is null;