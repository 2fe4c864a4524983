CREATE TABLE `admin_addresses` (
	`addressHash` text PRIMARY KEY NOT NULL,
	`adminId` text NOT NULL,
	`signedInAt` integer NOT NULL,
	FOREIGN KEY (`adminId`) REFERENCES `admins`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `admin_addresses_admin` ON `admin_addresses` (`adminId`);--> statement-breakpoint
CREATE INDEX `admin_addresses_signed_in` ON `admin_addresses` (`signedInAt`);--> statement-breakpoint
ALTER TABLE `sign_in_failures` ADD `alertedAt` integer;