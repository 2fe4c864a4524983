-- Moves form fields that no list sorts, filters or searches by into one JSON column, so that a new field needs no migration.
ALTER TABLE `card_applications` ADD `details` text DEFAULT '{}' NOT NULL;
--> statement-breakpoint
UPDATE `card_applications` SET `details` = json_object('phone', `phone`, 'alias', `alias`, 'applicantNotes', `notes`);
--> statement-breakpoint
ALTER TABLE `card_applications` DROP COLUMN `phone`;
--> statement-breakpoint
ALTER TABLE `card_applications` DROP COLUMN `alias`;
--> statement-breakpoint
ALTER TABLE `card_applications` DROP COLUMN `notes`;
--> statement-breakpoint
ALTER TABLE `verification_requests` ADD `details` text DEFAULT '{}' NOT NULL;
--> statement-breakpoint
UPDATE `verification_requests` SET `details` = json_object('claimedAmount', `claimedAmount`, 'reason', `reason`, 'evidence', `evidence`, 'statedDetection', `statedDetection`);
--> statement-breakpoint
ALTER TABLE `verification_requests` DROP COLUMN `claimedAmount`;
--> statement-breakpoint
ALTER TABLE `verification_requests` DROP COLUMN `reason`;
--> statement-breakpoint
ALTER TABLE `verification_requests` DROP COLUMN `evidence`;
--> statement-breakpoint
ALTER TABLE `verification_requests` DROP COLUMN `statedDetection`;
--> statement-breakpoint
ALTER TABLE `contact_messages` ADD `details` text DEFAULT '{}' NOT NULL;
--> statement-breakpoint
UPDATE `contact_messages` SET `details` = json_object('message', `message`);
--> statement-breakpoint
ALTER TABLE `contact_messages` DROP COLUMN `message`;
--> statement-breakpoint
ALTER TABLE `loan_applications` ADD `details` text DEFAULT '{}' NOT NULL;
--> statement-breakpoint
UPDATE `loan_applications` SET `details` = json_object('conversionOption', `conversionOption`, 'riskSuitability', `riskSuitability`, 'comments', `comments`);
--> statement-breakpoint
ALTER TABLE `loan_applications` DROP COLUMN `conversionOption`;
--> statement-breakpoint
ALTER TABLE `loan_applications` DROP COLUMN `riskSuitability`;
--> statement-breakpoint
ALTER TABLE `loan_applications` DROP COLUMN `comments`;
