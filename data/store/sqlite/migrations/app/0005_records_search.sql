-- The text that the team's searches read. The word tables refer to the sequence, a rowid that no VACUUM changes. The text has
-- two spaces before each word, so that groups of three characters also find a word by its first one or two letters.
CREATE TABLE `record_search` (
	`sequence` integer PRIMARY KEY NOT NULL,
	`referenceNumber` text NOT NULL UNIQUE,
	`words` text NOT NULL
);
--> statement-breakpoint
CREATE VIRTUAL TABLE `application_words` USING fts5(`words`, content='record_search', content_rowid='sequence', tokenize='trigram remove_diacritics 1');
--> statement-breakpoint
CREATE VIRTUAL TABLE `contact_words` USING fts5(`words`, content='record_search', content_rowid='sequence', tokenize='trigram remove_diacritics 1');
--> statement-breakpoint
CREATE VIRTUAL TABLE `request_words` USING fts5(`words`, content='record_search', content_rowid='sequence', tokenize='trigram remove_diacritics 1');
--> statement-breakpoint
CREATE VIRTUAL TABLE `loan_words` USING fts5(`words`, content='record_search', content_rowid='sequence', tokenize='trigram remove_diacritics 1');
--> statement-breakpoint
CREATE TRIGGER `card_applications_search_added` AFTER INSERT ON `card_applications` BEGIN
	INSERT INTO `record_search` (`referenceNumber`, `words`) VALUES (new.`referenceNumber`, '  ' || replace(new.`referenceNumber` || ' ' || new.`name` || ' ' || new.`email` || ' ' || coalesce(new.`walletAddress`, '') || ' ' || coalesce(new.`telegram`, ''), ' ', '  '));
	INSERT INTO `application_words` (`rowid`, `words`) SELECT `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber`;
END;
--> statement-breakpoint
CREATE TRIGGER `card_applications_search_changed` AFTER UPDATE OF `name`, `email`, `walletAddress`, `telegram` ON `card_applications` BEGIN
	INSERT INTO `application_words` (`application_words`, `rowid`, `words`) SELECT 'delete', `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = old.`referenceNumber`;
	UPDATE `record_search` SET `words` = '  ' || replace(new.`referenceNumber` || ' ' || new.`name` || ' ' || new.`email` || ' ' || coalesce(new.`walletAddress`, '') || ' ' || coalesce(new.`telegram`, ''), ' ', '  ') WHERE `referenceNumber` = new.`referenceNumber`;
	INSERT INTO `application_words` (`rowid`, `words`) SELECT `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber`;
END;
--> statement-breakpoint
CREATE TRIGGER `card_applications_search_removed` AFTER DELETE ON `card_applications` BEGIN
	INSERT INTO `application_words` (`application_words`, `rowid`, `words`) SELECT 'delete', `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = old.`referenceNumber`;
	DELETE FROM `record_search` WHERE `referenceNumber` = old.`referenceNumber`;
END;
--> statement-breakpoint
CREATE TRIGGER `contact_messages_search_added` AFTER INSERT ON `contact_messages` BEGIN
	INSERT INTO `record_search` (`referenceNumber`, `words`) VALUES (new.`referenceNumber`, '  ' || replace(new.`referenceNumber` || ' ' || new.`name` || ' ' || new.`email` || ' ' || coalesce(new.`walletAddress`, '') || ' ' || coalesce(new.`subject`, ''), ' ', '  '));
	INSERT INTO `contact_words` (`rowid`, `words`) SELECT `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber`;
END;
--> statement-breakpoint
CREATE TRIGGER `contact_messages_search_changed` AFTER UPDATE OF `name`, `email`, `walletAddress`, `subject` ON `contact_messages` BEGIN
	INSERT INTO `contact_words` (`contact_words`, `rowid`, `words`) SELECT 'delete', `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = old.`referenceNumber`;
	UPDATE `record_search` SET `words` = '  ' || replace(new.`referenceNumber` || ' ' || new.`name` || ' ' || new.`email` || ' ' || coalesce(new.`walletAddress`, '') || ' ' || coalesce(new.`subject`, ''), ' ', '  ') WHERE `referenceNumber` = new.`referenceNumber`;
	INSERT INTO `contact_words` (`rowid`, `words`) SELECT `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber`;
END;
--> statement-breakpoint
CREATE TRIGGER `contact_messages_search_removed` AFTER DELETE ON `contact_messages` BEGIN
	INSERT INTO `contact_words` (`contact_words`, `rowid`, `words`) SELECT 'delete', `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = old.`referenceNumber`;
	DELETE FROM `record_search` WHERE `referenceNumber` = old.`referenceNumber`;
