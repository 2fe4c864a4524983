CREATE TABLE `report_days` (
	`day` integer NOT NULL,
	`kind` text NOT NULL,
	`received` integer NOT NULL,
	`openChange` integer NOT NULL,
	`answered` text NOT NULL,
	`decided` text NOT NULL,
	PRIMARY KEY(`day`, `kind`)
);
--> statement-breakpoint
CREATE TABLE `report_deliveries` (
	`day` integer NOT NULL,
	`channel` text NOT NULL,
	`sent` integer NOT NULL,
	`failed` integer NOT NULL,
	`bounced` integer NOT NULL,
	PRIMARY KEY(`day`, `channel`)
);
--> statement-breakpoint
CREATE TABLE `report_records` (
	`referenceNumber` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`receivedAt` integer NOT NULL,
	`dueAt` integer,
	`isOpen` integer NOT NULL,
	`answeredAt` integer,
	`decidedAt` integer
);
--> statement-breakpoint
CREATE INDEX `report_records_open` ON `report_records` (`kind`) WHERE "isOpen";--> statement-breakpoint
CREATE TABLE `report_state` (
	`id` integer PRIMARY KEY NOT NULL,
	`auditSequence` integer NOT NULL,
	`deliveryDay` integer
);
--> statement-breakpoint
CREATE TABLE `report_subscriptions` (
	`adminId` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`requestedAt` integer NOT NULL,
	`confirmedAt` integer,
	`lastWeek` integer,
	FOREIGN KEY (`adminId`) REFERENCES `admins`(`id`) ON UPDATE no action ON DELETE no action
);
