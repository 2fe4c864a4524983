CREATE TABLE `admin_links` (
	`id` text PRIMARY KEY NOT NULL,
	`tokenHash` text NOT NULL,
	`kind` text NOT NULL,
	`email` text,
	`username` text,
	`role` text,
	`adminId` text,
	`removeTotp` integer,
	`createdBy` text NOT NULL,
	`createdAt` integer NOT NULL,
	`expiresAt` integer NOT NULL,
	FOREIGN KEY (`adminId`) REFERENCES `admins`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`createdBy`) REFERENCES `admins`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `admin_links_tokenHash_unique` ON `admin_links` (`tokenHash`);--> statement-breakpoint
CREATE INDEX `admin_links_expires` ON `admin_links` (`expiresAt`);