import { ADMIN_ROLES } from '../../model/admin-rules.ts';
import { MESSAGE_KINDS } from '../../model/conversation.ts';
import { DELIVERY_STATES } from '../../model/delivery-states.ts';
import type { DeliveryKind } from '../../model/reports.ts';
import { CARD_DECISIONS, SUBMISSION_KINDS } from '../../model/submission-status.ts';
import { CARD_TIERS } from '../../model/tiers.ts';
import { TRANSFER_STATES } from '../../model/top-ups.ts';
import { type SentEventType, WEBHOOK_STATES, type WebhookEventType } from '../../model/webhooks.ts';
import { ADDITION_KINDS } from '../chat-port.ts';
import { DELIVERY_CHANNELS } from '../delivery-port.ts';
import { NOTICE_OCCASIONS } from '../subscription-port.ts';
import {
  baseUnits,
  blob,
  index,
  integer,
  primaryKey,
  sql,
  sqliteTable,
  text,
  uniqueIndex,
} from './drizzle.ts';
import { referenceNumbers } from './submission-schema.ts';

/*
 * The tables of `app.db`, except the tables for submissions. Times are Unix milliseconds, hashes are SHA-256 in hex. After a
 * change, run `npx drizzle-kit generate --config data/store/sqlite/drizzle.app.config.ts`.
 */

/** Rows are added, never changed. */
export const auditRecords = sqliteTable(
  'audit_records',
  {
    sequence: integer().primaryKey(),
    id: text().notNull().unique(),
    at: integer().notNull(),
    actor: text().notNull(),
    action: text().notNull(),
    details: text({ mode: 'json' })
      .$type<Readonly<Record<string, string | number | boolean | null>>>()
      .notNull(),
    /** The admin's IP address; null for actions by the portal or a visitor. */
    address: text(),
    /** The hash of this record together with the previous record's hash; null for records older than the chain. */
    hash: text(),
  },
  // SQLite appends the primary key, `sequence`, to each index. The index on the reference number in the details is created in a
  // migration.
  (table) => [
    index('audit_records_at').on(table.at),
    index('audit_records_actor').on(table.actor, table.at),
    index('audit_records_action').on(table.action, table.at),
  ],
);

/** Sign-in messages issued to wallets. Only the hashes of the nonce and the message are stored. */
export const proofChallenges = sqliteTable(
  'proof_challenges',
  {
    nonceHash: text().primaryKey(),
    walletAddress: text().notNull(),
    messageHash: text().notNull(),
    issuedAt: integer().notNull(),
    expiresAt: integer().notNull(),
    /** When the message was consumed, by a valid or an invalid proof; null while it is unused. */
    usedAt: integer(),
  },
  (table) => [index('proof_challenges_expires').on(table.expiresAt)],
);

/** Sessions of wallets with a proven owner. Only the hash of the cookie's token is stored. */
export const walletSessions = sqliteTable(
  'wallet_sessions',
  {
    tokenHash: text().primaryKey(),
    walletAddress: text().notNull(),
    provedAt: integer().notNull(),
    expiresAt: integer().notNull(),
    /** When a sign-out or a restore ended the session; null if neither did. */
    endedAt: integer(),
  },
  (table) => [
    index('wallet_sessions_wallet').on(table.walletAddress),
    index('wallet_sessions_expires').on(table.expiresAt),
  ],
);

export const provenWallets = sqliteTable('proven_wallets', {
  walletAddress: text().primaryKey(),
  firstProvedAt: integer().notNull(),
  lastProvedAt: integer().notNull(),
});

export const whitelistedWallets = sqliteTable('whitelisted_wallets', {
  walletAddress: text().primaryKey(),
  tier: text().notNull(),
  whitelistedAt: integer().notNull(),
  /** The approved verification request. */
  referenceNumber: text().notNull(),
});

