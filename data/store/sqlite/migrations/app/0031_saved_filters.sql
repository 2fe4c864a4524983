CREATE TABLE `saved_filters` (
	`id` text PRIMARY KEY NOT NULL,
	`adminId` text NOT NULL,
	`list` text NOT NULL,
	`name` text NOT NULL,
	`view` text NOT NULL,
	`isShared` integer NOT NULL,
	`createdAt` integer NOT NULL,
	FOREIGN KEY (`adminId`) REFERENCES `admins`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `saved_filters_admin` ON `saved_filters` (`adminId`);