ALTER TABLE `accounts` ADD `cursor_position` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `chain_snapshot` ADD `entry_changes` integer DEFAULT 0 NOT NULL;