/** The card number and the CVV are not stored anywhere. */
export const cards = sqliteTable(
  'cards',
  {
    id: text().primaryKey(),
    walletAddress: text().notNull(),
    /**
     * `pending`: the card counts toward the limit of cards, and the issuer is being called. `failed`: the issuer
     * declined permanently, and the card no longer counts. `closed` is final.
     */
    state: text({ enum: ['pending', 'active', 'frozen', 'closed', 'failed'] }).notNull(),
    tier: text({ enum: CARD_TIERS }).notNull(),
    holderName: text().notNull(),
    issuer: text({ enum: ['sandbox', 'stripe'] }).notNull(),
    /** Sent with every attempt to create the card, so that the issuer creates only one card. */
    idempotencyKey: text().notNull().unique(),
    /** The issuer's ids for the card and the cardholder; null until the issuer has created them. */
    issuerCardId: text('issuerCard'),
    issuerCardholderId: text('issuerCardholder'),
    lastFour: text(),
    expiryMonth: integer(),
    expiryYear: integer(),
    createdAt: integer().notNull(),
    /** When the card last changed. The time increases with every change, so it identifies a state of the card. */
    changedAt: integer().notNull(),
    /** What the holder entered for the issuer, encrypted. */
    cardholder: text(),
    /**
     * The addresses of the stake entries that count for this card and, while it is live, for no other card; empty if the card was
     * created for a whitelisted wallet.
     */
    stakeEntries: text({ mode: 'json' }).$type<readonly string[]>().notNull().default(sql`'[]'`),
    /**
     * When the portal found that the wallet has neither a sufficient stake nor a whitelisting. Null while the wallet qualifies.
     */
    stakeGoneAt: integer(),
    /**
     * When the team froze the card. Also set to record a freeze by the issuer when the card is closed (see `CardChange`). Null
     * once the team lifts the freeze.
     */
    frozenByTeamAt: integer(),
    /** When a second admin confirmed the team's decision to close the card. The portal then closes the card at the issuer. */
    closedByTeamAt: integer(),
    /** When the holder decided to close the card. */
    closedByHolderAt: integer(),
    /** The limits that the holder chose, in whole US dollars; null while the card has the limits of a new card. */
    dailyLimitUsd: integer(),
    monthlyLimitUsd: integer(),
    /** Whether the issuer has applied these limits. */
    areLimitsSent: integer({ mode: 'boolean' }).notNull().default(true),
    /** The time from which the holder wants messages about payments; null if the holder wants none. */
    spendNoticesFrom: integer(),
  },
  (table) => [
    uniqueIndex('cards_one_a_wallet')
      .on(table.walletAddress)
      .where(sql`state in ('pending', 'active', 'frozen')`),
    uniqueIndex('cards_issuer_card').on(table.issuer, table.issuerCardId),
    index('cards_state').on(table.state),
  ],
);

/** Rows are only added; an erasure removes only their reasons. */
export const cardDecisions = sqliteTable(
  'card_decisions',
  {
    sequence: integer().primaryKey(),
    cardId: text().notNull(),
    at: integer().notNull(),
    adminId: text().notNull(),
    decision: text({ enum: CARD_DECISIONS }).notNull(),
    reason: text(),
  },
  (table) => [index('card_decisions_card').on(table.cardId, table.sequence)],
);

/** Issuer messages that were already applied, stored so that none is applied twice. */
export const issuerMessages = sqliteTable('issuer_messages', {
  /** The issuer's name, a colon, and the issuer's id for the message. */
  id: text().primaryKey(),
  kind: text().notNull(),
  receivedAt: integer().notNull(),
});

/** The outbox. A delivery is written in the transaction of the event that it reports, so neither exists without the other. */
export const deliveries = sqliteTable(
  'deliveries',
  {
    id: text().primaryKey(),
    /** The event that the delivery reports, such as `card-application.received`. */
    event: text().notNull(),
    referenceNumber: text().notNull(),
    channel: text({ enum: DELIVERY_CHANNELS }).notNull(),
    audience: text({ enum: ['applicant', 'team'] }).notNull(),
    /** An email address or a chat id; null if the recipient is looked up when the message is sent. */
    recipient: text(),
    /** The same for every attempt, so that a duplicate email is recognized. */
    messageId: text().notNull().unique(),
    state: text({ enum: DELIVERY_STATES }).notNull(),
    attemptCount: integer().notNull(),
    nextAttemptAt: integer().notNull(),
    leasedUntil: integer(),
    /** Increases with every lease. An outcome with a lower fence is rejected. */
    fence: integer().notNull(),
    createdAt: integer().notNull(),
    finishedAt: integer(),
  },
  (table) => [
    uniqueIndex('deliveries_once').on(table.referenceNumber, table.event, table.channel, table.audience),
    // Includes the channel, so that a query for one channel does not scan the backlog of a paused channel.
    index('deliveries_due').on(table.state, table.channel, table.nextAttemptAt),
  ],
);

