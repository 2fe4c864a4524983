DROP INDEX `deliveries_reference`;--> statement-breakpoint
DROP INDEX `deliveries_once`;--> statement-breakpoint
DROP INDEX `deliveries_due`;--> statement-breakpoint
CREATE UNIQUE INDEX `deliveries_once` ON `deliveries` (`referenceNumber`,`event`,`channel`,`audience`);--> statement-breakpoint
CREATE INDEX `deliveries_due` ON `deliveries` (`state`,`channel`,`nextAttemptAt`);