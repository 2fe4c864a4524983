import { index, integer, sqliteTable, text, uniqueIndex } from './drizzle.ts';

/**
 * Tables of `app.db` about what is to be told to whom. A delivery is written in the transaction of what it tells of, so
 * neither is ever there without the other. Times are Unix milliseconds.
 */

export const deliveries = sqliteTable(
  'deliveries',
  {
    id: text().primaryKey(),
    /** What it tells of, such as `card-application.received`. */
    event: text().notNull(),
    referenceNumber: text().notNull(),
    channel: text({ enum: ['mail', 'telegram'] }).notNull(),
    /** `applicant` is the person who sent the form, `team` whoever the configuration names. */
    audience: text({ enum: ['applicant', 'team'] }).notNull(),
    /** A mail address or a chat id; null where the configuration names it at the time of sending. */
    recipient: text(),
    /** Kept by each try, so that a mail that arrives twice is known as one. */
    messageId: text().notNull().unique(),
    state: text({ enum: ['waiting', 'leased', 'sent', 'dead'] }).notNull(),
    attemptCount: integer().notNull(),
    nextAttemptAt: integer().notNull(),
    /** Who holds it until when, and the number that its outcome must name: an older holder's outcome is refused. */
    leasedUntil: integer(),
    fence: integer().notNull(),
    createdAt: integer().notNull(),
    finishedAt: integer(),
  },
  (table) => [
    uniqueIndex('deliveries_once').on(table.referenceNumber, table.event, table.channel, table.audience),
    // A channel that rests keeps its messages: the other one does not pass over them each time it looks.
    index('deliveries_due').on(table.state, table.channel, table.nextAttemptAt),
  ],
);

/** One try of a delivery. Rows are added, never changed. */
export const deliveryAttempts = sqliteTable(
  'delivery_attempts',
  {
    sequence: integer().primaryKey(),
    id: text().notNull().unique(),
    deliveryId: text()
      .notNull()
      .references(() => deliveries.id),
    at: integer().notNull(),
    /** `unknown`: the peer may or may not have taken it. */
    outcome: text({ enum: ['sent', 'retry', 'dead', 'unknown'] }).notNull(),
    /** The peer's own id of what it took, or code of what it refused. */
    providerId: text(),
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