/** Rows are only added; an erasure masks their recipients and removes their errors. */
export const deliveryAttempts = sqliteTable(
  'delivery_attempts',
  {
    sequence: integer().primaryKey(),
    id: text().notNull().unique(),
    deliveryId: text()
      .notNull()
      .references(() => deliveries.id),
    at: integer().notNull(),
    /** `unknown`: the peer may or may not have accepted the message. */
    outcome: text({ enum: ['sent', 'retry', 'dead', 'unknown'] }).notNull(),
    /** The peer's id for the accepted message. */
    providerId: text(),
    /** The code of the peer's refusal, or of the network error. */
    code: text(),
    error: text(),
    maskedRecipient: text().notNull(),
    latencyMs: integer().notNull(),
  },
  (table) => [
    index('delivery_attempts_delivery').on(table.deliveryId, table.sequence),
    index('delivery_attempts_at').on(table.at),
  ],
);

export const webhookEndpoints = sqliteTable('webhook_endpoints', {
  id: text().primaryKey(),
  url: text().notNull(),
  types: text({ mode: 'json' }).$type<readonly WebhookEventType[]>().notNull(),
  state: text({ enum: WEBHOOK_STATES }).notNull(),
  /** The signing secret, encrypted under the master key. */
  secret: blob({ mode: 'buffer' }).notNull(),
  /** The previous signing secret, also encrypted. Events are signed with both secrets until `oldSecretUntil`. */
  oldSecret: blob({ mode: 'buffer' }),
  oldSecretUntil: integer(),
  /** When the team last reactivated the endpoint; null if never. */
  activeSince: integer(),
  /** When the current series of failures began; null while there are no failures. */
  failingSince: integer(),
  createdAt: integer().notNull(),
});

/**
 * Events for endpoints, each with its last attempt. There is no foreign key, so that removing an endpoint never makes a
 * submission fail. None is needed: nothing is sent to an endpoint that no longer exists, and old rows are deleted.
 */
export const webhookDeliveries = sqliteTable(
  'webhook_deliveries',
  {
    /** The endpoint's id, a colon and the event's id. */
    id: text().primaryKey(),
    endpointId: text().notNull(),
    /** The same for all endpoints and attempts. */
    eventId: text().notNull(),
    event: text().$type<SentEventType>().notNull(),
    /** The record's reference number, or the card's id. */
    referenceNumber: text().notNull(),
    /** The record's status after the event. */
    status: text().notNull(),
    state: text({ enum: ['waiting', 'leased', 'sent', 'dead'] }).notNull(),
    attemptCount: integer().notNull(),
    nextAttemptAt: integer().notNull(),
    leasedUntil: integer(),
    fence: integer().notNull(),
    createdAt: integer().notNull(),
    lastAttemptAt: integer(),
    /** The HTTP status of the response, or the code of the network error. */
    code: text(),
    /** The first characters of a response that refuses the event; an erasure removes them. */
    response: text(),
    latencyMs: integer(),
  },
  (table) => [
    index('webhook_deliveries_due').on(table.endpointId, table.state, table.nextAttemptAt),
    index('webhook_deliveries_newest').on(table.endpointId, table.createdAt),
    index('webhook_deliveries_created').on(table.createdAt),
    index('webhook_deliveries_state').on(table.state, table.leasedUntil),
    index('webhook_deliveries_reference').on(table.referenceNumber),
  ],
);

