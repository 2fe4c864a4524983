-- The indexes `<table>_by_createdAt` begin with the same column.
DROP INDEX `card_applications_created`;
--> statement-breakpoint
DROP INDEX `contact_messages_created`;
--> statement-breakpoint
DROP INDEX `loan_applications_created`;
--> statement-breakpoint
DROP INDEX `verification_requests_created`;
--> statement-breakpoint
-- The store sets `sequence` in the insert. A later update would write each index that contains it a second time.
DROP TRIGGER `card_applications_search_added`;
--> statement-breakpoint
CREATE TRIGGER `card_applications_search_added` AFTER INSERT ON `card_applications` BEGIN
	INSERT INTO `record_search` (`sequence`, `referenceNumber`, `words`) SELECT coalesce(new.`sequence`, max(`upTo`, coalesce((SELECT max(`sequence`) FROM `record_search`), 0)) + 1), new.`referenceNumber`, '  ' || replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(new.`referenceNumber` || ' ' || new.`name` || ' ' || new.`email` || ' ' || coalesce(new.`walletAddress`, '') || ' ' || coalesce(new.`telegram`, '') || ' ' || coalesce((SELECT substr(group_concat(m.`words`, ' '), 1, 20000) FROM (SELECT `subject` || ' ' || `text` AS `words` FROM `record_messages` WHERE `referenceNumber` = new.`referenceNumber` ORDER BY `sequence`) m), ''), char(10), ' '), 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n'), ' ', '  ') FROM `indexed_words`;
	UPDATE `card_applications` SET `sequence` = (SELECT `sequence` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber`) WHERE rowid = new.rowid AND new.`sequence` IS NULL;
END;
--> statement-breakpoint
DROP TRIGGER `contact_messages_search_added`;
--> statement-breakpoint
CREATE TRIGGER `contact_messages_search_added` AFTER INSERT ON `contact_messages` BEGIN
	INSERT INTO `record_search` (`sequence`, `referenceNumber`, `words`) SELECT coalesce(new.`sequence`, max(`upTo`, coalesce((SELECT max(`sequence`) FROM `record_search`), 0)) + 1), new.`referenceNumber`, '  ' || replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(new.`referenceNumber` || ' ' || new.`name` || ' ' || new.`email` || ' ' || coalesce(new.`walletAddress`, '') || ' ' || coalesce(new.`subject`, '') || ' ' || coalesce(json_extract(new.`details`, '$.message'), '') || ' ' || coalesce((SELECT substr(group_concat(m.`words`, ' '), 1, 20000) FROM (SELECT `subject` || ' ' || `text` AS `words` FROM `record_messages` WHERE `referenceNumber` = new.`referenceNumber` ORDER BY `sequence`) m), ''), char(10), ' '), 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n'), ' ', '  ') FROM `indexed_words`;
	UPDATE `contact_messages` SET `sequence` = (SELECT `sequence` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber`) WHERE rowid = new.rowid AND new.`sequence` IS NULL;
END;
--> statement-breakpoint
DROP TRIGGER `verification_requests_search_added`;
--> statement-breakpoint
CREATE TRIGGER `verification_requests_search_added` AFTER INSERT ON `verification_requests` BEGIN
	INSERT INTO `record_search` (`sequence`, `referenceNumber`, `words`) SELECT coalesce(new.`sequence`, max(`upTo`, coalesce((SELECT max(`sequence`) FROM `record_search`), 0)) + 1), new.`referenceNumber`, '  ' || replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(new.`referenceNumber` || ' ' || new.`email` || ' ' || new.`walletAddress` || ' ' || coalesce(new.`telegram`, '') || ' ' || coalesce((SELECT substr(group_concat(m.`words`, ' '), 1, 20000) FROM (SELECT `subject` || ' ' || `text` AS `words` FROM `record_messages` WHERE `referenceNumber` = new.`referenceNumber` ORDER BY `sequence`) m), ''), char(10), ' '), 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n'), ' ', '  ') FROM `indexed_words`;
	UPDATE `verification_requests` SET `sequence` = (SELECT `sequence` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber`) WHERE rowid = new.rowid AND new.`sequence` IS NULL;
END;
--> statement-breakpoint
DROP TRIGGER `loan_applications_search_added`;
--> statement-breakpoint
CREATE TRIGGER `loan_applications_search_added` AFTER INSERT ON `loan_applications` BEGIN
	INSERT INTO `record_search` (`sequence`, `referenceNumber`, `words`) SELECT coalesce(new.`sequence`, max(`upTo`, coalesce((SELECT max(`sequence`) FROM `record_search`), 0)) + 1), new.`referenceNumber`, '  ' || replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(new.`referenceNumber` || ' ' || new.`name` || ' ' || new.`email` || ' ' || coalesce((SELECT `name` FROM `country_names` WHERE `code` = new.`country`), '') || ' ' || coalesce((SELECT substr(group_concat(m.`words`, ' '), 1, 20000) FROM (SELECT `subject` || ' ' || `text` AS `words` FROM `record_messages` WHERE `referenceNumber` = new.`referenceNumber` ORDER BY `sequence`) m), ''), char(10), ' '), 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n'), ' ', '  ') FROM `indexed_words`;
	UPDATE `loan_applications` SET `sequence` = (SELECT `sequence` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber`) WHERE rowid = new.rowid AND new.`sequence` IS NULL;
END;
