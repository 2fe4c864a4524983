CREATE TABLE `record_merges` (
	`referenceNumber` text PRIMARY KEY NOT NULL,
	`mergedInto` text NOT NULL,
	`adminId` text NOT NULL,
	`at` integer NOT NULL,
	`status` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `record_merges_into` ON `record_merges` (`mergedInto`);--> statement-breakpoint
CREATE INDEX `card_applications_waiting` ON `card_applications` (`dueLeft`) WHERE "dueLeft" is not null;--> statement-breakpoint
CREATE INDEX `loan_applications_waiting` ON `loan_applications` (`dueLeft`) WHERE "dueLeft" is not null;--> statement-breakpoint
CREATE INDEX `verification_requests_waiting` ON `verification_requests` (`dueLeft`) WHERE "dueLeft" is not null;