/** The portal's alerts to its team. An alert ends when its problem does; its row is kept. */
export const alerts = sqliteTable(
  'alerts',
  {
    /** Also the `referenceNumber` of the alert's deliveries. */
    id: text().primaryKey(),
    code: text().notNull(),
    startedAt: integer().notNull(),
    endedAt: integer(),
    detail: text().notNull(),
    /** When the last message that reports the problem was queued. */
    notifiedAt: integer().notNull(),
    reminders: integer().notNull(),
  },
  (table) => [uniqueIndex('alerts_open').on(table.code).where(sql`"endedAt" is null`)],
);

export const admins = sqliteTable('admins', {
  id: text().primaryKey(),
  /** As typed. */
  username: text().notNull(),
  /** The username in NFKC and lower case. */
  usernameKey: text().notNull().unique(),
  email: text(),
  /** Argon2id, in PHC string format. */
  passwordHash: text().notNull(),
  role: text({ enum: ADMIN_ROLES }).notNull(),
  /** The TOTP secret, encrypted under the master key (nonce, secret, tag); null when none is set up. */
  totpSecret: blob({ mode: 'buffer' }),
  /** When the first code was verified; null while the secret is unconfirmed. */
  totpConfirmedAt: integer(),
  /** The time step of the newest accepted code, so that no code is accepted twice. */
  totpLastStep: integer(),
  createdAt: integer().notNull(),
  /** The owner who added the account; null if it was added on the setup page or by a command. */
  addedBy: text(),
  changedAt: integer().notNull(),
  disabledAt: integer(),
});

export const adminSessions = sqliteTable(
  'admin_sessions',
  {
    tokenHash: text().primaryKey(),
    /** Identifies the session in lists. It is not the token. */
    id: text().notNull().unique(),
    adminId: text()
      .notNull()
      .references(() => admins.id),
    startedAt: integer().notNull(),
    lastSeenAt: integer().notNull(),
    expiresAt: integer().notNull(),
    endedAt: integer(),
    address: text().notNull(),
    /** The browser's user agent, shortened. */
    userAgent: text().notNull(),
  },
  (table) => [
    index('admin_sessions_admin').on(table.adminId),
    index('admin_sessions_expires').on(table.expiresAt),
  ],
);

/** Recovery codes. Each works once in place of a TOTP code. They have 120 random bits, so a fast hash is sufficient. */
export const adminRecoveryCodes = sqliteTable(
  'admin_recovery_codes',
  {
    codeHash: text().primaryKey(),
    adminId: text()
      .notNull()
      .references(() => admins.id),
    createdAt: integer().notNull(),
    usedAt: integer(),
  },
  (table) => [index('admin_recovery_codes_admin').on(table.adminId)],
);

export const adminPasskeys = sqliteTable(
  'admin_passkeys',
  {
    /** The id of the credential, in base64url. */
    id: text().primaryKey(),
    adminId: text()
      .notNull()
      .references(() => admins.id),
    name: text().notNull(),
    /** A JSON Web Key. */
    publicKey: text().notNull(),
    /** The newest signature counter that was accepted; 0 if the authenticator does not count. */
    counter: integer().notNull(),
    createdAt: integer().notNull(),
    lastUsedAt: integer(),
  },
  (table) => [index('admin_passkeys_admin').on(table.adminId)],
);

export const savedFilters = sqliteTable(
  'saved_filters',
  {
    id: text().primaryKey(),
    adminId: text()
      .notNull()
      .references(() => admins.id),
    list: text().notNull(),
    name: text().notNull(),
    /** As JSON. */
    view: text().notNull(),
    isShared: integer({ mode: 'boolean' }).notNull(),
    createdAt: integer().notNull(),
  },
  (table) => [index('saved_filters_admin').on(table.adminId)],
);