END;
--> statement-breakpoint
CREATE TRIGGER `verification_requests_search_added` AFTER INSERT ON `verification_requests` BEGIN
	INSERT INTO `record_search` (`referenceNumber`, `words`) VALUES (new.`referenceNumber`, '  ' || replace(new.`referenceNumber` || ' ' || new.`email` || ' ' || new.`walletAddress` || ' ' || coalesce(new.`telegram`, ''), ' ', '  '));
	INSERT INTO `request_words` (`rowid`, `words`) SELECT `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber`;
END;
--> statement-breakpoint
CREATE TRIGGER `verification_requests_search_changed` AFTER UPDATE OF `email`, `walletAddress`, `telegram` ON `verification_requests` BEGIN
	INSERT INTO `request_words` (`request_words`, `rowid`, `words`) SELECT 'delete', `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = old.`referenceNumber`;
	UPDATE `record_search` SET `words` = '  ' || replace(new.`referenceNumber` || ' ' || new.`email` || ' ' || new.`walletAddress` || ' ' || coalesce(new.`telegram`, ''), ' ', '  ') WHERE `referenceNumber` = new.`referenceNumber`;
	INSERT INTO `request_words` (`rowid`, `words`) SELECT `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber`;
END;
--> statement-breakpoint
CREATE TRIGGER `verification_requests_search_removed` AFTER DELETE ON `verification_requests` BEGIN
	INSERT INTO `request_words` (`request_words`, `rowid`, `words`) SELECT 'delete', `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = old.`referenceNumber`;
	DELETE FROM `record_search` WHERE `referenceNumber` = old.`referenceNumber`;
END;
--> statement-breakpoint
CREATE TRIGGER `loan_applications_search_added` AFTER INSERT ON `loan_applications` BEGIN
	INSERT INTO `record_search` (`referenceNumber`, `words`) VALUES (new.`referenceNumber`, '  ' || replace(new.`referenceNumber` || ' ' || new.`name` || ' ' || new.`email`, ' ', '  '));
	INSERT INTO `loan_words` (`rowid`, `words`) SELECT `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber`;
END;
--> statement-breakpoint
CREATE TRIGGER `loan_applications_search_changed` AFTER UPDATE OF `name`, `email` ON `loan_applications` BEGIN
	INSERT INTO `loan_words` (`loan_words`, `rowid`, `words`) SELECT 'delete', `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = old.`referenceNumber`;
	UPDATE `record_search` SET `words` = '  ' || replace(new.`referenceNumber` || ' ' || new.`name` || ' ' || new.`email`, ' ', '  ') WHERE `referenceNumber` = new.`referenceNumber`;
	INSERT INTO `loan_words` (`rowid`, `words`) SELECT `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber`;
END;
--> statement-breakpoint
CREATE TRIGGER `loan_applications_search_removed` AFTER DELETE ON `loan_applications` BEGIN
	INSERT INTO `loan_words` (`loan_words`, `rowid`, `words`) SELECT 'delete', `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = old.`referenceNumber`;
	DELETE FROM `record_search` WHERE `referenceNumber` = old.`referenceNumber`;
