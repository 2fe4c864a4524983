-- The indexes `<table>_by_createdAt` begin with the same column.
DROP INDEX `card_applications_created`;
--> statement-breakpoint
DROP INDEX `contact_messages_created`;
--> statement-breakpoint
DROP INDEX `verification_requests_created`;
--> statement-breakpoint
DROP INDEX `loan_applications_created`;
--> statement-breakpoint
-- The store sets `sequence` in the insert of a record: an update would write each index that contains it a second time. With
-- `sequence`, the words of a record are found without an index on its reference number.
DROP TRIGGER `card_applications_search_added`;
--> statement-breakpoint
DROP TRIGGER `card_applications_search_changed`;
--> statement-breakpoint
DROP TRIGGER `card_applications_search_removed`;
--> statement-breakpoint
DROP TRIGGER `contact_messages_search_added`;
--> statement-breakpoint
DROP TRIGGER `contact_messages_search_changed`;
--> statement-breakpoint
DROP TRIGGER `contact_messages_search_removed`;
--> statement-breakpoint
DROP TRIGGER `verification_requests_search_added`;
--> statement-breakpoint
DROP TRIGGER `verification_requests_search_changed`;
--> statement-breakpoint
DROP TRIGGER `verification_requests_search_removed`;
--> statement-breakpoint
DROP TRIGGER `loan_applications_search_added`;
--> statement-breakpoint
DROP TRIGGER `loan_applications_search_changed`;
--> statement-breakpoint
DROP TRIGGER `loan_applications_search_removed`;
--> statement-breakpoint
CREATE TABLE `new_record_search` (
	`sequence` integer PRIMARY KEY NOT NULL,
	`referenceNumber` text NOT NULL,
	`words` text NOT NULL
);
--> statement-breakpoint
INSERT INTO `new_record_search` (`sequence`, `referenceNumber`, `words`) SELECT `sequence`, `referenceNumber`, `words` FROM `record_search`;
--> statement-breakpoint
DROP TABLE `record_search`;
--> statement-breakpoint
ALTER TABLE `new_record_search` RENAME TO `record_search`;
--> statement-breakpoint
CREATE TRIGGER `card_applications_search_added` AFTER INSERT ON `card_applications` BEGIN
	INSERT INTO `record_search` (`sequence`, `referenceNumber`, `words`) SELECT coalesce(new.`sequence`, max(`upTo`, coalesce((SELECT max(`sequence`) FROM `record_search`), 0)) + 1), new.`referenceNumber`, '  ' || replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(new.`referenceNumber` || ' ' || new.`name` || ' ' || new.`email` || ' ' || coalesce(new.`walletAddress`, '') || ' ' || coalesce(new.`telegram`, '') || ' ' || coalesce((SELECT substr(group_concat(m.`words`, ' '), 1, 20000) FROM (SELECT `subject` || ' ' || `text` AS `words` FROM `record_messages` WHERE `referenceNumber` = new.`referenceNumber` ORDER BY `sequence`) m), ''), char(10), ' '), 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n'), ' ', '  ') FROM `indexed_words`;
	UPDATE `card_applications` SET `sequence` = (SELECT max(`sequence`) FROM `record_search`) WHERE rowid = new.rowid AND new.`sequence` IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `card_applications_search_changed` AFTER UPDATE OF `name`, `email`, `walletAddress`, `telegram` ON `card_applications` BEGIN
	INSERT INTO `application_words` (`application_words`, `rowid`, `words`) SELECT 'delete', `sequence`, `words` FROM `record_search` WHERE `sequence` = old.`sequence` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
	UPDATE `record_search` SET `words` = '  ' || replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(new.`referenceNumber` || ' ' || new.`name` || ' ' || new.`email` || ' ' || coalesce(new.`walletAddress`, '') || ' ' || coalesce(new.`telegram`, '') || ' ' || coalesce((SELECT substr(group_concat(m.`words`, ' '), 1, 20000) FROM (SELECT `subject` || ' ' || `text` AS `words` FROM `record_messages` WHERE `referenceNumber` = new.`referenceNumber` ORDER BY `sequence`) m), ''), char(10), ' '), 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n'), ' ', '  ') WHERE `sequence` = new.`sequence`;
	INSERT INTO `application_words` (`rowid`, `words`) SELECT `sequence`, `words` FROM `record_search` WHERE `sequence` = new.`sequence` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