export const subscriptions = sqliteTable(
  'subscriptions',
  {
    id: text().primaryKey(),
    /** `stakes`: the stakes of a wallet. `record`: answers about a record. */
    about: text({ enum: ['stakes', 'record'] }).notNull(),
    /** A wallet address or a reference number. */
    subject: text().notNull(),
    channel: text({ enum: DELIVERY_CHANNELS }).notNull(),
    /** An email address, a chat id or a push endpoint with its keys as JSON; null until a chat is linked. */
    target: text(),
    /**
     * The mailbox of the email address in `target`, so that the subscription is found by any of the mailbox's addresses; null for
     * other channels.
     */
    mailbox: text(),
    requestedAt: integer().notNull(),
    confirmedAt: integer(),
    /** Only changes after this slot are reported; null while the slot is unknown. */
    fromSlot: integer(),
    /** The time since which the wallet has had no stake; null if it has one. */
    idleSince: integer(),
    /**
     * When the subscription ended. The row is kept for another day, so that emails to its address still count toward the
     * limits.
     */
    endedAt: integer(),
  },
  (table) => [
    index('subscriptions_subject').on(table.subject, table.about),
    index('subscriptions_target').on(table.target),
    index('subscriptions_mailbox').on(table.mailbox),
  ],
);

/** Each cause is reported only once. */
export const subscriptionNotices = sqliteTable(
  'subscription_notices',
  {
    id: text().primaryKey(),
    subscriptionId: text()
      .notNull()
      .references(() => subscriptions.id),
    occasion: text({ enum: NOTICE_OCCASIONS }).notNull(),
    cause: text().notNull(),
  },
  (table) => [uniqueIndex('subscription_notices_once').on(table.subscriptionId, table.occasion, table.cause)],
);

/** Only hashes of the challenges are stored. Used challenges are deleted. */
export const passkeyChallenges = sqliteTable(
  'passkey_challenges',
  {
    challengeHash: text().primaryKey(),
    purpose: text({ enum: ['sign-in', 'register'] }).notNull(),
    adminId: text(),
    expiresAt: integer().notNull(),
  },
  (table) => [index('passkey_challenges_expires').on(table.expiresAt)],
);

/**
 * IP addresses from which an admin has signed in. Each is stored as a hash of the admin's id and the address. Failed sign-ins
 * from other addresses do not block sign-ins from these addresses.
 */
export const adminAddresses = sqliteTable(
  'admin_addresses',
  {
    addressHash: text().primaryKey(),
    adminId: text()
      .notNull()
      .references(() => admins.id),
    signedInAt: integer().notNull(),
  },
  (table) => [
    index('admin_addresses_admin').on(table.adminId),
    index('admin_addresses_signed_in').on(table.signedInAt),
  ],
);

/** One-time links for setting a password, created by an owner. Only the hash of the token is stored. Ended links are deleted. */
export const adminLinks = sqliteTable(
  'admin_links',
  {
    id: text().primaryKey(),
    tokenHash: text().notNull().unique(),
    kind: text({ enum: ['invitation', 'password-reset'] }).notNull(),
    /** The address that the link is sent to; null if the account has none. */
    email: text(),
    /** The name of the new account; null if the invited person chooses it. */
    username: text(),
    /** The role of the new account; null in a password reset. */
    role: text({ enum: ADMIN_ROLES }),
    /** The account of a password reset; null in an invitation. */
    adminId: text().references(() => admins.id),
    /** Whether a password reset removes the second factors; null in an invitation. */
    removeTotp: integer({ mode: 'boolean' }),
    createdBy: text()
      .notNull()
      .references(() => admins.id),
    createdAt: integer().notNull(),
    expiresAt: integer().notNull(),
  },
  (table) => [index('admin_links_expires').on(table.expiresAt)],
);

/** Each row counts the failed sign-ins of one subject, such as an account or an IP address. */
export const signInFailures = sqliteTable(
  'sign_in_failures',
  {
    subjectHash: text().primaryKey(),
    failures: integer().notNull(),
    lastAt: integer().notNull(),
    /** Attempts to which the subject's delay applies (see `AttemptRule`) are blocked until this time. */
    blockedUntil: integer().notNull(),
    /** When the team was alerted to an attack on the account; null if the team was not alerted. */
    alertedAt: integer(),
  },
  (table) => [index('sign_in_failures_last').on(table.lastAt)],
);

/** Rows are deleted only with the record. */
export const recordNotes = sqliteTable(
  'record_notes',
  {
    sequence: integer().primaryKey(),
    id: text().notNull().unique(),
    referenceNumber: text()
      .notNull()
      .references(() => referenceNumbers.referenceNumber),
    adminId: text().notNull(),
    /** Empty after the author has removed the note. */
    text: text().notNull(),
    createdAt: integer().notNull(),
    /** When the author last changed or removed the note; null if never. */
    changedAt: integer(),
    removedAt: integer(),
  },
  (table) => [index('record_notes_reference').on(table.referenceNumber, table.sequence)],
);

