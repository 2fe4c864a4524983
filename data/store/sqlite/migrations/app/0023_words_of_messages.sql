-- Searches find the words of messages and the names of countries.
CREATE TABLE `country_names` (
	`code` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `country_names` (`code`, `name`) VALUES
	('AF', 'Afghanistan'),
	('AL', 'Albania'),
	('DZ', 'Algeria'),
	('AD', 'Andorra'),
	('AO', 'Angola'),
	('AG', 'Antigua and Barbuda'),
	('AR', 'Argentina'),
	('AM', 'Armenia'),
	('AU', 'Australia'),
	('AT', 'Austria'),
	('AZ', 'Azerbaijan'),
	('BS', 'Bahamas'),
	('BH', 'Bahrain'),
	('BD', 'Bangladesh'),
	('BB', 'Barbados'),
	('BY', 'Belarus'),
	('BE', 'Belgium'),
	('BZ', 'Belize'),
	('BJ', 'Benin'),
	('BT', 'Bhutan'),
	('BO', 'Bolivia'),
	('BA', 'Bosnia and Herzegovina'),
	('BW', 'Botswana'),
	('BR', 'Brazil'),
	('BN', 'Brunei Darussalam'),
	('BG', 'Bulgaria'),
	('BF', 'Burkina Faso'),
	('BI', 'Burundi'),
	('KH', 'Cambodia'),
	('CM', 'Cameroon'),
	('CA', 'Canada'),
	('CV', 'Cape Verde'),
	('CF', 'Central African Republic'),
	('TD', 'Chad'),
	('CL', 'Chile'),
	('CN', 'China'),
	('CO', 'Colombia'),
	('KM', 'Comoros'),
	('CR', 'Costa Rica'),
	('CI', 'Côte d''Ivoire'),
	('HR', 'Croatia'),
	('CU', 'Cuba'),
	('CY', 'Cyprus'),
	('CZ', 'Czechia'),
	('CD', 'Democratic Republic of the Congo'),
	('DK', 'Denmark'),
	('DJ', 'Djibouti'),
	('DM', 'Dominica'),
	('DO', 'Dominican Republic'),
	('EC', 'Ecuador'),
	('EG', 'Egypt'),
	('SV', 'El Salvador'),
	('GQ', 'Equatorial Guinea'),
	('ER', 'Eritrea'),
	('EE', 'Estonia'),
	('SZ', 'Eswatini'),
	('ET', 'Ethiopia'),
	('FJ', 'Fiji'),
	('FI', 'Finland'),
	('FR', 'France'),
	('GA', 'Gabon'),
	('GE', 'Georgia'),
	('DE', 'Germany'),
	('GH', 'Ghana'),
	('GR', 'Greece'),
	('GD', 'Grenada'),
	('GT', 'Guatemala'),
	('GN', 'Guinea'),
	('GW', 'Guinea-Bissau'),
	('GY', 'Guyana'),
	('HT', 'Haiti'),
	('VA', 'Holy See (Vatican City State)'),
	('HN', 'Honduras'),
	('HK', 'Hong Kong'),
	('HU', 'Hungary'),
	('IS', 'Iceland'),
	('IN', 'India'),
	('ID', 'Indonesia'),
	('IR', 'Iran'),
	('IQ', 'Iraq'),
	('IE', 'Ireland'),
	('IL', 'Israel'),
	('IT', 'Italy'),
	('JM', 'Jamaica'),
	('JP', 'Japan'),
	('JO', 'Jordan'),
	('KZ', 'Kazakhstan'),
	('KE', 'Kenya'),
	('KI', 'Kiribati'),
	('XK', 'Kosovo'),
	('KW', 'Kuwait'),
	('KG', 'Kyrgyzstan'),
	('LA', 'Lao People''s Democratic Republic'),
	('LV', 'Latvia'),
	('LB', 'Lebanon'),
	('LS', 'Lesotho'),
	('LR', 'Liberia'),
	('LY', 'Libya'),
	('LI', 'Liechtenstein'),
	('LT', 'Lithuania'),
	('LU', 'Luxembourg'),
	('MO', 'Macao'),
	('MG', 'Madagascar'),
	('MW', 'Malawi'),
	('MY', 'Malaysia'),
	('MV', 'Maldives'),
	('ML', 'Mali'),
	('MT', 'Malta'),
	('MH', 'Marshall Islands'),
	('MR', 'Mauritania'),
	('MU', 'Mauritius'),
	('MX', 'Mexico'),
	('FM', 'Micronesia, Federated States of'),
	('MD', 'Moldova, Republic of'),
	('MC', 'Monaco'),
	('MN', 'Mongolia'),
	('ME', 'Montenegro'),
	('MA', 'Morocco'),
	('MZ', 'Mozambique'),
	('MM', 'Myanmar'),
	('NA', 'Namibia'),
	('NR', 'Nauru'),
	('NP', 'Nepal'),
	('NL', 'Netherlands'),
	('NZ', 'New Zealand'),
	('NI', 'Nicaragua'),
	('NE', 'Niger'),
	('NG', 'Nigeria'),
	('KP', 'North Korea'),
	('MK', 'North Macedonia'),
	('NO', 'Norway'),
	('OM', 'Oman'),
	('PK', 'Pakistan'),
	('PW', 'Palau'),
	('PS', 'Palestine'),
	('PA', 'Panama'),
	('PG', 'Papua New Guinea'),
	('PY', 'Paraguay'),
	('PE', 'Peru'),
	('PH', 'Philippines'),
	('PL', 'Poland'),
	('PT', 'Portugal'),
	('QA', 'Qatar'),
	('CG', 'Republic of the Congo'),
	('RO', 'Romania'),
	('RU', 'Russia'),
	('RW', 'Rwanda'),
	('KN', 'Saint Kitts and Nevis'),
	('LC', 'Saint Lucia'),
	('VC', 'Saint Vincent and the Grenadines'),
	('WS', 'Samoa'),
	('SM', 'San Marino'),
	('ST', 'Sao Tome and Principe'),
	('SA', 'Saudi Arabia'),
	('SN', 'Senegal'),
	('RS', 'Serbia'),
	('SC', 'Seychelles'),
	('SL', 'Sierra Leone'),
	('SG', 'Singapore'),
	('SK', 'Slovakia'),
	('SI', 'Slovenia'),
	('SB', 'Solomon Islands'),
	('SO', 'Somalia'),
	('ZA', 'South Africa'),
	('KR', 'South Korea'),
	('SS', 'South Sudan'),
	('ES', 'Spain'),
	('LK', 'Sri Lanka'),
	('SD', 'Sudan'),
	('SR', 'Suriname'),
	('SE', 'Sweden'),
	('CH', 'Switzerland'),
	('SY', 'Syrian Arab Republic'),
	('TW', 'Taiwan'),
	('TJ', 'Tajikistan'),
	('TZ', 'Tanzania'),
	('TH', 'Thailand'),
	('GM', 'The Gambia'),
	('TL', 'Timor-Leste'),
	('TG', 'Togo'),
	('TO', 'Tonga'),
	('TT', 'Trinidad and Tobago'),
	('TN', 'Tunisia'),
	('TR', 'Türkiye'),
	('TM', 'Turkmenistan'),
	('TV', 'Tuvalu'),
	('UG', 'Uganda'),
	('UA', 'Ukraine'),
	('AE', 'United Arab Emirates'),
	('GB', 'United Kingdom'),
	('US', 'United States'),
	('UY', 'Uruguay'),
	('UZ', 'Uzbekistan'),
	('VU', 'Vanuatu'),
	('VE', 'Venezuela'),
	('VN', 'Vietnam'),
	('YE', 'Yemen'),
	('ZM', 'Zambia'),
	('ZW', 'Zimbabwe');
--> statement-breakpoint
DROP TRIGGER `card_applications_search_added`;
--> statement-breakpoint
CREATE TRIGGER `card_applications_search_added` AFTER INSERT ON `card_applications` BEGIN
	INSERT INTO `record_search` (`sequence`, `referenceNumber`, `words`) SELECT max(`upTo`, coalesce((SELECT max(`sequence`) FROM `record_search`), 0)) + 1, new.`referenceNumber`, '  ' || replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(new.`referenceNumber` || ' ' || new.`name` || ' ' || new.`email` || ' ' || coalesce(new.`walletAddress`, '') || ' ' || coalesce(new.`telegram`, '') || ' ' || coalesce((SELECT substr(group_concat(m.`words`, ' '), 1, 20000) FROM (SELECT `subject` || ' ' || `text` AS `words` FROM `record_messages` WHERE `referenceNumber` = new.`referenceNumber` ORDER BY `sequence`) m), ''), char(10), ' '), 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n'), ' ', '  ') FROM `indexed_words`;
	UPDATE `card_applications` SET `sequence` = (SELECT `sequence` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber`) WHERE rowid = new.rowid;
END;
--> statement-breakpoint
DROP TRIGGER `card_applications_search_changed`;
--> statement-breakpoint
CREATE TRIGGER `card_applications_search_changed` AFTER UPDATE OF `name`, `email`, `walletAddress`, `telegram` ON `card_applications` BEGIN
	INSERT INTO `application_words` (`application_words`, `rowid`, `words`) SELECT 'delete', `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = old.`referenceNumber` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
	UPDATE `record_search` SET `words` = '  ' || replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(new.`referenceNumber` || ' ' || new.`name` || ' ' || new.`email` || ' ' || coalesce(new.`walletAddress`, '') || ' ' || coalesce(new.`telegram`, '') || ' ' || coalesce((SELECT substr(group_concat(m.`words`, ' '), 1, 20000) FROM (SELECT `subject` || ' ' || `text` AS `words` FROM `record_messages` WHERE `referenceNumber` = new.`referenceNumber` ORDER BY `sequence`) m), ''), char(10), ' '), 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n'), ' ', '  ') WHERE `referenceNumber` = new.`referenceNumber`;
	INSERT INTO `application_words` (`rowid`, `words`) SELECT `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
END;
--> statement-breakpoint
DROP TRIGGER `contact_messages_search_added`;
--> statement-breakpoint
CREATE TRIGGER `contact_messages_search_added` AFTER INSERT ON `contact_messages` BEGIN
	INSERT INTO `record_search` (`sequence`, `referenceNumber`, `words`) SELECT max(`upTo`, coalesce((SELECT max(`sequence`) FROM `record_search`), 0)) + 1, new.`referenceNumber`, '  ' || replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(new.`referenceNumber` || ' ' || new.`name` || ' ' || new.`email` || ' ' || coalesce(new.`walletAddress`, '') || ' ' || coalesce(new.`subject`, '') || ' ' || coalesce(json_extract(new.`details`, '$.message'), '') || ' ' || coalesce((SELECT substr(group_concat(m.`words`, ' '), 1, 20000) FROM (SELECT `subject` || ' ' || `text` AS `words` FROM `record_messages` WHERE `referenceNumber` = new.`referenceNumber` ORDER BY `sequence`) m), ''), char(10), ' '), 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n'), ' ', '  ') FROM `indexed_words`;
	UPDATE `contact_messages` SET `sequence` = (SELECT `sequence` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber`) WHERE rowid = new.rowid;
END;
--> statement-breakpoint
DROP TRIGGER `contact_messages_search_changed`;
--> statement-breakpoint
CREATE TRIGGER `contact_messages_search_changed` AFTER UPDATE OF `name`, `email`, `walletAddress`, `subject` ON `contact_messages` BEGIN
	INSERT INTO `contact_words` (`contact_words`, `rowid`, `words`) SELECT 'delete', `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = old.`referenceNumber` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
	UPDATE `record_search` SET `words` = '  ' || replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(new.`referenceNumber` || ' ' || new.`name` || ' ' || new.`email` || ' ' || coalesce(new.`walletAddress`, '') || ' ' || coalesce(new.`subject`, '') || ' ' || coalesce(json_extract(new.`details`, '$.message'), '') || ' ' || coalesce((SELECT substr(group_concat(m.`words`, ' '), 1, 20000) FROM (SELECT `subject` || ' ' || `text` AS `words` FROM `record_messages` WHERE `referenceNumber` = new.`referenceNumber` ORDER BY `sequence`) m), ''), char(10), ' '), 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n'), ' ', '  ') WHERE `referenceNumber` = new.`referenceNumber`;
	INSERT INTO `contact_words` (`rowid`, `words`) SELECT `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
END;
--> statement-breakpoint
DROP TRIGGER `verification_requests_search_added`;
--> statement-breakpoint
CREATE TRIGGER `verification_requests_search_added` AFTER INSERT ON `verification_requests` BEGIN
	INSERT INTO `record_search` (`sequence`, `referenceNumber`, `words`) SELECT max(`upTo`, coalesce((SELECT max(`sequence`) FROM `record_search`), 0)) + 1, new.`referenceNumber`, '  ' || replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(new.`referenceNumber` || ' ' || new.`email` || ' ' || new.`walletAddress` || ' ' || coalesce(new.`telegram`, '') || ' ' || coalesce((SELECT substr(group_concat(m.`words`, ' '), 1, 20000) FROM (SELECT `subject` || ' ' || `text` AS `words` FROM `record_messages` WHERE `referenceNumber` = new.`referenceNumber` ORDER BY `sequence`) m), ''), char(10), ' '), 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n'), ' ', '  ') FROM `indexed_words`;
	UPDATE `verification_requests` SET `sequence` = (SELECT `sequence` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber`) WHERE rowid = new.rowid;
END;
--> statement-breakpoint
DROP TRIGGER `verification_requests_search_changed`;
--> statement-breakpoint
CREATE TRIGGER `verification_requests_search_changed` AFTER UPDATE OF `email`, `walletAddress`, `telegram` ON `verification_requests` BEGIN
	INSERT INTO `request_words` (`request_words`, `rowid`, `words`) SELECT 'delete', `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = old.`referenceNumber` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
	UPDATE `record_search` SET `words` = '  ' || replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(new.`referenceNumber` || ' ' || new.`email` || ' ' || new.`walletAddress` || ' ' || coalesce(new.`telegram`, '') || ' ' || coalesce((SELECT substr(group_concat(m.`words`, ' '), 1, 20000) FROM (SELECT `subject` || ' ' || `text` AS `words` FROM `record_messages` WHERE `referenceNumber` = new.`referenceNumber` ORDER BY `sequence`) m), ''), char(10), ' '), 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n'), ' ', '  ') WHERE `referenceNumber` = new.`referenceNumber`;
	INSERT INTO `request_words` (`rowid`, `words`) SELECT `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
END;
--> statement-breakpoint
DROP TRIGGER `loan_applications_search_added`;
--> statement-breakpoint
CREATE TRIGGER `loan_applications_search_added` AFTER INSERT ON `loan_applications` BEGIN
	INSERT INTO `record_search` (`sequence`, `referenceNumber`, `words`) SELECT max(`upTo`, coalesce((SELECT max(`sequence`) FROM `record_search`), 0)) + 1, new.`referenceNumber`, '  ' || replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(new.`referenceNumber` || ' ' || new.`name` || ' ' || new.`email` || ' ' || coalesce((SELECT `name` FROM `country_names` WHERE `code` = new.`country`), '') || ' ' || coalesce((SELECT substr(group_concat(m.`words`, ' '), 1, 20000) FROM (SELECT `subject` || ' ' || `text` AS `words` FROM `record_messages` WHERE `referenceNumber` = new.`referenceNumber` ORDER BY `sequence`) m), ''), char(10), ' '), 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n'), ' ', '  ') FROM `indexed_words`;
	UPDATE `loan_applications` SET `sequence` = (SELECT `sequence` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber`) WHERE rowid = new.rowid;
END;
--> statement-breakpoint
DROP TRIGGER `loan_applications_search_changed`;
--> statement-breakpoint
CREATE TRIGGER `loan_applications_search_changed` AFTER UPDATE OF `name`, `email`, `country` ON `loan_applications` BEGIN
	INSERT INTO `loan_words` (`loan_words`, `rowid`, `words`) SELECT 'delete', `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = old.`referenceNumber` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
	UPDATE `record_search` SET `words` = '  ' || replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(new.`referenceNumber` || ' ' || new.`name` || ' ' || new.`email` || ' ' || coalesce((SELECT `name` FROM `country_names` WHERE `code` = new.`country`), '') || ' ' || coalesce((SELECT substr(group_concat(m.`words`, ' '), 1, 20000) FROM (SELECT `subject` || ' ' || `text` AS `words` FROM `record_messages` WHERE `referenceNumber` = new.`referenceNumber` ORDER BY `sequence`) m), ''), char(10), ' '), 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n'), ' ', '  ') WHERE `referenceNumber` = new.`referenceNumber`;
	INSERT INTO `loan_words` (`rowid`, `words`) SELECT `sequence`, `words` FROM `record_search` WHERE `referenceNumber` = new.`referenceNumber` AND `sequence` <= (SELECT `upTo` FROM `indexed_words`);
END;
--> statement-breakpoint
-- Setting a searched column indexes the record again.
CREATE TRIGGER `record_messages_search_added` AFTER INSERT ON `record_messages` BEGIN
	UPDATE `card_applications` SET `email` = `email` WHERE `referenceNumber` = new.`referenceNumber`;
	UPDATE `contact_messages` SET `email` = `email` WHERE `referenceNumber` = new.`referenceNumber`;
	UPDATE `verification_requests` SET `email` = `email` WHERE `referenceNumber` = new.`referenceNumber`;
	UPDATE `loan_applications` SET `email` = `email` WHERE `referenceNumber` = new.`referenceNumber`;
END;
--> statement-breakpoint
CREATE TRIGGER `record_messages_search_removed` AFTER DELETE ON `record_messages` BEGIN
	UPDATE `card_applications` SET `email` = `email` WHERE `referenceNumber` = old.`referenceNumber`;
	UPDATE `contact_messages` SET `email` = `email` WHERE `referenceNumber` = old.`referenceNumber`;
	UPDATE `verification_requests` SET `email` = `email` WHERE `referenceNumber` = old.`referenceNumber`;
	UPDATE `loan_applications` SET `email` = `email` WHERE `referenceNumber` = old.`referenceNumber`;
END;
--> statement-breakpoint
INSERT INTO `application_words` (`application_words`) VALUES ('delete-all');
--> statement-breakpoint
UPDATE `record_search` SET `words` = (SELECT '  ' || replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(a.`referenceNumber` || ' ' || a.`name` || ' ' || a.`email` || ' ' || coalesce(a.`walletAddress`, '') || ' ' || coalesce(a.`telegram`, '') || ' ' || coalesce((SELECT substr(group_concat(m.`words`, ' '), 1, 20000) FROM (SELECT `subject` || ' ' || `text` AS `words` FROM `record_messages` WHERE `referenceNumber` = a.`referenceNumber` ORDER BY `sequence`) m), ''), char(10), ' '), 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n'), ' ', '  ') FROM `card_applications` a WHERE a.`referenceNumber` = `record_search`.`referenceNumber`) WHERE `referenceNumber` IN (SELECT `referenceNumber` FROM `card_applications`);
--> statement-breakpoint
INSERT INTO `application_words` (`rowid`, `words`) SELECT s.`sequence`, s.`words` FROM `record_search` s JOIN `card_applications` USING (`referenceNumber`) WHERE s.`sequence` <= (SELECT `upTo` FROM `indexed_words`);
--> statement-breakpoint
INSERT INTO `contact_words` (`contact_words`) VALUES ('delete-all');
--> statement-breakpoint
UPDATE `record_search` SET `words` = (SELECT '  ' || replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(a.`referenceNumber` || ' ' || a.`name` || ' ' || a.`email` || ' ' || coalesce(a.`walletAddress`, '') || ' ' || coalesce(a.`subject`, '') || ' ' || coalesce(json_extract(a.`details`, '$.message'), '') || ' ' || coalesce((SELECT substr(group_concat(m.`words`, ' '), 1, 20000) FROM (SELECT `subject` || ' ' || `text` AS `words` FROM `record_messages` WHERE `referenceNumber` = a.`referenceNumber` ORDER BY `sequence`) m), ''), char(10), ' '), 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n'), ' ', '  ') FROM `contact_messages` a WHERE a.`referenceNumber` = `record_search`.`referenceNumber`) WHERE `referenceNumber` IN (SELECT `referenceNumber` FROM `contact_messages`);
--> statement-breakpoint
INSERT INTO `contact_words` (`rowid`, `words`) SELECT s.`sequence`, s.`words` FROM `record_search` s JOIN `contact_messages` USING (`referenceNumber`) WHERE s.`sequence` <= (SELECT `upTo` FROM `indexed_words`);
--> statement-breakpoint
INSERT INTO `request_words` (`request_words`) VALUES ('delete-all');
--> statement-breakpoint
UPDATE `record_search` SET `words` = (SELECT '  ' || replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(a.`referenceNumber` || ' ' || a.`email` || ' ' || a.`walletAddress` || ' ' || coalesce(a.`telegram`, '') || ' ' || coalesce((SELECT substr(group_concat(m.`words`, ' '), 1, 20000) FROM (SELECT `subject` || ' ' || `text` AS `words` FROM `record_messages` WHERE `referenceNumber` = a.`referenceNumber` ORDER BY `sequence`) m), ''), char(10), ' '), 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n'), ' ', '  ') FROM `verification_requests` a WHERE a.`referenceNumber` = `record_search`.`referenceNumber`) WHERE `referenceNumber` IN (SELECT `referenceNumber` FROM `verification_requests`);
--> statement-breakpoint
INSERT INTO `request_words` (`rowid`, `words`) SELECT s.`sequence`, s.`words` FROM `record_search` s JOIN `verification_requests` USING (`referenceNumber`) WHERE s.`sequence` <= (SELECT `upTo` FROM `indexed_words`);
--> statement-breakpoint
INSERT INTO `loan_words` (`loan_words`) VALUES ('delete-all');
--> statement-breakpoint
UPDATE `record_search` SET `words` = (SELECT '  ' || replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(a.`referenceNumber` || ' ' || a.`name` || ' ' || a.`email` || ' ' || coalesce((SELECT `name` FROM `country_names` WHERE `code` = a.`country`), '') || ' ' || coalesce((SELECT substr(group_concat(m.`words`, ' '), 1, 20000) FROM (SELECT `subject` || ' ' || `text` AS `words` FROM `record_messages` WHERE `referenceNumber` = a.`referenceNumber` ORDER BY `sequence`) m), ''), char(10), ' '), 'Ł', 'L'), 'ł', 'l'), 'Ø', 'O'), 'ø', 'o'), 'Đ', 'D'), 'đ', 'd'), 'Ð', 'D'), 'ð', 'd'), 'ß', 'ss'), 'ẞ', 'SS'), 'ı', 'i'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'Ħ', 'H'), 'ħ', 'h'), 'Ŧ', 'T'), 'ŧ', 't'), 'Ŋ', 'N'), 'ŋ', 'n'), ' ', '  ') FROM `loan_applications` a WHERE a.`referenceNumber` = `record_search`.`referenceNumber`) WHERE `referenceNumber` IN (SELECT `referenceNumber` FROM `loan_applications`);
--> statement-breakpoint
INSERT INTO `loan_words` (`rowid`, `words`) SELECT s.`sequence`, s.`words` FROM `record_search` s JOIN `loan_applications` USING (`referenceNumber`) WHERE s.`sequence` <= (SELECT `upTo` FROM `indexed_words`);
