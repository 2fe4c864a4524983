CREATE TABLE `card_decisions` (
	`sequence` integer PRIMARY KEY NOT NULL,
	`cardId` text NOT NULL,
	`at` integer NOT NULL,
	`adminId` text NOT NULL,
	`decision` text NOT NULL,
	`reason` text
);
--> statement-breakpoint
CREATE INDEX `card_decisions_card` ON `card_decisions` (`cardId`,`sequence`);--> statement-breakpoint
ALTER TABLE `cards` ADD `stakeEntries` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `cards` ADD `stakeGoneAt` integer;--> statement-breakpoint
ALTER TABLE `cards` ADD `frozenByTeamAt` integer;--> statement-breakpoint
ALTER TABLE `cards` ADD `closedByTeamAt` integer;