/** The earlier texts of notes that their authors changed or removed. */
export const recordNoteVersions = sqliteTable(
  'record_note_versions',
  {
    sequence: integer().primaryKey(),
    noteId: text().notNull(),
    referenceNumber: text().notNull(),
    /** When the text was written. */
    at: integer().notNull(),
    text: text().notNull(),
  },
  (table) => [
    index('record_note_versions_note').on(table.noteId, table.sequence),
    index('record_note_versions_reference').on(table.referenceNumber),
  ],
);

/** Rows are deleted when a mention is withdrawn or the admin is deactivated. */
export const noteMentions = sqliteTable(
  'note_mentions',
  {
    id: text().primaryKey(),
    noteId: text().notNull(),
    referenceNumber: text().notNull(),
    /** The admin who is mentioned. */
    adminId: text().notNull(),
    at: integer().notNull(),
    readAt: integer(),
  },
  (table) => [
    uniqueIndex('note_mentions_once').on(table.noteId, table.adminId),
    index('note_mentions_admin').on(table.adminId, table.readAt),
    index('note_mentions_reference').on(table.referenceNumber),
  ],
);

/** The newest decision on each record, if it can be undone. Storing another decision deletes the expired rows. */
export const recordUndos = sqliteTable(
  'record_undos',
  {
    referenceNumber: text().primaryKey(),
    kind: text({ enum: SUBMISSION_KINDS }).notNull(),
    adminId: text().notNull(),
    decidedAt: integer().notNull(),
    until: integer().notNull(),
    changedAt: integer().notNull(),
    status: text().notNull(),
    mailEvent: text(),
    /** The record before the decision, as JSON. */
    before: text().notNull(),
  },
  (table) => [index('record_undos_until').on(table.until)],
);

export const recordMerges = sqliteTable(
  'record_merges',
  {
    referenceNumber: text().primaryKey(),
    mergedInto: text().notNull(),
    adminId: text().notNull(),
    at: integer().notNull(),
    /** The status before the merge. */
    status: text().notNull(),
  },
  (table) => [index('record_merges_into').on(table.mergedInto)],
);

/**
 * Messages between the team and the people who submitted the records. Rows never change. They are deleted with the record, or
 * when their sender is erased.
 */
export const recordMessages = sqliteTable(
  'record_messages',
  {
    sequence: integer().primaryKey(),
    id: text().notNull().unique(),
    referenceNumber: text()
      .notNull()
      .references(() => referenceNumbers.referenceNumber),
    kind: text({ enum: MESSAGE_KINDS }).notNull(),
    at: integer().notNull(),
    /** Null for an incoming message. */
    adminId: text(),
    /** The email address or the messaging account that the message came from; null for a message from the team. */
    sender: text(),
    subject: text().notNull(),
    text: text().notNull(),
    /** The attachments (`MessageAttachment`), as JSON. */
    attachments: text().notNull(),
    /** The Message-ID of an incoming email, or `chatMessageId`; null for a message from the team. */
    mailId: text().unique(),
  },
  (table) => [index('record_messages_reference').on(table.referenceNumber, table.sequence)],
);

/** Encrypted files of messages, and of replies that have not been sent yet. */
export const messageFiles = sqliteTable(
  'message_files',
  {
    id: text().primaryKey(),
    referenceNumber: text()
      .notNull()
      .references(() => referenceNumbers.referenceNumber),
    /** With unsafe characters removed. */
    fileName: text().notNull(),
    /** Determined from the content. */
    mediaType: text().notNull(),
    /** Bytes before encryption. */
    byteLength: integer().notNull(),
    /** SHA-256 of the file before encryption, in hex. */
    contentHash: text().notNull(),
    /** The id of the master key that wraps the data key. */
    masterKeyId: text('masterKey').notNull(),
    /** Nonce, encrypted data key, tag. */
    wrappedKey: blob({ mode: 'buffer' }).notNull(),
    /** Nonce, encrypted file, tag. */
    content: blob({ mode: 'buffer' }).notNull(),
    createdAt: integer().notNull(),
    /** The id of the admin who attached the file to a reply that has not been sent yet; null if the file belongs to a message. */
    unsentBy: text(),
  },
  (table) => [
    index('message_files_reference').on(table.referenceNumber),
    index('message_files_unsent').on(table.unsentBy, table.createdAt).where(sql`"unsentBy" is not null`),
  ],
);

