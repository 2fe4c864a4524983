CREATE TABLE `card_spends` (
	`id` text PRIMARY KEY NOT NULL,
	`cardId` text NOT NULL,
	`at` integer NOT NULL,
	`merchant` text NOT NULL,
	`amount` text NOT NULL,
	`isDeclined` integer NOT NULL,
	`toldAt` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `card_spends_card` ON `card_spends` (`cardId`);--> statement-breakpoint
CREATE INDEX `card_spends_told` ON `card_spends` (`toldAt`);--> statement-breakpoint
ALTER TABLE `cards` ADD `cardholder` text;--> statement-breakpoint
ALTER TABLE `cards` ADD `closedByHolderAt` integer;--> statement-breakpoint
ALTER TABLE `cards` ADD `dailyLimitUsd` integer;--> statement-breakpoint
ALTER TABLE `cards` ADD `monthlyLimitUsd` integer;--> statement-breakpoint
ALTER TABLE `cards` ADD `areLimitsSent` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `cards` ADD `spendNoticesFrom` integer;