CREATE TABLE `mailbox_submissions` (
	`referenceNumber` text PRIMARY KEY NOT NULL,
	`mailbox` text NOT NULL,
	`createdAt` integer NOT NULL,
	FOREIGN KEY (`referenceNumber`) REFERENCES `reference_numbers`(`referenceNumber`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `mailbox_submissions_of` ON `mailbox_submissions` (`mailbox`,`createdAt`);--> statement-breakpoint
CREATE TABLE `contact_messages` (
	`id` text PRIMARY KEY NOT NULL,
	`referenceNumber` text NOT NULL,
	`name` text NOT NULL,
	`email` text NOT NULL,
	`subject` text,
	`category` text,
	`message` text NOT NULL,
	`walletAddress` text,
	`createdAt` integer NOT NULL,
	FOREIGN KEY (`referenceNumber`) REFERENCES `reference_numbers`(`referenceNumber`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `contact_messages_referenceNumber_unique` ON `contact_messages` (`referenceNumber`);--> statement-breakpoint
CREATE INDEX `contact_messages_created` ON `contact_messages` (`createdAt`);--> statement-breakpoint
CREATE TABLE `loan_applications` (
	`id` text PRIMARY KEY NOT NULL,
	`referenceNumber` text NOT NULL,
	`name` text NOT NULL,
	`email` text NOT NULL,
	`investmentAmount` integer NOT NULL,
	`investorType` text NOT NULL,
	`riskSuitability` text NOT NULL,
	`conversionOption` text NOT NULL,
	`country` text NOT NULL,
	`comments` text,
	`status` text NOT NULL,
	`refusalReason` text,
	`decidedAt` integer,
	`createdAt` integer NOT NULL,
	`changedAt` integer NOT NULL,
	FOREIGN KEY (`referenceNumber`) REFERENCES `reference_numbers`(`referenceNumber`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `loan_applications_referenceNumber_unique` ON `loan_applications` (`referenceNumber`);--> statement-breakpoint
CREATE INDEX `loan_applications_created` ON `loan_applications` (`createdAt`);--> statement-breakpoint
CREATE INDEX `loan_applications_decided` ON `loan_applications` (`decidedAt`);--> statement-breakpoint
CREATE TABLE `loan_documents` (
	`id` text PRIMARY KEY NOT NULL,
	`referenceNumber` text NOT NULL,
	`kind` text NOT NULL,
	`fileName` text NOT NULL,
	`mediaType` text NOT NULL,
	`byteLength` integer NOT NULL,
	`contentHash` text NOT NULL,
	`masterKey` text NOT NULL,
	`wrappedKey` blob NOT NULL,
	`content` blob NOT NULL,
	`createdAt` integer NOT NULL,
	FOREIGN KEY (`referenceNumber`) REFERENCES `loan_applications`(`referenceNumber`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `loan_documents_one_a_kind` ON `loan_documents` (`referenceNumber`,`kind`);--> statement-breakpoint
CREATE TABLE `loan_votes` (
	`id` text PRIMARY KEY NOT NULL,
	`referenceNumber` text NOT NULL,
	`adminId` text NOT NULL,
	`decision` text NOT NULL,
	`reason` text,
	`votedAt` integer NOT NULL,
	FOREIGN KEY (`referenceNumber`) REFERENCES `loan_applications`(`referenceNumber`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `loan_votes_one_an_admin` ON `loan_votes` (`referenceNumber`,`adminId`);--> statement-breakpoint
CREATE TABLE `admin_recovery_codes` (
	`codeHash` text PRIMARY KEY NOT NULL,
	`adminId` text NOT NULL,
	`createdAt` integer NOT NULL,
	`usedAt` integer,
	FOREIGN KEY (`adminId`) REFERENCES `admins`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `admin_recovery_codes_admin` ON `admin_recovery_codes` (`adminId`);--> statement-breakpoint
CREATE TABLE `admin_sessions` (
	`tokenHash` text PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`adminId` text NOT NULL,
	`startedAt` integer NOT NULL,
	`lastSeenAt` integer NOT NULL,
	`expiresAt` integer NOT NULL,
	`endedAt` integer,
	`address` text NOT NULL,
	`userAgent` text NOT NULL,
	FOREIGN KEY (`adminId`) REFERENCES `admins`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `admin_sessions_id_unique` ON `admin_sessions` (`id`);--> statement-breakpoint
CREATE INDEX `admin_sessions_admin` ON `admin_sessions` (`adminId`);--> statement-breakpoint
CREATE INDEX `admin_sessions_expires` ON `admin_sessions` (`expiresAt`);--> statement-breakpoint
CREATE TABLE `admins` (
	`id` text PRIMARY KEY NOT NULL,
	`username` text NOT NULL,
	`usernameKey` text NOT NULL,
	`email` text,
	`passwordHash` text NOT NULL,
	`role` text NOT NULL,
	`totpSecret` blob,
	`totpConfirmedAt` integer,
	`totpLastStep` integer,
	`createdAt` integer NOT NULL,
	`changedAt` integer NOT NULL,
	`disabledAt` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `admins_usernameKey_unique` ON `admins` (`usernameKey`);--> statement-breakpoint
CREATE TABLE `record_notes` (
	`sequence` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`referenceNumber` text NOT NULL,
	`adminId` text NOT NULL,
	`text` text NOT NULL,
	`createdAt` integer NOT NULL,
	FOREIGN KEY (`referenceNumber`) REFERENCES `reference_numbers`(`referenceNumber`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `record_notes_id_unique` ON `record_notes` (`id`);--> statement-breakpoint
CREATE INDEX `record_notes_reference` ON `record_notes` (`referenceNumber`,`sequence`);--> statement-breakpoint
CREATE TABLE `sign_in_failures` (
	`subjectHash` text PRIMARY KEY NOT NULL,
	`failures` integer NOT NULL,
	`lastAt` integer NOT NULL,
	`blockedUntil` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sign_in_failures_last` ON `sign_in_failures` (`lastAt`);--> statement-breakpoint
CREATE TABLE `answer_verdicts` (
	`id` integer PRIMARY KEY NOT NULL,
	`day` text NOT NULL,
	`source` text NOT NULL,
	`verdict` text NOT NULL,
	`times` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `answer_verdicts_one` ON `answer_verdicts` (`day`,`source`,`verdict`);--> statement-breakpoint
CREATE TABLE `chat_transcripts` (
	`sequence` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`question` text NOT NULL,
	`answer` text NOT NULL,
	`source` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `chat_transcripts_at` ON `chat_transcripts` (`at`);--> statement-breakpoint
CREATE TABLE `unanswered_questions` (
	`question` text PRIMARY KEY NOT NULL,
	`times` integer NOT NULL,
	`firstAskedAt` integer NOT NULL,
	`lastAskedAt` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `unanswered_questions_last` ON `unanswered_questions` (`lastAskedAt`);--> statement-breakpoint
ALTER TABLE `audit_records` ADD `address` text;--> statement-breakpoint
ALTER TABLE `audit_records` ADD `hash` text;