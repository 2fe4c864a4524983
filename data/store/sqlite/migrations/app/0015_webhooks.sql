CREATE TABLE `webhook_deliveries` (
	`id` text PRIMARY KEY NOT NULL,
	`endpointId` text NOT NULL,
	`eventId` text NOT NULL,
	`event` text NOT NULL,
	`referenceNumber` text NOT NULL,
	`status` text NOT NULL,
	`state` text NOT NULL,
	`attemptCount` integer NOT NULL,
	`nextAttemptAt` integer NOT NULL,
	`leasedUntil` integer,
	`fence` integer NOT NULL,
	`createdAt` integer NOT NULL,
	`lastAttemptAt` integer,
	`code` text,
	`response` text,
	`latencyMs` integer
);
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_due` ON `webhook_deliveries` (`endpointId`,`state`,`nextAttemptAt`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_newest` ON `webhook_deliveries` (`endpointId`,`createdAt`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_created` ON `webhook_deliveries` (`createdAt`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_state` ON `webhook_deliveries` (`state`,`leasedUntil`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_reference` ON `webhook_deliveries` (`referenceNumber`);--> statement-breakpoint
CREATE TABLE `webhook_endpoints` (
	`id` text PRIMARY KEY NOT NULL,
	`url` text NOT NULL,
	`types` text NOT NULL,
	`state` text NOT NULL,
	`secret` blob NOT NULL,
	`oldSecret` blob,
	`oldSecretUntil` integer,
	`failingSince` integer,
	`createdAt` integer NOT NULL
);