/** Questions that the assistant could not answer, without personal data, and how often each was asked. */
export const unansweredQuestions = sqliteTable(
  'unanswered_questions',
  {
    question: text().primaryKey(),
    times: integer().notNull(),
    firstAskedAt: integer().notNull(),
    lastAskedAt: integer().notNull(),
    /** How often the question had been asked when the team last dismissed it. */
    dismissedTimes: integer().notNull().default(0),
  },
  (table) => [index('unanswered_questions_last').on(table.lastAskedAt)],
);

/** A withdrawn row keeps neither question nor answer. */
export const assistantAdditions = sqliteTable(
  'assistant_additions',
  {
    sequence: integer().primaryKey(),
    id: text().notNull().unique(),
    kind: text({ enum: ADDITION_KINDS }).notNull(),
    question: text().notNull(),
    /** The `href` of the passage that answers the question; null if the team wrote the answer. */
    href: text(),
    /** The passage's title when the passage was chosen. */
    title: text(),
    /** The team's answer; null if a passage answers the question. */
    answer: text(),
    adminId: text().notNull(),
    addedAt: integer().notNull(),
    withdrawnAt: integer(),
  },
  (table) => [index('assistant_additions_withdrawn').on(table.withdrawnAt)],
);

/** How often answers were rated helpful or not, with a row for each day, source and verdict. */
export const answerVerdicts = sqliteTable(
  'answer_verdicts',
  {
    id: integer().primaryKey(),
    /** The day in UTC, `YYYY-MM-DD`. */
    day: text().notNull(),
    /** The source of the answer, such as a passage's `href`, or `figure:price` for a live value. */
    source: text().notNull(),
    verdict: text({ enum: ['up', 'down'] }).notNull(),
    times: integer().notNull(),
  },
  (table) => [uniqueIndex('answer_verdicts_one').on(table.day, table.source, table.verdict)],
);

/** Questions and answers without personal data. Stored only with `CHAT_LOG=on`. */
export const chatTranscripts = sqliteTable(
  'chat_transcripts',
  {
    sequence: integer().primaryKey(),
    at: integer().notNull(),
    question: text().notNull(),
    answer: text().notNull(),
    source: text().notNull(),
  },
  (table) => [index('chat_transcripts_at').on(table.at)],
);

/** What the reports need to know about submissions, derived from the audit trail. Contains no personal data. */
export const reportRecords = sqliteTable(
  'report_records',
  {
    referenceNumber: text().primaryKey(),
    kind: text({ enum: SUBMISSION_KINDS }).notNull(),
    receivedAt: integer().notNull(),
    /** When the promised response time ends; null if it is unknown. */
    dueAt: integer(),
    isOpen: integer({ mode: 'boolean' }).notNull(),
    answeredAt: integer(),
    decidedAt: integer(),
  },
  (table) => [index('report_records_open').on(table.kind).where(sql`"isOpen"`)],
);

/** Derived from the audit trail. */
export const reportDays = sqliteTable(
  'report_days',
  {
    /** Days in UTC since 1970-01-01. */
    day: integer().notNull(),
    kind: text({ enum: SUBMISSION_KINDS }).notNull(),
    received: integer().notNull(),
    openChange: integer().notNull(),
    /**
     * A JSON array: the number of records, how many had a promised time, and how many met it. Then come pairs of a
     * duration (a `durationStep`) and the number of records that took that long.
     */
    answered: text().notNull(),
    decided: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.kind] })],
);

export const reportDeliveries = sqliteTable(
  'report_deliveries',
  {
    day: integer().notNull(),
    channel: text({ enum: DELIVERY_CHANNELS }).notNull(),
    sent: integer().notNull(),
    failed: integer().notNull(),
    bounced: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.channel] })],
);

