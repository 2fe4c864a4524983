CREATE TABLE `accounts` (
	`id` integer PRIMARY KEY NOT NULL,
	`address` text NOT NULL,
	`cursor_signature` text,
	`cursor_slot` integer,
	`caught_up_at` integer,
	CONSTRAINT "accounts_cursor_whole" CHECK(("accounts"."cursor_signature" is null) = ("accounts"."cursor_slot" is null))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_address_unique` ON `accounts` (`address`);--> statement-breakpoint
CREATE TABLE `chain_snapshot` (
	`id` integer PRIMARY KEY NOT NULL,
	`slot` integer NOT NULL,
	`read_at` integer NOT NULL,
	`vault_balance` text NOT NULL,
	`vault_lamports` text NOT NULL,
	`total_staked` text NOT NULL,
	`supply` text NOT NULL,
	`staker_count` integer NOT NULL,
	CONSTRAINT "chain_snapshot_one_row" CHECK("chain_snapshot"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE `endpoint_report` (
	`id` integer PRIMARY KEY NOT NULL,
	`reported_at` integer NOT NULL,
	CONSTRAINT "endpoint_report_one_row" CHECK("endpoint_report"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE `endpoints` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`active` integer NOT NULL,
	`latency_ms` integer,
	`slot` integer,
	`error_count` integer NOT NULL,
	`last_error` text
);
--> statement-breakpoint
CREATE TABLE `events` (
	`id` integer PRIMARY KEY NOT NULL,
	`account_id` integer NOT NULL,
	`signature` text NOT NULL,
	`slot` integer NOT NULL,
	`position` integer NOT NULL,
	`block_time` integer,
	`history_time` integer,
	`kind` text NOT NULL,
	`wallet` text,
	`delta` text NOT NULL,
	`status` text NOT NULL,
	`total_in` text NOT NULL,
	`total_out` text NOT NULL,
	`movements` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `events_signature_account` ON `events` (`signature`,`account_id`);--> statement-breakpoint
CREATE INDEX `events_history` ON `events` (`account_id`,`history_time`,`slot`,`position`);--> statement-breakpoint
CREATE INDEX `events_slot` ON `events` (`slot`);--> statement-breakpoint
CREATE INDEX `events_provisional` ON `events` (`slot`) WHERE status = 'confirmed';--> statement-breakpoint
CREATE TABLE `index_identity` (
	`id` integer PRIMARY KEY NOT NULL,
	`genesis_hash` text NOT NULL,
	`mint` text NOT NULL,
	`vault` text NOT NULL,
	`stake_pool` text NOT NULL,
	`pool_vault` text NOT NULL,
	`decimals` integer NOT NULL,
	CONSTRAINT "index_identity_one_row" CHECK("index_identity"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE `market_quote` (
	`id` integer PRIMARY KEY NOT NULL,
	`price_usd` text NOT NULL,
	`price_change_24h` text,
	`volume_24h` text,
	`liquidity` text,
	`source` text NOT NULL,
	`read_at` integer NOT NULL,
	CONSTRAINT "market_quote_one_row" CHECK("market_quote"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE `stake_entries` (
	`address` text PRIMARY KEY NOT NULL,
	`wallet` text NOT NULL,
	`nonce` integer NOT NULL,
	`amount` text NOT NULL,
	`effective_amount` text NOT NULL,
	`created_at` integer NOT NULL,
	`unlocks_at` integer NOT NULL,
	`closed_at` integer
);
