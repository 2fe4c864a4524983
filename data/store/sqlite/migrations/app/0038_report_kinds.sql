CREATE TABLE `report_kind_deliveries` (
	`day` integer NOT NULL,
	`kind` text NOT NULL,
	`channel` text NOT NULL,
	`sent` integer NOT NULL,
	`failed` integer NOT NULL,
	`bounced` integer NOT NULL,
	PRIMARY KEY(`day`, `kind`, `channel`)
);