END;
--> statement-breakpoint
INSERT INTO `record_search` (`referenceNumber`, `words`) SELECT `referenceNumber`, '  ' || replace(`referenceNumber` || ' ' || `name` || ' ' || `email` || ' ' || coalesce(`walletAddress`, '') || ' ' || coalesce(`telegram`, ''), ' ', '  ') FROM `card_applications` ORDER BY `createdAt`;
--> statement-breakpoint
INSERT INTO `application_words` (`rowid`, `words`) SELECT `sequence`, `record_search`.`words` FROM `record_search` JOIN `card_applications` USING (`referenceNumber`);
--> statement-breakpoint
INSERT INTO `record_search` (`referenceNumber`, `words`) SELECT `referenceNumber`, '  ' || replace(`referenceNumber` || ' ' || `name` || ' ' || `email` || ' ' || coalesce(`walletAddress`, '') || ' ' || coalesce(`subject`, ''), ' ', '  ') FROM `contact_messages` ORDER BY `createdAt`;
--> statement-breakpoint
INSERT INTO `contact_words` (`rowid`, `words`) SELECT `sequence`, `record_search`.`words` FROM `record_search` JOIN `contact_messages` USING (`referenceNumber`);
--> statement-breakpoint
INSERT INTO `record_search` (`referenceNumber`, `words`) SELECT `referenceNumber`, '  ' || replace(`referenceNumber` || ' ' || `email` || ' ' || `walletAddress` || ' ' || coalesce(`telegram`, ''), ' ', '  ') FROM `verification_requests` ORDER BY `createdAt`;
--> statement-breakpoint
INSERT INTO `request_words` (`rowid`, `words`) SELECT `sequence`, `record_search`.`words` FROM `record_search` JOIN `verification_requests` USING (`referenceNumber`);
--> statement-breakpoint
INSERT INTO `record_search` (`referenceNumber`, `words`) SELECT `referenceNumber`, '  ' || replace(`referenceNumber` || ' ' || `name` || ' ' || `email`, ' ', '  ') FROM `loan_applications` ORDER BY `createdAt`;
--> statement-breakpoint
INSERT INTO `loan_words` (`rowid`, `words`) SELECT `sequence`, `record_search`.`words` FROM `record_search` JOIN `loan_applications` USING (`referenceNumber`);
--> statement-breakpoint
-- The number of records by kind and status. Triggers maintain it, because counting would get slower with each record.
CREATE TABLE `record_counts` (
	`kind` text NOT NULL,
	`status` text NOT NULL,
	`rows` integer NOT NULL,
	PRIMARY KEY(`kind`, `status`)
);
--> statement-breakpoint
CREATE TRIGGER `card_applications_count_added` AFTER INSERT ON `card_applications` BEGIN
	INSERT INTO `record_counts` (`kind`, `status`, `rows`) VALUES ('card-application', new.`status`, 1) ON CONFLICT DO UPDATE SET `rows` = `rows` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `card_applications_count_changed` AFTER UPDATE OF `status` ON `card_applications` WHEN new.`status` <> old.`status` BEGIN
	UPDATE `record_counts` SET `rows` = `rows` - 1 WHERE `kind` = 'card-application' AND `status` = old.`status`;
	INSERT INTO `record_counts` (`kind`, `status`, `rows`) VALUES ('card-application', new.`status`, 1) ON CONFLICT DO UPDATE SET `rows` = `rows` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `card_applications_count_removed` AFTER DELETE ON `card_applications` BEGIN
	UPDATE `record_counts` SET `rows` = `rows` - 1 WHERE `kind` = 'card-application' AND `status` = old.`status`;
END;
--> statement-breakpoint
INSERT INTO `record_counts` SELECT 'card-application', `status`, count(*) FROM `card_applications` GROUP BY 2;
--> statement-breakpoint
CREATE TRIGGER `contact_messages_count_added` AFTER INSERT ON `contact_messages` BEGIN
	INSERT INTO `record_counts` (`kind`, `status`, `rows`) VALUES ('contact-message', 'received', 1) ON CONFLICT DO UPDATE SET `rows` = `rows` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `contact_messages_count_removed` AFTER DELETE ON `contact_messages` BEGIN
	UPDATE `record_counts` SET `rows` = `rows` - 1 WHERE `kind` = 'contact-message' AND `status` = 'received';
END;
--> statement-breakpoint
INSERT INTO `record_counts` SELECT 'contact-message', 'received', count(*) FROM `contact_messages` GROUP BY 2;
--> statement-breakpoint
CREATE TRIGGER `verification_requests_count_added` AFTER INSERT ON `verification_requests` BEGIN
	INSERT INTO `record_counts` (`kind`, `status`, `rows`) VALUES ('verification-request', new.`status`, 1) ON CONFLICT DO UPDATE SET `rows` = `rows` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `verification_requests_count_changed` AFTER UPDATE OF `status` ON `verification_requests` WHEN new.`status` <> old.`status` BEGIN
	UPDATE `record_counts` SET `rows` = `rows` - 1 WHERE `kind` = 'verification-request' AND `status` = old.`status`;
	INSERT INTO `record_counts` (`kind`, `status`, `rows`) VALUES ('verification-request', new.`status`, 1) ON CONFLICT DO UPDATE SET `rows` = `rows` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `verification_requests_count_removed` AFTER DELETE ON `verification_requests` BEGIN
	UPDATE `record_counts` SET `rows` = `rows` - 1 WHERE `kind` = 'verification-request' AND `status` = old.`status`;
