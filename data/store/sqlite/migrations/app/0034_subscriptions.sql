CREATE TABLE `subscription_notices` (
	`id` text PRIMARY KEY NOT NULL,
	`subscriptionId` text NOT NULL,
	`occasion` text NOT NULL,
	`cause` text NOT NULL,
	FOREIGN KEY (`subscriptionId`) REFERENCES `subscriptions`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `subscription_notices_once` ON `subscription_notices` (`subscriptionId`,`occasion`,`cause`);--> statement-breakpoint
CREATE TABLE `subscriptions` (
	`id` text PRIMARY KEY NOT NULL,
	`about` text NOT NULL,
	`subject` text NOT NULL,
	`channel` text NOT NULL,
	`target` text,
	`mailbox` text,
	`requestedAt` integer NOT NULL,
	`confirmedAt` integer,
	`fromSlot` integer,
	`idleSince` integer,
	`endedAt` integer
);
--> statement-breakpoint
CREATE INDEX `subscriptions_subject` ON `subscriptions` (`subject`,`about`);--> statement-breakpoint
CREATE INDEX `subscriptions_target` ON `subscriptions` (`target`);--> statement-breakpoint
CREATE INDEX `subscriptions_mailbox` ON `subscriptions` (`mailbox`);