-- The stored rows lack the new columns. All rows and cursors are deleted, so that everything is indexed again from the chain.
DELETE FROM `events`;--> statement-breakpoint
DELETE FROM `accounts`;--> statement-breakpoint
DELETE FROM `chain_snapshot`;--> statement-breakpoint
DELETE FROM `stake_entries`;--> statement-breakpoint
DELETE FROM `endpoints`;--> statement-breakpoint
DELETE FROM `endpoint_report`;--> statement-breakpoint
CREATE TABLE `alarms` (
	`id` integer PRIMARY KEY NOT NULL,
	`account_id` integer NOT NULL,
	`signature` text NOT NULL,
	`slot` integer NOT NULL,
	`block_time` integer,
	`kind` text NOT NULL,
	`address` text,
	`status` text NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `alarms_signature_account_kind` ON `alarms` (`signature`,`account_id`,`kind`);--> statement-breakpoint
CREATE INDEX `alarms_slot` ON `alarms` (`slot`);--> statement-breakpoint
CREATE INDEX `alarms_provisional` ON `alarms` (`slot`) WHERE status = 'confirmed';--> statement-breakpoint
CREATE TABLE `history_beginnings` (
	`origin` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`slot` integer,
	`vault` text,
	`staked` text,
	`stakers` integer,
	`is_filled` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `history_points` (
	`series` text NOT NULL,
	`origin` text NOT NULL,
	`resolution` text NOT NULL,
	`at` integer NOT NULL,
	`value` text NOT NULL,
	`source` text,
	PRIMARY KEY(`series`, `origin`, `resolution`, `at`)
);
--> statement-breakpoint
CREATE TABLE `quarantined` (
	`id` integer PRIMARY KEY NOT NULL,
	`account_id` integer NOT NULL,
	`signature` text NOT NULL,
	`slot` integer NOT NULL,
	`position` integer NOT NULL,
	`block_time` integer,
	`reason` text NOT NULL,
	`since` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `quarantined_signature_account` ON `quarantined` (`signature`,`account_id`);--> statement-breakpoint
CREATE INDEX `quarantined_slot` ON `quarantined` (`account_id`,`slot`,`position`);--> statement-breakpoint
CREATE TABLE `reconciliations` (
	`id` integer PRIMARY KEY NOT NULL,
	`slot` integer NOT NULL,
	`at` integer NOT NULL,
	`differences` text NOT NULL,
	`agreed_slot` integer,
	`agreed_at` integer,
	CONSTRAINT "reconciliations_one_row" CHECK("reconciliations"."id" = 1),
	CONSTRAINT "reconciliations_agreement_whole" CHECK(("reconciliations"."agreed_slot" is null) = ("reconciliations"."agreed_at" is null))
);
--> statement-breakpoint
CREATE TABLE `wallet_activity` (
	`wallet` text PRIMARY KEY NOT NULL,
	`transactions` integer NOT NULL
);
--> statement-breakpoint
DROP INDEX `events_signature_account`;--> statement-breakpoint
DROP INDEX `events_slot`;--> statement-breakpoint
DROP INDEX `events_provisional`;--> statement-breakpoint
ALTER TABLE `events` ADD `signature_key` integer NOT NULL;--> statement-breakpoint
ALTER TABLE `events` ADD `stake_entry` text;--> statement-breakpoint
ALTER TABLE `events` ADD `staked` text NOT NULL;--> statement-breakpoint
ALTER TABLE `events` ADD `unstaked` text NOT NULL;--> statement-breakpoint
CREATE INDEX `events_signature` ON `events` (`signature_key`,`account_id`);--> statement-breakpoint
CREATE INDEX `events_stake_entry` ON `events` (`stake_entry`,`slot`,`position`) WHERE stake_entry is not null;--> statement-breakpoint
CREATE INDEX `events_ended_stakes` ON `events` (`slot`,`position`) WHERE kind = 'unstake' and stake_entry is not null;--> statement-breakpoint
CREATE INDEX `events_slot` ON `events` (`account_id`,`slot`,`position`);--> statement-breakpoint
CREATE INDEX `events_provisional` ON `events` (`slot`,`position`) WHERE status = 'confirmed';--> statement-breakpoint
ALTER TABLE `accounts` ADD `event_count` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `chain_snapshot` ADD `pool_vault_balance` text NOT NULL;--> statement-breakpoint
ALTER TABLE `endpoints` ADD `state` text NOT NULL;--> statement-breakpoint
ALTER TABLE `endpoints` ADD `slot_lag` integer;--> statement-breakpoint
ALTER TABLE `endpoints` ADD `request_count` integer NOT NULL;