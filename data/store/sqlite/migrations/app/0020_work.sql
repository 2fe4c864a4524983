ALTER TABLE `card_applications` ADD `assigneeId` text;
--> statement-breakpoint
ALTER TABLE `card_applications` ADD `dueAt` integer;
--> statement-breakpoint
ALTER TABLE `contact_messages` ADD `assigneeId` text;
--> statement-breakpoint
ALTER TABLE `contact_messages` ADD `dueAt` integer;
--> statement-breakpoint
ALTER TABLE `contact_messages` ADD `status` text DEFAULT 'open' NOT NULL;
--> statement-breakpoint
ALTER TABLE `contact_messages` ADD `changedAt` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `contact_messages` ADD `closedAt` integer;
--> statement-breakpoint
CREATE INDEX `contact_messages_closed` ON `contact_messages` (`closedAt`);
--> statement-breakpoint
ALTER TABLE `loan_applications` ADD `assigneeId` text;
--> statement-breakpoint
ALTER TABLE `loan_applications` ADD `dueAt` integer;
--> statement-breakpoint
ALTER TABLE `verification_requests` ADD `assigneeId` text;
--> statement-breakpoint
ALTER TABLE `verification_requests` ADD `dueAt` integer;
--> statement-breakpoint
-- The hours that the portal promised when this migration was written. Later records get theirs from `data/model/work.ts`.
UPDATE `card_applications` SET `dueAt` = `createdAt` + (24) * 3600000;
--> statement-breakpoint
UPDATE `verification_requests` SET `dueAt` = `createdAt` + (CASE json_extract(`details`, '$.claimedAmount') WHEN 'Unable to specify - requesting manual verification' THEN 24 ELSE 48 END) * 3600000;
--> statement-breakpoint
UPDATE `contact_messages` SET `dueAt` = `createdAt` + (CASE `category` WHEN 'technical' THEN 1 ELSE 24 END) * 3600000, `changedAt` = `createdAt`;
--> statement-breakpoint
UPDATE `loan_applications` SET `dueAt` = `createdAt` + (48) * 3600000;
--> statement-breakpoint
-- Sorts records that wait for the team by due time. The others follow, newest first.
ALTER TABLE `card_applications` ADD COLUMN `dueRank` integer GENERATED ALWAYS AS (CASE WHEN `status` IN ('received', 'in-review') THEN coalesce(`dueAt`, `createdAt`) ELSE 8000000000000000 - `createdAt` END) VIRTUAL;
--> statement-breakpoint
CREATE INDEX `card_applications_by_dueRank` ON `card_applications` (`dueRank`, `createdAt`, `referenceNumber`, `status`, `tierRank`, `sequence`, `assigneeId`);
--> statement-breakpoint
CREATE INDEX `card_applications_by_assignee` ON `card_applications` (`assigneeId`, `dueRank`, `createdAt`, `referenceNumber`, `status`, `tierRank`, `sequence`);
--> statement-breakpoint
ALTER TABLE `verification_requests` ADD COLUMN `dueRank` integer GENERATED ALWAYS AS (CASE WHEN `status` IN ('received') THEN coalesce(`dueAt`, `createdAt`) ELSE 8000000000000000 - `createdAt` END) VIRTUAL;
--> statement-breakpoint
CREATE INDEX `verification_requests_by_dueRank` ON `verification_requests` (`dueRank`, `createdAt`, `referenceNumber`, `status`, `sequence`, `assigneeId`);
--> statement-breakpoint
CREATE INDEX `verification_requests_by_assignee` ON `verification_requests` (`assigneeId`, `dueRank`, `createdAt`, `referenceNumber`, `status`, `sequence`);
--> statement-breakpoint
ALTER TABLE `contact_messages` ADD COLUMN `dueRank` integer GENERATED ALWAYS AS (CASE WHEN `status` IN ('open') THEN coalesce(`dueAt`, `createdAt`) ELSE 8000000000000000 - `createdAt` END) VIRTUAL;
--> statement-breakpoint
CREATE INDEX `contact_messages_by_dueRank` ON `contact_messages` (`dueRank`, `createdAt`, `referenceNumber`, `status`, `category`, `sequence`, `assigneeId`);
--> statement-breakpoint
CREATE INDEX `contact_messages_by_assignee` ON `contact_messages` (`assigneeId`, `dueRank`, `createdAt`, `referenceNumber`, `status`, `category`, `sequence`);
--> statement-breakpoint
ALTER TABLE `loan_applications` ADD COLUMN `dueRank` integer GENERATED ALWAYS AS (CASE WHEN `status` IN ('received', 'in-review') THEN coalesce(`dueAt`, `createdAt`) ELSE 8000000000000000 - `createdAt` END) VIRTUAL;
--> statement-breakpoint
CREATE INDEX `loan_applications_by_dueRank` ON `loan_applications` (`dueRank`, `createdAt`, `referenceNumber`, `status`, `sequence`, `assigneeId`);
--> statement-breakpoint
CREATE INDEX `loan_applications_by_assignee` ON `loan_applications` (`assigneeId`, `dueRank`, `createdAt`, `referenceNumber`, `status`, `sequence`);
--> statement-breakpoint
-- Adds the state to the indexes of the messages.
DROP INDEX `contact_messages_by_createdAt`;
--> statement-breakpoint
CREATE INDEX `contact_messages_by_createdAt` ON `contact_messages` (`createdAt`, `referenceNumber`, `category`, `status`);
--> statement-breakpoint
DROP INDEX `contact_messages_by_name`;
--> statement-breakpoint
CREATE INDEX `contact_messages_by_name` ON `contact_messages` (`name` COLLATE NOCASE, `createdAt`, `referenceNumber`, `category`, `status`, `sequence`);
--> statement-breakpoint
DROP INDEX `contact_messages_by_email`;
--> statement-breakpoint
CREATE INDEX `contact_messages_by_email` ON `contact_messages` (`email` COLLATE NOCASE, `createdAt`, `referenceNumber`, `category`, `status`, `sequence`);
--> statement-breakpoint
DROP INDEX `contact_messages_by_subject`;
--> statement-breakpoint
CREATE INDEX `contact_messages_by_subject` ON `contact_messages` (coalesce(`subject`, '') COLLATE NOCASE, `createdAt`, `referenceNumber`, `category`, `status`, `sequence`);
--> statement-breakpoint
DROP INDEX `contact_messages_by_category`;
--> statement-breakpoint
CREATE INDEX `contact_messages_by_category` ON `contact_messages` (coalesce(`category`, ''), `createdAt`, `referenceNumber`, `category`, `status`, `sequence`);
--> statement-breakpoint
CREATE INDEX `contact_messages_by_status` ON `contact_messages` (`status`, `createdAt`, `referenceNumber`, `category`, `sequence`);
--> statement-breakpoint
UPDATE `record_counts` SET `status` = 'open' WHERE `kind` = 'contact-message';
--> statement-breakpoint
DROP TRIGGER `contact_messages_count_added`;
--> statement-breakpoint
CREATE TRIGGER `contact_messages_count_added` AFTER INSERT ON `contact_messages` BEGIN
	INSERT INTO `record_counts` (`kind`, `status`, `rows`) VALUES ('contact-message', new.`status`, 1) ON CONFLICT DO UPDATE SET `rows` = `rows` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `contact_messages_count_changed` AFTER UPDATE OF `status` ON `contact_messages` WHEN new.`status` <> old.`status` BEGIN
	UPDATE `record_counts` SET `rows` = `rows` - 1 WHERE `kind` = 'contact-message' AND `status` = old.`status`;
	INSERT INTO `record_counts` (`kind`, `status`, `rows`) VALUES ('contact-message', new.`status`, 1) ON CONFLICT DO UPDATE SET `rows` = `rows` + 1;
END;
--> statement-breakpoint
DROP TRIGGER `contact_messages_count_removed`;
--> statement-breakpoint
CREATE TRIGGER `contact_messages_count_removed` AFTER DELETE ON `contact_messages` BEGIN
	UPDATE `record_counts` SET `rows` = `rows` - 1 WHERE `kind` = 'contact-message' AND `status` = old.`status`;
END;
