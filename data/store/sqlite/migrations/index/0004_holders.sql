CREATE TABLE `holder_counts` (
	`id` integer PRIMARY KEY NOT NULL,
	`slot` integer NOT NULL,
	`wallets` integer NOT NULL,
	`read_at` integer NOT NULL,
	CONSTRAINT "holder_counts_one_row" CHECK("holder_counts"."id" = 1),
	CONSTRAINT "holder_counts_not_negative" CHECK("holder_counts"."wallets" >= 0)
);