END;
--> statement-breakpoint
INSERT INTO `record_counts` SELECT 'verification-request', `status`, count(*) FROM `verification_requests` GROUP BY 2;
--> statement-breakpoint
CREATE TRIGGER `loan_applications_count_added` AFTER INSERT ON `loan_applications` BEGIN
	INSERT INTO `record_counts` (`kind`, `status`, `rows`) VALUES ('loan-application', new.`status`, 1) ON CONFLICT DO UPDATE SET `rows` = `rows` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `loan_applications_count_changed` AFTER UPDATE OF `status` ON `loan_applications` WHEN new.`status` <> old.`status` BEGIN
	UPDATE `record_counts` SET `rows` = `rows` - 1 WHERE `kind` = 'loan-application' AND `status` = old.`status`;
	INSERT INTO `record_counts` (`kind`, `status`, `rows`) VALUES ('loan-application', new.`status`, 1) ON CONFLICT DO UPDATE SET `rows` = `rows` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `loan_applications_count_removed` AFTER DELETE ON `loan_applications` BEGIN
	UPDATE `record_counts` SET `rows` = `rows` - 1 WHERE `kind` = 'loan-application' AND `status` = old.`status`;
END;
--> statement-breakpoint
INSERT INTO `record_counts` SELECT 'loan-application', `status`, count(*) FROM `loan_applications` GROUP BY 2;
--> statement-breakpoint
-- Only deliveries that have ended are counted: the others are few.
CREATE TRIGGER `deliveries_count_ended` AFTER UPDATE OF `state` ON `deliveries` WHEN new.`state` IN ('sent', 'dead') AND new.`state` <> old.`state` BEGIN
	INSERT INTO `record_counts` (`kind`, `status`, `rows`) VALUES ('delivery', new.`state`, 1) ON CONFLICT DO UPDATE SET `rows` = `rows` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `deliveries_count_revived` AFTER UPDATE OF `state` ON `deliveries` WHEN old.`state` IN ('sent', 'dead') AND new.`state` <> old.`state` BEGIN
	UPDATE `record_counts` SET `rows` = `rows` - 1 WHERE `kind` = 'delivery' AND `status` = old.`state`;
END;
--> statement-breakpoint
INSERT INTO `record_counts` SELECT 'delivery', `state`, count(*) FROM `deliveries` WHERE `state` IN ('sent', 'dead') GROUP BY 2;
--> statement-breakpoint
CREATE TRIGGER `delivery_attempts_count_added` AFTER INSERT ON `delivery_attempts` BEGIN
	INSERT INTO `record_counts` (`kind`, `status`, `rows`) VALUES ('delivery-attempt', CASE new.`outcome` WHEN 'sent' THEN 'success' ELSE 'failure' END, 1) ON CONFLICT DO UPDATE SET `rows` = `rows` + 1;
