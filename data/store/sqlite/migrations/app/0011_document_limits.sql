CREATE TABLE `document_usage` (
	`subject` text PRIMARY KEY NOT NULL,
	`bytes` integer NOT NULL,
	`endsAt` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `document_usage_ends` ON `document_usage` (`endsAt`);--> statement-breakpoint
ALTER TABLE `loan_applications` ADD `confirmationDigest` text;--> statement-breakpoint
ALTER TABLE `loan_applications` ADD `confirmBy` integer;--> statement-breakpoint
ALTER TABLE `loan_applications` ADD `mailboxConfirmedAt` integer;--> statement-breakpoint
CREATE UNIQUE INDEX `loan_applications_confirmationDigest_unique` ON `loan_applications` (`confirmationDigest`);--> statement-breakpoint
CREATE INDEX `loan_applications_confirm_by` ON `loan_applications` (`confirmBy`);