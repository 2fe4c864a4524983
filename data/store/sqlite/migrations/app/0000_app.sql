CREATE TABLE `audit_records` (
	`sequence` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`at` integer NOT NULL,
	`actor` text NOT NULL,
	`action` text NOT NULL,
	`details` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `audit_records_id_unique` ON `audit_records` (`id`);--> statement-breakpoint
CREATE INDEX `audit_records_at` ON `audit_records` (`at`);