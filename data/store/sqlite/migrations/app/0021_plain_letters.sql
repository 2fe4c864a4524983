-- Searches for plain letters also find letters that Unicode does not decompose: l finds ł. The table of the letters is
-- PLAIN_LETTERS in data/store/rules/search-words.ts.
DROP TRIGGER `card_applications_search_added`;
--> statement-breakpoint
CREATE TRIGGER `card_applications_search_added` AFTER INSERT ON `card_applications` BEGIN
	INSERT INTO `record_search` (`sequence`, `referenceNumber`, `words`) SELECT max(`upTo`, coalesce((SELECT max(`sequence`) FROM `record_search`), 0)) + 1, new.`referenceNumber`, replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace('  ' || replace(new.`referenceNumber` || ' ' || new.`name` || ' ' || new.`email` || ' ' || coalesce(new.`walletAddress`, '') || ' ' || coalesce(new.`telegram`, ''), ' ', '  '), 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n') FROM `indexed_words`;
	UPDATE `card_applications` SET `sequence` = (SELECT `sequence` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber`) WHERE rowid = new.rowid;
END;
--> statement-breakpoint
DROP TRIGGER `card_applications_search_changed`;
--> statement-breakpoint
CREATE TRIGGER `card_applications_search_changed` AFTER UPDATE OF `name`, `email`, `walletAddress`, `telegram` ON `card_applications` BEGIN
	INSERT INTO `application_words` (`application_words`, `rowid`, `words`) SELECT 'delete', `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = old.`referenceNumber` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
	UPDATE `record_search` SET `words` = replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace('  ' || replace(new.`referenceNumber` || ' ' || new.`name` || ' ' || new.`email` || ' ' || coalesce(new.`walletAddress`, '') || ' ' || coalesce(new.`telegram`, ''), ' ', '  '), 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n') WHERE `referenceNumber` = new.`referenceNumber`;
	INSERT INTO `application_words` (`rowid`, `words`) SELECT `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
END;
--> statement-breakpoint
DROP TRIGGER `contact_messages_search_added`;
--> statement-breakpoint
CREATE TRIGGER `contact_messages_search_added` AFTER INSERT ON `contact_messages` BEGIN
	INSERT INTO `record_search` (`sequence`, `referenceNumber`, `words`) SELECT max(`upTo`, coalesce((SELECT max(`sequence`) FROM `record_search`), 0)) + 1, new.`referenceNumber`, replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace('  ' || replace(new.`referenceNumber` || ' ' || new.`name` || ' ' || new.`email` || ' ' || coalesce(new.`walletAddress`, '') || ' ' || coalesce(new.`subject`, ''), ' ', '  '), 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n') FROM `indexed_words`;
	UPDATE `contact_messages` SET `sequence` = (SELECT `sequence` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber`) WHERE rowid = new.rowid;
END;
--> statement-breakpoint
DROP TRIGGER `contact_messages_search_changed`;
--> statement-breakpoint
CREATE TRIGGER `contact_messages_search_changed` AFTER UPDATE OF `name`, `email`, `walletAddress`, `subject` ON `contact_messages` BEGIN
	INSERT INTO `contact_words` (`contact_words`, `rowid`, `words`) SELECT 'delete', `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = old.`referenceNumber` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
	UPDATE `record_search` SET `words` = replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace('  ' || replace(new.`referenceNumber` || ' ' || new.`name` || ' ' || new.`email` || ' ' || coalesce(new.`walletAddress`, '') || ' ' || coalesce(new.`subject`, ''), ' ', '  '), 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n') WHERE `referenceNumber` = new.`referenceNumber`;
	INSERT INTO `contact_words` (`rowid`, `words`) SELECT `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
END;
--> statement-breakpoint
DROP TRIGGER `verification_requests_search_added`;
--> statement-breakpoint
CREATE TRIGGER `verification_requests_search_added` AFTER INSERT ON `verification_requests` BEGIN
	INSERT INTO `record_search` (`sequence`, `referenceNumber`, `words`) SELECT max(`upTo`, coalesce((SELECT max(`sequence`) FROM `record_search`), 0)) + 1, new.`referenceNumber`, replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace('  ' || replace(new.`referenceNumber` || ' ' || new.`email` || ' ' || new.`walletAddress` || ' ' || coalesce(new.`telegram`, ''), ' ', '  '), 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n') FROM `indexed_words`;
	UPDATE `verification_requests` SET `sequence` = (SELECT `sequence` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber`) WHERE rowid = new.rowid;
END;
--> statement-breakpoint
DROP TRIGGER `verification_requests_search_changed`;
--> statement-breakpoint
CREATE TRIGGER `verification_requests_search_changed` AFTER UPDATE OF `email`, `walletAddress`, `telegram` ON `verification_requests` BEGIN
	INSERT INTO `request_words` (`request_words`, `rowid`, `words`) SELECT 'delete', `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = old.`referenceNumber` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
	UPDATE `record_search` SET `words` = replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace('  ' || replace(new.`referenceNumber` || ' ' || new.`email` || ' ' || new.`walletAddress` || ' ' || coalesce(new.`telegram`, ''), ' ', '  '), 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n') WHERE `referenceNumber` = new.`referenceNumber`;
	INSERT INTO `request_words` (`rowid`, `words`) SELECT `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
END;
--> statement-breakpoint
DROP TRIGGER `loan_applications_search_added`;
--> statement-breakpoint
CREATE TRIGGER `loan_applications_search_added` AFTER INSERT ON `loan_applications` BEGIN
	INSERT INTO `record_search` (`sequence`, `referenceNumber`, `words`) SELECT max(`upTo`, coalesce((SELECT max(`sequence`) FROM `record_search`), 0)) + 1, new.`referenceNumber`, replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace('  ' || replace(new.`referenceNumber` || ' ' || new.`name` || ' ' || new.`email`, ' ', '  '), 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n') FROM `indexed_words`;
	UPDATE `loan_applications` SET `sequence` = (SELECT `sequence` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber`) WHERE rowid = new.rowid;
END;
--> statement-breakpoint
DROP TRIGGER `loan_applications_search_changed`;
--> statement-breakpoint
CREATE TRIGGER `loan_applications_search_changed` AFTER UPDATE OF `name`, `email` ON `loan_applications` BEGIN
	INSERT INTO `loan_words` (`loan_words`, `rowid`, `words`) SELECT 'delete', `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = old.`referenceNumber` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
	UPDATE `record_search` SET `words` = replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace('  ' || replace(new.`referenceNumber` || ' ' || new.`name` || ' ' || new.`email`, ' ', '  '), 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n') WHERE `referenceNumber` = new.`referenceNumber`;
	INSERT INTO `loan_words` (`rowid`, `words`) SELECT `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
END;
--> statement-breakpoint
INSERT INTO `application_words` (`application_words`, `rowid`, `words`) SELECT 'delete', s.`sequence`, s.`words` FROM `record_search` s JOIN `card_applications` USING (`referenceNumber`) WHERE s.`words` GLOB '*[ŁłØøĐđÐðßẞıÆæŒœÞþĦħŦŧŊŋ]*' AND s.`sequence` <= (SELECT `upTo` FROM `indexed_words`);
--> statement-breakpoint
INSERT INTO `application_words` (`rowid`, `words`) SELECT s.`sequence`, replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(s.`words`, 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n') FROM `record_search` s JOIN `card_applications` USING (`referenceNumber`) WHERE s.`words` GLOB '*[ŁłØøĐđÐðßẞıÆæŒœÞþĦħŦŧŊŋ]*' AND s.`sequence` <= (SELECT `upTo` FROM `indexed_words`);
--> statement-breakpoint
INSERT INTO `contact_words` (`contact_words`, `rowid`, `words`) SELECT 'delete', s.`sequence`, s.`words` FROM `record_search` s JOIN `contact_messages` USING (`referenceNumber`) WHERE s.`words` GLOB '*[ŁłØøĐđÐðßẞıÆæŒœÞþĦħŦŧŊŋ]*' AND s.`sequence` <= (SELECT `upTo` FROM `indexed_words`);
--> statement-breakpoint
INSERT INTO `contact_words` (`rowid`, `words`) SELECT s.`sequence`, replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(s.`words`, 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n') FROM `record_search` s JOIN `contact_messages` USING (`referenceNumber`) WHERE s.`words` GLOB '*[ŁłØøĐđÐðßẞıÆæŒœÞþĦħŦŧŊŋ]*' AND s.`sequence` <= (SELECT `upTo` FROM `indexed_words`);
--> statement-breakpoint
INSERT INTO `request_words` (`request_words`, `rowid`, `words`) SELECT 'delete', s.`sequence`, s.`words` FROM `record_search` s JOIN `verification_requests` USING (`referenceNumber`) WHERE s.`words` GLOB '*[ŁłØøĐđÐðßẞıÆæŒœÞþĦħŦŧŊŋ]*' AND s.`sequence` <= (SELECT `upTo` FROM `indexed_words`);
--> statement-breakpoint
INSERT INTO `request_words` (`rowid`, `words`) SELECT s.`sequence`, replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(s.`words`, 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n') FROM `record_search` s JOIN `verification_requests` USING (`referenceNumber`) WHERE s.`words` GLOB '*[ŁłØøĐđÐðßẞıÆæŒœÞþĦħŦŧŊŋ]*' AND s.`sequence` <= (SELECT `upTo` FROM `indexed_words`);
--> statement-breakpoint
INSERT INTO `loan_words` (`loan_words`, `rowid`, `words`) SELECT 'delete', s.`sequence`, s.`words` FROM `record_search` s JOIN `loan_applications` USING (`referenceNumber`) WHERE s.`words` GLOB '*[ŁłØøĐđÐðßẞıÆæŒœÞþĦħŦŧŊŋ]*' AND s.`sequence` <= (SELECT `upTo` FROM `indexed_words`);
--> statement-breakpoint
INSERT INTO `loan_words` (`rowid`, `words`) SELECT s.`sequence`, replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(s.`words`, 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n') FROM `record_search` s JOIN `loan_applications` USING (`referenceNumber`) WHERE s.`words` GLOB '*[ŁłØøĐđÐðßẞıÆæŒœÞþĦħŦŧŊŋ]*' AND s.`sequence` <= (SELECT `upTo` FROM `indexed_words`);
--> statement-breakpoint
UPDATE `record_search` SET `words` = replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(`words`, 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n') WHERE `words` GLOB '*[ŁłØøĐđÐðßẞıÆæŒœÞþĦħŦŧŊŋ]*';
