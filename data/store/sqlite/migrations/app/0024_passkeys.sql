CREATE TABLE `admin_passkeys` (
	`id` text PRIMARY KEY NOT NULL,
	`adminId` text NOT NULL,
	`name` text NOT NULL,
	`publicKey` text NOT NULL,
	`counter` integer NOT NULL,
	`createdAt` integer NOT NULL,
	`lastUsedAt` integer,
	FOREIGN KEY (`adminId`) REFERENCES `admins`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `admin_passkeys_admin` ON `admin_passkeys` (`adminId`);--> statement-breakpoint
CREATE TABLE `passkey_challenges` (
	`challengeHash` text PRIMARY KEY NOT NULL,
	`purpose` text NOT NULL,
	`adminId` text,
	`expiresAt` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `passkey_challenges_expires` ON `passkey_challenges` (`expiresAt`);