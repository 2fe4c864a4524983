CREATE TABLE `record_undos` (
	`referenceNumber` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`adminId` text NOT NULL,
	`decidedAt` integer NOT NULL,
	`until` integer NOT NULL,
	`changedAt` integer NOT NULL,
	`status` text NOT NULL,
	`mailEvent` text,
	`before` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `record_undos_until` ON `record_undos` (`until`);