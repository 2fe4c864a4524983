-- The stored rows have one movement for each transaction, although there can be several. All rows and cursors are deleted, so
-- that everything is indexed again from the chain.
DELETE FROM `events`;--> statement-breakpoint
DELETE FROM `quarantined`;--> statement-breakpoint
DELETE FROM `wallet_activity`;--> statement-breakpoint
DELETE FROM `reconciliations`;--> statement-breakpoint
DELETE FROM `accounts`;--> statement-breakpoint
UPDATE `history_beginnings` SET `is_filled` = 0 WHERE `origin` = 'chain';--> statement-breakpoint
DROP TABLE `alarms`;--> statement-breakpoint
CREATE TABLE `alarms` (
	`id` integer PRIMARY KEY NOT NULL,
	`account_id` integer NOT NULL,
	`signature` text NOT NULL,
	`slot` integer NOT NULL,
	`block_time` integer,
	`kind` text NOT NULL,
	`address` text NOT NULL,
	`status` text NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `alarms_what` ON `alarms` (`signature`,`account_id`,`kind`,`address`);--> statement-breakpoint
CREATE INDEX `alarms_slot` ON `alarms` (`slot`);--> statement-breakpoint
CREATE INDEX `alarms_provisional` ON `alarms` (`slot`) WHERE status = 'confirmed';--> statement-breakpoint
ALTER TABLE `events` ADD `part` integer DEFAULT 0 NOT NULL;
