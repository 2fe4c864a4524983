ALTER TABLE `cards` ADD `closedByHolderAt` integer;--> statement-breakpoint
ALTER TABLE `cards` ADD `dailyLimitUsd` integer;--> statement-breakpoint
ALTER TABLE `cards` ADD `monthlyLimitUsd` integer;--> statement-breakpoint
ALTER TABLE `cards` ADD `areLimitsSent` integer DEFAULT true NOT NULL;