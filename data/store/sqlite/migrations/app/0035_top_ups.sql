CREATE TABLE `top_up_tags` (
	`cardId` text PRIMARY KEY NOT NULL,
	`tag` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `top_up_tags_tag_unique` ON `top_up_tags` (`tag`);--> statement-breakpoint
CREATE TABLE `usdt_feeds` (
	`id` text PRIMARY KEY NOT NULL,
	`block` integer NOT NULL,
	`blockHash` text NOT NULL,
	`readAt` integer NOT NULL,
	`expected` text NOT NULL,
	`matchedBlock` integer NOT NULL,
	`comparedAt` integer NOT NULL,
	`difference` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `usdt_transfers` (
	`id` text PRIMARY KEY NOT NULL,
	`feed` text NOT NULL,
	`block` integer NOT NULL,
	`at` integer NOT NULL,
	`counterparty` text NOT NULL,
	`amount` text NOT NULL,
	`state` text NOT NULL,
	`cardId` text,
	`fee` text,
	`credited` text,
	`closedAt` integer,
	`isByHand` integer DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE INDEX `usdt_transfers_card` ON `usdt_transfers` (`cardId`,`at`);--> statement-breakpoint
CREATE INDEX `usdt_transfers_state` ON `usdt_transfers` (`state`,`at`);