END;
--> statement-breakpoint
CREATE TRIGGER `card_applications_search_removed` AFTER DELETE ON `card_applications` BEGIN
	INSERT INTO `application_words` (`application_words`, `rowid`, `words`) SELECT 'delete', `sequence`, `words` FROM `record_search` WHERE `sequence` = old.`sequence` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
	DELETE FROM `record_search` WHERE `sequence` = old.`sequence`;
END;
--> statement-breakpoint
CREATE TRIGGER `contact_messages_search_added` AFTER INSERT ON `contact_messages` BEGIN
	INSERT INTO `record_search` (`sequence`, `referenceNumber`, `words`) SELECT coalesce(new.`sequence`, max(`upTo`, coalesce((SELECT max(`sequence`) FROM `record_search`), 0)) + 1), new.`referenceNumber`, '  ' || replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(new.`referenceNumber` || ' ' || new.`name` || ' ' || new.`email` || ' ' || coalesce(new.`walletAddress`, '') || ' ' || coalesce(new.`subject`, '') || ' ' || coalesce(json_extract(new.`details`, '$.message'), '') || ' ' || coalesce((SELECT substr(group_concat(m.`words`, ' '), 1, 20000) FROM (SELECT `subject` || ' ' || `text` AS `words` FROM `record_messages` WHERE `referenceNumber` = new.`referenceNumber` ORDER BY `sequence`) m), ''), char(10), ' '), 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n'), ' ', '  ') FROM `indexed_words`;
	UPDATE `contact_messages` SET `sequence` = (SELECT max(`sequence`) FROM `record_search`) WHERE rowid = new.rowid AND new.`sequence` IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `contact_messages_search_changed` AFTER UPDATE OF `name`, `email`, `walletAddress`, `subject` ON `contact_messages` BEGIN
	INSERT INTO `contact_words` (`contact_words`, `rowid`, `words`) SELECT 'delete', `sequence`, `words` FROM `record_search` WHERE `sequence` = old.`sequence` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
	UPDATE `record_search` SET `words` = '  ' || replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(new.`referenceNumber` || ' ' || new.`name` || ' ' || new.`email` || ' ' || coalesce(new.`walletAddress`, '') || ' ' || coalesce(new.`subject`, '') || ' ' || coalesce(json_extract(new.`details`, '$.message'), '') || ' ' || coalesce((SELECT substr(group_concat(m.`words`, ' '), 1, 20000) FROM (SELECT `subject` || ' ' || `text` AS `words` FROM `record_messages` WHERE `referenceNumber` = new.`referenceNumber` ORDER BY `sequence`) m), ''), char(10), ' '), 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n'), ' ', '  ') WHERE `sequence` = new.`sequence`;
	INSERT INTO `contact_words` (`rowid`, `words`) SELECT `sequence`, `words` FROM `record_search` WHERE `sequence` = new.`sequence` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
END;
--> statement-breakpoint
CREATE TRIGGER `contact_messages_search_removed` AFTER DELETE ON `contact_messages` BEGIN
	INSERT INTO `contact_words` (`contact_words`, `rowid`, `words`) SELECT 'delete', `sequence`, `words` FROM `record_search` WHERE `sequence` = old.`sequence` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
	DELETE FROM `record_search` WHERE `sequence` = old.`sequence`;
