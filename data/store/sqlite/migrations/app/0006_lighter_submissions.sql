-- Stores a submission's mailbox with its reference number, so that each submission writes one table and one random page less.
ALTER TABLE `reference_numbers` ADD `mailbox` text;
--> statement-breakpoint
UPDATE `reference_numbers` SET `mailbox` = (SELECT `m`.`mailbox` FROM `mailbox_submissions` `m` WHERE `m`.`referenceNumber` = `reference_numbers`.`referenceNumber`);
--> statement-breakpoint
DROP TABLE `mailbox_submissions`;
--> statement-breakpoint
CREATE INDEX `reference_numbers_of_mailbox` ON `reference_numbers` (`mailbox`,`createdAt`);
--> statement-breakpoint
-- Copies a record's row id in the word tables to the record and its list's indexes, so that a search reads one index.
ALTER TABLE `card_applications` ADD `sequence` integer;
--> statement-breakpoint
ALTER TABLE `contact_messages` ADD `sequence` integer;
--> statement-breakpoint
ALTER TABLE `verification_requests` ADD `sequence` integer;
--> statement-breakpoint
ALTER TABLE `loan_applications` ADD `sequence` integer;
--> statement-breakpoint
UPDATE `card_applications` SET `sequence` = (SELECT `s`.`sequence` FROM `record_search` `s` WHERE `s`.`referenceNumber` = `card_applications`.`referenceNumber`);
--> statement-breakpoint
UPDATE `contact_messages` SET `sequence` = (SELECT `s`.`sequence` FROM `record_search` `s` WHERE `s`.`referenceNumber` = `contact_messages`.`referenceNumber`);
--> statement-breakpoint
UPDATE `verification_requests` SET `sequence` = (SELECT `s`.`sequence` FROM `record_search` `s` WHERE `s`.`referenceNumber` = `verification_requests`.`referenceNumber`);
--> statement-breakpoint
UPDATE `loan_applications` SET `sequence` = (SELECT `s`.`sequence` FROM `record_search` `s` WHERE `s`.`referenceNumber` = `loan_applications`.`referenceNumber`);
--> statement-breakpoint
-- Sorts rows with equal values by time. That is easier to read than the order of their random reference numbers, and a new row
-- is written beside the last one, not on another page.
DROP INDEX `card_applications_by_name`;
--> statement-breakpoint
CREATE INDEX `card_applications_by_name` ON `card_applications` (`name` COLLATE NOCASE, `createdAt`, `referenceNumber`, `status`, `tierRank`, `sequence`);
--> statement-breakpoint
DROP INDEX `card_applications_by_email`;
--> statement-breakpoint
CREATE INDEX `card_applications_by_email` ON `card_applications` (`email` COLLATE NOCASE, `createdAt`, `referenceNumber`, `status`, `tierRank`, `sequence`);
--> statement-breakpoint
DROP INDEX `card_applications_by_tierRank`;
--> statement-breakpoint
CREATE INDEX `card_applications_by_tierRank` ON `card_applications` (`tierRank`, `createdAt`, `referenceNumber`, `status`, `sequence`);
--> statement-breakpoint
DROP INDEX `card_applications_by_amountRank`;
--> statement-breakpoint
CREATE INDEX `card_applications_by_amountRank` ON `card_applications` (`amountRank`, `createdAt`, `referenceNumber`, `status`, `tierRank`, `sequence`);
--> statement-breakpoint
DROP INDEX `card_applications_by_status`;
--> statement-breakpoint
CREATE INDEX `card_applications_by_status` ON `card_applications` (`status`, `createdAt`, `referenceNumber`, `tierRank`, `sequence`);
--> statement-breakpoint
DROP INDEX `contact_messages_by_name`;
--> statement-breakpoint
CREATE INDEX `contact_messages_by_name` ON `contact_messages` (`name` COLLATE NOCASE, `createdAt`, `referenceNumber`, `category`, `sequence`);
--> statement-breakpoint
DROP INDEX `contact_messages_by_email`;
--> statement-breakpoint
CREATE INDEX `contact_messages_by_email` ON `contact_messages` (`email` COLLATE NOCASE, `createdAt`, `referenceNumber`, `category`, `sequence`);
--> statement-breakpoint
DROP INDEX `contact_messages_by_subject`;
--> statement-breakpoint
CREATE INDEX `contact_messages_by_subject` ON `contact_messages` (coalesce(`subject`, '') COLLATE NOCASE, `createdAt`, `referenceNumber`, `category`, `sequence`);
--> statement-breakpoint
DROP INDEX `contact_messages_by_category`;
--> statement-breakpoint
CREATE INDEX `contact_messages_by_category` ON `contact_messages` (coalesce(`category`, ''), `createdAt`, `referenceNumber`, `category`, `sequence`);
--> statement-breakpoint
DROP INDEX `verification_requests_by_email`;
--> statement-breakpoint
CREATE INDEX `verification_requests_by_email` ON `verification_requests` (`email` COLLATE NOCASE, `createdAt`, `referenceNumber`, `status`, `sequence`);
--> statement-breakpoint
DROP INDEX `verification_requests_by_walletAddress`;
--> statement-breakpoint
CREATE INDEX `verification_requests_by_walletAddress` ON `verification_requests` (`walletAddress`, `createdAt`, `referenceNumber`, `status`, `sequence`);
--> statement-breakpoint
DROP INDEX `verification_requests_by_status`;
--> statement-breakpoint
CREATE INDEX `verification_requests_by_status` ON `verification_requests` (`status`, `createdAt`, `referenceNumber`, `sequence`);
--> statement-breakpoint
DROP INDEX `loan_applications_by_name`;
--> statement-breakpoint
CREATE INDEX `loan_applications_by_name` ON `loan_applications` (`name` COLLATE NOCASE, `createdAt`, `referenceNumber`, `status`, `sequence`);
--> statement-breakpoint
DROP INDEX `loan_applications_by_email`;
--> statement-breakpoint
CREATE INDEX `loan_applications_by_email` ON `loan_applications` (`email` COLLATE NOCASE, `createdAt`, `referenceNumber`, `status`, `sequence`);
--> statement-breakpoint
DROP INDEX `loan_applications_by_investmentAmount`;
--> statement-breakpoint
CREATE INDEX `loan_applications_by_investmentAmount` ON `loan_applications` (`investmentAmount`, `createdAt`, `referenceNumber`, `status`, `sequence`);
--> statement-breakpoint
DROP INDEX `loan_applications_by_investorType`;
--> statement-breakpoint
CREATE INDEX `loan_applications_by_investorType` ON `loan_applications` (`investorType`, `createdAt`, `referenceNumber`, `status`, `sequence`);
--> statement-breakpoint
DROP INDEX `loan_applications_by_country`;
--> statement-breakpoint
CREATE INDEX `loan_applications_by_country` ON `loan_applications` (`country`, `createdAt`, `referenceNumber`, `status`, `sequence`);
--> statement-breakpoint
DROP INDEX `loan_applications_by_status`;
--> statement-breakpoint
CREATE INDEX `loan_applications_by_status` ON `loan_applications` (`status`, `createdAt`, `referenceNumber`, `sequence`);
--> statement-breakpoint
-- Words are indexed after the submission, for many records together. `upTo` is the sequence of the last indexed record. A
-- sequence that counts as indexed is never reused.
CREATE TABLE `indexed_words` (
	`id` integer PRIMARY KEY NOT NULL CHECK (`id` = 1),
	`upTo` integer NOT NULL
);
--> statement-breakpoint
INSERT INTO `indexed_words` SELECT 1, coalesce(max(`sequence`), 0) FROM `record_search`;
--> statement-breakpoint
DROP TRIGGER `card_applications_search_added`;
--> statement-breakpoint
CREATE TRIGGER `card_applications_search_added` AFTER INSERT ON `card_applications` BEGIN
	INSERT INTO `record_search` (`sequence`, `referenceNumber`, `words`) SELECT max(`upTo`, coalesce((SELECT max(`sequence`) FROM `record_search`), 0)) + 1, new.`referenceNumber`, '  ' || replace(new.`referenceNumber` || ' ' || new.`name` || ' ' || new.`email` || ' ' || coalesce(new.`walletAddress`, '') || ' ' || coalesce(new.`telegram`, ''), ' ', '  ') FROM `indexed_words`;
	UPDATE `card_applications` SET `sequence` = (SELECT `sequence` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber`) WHERE rowid = new.rowid;
END;
--> statement-breakpoint
DROP TRIGGER `card_applications_search_changed`;
--> statement-breakpoint
CREATE TRIGGER `card_applications_search_changed` AFTER UPDATE OF `name`, `email`, `walletAddress`, `telegram` ON `card_applications` BEGIN
	INSERT INTO `application_words` (`application_words`, `rowid`, `words`) SELECT 'delete', `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = old.`referenceNumber` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
	UPDATE `record_search` SET `words` = '  ' || replace(new.`referenceNumber` || ' ' || new.`name` || ' ' || new.`email` || ' ' || coalesce(new.`walletAddress`, '') || ' ' || coalesce(new.`telegram`, ''), ' ', '  ') WHERE `referenceNumber` = new.`referenceNumber`;
	INSERT INTO `application_words` (`rowid`, `words`) SELECT `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
END;
--> statement-breakpoint
DROP TRIGGER `card_applications_search_removed`;
--> statement-breakpoint
CREATE TRIGGER `card_applications_search_removed` AFTER DELETE ON `card_applications` BEGIN
	INSERT INTO `application_words` (`application_words`, `rowid`, `words`) SELECT 'delete', `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = old.`referenceNumber` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
	DELETE FROM `record_search` WHERE `referenceNumber` = old.`referenceNumber`;
END;
--> statement-breakpoint
DROP TRIGGER `contact_messages_search_added`;
--> statement-breakpoint
CREATE TRIGGER `contact_messages_search_added` AFTER INSERT ON `contact_messages` BEGIN
	INSERT INTO `record_search` (`sequence`, `referenceNumber`, `words`) SELECT max(`upTo`, coalesce((SELECT max(`sequence`) FROM `record_search`), 0)) + 1, new.`referenceNumber`, '  ' || replace(new.`referenceNumber` || ' ' || new.`name` || ' ' || new.`email` || ' ' || coalesce(new.`walletAddress`, '') || ' ' || coalesce(new.`subject`, ''), ' ', '  ') FROM `indexed_words`;
	UPDATE `contact_messages` SET `sequence` = (SELECT `sequence` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber`) WHERE rowid = new.rowid;
END;
--> statement-breakpoint
DROP TRIGGER `contact_messages_search_changed`;
--> statement-breakpoint
CREATE TRIGGER `contact_messages_search_changed` AFTER UPDATE OF `name`, `email`, `walletAddress`, `subject` ON `contact_messages` BEGIN
	INSERT INTO `contact_words` (`contact_words`, `rowid`, `words`) SELECT 'delete', `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = old.`referenceNumber` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
	UPDATE `record_search` SET `words` = '  ' || replace(new.`referenceNumber` || ' ' || new.`name` || ' ' || new.`email` || ' ' || coalesce(new.`walletAddress`, '') || ' ' || coalesce(new.`subject`, ''), ' ', '  ') WHERE `referenceNumber` = new.`referenceNumber`;
	INSERT INTO `contact_words` (`rowid`, `words`) SELECT `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
END;
--> statement-breakpoint
DROP TRIGGER `contact_messages_search_removed`;
--> statement-breakpoint
CREATE TRIGGER `contact_messages_search_removed` AFTER DELETE ON `contact_messages` BEGIN
	INSERT INTO `contact_words` (`contact_words`, `rowid`, `words`) SELECT 'delete', `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = old.`referenceNumber` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
	DELETE FROM `record_search` WHERE `referenceNumber` = old.`referenceNumber`;
END;
--> statement-breakpoint
DROP TRIGGER `verification_requests_search_added`;
--> statement-breakpoint
CREATE TRIGGER `verification_requests_search_added` AFTER INSERT ON `verification_requests` BEGIN
	INSERT INTO `record_search` (`sequence`, `referenceNumber`, `words`) SELECT max(`upTo`, coalesce((SELECT max(`sequence`) FROM `record_search`), 0)) + 1, new.`referenceNumber`, '  ' || replace(new.`referenceNumber` || ' ' || new.`email` || ' ' || new.`walletAddress` || ' ' || coalesce(new.`telegram`, ''), ' ', '  ') FROM `indexed_words`;
	UPDATE `verification_requests` SET `sequence` = (SELECT `sequence` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber`) WHERE rowid = new.rowid;
END;
--> statement-breakpoint
DROP TRIGGER `verification_requests_search_changed`;
--> statement-breakpoint
CREATE TRIGGER `verification_requests_search_changed` AFTER UPDATE OF `email`, `walletAddress`, `telegram` ON `verification_requests` BEGIN
	INSERT INTO `request_words` (`request_words`, `rowid`, `words`) SELECT 'delete', `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = old.`referenceNumber` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
	UPDATE `record_search` SET `words` = '  ' || replace(new.`referenceNumber` || ' ' || new.`email` || ' ' || new.`walletAddress` || ' ' || coalesce(new.`telegram`, ''), ' ', '  ') WHERE `referenceNumber` = new.`referenceNumber`;
	INSERT INTO `request_words` (`rowid`, `words`) SELECT `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
END;
--> statement-breakpoint
DROP TRIGGER `verification_requests_search_removed`;
--> statement-breakpoint
CREATE TRIGGER `verification_requests_search_removed` AFTER DELETE ON `verification_requests` BEGIN
	INSERT INTO `request_words` (`request_words`, `rowid`, `words`) SELECT 'delete', `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = old.`referenceNumber` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
	DELETE FROM `record_search` WHERE `referenceNumber` = old.`referenceNumber`;
END;
--> statement-breakpoint
DROP TRIGGER `loan_applications_search_added`;
--> statement-breakpoint
CREATE TRIGGER `loan_applications_search_added` AFTER INSERT ON `loan_applications` BEGIN
	INSERT INTO `record_search` (`sequence`, `referenceNumber`, `words`) SELECT max(`upTo`, coalesce((SELECT max(`sequence`) FROM `record_search`), 0)) + 1, new.`referenceNumber`, '  ' || replace(new.`referenceNumber` || ' ' || new.`name` || ' ' || new.`email`, ' ', '  ') FROM `indexed_words`;
	UPDATE `loan_applications` SET `sequence` = (SELECT `sequence` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber`) WHERE rowid = new.rowid;
END;
--> statement-breakpoint
DROP TRIGGER `loan_applications_search_changed`;
--> statement-breakpoint
CREATE TRIGGER `loan_applications_search_changed` AFTER UPDATE OF `name`, `email` ON `loan_applications` BEGIN
	INSERT INTO `loan_words` (`loan_words`, `rowid`, `words`) SELECT 'delete', `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = old.`referenceNumber` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
	UPDATE `record_search` SET `words` = '  ' || replace(new.`referenceNumber` || ' ' || new.`name` || ' ' || new.`email`, ' ', '  ') WHERE `referenceNumber` = new.`referenceNumber`;
	INSERT INTO `loan_words` (`rowid`, `words`) SELECT `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
END;
--> statement-breakpoint
DROP TRIGGER `loan_applications_search_removed`;
--> statement-breakpoint
CREATE TRIGGER `loan_applications_search_removed` AFTER DELETE ON `loan_applications` BEGIN
	INSERT INTO `loan_words` (`loan_words`, `rowid`, `words`) SELECT 'delete', `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = old.`referenceNumber` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
	DELETE FROM `record_search` WHERE `referenceNumber` = old.`referenceNumber`;
END;
