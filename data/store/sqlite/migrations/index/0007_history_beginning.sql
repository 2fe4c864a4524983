ALTER TABLE `accounts` ADD `oldest_signature` text;--> statement-breakpoint
ALTER TABLE `accounts` ADD `oldest_slot` integer;--> statement-breakpoint
ALTER TABLE `accounts` ADD `has_beginning` integer DEFAULT false NOT NULL;