ALTER TABLE `card_applications` ADD `dueLeft` integer;--> statement-breakpoint
ALTER TABLE `loan_applications` ADD `dueLeft` integer;--> statement-breakpoint
ALTER TABLE `verification_requests` ADD `dueLeft` integer;