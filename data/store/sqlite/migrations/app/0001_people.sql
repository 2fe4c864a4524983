CREATE TABLE `proof_challenges` (
	`nonceHash` text PRIMARY KEY NOT NULL,
	`walletAddress` text NOT NULL,
	`messageHash` text NOT NULL,
	`issuedAt` integer NOT NULL,
	`expiresAt` integer NOT NULL,
	`usedAt` integer
);
--> statement-breakpoint
CREATE INDEX `proof_challenges_expires` ON `proof_challenges` (`expiresAt`);--> statement-breakpoint
CREATE TABLE `proven_wallets` (
	`walletAddress` text PRIMARY KEY NOT NULL,
	`firstProvedAt` integer NOT NULL,
	`lastProvedAt` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `wallet_sessions` (
	`tokenHash` text PRIMARY KEY NOT NULL,
	`walletAddress` text NOT NULL,
	`provedAt` integer NOT NULL,
	`expiresAt` integer NOT NULL,
	`endedAt` integer
);
--> statement-breakpoint
CREATE INDEX `wallet_sessions_wallet` ON `wallet_sessions` (`walletAddress`);--> statement-breakpoint
CREATE INDEX `wallet_sessions_expires` ON `wallet_sessions` (`expiresAt`);--> statement-breakpoint
CREATE TABLE `whitelisted_wallets` (
	`walletAddress` text PRIMARY KEY NOT NULL,
	`tier` text NOT NULL,
	`whitelistedAt` integer NOT NULL,
	`referenceNumber` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `cards` (
	`id` text PRIMARY KEY NOT NULL,
	`walletAddress` text NOT NULL,
	`state` text NOT NULL,
	`tier` text NOT NULL,
	`holderName` text NOT NULL,
	`issuer` text NOT NULL,
	`idempotencyKey` text NOT NULL,
	`issuerCard` text,
	`issuerCardholder` text,
	`lastFour` text,
	`expiryMonth` integer,
	`expiryYear` integer,
	`createdAt` integer NOT NULL,
	`changedAt` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `cards_idempotencyKey_unique` ON `cards` (`idempotencyKey`);--> statement-breakpoint
CREATE UNIQUE INDEX `cards_one_a_wallet` ON `cards` (`walletAddress`) WHERE state in ('pending', 'active', 'frozen');--> statement-breakpoint
CREATE UNIQUE INDEX `cards_issuer_card` ON `cards` (`issuer`,`issuerCard`);--> statement-breakpoint
CREATE INDEX `cards_state` ON `cards` (`state`);--> statement-breakpoint
CREATE TABLE `issuer_messages` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`receivedAt` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `card_applications` (
	`id` text PRIMARY KEY NOT NULL,
	`referenceNumber` text NOT NULL,
	`shape` text NOT NULL,
	`name` text NOT NULL,
	`email` text NOT NULL,
	`phone` text,
	`telegram` text,
	`alias` text,
	`notes` text,
	`walletAddress` text,
	`statedAmount` text,
	`statedTier` text,
	`checkedAmount` text,
	`checkedTier` text,
	`checkedAt` integer,
	`isOwnershipProven` integer NOT NULL,
	`status` text NOT NULL,
	`createdAt` integer NOT NULL,
	`changedAt` integer NOT NULL,
	FOREIGN KEY (`referenceNumber`) REFERENCES `reference_numbers`(`referenceNumber`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `card_applications_referenceNumber_unique` ON `card_applications` (`referenceNumber`);--> statement-breakpoint
CREATE INDEX `card_applications_created` ON `card_applications` (`createdAt`);--> statement-breakpoint
CREATE INDEX `card_applications_wallet` ON `card_applications` (`walletAddress`);--> statement-breakpoint
CREATE TABLE `idempotent_answers` (
	`keyHash` text PRIMARY KEY NOT NULL,
	`bodyHash` text NOT NULL,
	`answer` text NOT NULL,
	`createdAt` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `idempotent_answers_created` ON `idempotent_answers` (`createdAt`);--> statement-breakpoint
CREATE TABLE `reference_numbers` (
	`referenceNumber` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`createdAt` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `submission_events` (
	`sequence` integer PRIMARY KEY NOT NULL,
	`referenceNumber` text NOT NULL,
	`at` integer NOT NULL,
	`status` text NOT NULL,
	`note` text,
	FOREIGN KEY (`referenceNumber`) REFERENCES `reference_numbers`(`referenceNumber`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `submission_events_reference` ON `submission_events` (`referenceNumber`,`sequence`);--> statement-breakpoint
CREATE TABLE `verification_requests` (
	`id` text PRIMARY KEY NOT NULL,
	`referenceNumber` text NOT NULL,
	`walletAddress` text NOT NULL,
	`email` text NOT NULL,
	`telegram` text,
	`claimedAmount` text NOT NULL,
	`reason` text NOT NULL,
	`evidence` text,
	`statedDetection` text NOT NULL,
	`checkedDetection` text,
	`requestedAt` integer NOT NULL,
	`isOwnershipProven` integer NOT NULL,
	`status` text NOT NULL,
	`refusalReason` text,
	`createdAt` integer NOT NULL,
	`changedAt` integer NOT NULL,
	FOREIGN KEY (`referenceNumber`) REFERENCES `reference_numbers`(`referenceNumber`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `verification_requests_referenceNumber_unique` ON `verification_requests` (`referenceNumber`);--> statement-breakpoint
CREATE INDEX `verification_requests_created` ON `verification_requests` (`createdAt`);--> statement-breakpoint
CREATE INDEX `verification_requests_wallet` ON `verification_requests` (`walletAddress`);--> statement-breakpoint
CREATE TABLE `deliveries` (
	`id` text PRIMARY KEY NOT NULL,
	`event` text NOT NULL,
	`referenceNumber` text NOT NULL,
	`channel` text NOT NULL,
	`audience` text NOT NULL,
	`recipient` text,
	`messageId` text NOT NULL,
	`state` text NOT NULL,
	`attemptCount` integer NOT NULL,
	`nextAttemptAt` integer NOT NULL,
	`leasedUntil` integer,
	`fence` integer NOT NULL,
	`createdAt` integer NOT NULL,
	`finishedAt` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `deliveries_messageId_unique` ON `deliveries` (`messageId`);--> statement-breakpoint
CREATE UNIQUE INDEX `deliveries_once` ON `deliveries` (`event`,`referenceNumber`,`channel`,`audience`);--> statement-breakpoint
CREATE INDEX `deliveries_due` ON `deliveries` (`state`,`nextAttemptAt`);--> statement-breakpoint
CREATE INDEX `deliveries_reference` ON `deliveries` (`referenceNumber`);--> statement-breakpoint
CREATE TABLE `delivery_attempts` (
	`sequence` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`deliveryId` text NOT NULL,
	`at` integer NOT NULL,
	`outcome` text NOT NULL,
	`providerId` text,
	`code` text,
	`error` text,
	`maskedRecipient` text NOT NULL,
	`latencyMs` integer NOT NULL,
	FOREIGN KEY (`deliveryId`) REFERENCES `deliveries`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `delivery_attempts_id_unique` ON `delivery_attempts` (`id`);--> statement-breakpoint
CREATE INDEX `delivery_attempts_delivery` ON `delivery_attempts` (`deliveryId`,`sequence`);--> statement-breakpoint
CREATE INDEX `delivery_attempts_at` ON `delivery_attempts` (`at`);