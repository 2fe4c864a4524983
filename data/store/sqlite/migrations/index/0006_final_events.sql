-- Rows from the first provisional row on are indexed again, because a fork may have changed them. So is the newest slot,
-- because the cursor may have stopped in the middle of it.
DELETE FROM `events` WHERE `slot` >= (SELECT min(`provisional`.`slot`) FROM `events` AS `provisional`
	WHERE `provisional`.`account_id` = `events`.`account_id` AND `provisional`.`status` = 'confirmed');--> statement-breakpoint
DELETE FROM `alarms` WHERE `status` = 'confirmed';--> statement-breakpoint
UPDATE `accounts` SET
	`caught_up_at` = NULL,
	`event_count` = (SELECT count(*) FROM `events` WHERE `account_id` = `accounts`.`id`),
	(`cursor_signature`, `cursor_slot`) = (SELECT `signature`, `slot` FROM `events` WHERE `account_id` = `accounts`.`id`
		AND `slot` < (SELECT max(`slot`) FROM `events` WHERE `account_id` = `accounts`.`id`)
		ORDER BY `slot` DESC, `position` DESC, `id` DESC LIMIT 1);--> statement-breakpoint
DELETE FROM `quarantined` WHERE `slot` > (SELECT coalesce(`cursor_slot`, -1) FROM `accounts` WHERE `id` = `account_id`);--> statement-breakpoint
DELETE FROM `wallet_activity`;--> statement-breakpoint
INSERT INTO `wallet_activity` SELECT `wallet`, count(DISTINCT `account_id` || ' ' || `signature`) FROM `events`
	WHERE `wallet` IS NOT NULL AND `kind` IN ('stake', 'unstake') GROUP BY `wallet`;--> statement-breakpoint
CREATE TABLE `provisional_events` (
	`id` integer PRIMARY KEY NOT NULL,
	`account_id` integer NOT NULL,
	`signature` text NOT NULL,
	`slot` integer NOT NULL,
	`position` integer NOT NULL,
	`part` integer DEFAULT 0 NOT NULL,
	`block_time` integer,
	`history_time` integer,
	`kind` text NOT NULL,
	`wallet` text,
	`wallet_beginning` text GENERATED ALWAYS AS (substr(wallet, 1, 8)) VIRTUAL,
	`delta` text NOT NULL,
	`stake_entry` text,
	`total_in` text NOT NULL,
	`total_out` text NOT NULL,
	`movements` integer NOT NULL,
	`staked` text NOT NULL,
	`unstaked` text NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
DROP INDEX `alarms_provisional`;--> statement-breakpoint
DROP INDEX `events_provisional`;--> statement-breakpoint
ALTER TABLE `events` DROP COLUMN `status`;--> statement-breakpoint
ALTER TABLE `quarantined` ADD `status` text DEFAULT 'finalized' NOT NULL;--> statement-breakpoint
ALTER TABLE `accounts` DROP COLUMN `cursor_position`;
--> statement-breakpoint
CREATE VIEW `all_events` AS
	SELECT `id`, `account_id`, `signature`, `slot`, `position`, `part`, `block_time`, `history_time`, `kind`, `wallet`, `wallet_beginning`,
	`delta`, `stake_entry`, `total_in`, `total_out`, `movements`, `staked`, `unstaked`, 'finalized' AS `status` FROM `events`
	UNION ALL SELECT CAST(`id` + 4503599627370496 AS integer), `account_id`, `signature`, `slot`, `position`, `part`, `block_time`, `history_time`, `kind`, `wallet`, `wallet_beginning`,
	`delta`, `stake_entry`, `total_in`, `total_out`, `movements`, `staked`, `unstaked`, 'confirmed' FROM `provisional_events`;