END;
--> statement-breakpoint
INSERT INTO `record_counts` SELECT 'delivery-attempt', CASE `outcome` WHEN 'sent' THEN 'success' ELSE 'failure' END, count(*) FROM `delivery_attempts` GROUP BY 2;
--> statement-breakpoint
-- Columns to sort lists by: as text, amounts and tiers would be in the wrong order.
ALTER TABLE `card_applications` ADD COLUMN `tierRank` integer GENERATED ALWAYS AS (CASE coalesce(`checkedTier`, `statedTier`) WHEN 'None' THEN 1 WHEN 'Duckling' THEN 2 WHEN 'Banker' THEN 3 WHEN 'Raven' THEN 4 ELSE 0 END) VIRTUAL;
--> statement-breakpoint
ALTER TABLE `card_applications` ADD COLUMN `amountRank` integer GENERATED ALWAYS AS (coalesce(cast(`checkedAmount` AS integer), -1)) VIRTUAL;
--> statement-breakpoint
-- One index for each sort. It ends with the columns of the filters, so that rows can be filtered in the index alone.
CREATE INDEX `card_applications_by_createdAt` ON `card_applications` (`createdAt`, `referenceNumber`, `status`, `tierRank`);
--> statement-breakpoint
CREATE INDEX `card_applications_by_name` ON `card_applications` (`name` COLLATE NOCASE, `referenceNumber`, `status`, `tierRank`, `createdAt`);
--> statement-breakpoint
CREATE INDEX `card_applications_by_email` ON `card_applications` (`email` COLLATE NOCASE, `referenceNumber`, `status`, `tierRank`, `createdAt`);
--> statement-breakpoint
CREATE INDEX `card_applications_by_tierRank` ON `card_applications` (`tierRank`, `referenceNumber`, `status`, `createdAt`);
--> statement-breakpoint
CREATE INDEX `card_applications_by_amountRank` ON `card_applications` (`amountRank`, `referenceNumber`, `status`, `tierRank`, `createdAt`);
--> statement-breakpoint
CREATE INDEX `card_applications_by_status` ON `card_applications` (`status`, `referenceNumber`, `tierRank`, `createdAt`);
--> statement-breakpoint
CREATE INDEX `contact_messages_by_createdAt` ON `contact_messages` (`createdAt`, `referenceNumber`, `category`);
--> statement-breakpoint
CREATE INDEX `contact_messages_by_name` ON `contact_messages` (`name` COLLATE NOCASE, `referenceNumber`, `category`, `createdAt`);
--> statement-breakpoint
CREATE INDEX `contact_messages_by_email` ON `contact_messages` (`email` COLLATE NOCASE, `referenceNumber`, `category`, `createdAt`);
--> statement-breakpoint
CREATE INDEX `contact_messages_by_subject` ON `contact_messages` (coalesce(`subject`, '') COLLATE NOCASE, `referenceNumber`, `category`, `createdAt`);
--> statement-breakpoint
CREATE INDEX `contact_messages_by_category` ON `contact_messages` (coalesce(`category`, ''), `referenceNumber`, `category`, `createdAt`);
--> statement-breakpoint
CREATE INDEX `verification_requests_by_createdAt` ON `verification_requests` (`createdAt`, `referenceNumber`, `status`);
--> statement-breakpoint
CREATE INDEX `verification_requests_by_email` ON `verification_requests` (`email` COLLATE NOCASE, `referenceNumber`, `status`, `createdAt`);
--> statement-breakpoint
CREATE INDEX `verification_requests_by_walletAddress` ON `verification_requests` (`walletAddress`, `referenceNumber`, `status`, `createdAt`);
--> statement-breakpoint
CREATE INDEX `verification_requests_by_status` ON `verification_requests` (`status`, `referenceNumber`, `createdAt`);
--> statement-breakpoint
CREATE INDEX `loan_applications_by_createdAt` ON `loan_applications` (`createdAt`, `referenceNumber`, `status`);
--> statement-breakpoint
CREATE INDEX `loan_applications_by_name` ON `loan_applications` (`name` COLLATE NOCASE, `referenceNumber`, `status`, `createdAt`);
--> statement-breakpoint
CREATE INDEX `loan_applications_by_email` ON `loan_applications` (`email` COLLATE NOCASE, `referenceNumber`, `status`, `createdAt`);
--> statement-breakpoint
CREATE INDEX `loan_applications_by_investmentAmount` ON `loan_applications` (`investmentAmount`, `referenceNumber`, `status`, `createdAt`);
--> statement-breakpoint
CREATE INDEX `loan_applications_by_investorType` ON `loan_applications` (`investorType`, `referenceNumber`, `status`, `createdAt`);
--> statement-breakpoint
CREATE INDEX `loan_applications_by_country` ON `loan_applications` (`country`, `referenceNumber`, `status`, `createdAt`);
--> statement-breakpoint
CREATE INDEX `loan_applications_by_status` ON `loan_applications` (`status`, `referenceNumber`, `createdAt`);
--> statement-breakpoint
CREATE INDEX `delivery_attempts_failed` ON `delivery_attempts` (`at`) WHERE `outcome` <> 'sent';
--> statement-breakpoint
CREATE INDEX `deliveries_dead` ON `deliveries` (`finishedAt`) WHERE `state` = 'dead';
--> statement-breakpoint
-- The team's decisions and votes on records. Rows are added; an erasure removes only their reasons.
CREATE TABLE `record_decisions` (
	`sequence` integer PRIMARY KEY NOT NULL,
	`referenceNumber` text NOT NULL,
	`at` integer NOT NULL,
	`adminId` text NOT NULL,
	`decision` text NOT NULL,
	`reason` text,
	FOREIGN KEY (`referenceNumber`) REFERENCES `reference_numbers`(`referenceNumber`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `record_decisions_reference` ON `record_decisions` (`referenceNumber`, `sequence`);