/** The deliveries of past days, by kind and channel. Added up by channel, the rows equal those of `report_deliveries`. */
export const reportKindDeliveries = sqliteTable(
  'report_kind_deliveries',
  {
    day: integer().notNull(),
    kind: text().$type<DeliveryKind>().notNull(),
    channel: text({ enum: DELIVERY_CHANNELS }).notNull(),
    sent: integer().notNull(),
    failed: integer().notNull(),
    bounced: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.kind, table.channel] })],
);

/** How much of the audit trail and of the deliveries the reports include. The table has one row. */
export const reportState = sqliteTable('report_state', {
  id: integer().primaryKey(),
  /** The `sequence` of the last audit record that the reports include. */
  auditSequence: integer().notNull(),
  /** The first day whose deliveries are not totaled yet; null until a delivery is attempted. */
  deliveryDay: integer(),
});

export const reportSubscriptions = sqliteTable('report_subscriptions', {
  adminId: text()
    .primaryKey()
    .references(() => admins.id),
  email: text().notNull(),
  requestedAt: integer().notNull(),
  confirmedAt: integer(),
  /** The Monday of the last week that a report was queued for. */
  lastWeek: integer(),
});

/**
 * How far the transfers of USDT to and from a funding address have been read. There is one feed for each chain, token and
 * address.
 */
export const usdtFeeds = sqliteTable('usdt_feeds', {
  id: text().primaryKey(),
  /** The last final block that was read, and its hash. */
  block: integer().notNull(),
  blockHash: text().notNull(),
  readAt: integer().notNull(),
  /**
   * What the address should hold: the balance at the first block, plus the final transfers to the address, minus the final
   * transfers from it.
   */
  expected: baseUnits().notNull(),
  /** The last block at which the address held the expected balance. */
  matchedBlock: integer().notNull(),
  comparedAt: integer().notNull(),
  /** The balance on the chain minus the expected one, at the last comparison. */
  difference: baseUnits().notNull(),
});

/** Transfers of USDT to and from funding addresses. Final transfers are added once; other transfers are replaced at each read. */
export const usdtTransfers = sqliteTable(
  'usdt_transfers',
  {
    /** The chain, the transaction's hash and the log index. */
    id: text().primaryKey(),
    feed: text().notNull(),
    block: integer().notNull(),
    /** When the block was produced. */
    at: integer().notNull(),
    /** The address on the other side of the transfer. Empty after an erasure. */
    counterparty: text().notNull(),
    amount: baseUnits().notNull(),
    state: text({ enum: TRANSFER_STATES }).notNull(),
    /** The card that the transfer is for; null if it is unknown. */
    cardId: text(),
    /** The fee and the credited amount; null until the transfer is credited. */
    fee: baseUnits(),
    credited: baseUnits(),
    /** When the transfer was credited or settled. */
    closedAt: integer(),
    /** Whether the team, not the portal, credited or settled the transfer. */
    isByHand: integer({ mode: 'boolean' }).notNull().default(false),
  },
  (table) => [
    index('usdt_transfers_card').on(table.cardId, table.at),
    index('usdt_transfers_state').on(table.state, table.at),
  ],
);

/** The decimals of a USDT amount, which identify the card to top up. */
export const topUpTags = sqliteTable('top_up_tags', {
  cardId: text().primaryKey(),
  tag: integer().notNull().unique(),
});

/** Payments that were reported to the cards' holders. Old ones are deleted. */
export const cardSpends = sqliteTable(
  'card_spends',
  {
    /** The issuer's name, a colon, and the issuer's id for the payment. */
    id: text().primaryKey(),
    cardId: text().notNull(),
    at: integer().notNull(),
    merchant: text().notNull(),
    /** US cents; negative for a refund. */
    amount: text().notNull(),
    isDeclined: integer({ mode: 'boolean' }).notNull(),
    toldAt: integer().notNull(),
  },
  (table) => [index('card_spends_card').on(table.cardId), index('card_spends_told').on(table.toldAt)],
);