END;
--> statement-breakpoint
CREATE TRIGGER `verification_requests_search_added` AFTER INSERT ON `verification_requests` BEGIN
	INSERT INTO `record_search` (`sequence`, `referenceNumber`, `words`) SELECT coalesce(new.`sequence`, max(`upTo`, coalesce((SELECT max(`sequence`) FROM `record_search`), 0)) + 1), new.`referenceNumber`, '  ' || replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(new.`referenceNumber` || ' ' || new.`email` || ' ' || new.`walletAddress` || ' ' || coalesce(new.`telegram`, '') || ' ' || coalesce((SELECT substr(group_concat(m.`words`, ' '), 1, 20000) FROM (SELECT `subject` || ' ' || `text` AS `words` FROM `record_messages` WHERE `referenceNumber` = new.`referenceNumber` ORDER BY `sequence`) m), ''), char(10), ' '), 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n'), ' ', '  ') FROM `indexed_words`;
	UPDATE `verification_requests` SET `sequence` = (SELECT max(`sequence`) FROM `record_search`) WHERE rowid = new.rowid AND new.`sequence` IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `verification_requests_search_changed` AFTER UPDATE OF `email`, `walletAddress`, `telegram` ON `verification_requests` BEGIN
	INSERT INTO `request_words` (`request_words`, `rowid`, `words`) SELECT 'delete', `sequence`, `words` FROM `record_search` WHERE `sequence` = old.`sequence` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
	UPDATE `record_search` SET `words` = '  ' || replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(new.`referenceNumber` || ' ' || new.`email` || ' ' || new.`walletAddress` || ' ' || coalesce(new.`telegram`, '') || ' ' || coalesce((SELECT substr(group_concat(m.`words`, ' '), 1, 20000) FROM (SELECT `subject` || ' ' || `text` AS `words` FROM `record_messages` WHERE `referenceNumber` = new.`referenceNumber` ORDER BY `sequence`) m), ''), char(10), ' '), 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n'), ' ', '  ') WHERE `sequence` = new.`sequence`;
	INSERT INTO `request_words` (`rowid`, `words`) SELECT `sequence`, `words` FROM `record_search` WHERE `sequence` = new.`sequence` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
END;
--> statement-breakpoint
CREATE TRIGGER `verification_requests_search_removed` AFTER DELETE ON `verification_requests` BEGIN
	INSERT INTO `request_words` (`request_words`, `rowid`, `words`) SELECT 'delete', `sequence`, `words` FROM `record_search` WHERE `sequence` = old.`sequence` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
	DELETE FROM `record_search` WHERE `sequence` = old.`sequence`;
END;
--> statement-breakpoint
CREATE TRIGGER `loan_applications_search_added` AFTER INSERT ON `loan_applications` BEGIN
	INSERT INTO `record_search` (`sequence`, `referenceNumber`, `words`) SELECT coalesce(new.`sequence`, max(`upTo`, coalesce((SELECT max(`sequence`) FROM `record_search`), 0)) + 1), new.`referenceNumber`, '  ' || replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(new.`referenceNumber` || ' ' || new.`name` || ' ' || new.`email` || ' ' || coalesce((SELECT `name` FROM `country_names` WHERE `code` = new.`country`), '') || ' ' || coalesce((SELECT substr(group_concat(m.`words`, ' '), 1, 20000) FROM (SELECT `subject` || ' ' || `text` AS `words` FROM `record_messages` WHERE `referenceNumber` = new.`referenceNumber` ORDER BY `sequence`) m), ''), char(10), ' '), 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n'), ' ', '  ') FROM `indexed_words`;
	UPDATE `loan_applications` SET `sequence` = (SELECT max(`sequence`) FROM `record_search`) WHERE rowid = new.rowid AND new.`sequence` IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `loan_applications_search_changed` AFTER UPDATE OF `name`, `email`, `country` ON `loan_applications` BEGIN
	INSERT INTO `loan_words` (`loan_words`, `rowid`, `words`) SELECT 'delete', `sequence`, `words` FROM `record_search` WHERE `sequence` = old.`sequence` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
	UPDATE `record_search` SET `words` = '  ' || replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(new.`referenceNumber` || ' ' || new.`name` || ' ' || new.`email` || ' ' || coalesce((SELECT `name` FROM `country_names` WHERE `code` = new.`country`), '') || ' ' || coalesce((SELECT substr(group_concat(m.`words`, ' '), 1, 20000) FROM (SELECT `subject` || ' ' || `text` AS `words` FROM `record_messages` WHERE `referenceNumber` = new.`referenceNumber` ORDER BY `sequence`) m), ''), char(10), ' '), 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n'), ' ', '  ') WHERE `sequence` = new.`sequence`;
	INSERT INTO `loan_words` (`rowid`, `words`) SELECT `sequence`, `words` FROM `record_search` WHERE `sequence` = new.`sequence` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
END;
--> statement-breakpoint
CREATE TRIGGER `loan_applications_search_removed` AFTER DELETE ON `loan_applications` BEGIN
	INSERT INTO `loan_words` (`loan_words`, `rowid`, `words`) SELECT 'delete', `sequence`, `words` FROM `record_search` WHERE `sequence` = old.`sequence` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
	DELETE FROM `record_search` WHERE `sequence` = old.`sequence`;
END;
