CREATE INDEX `audit_records_at` ON `audit_records` (`at`);--> statement-breakpoint
CREATE INDEX `audit_records_actor` ON `audit_records` (`actor`,`at`);--> statement-breakpoint
CREATE INDEX `audit_records_action` ON `audit_records` (`action`,`at`);--> statement-breakpoint
CREATE INDEX `audit_records_reference` ON `audit_records` (json_extract(`details`, '$.referenceNumber'), `at`);
