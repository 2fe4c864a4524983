import { CARD_TIERS } from '../../model/tiers.ts';
import { index, integer, sql, sqliteTable, text, uniqueIndex } from './drizzle.ts';

/** Tables of `app.db` about virtual cards. No card number and no CVV is stored anywhere. Times are Unix milliseconds. */

export const cards = sqliteTable(
  'cards',
  {
    id: text().primaryKey(),
    walletAddress: text().notNull(),
    /**
     * `pending`: a place is taken and the issuer is being asked. `failed`: the issuer refused for good; the place is free
     * again. `closed` is final.
     */
    state: text({ enum: ['pending', 'active', 'frozen', 'closed', 'failed'] }).notNull(),
    tier: text({ enum: CARD_TIERS }).notNull(),
    holderName: text().notNull(),
    /** Which issuer has it. */
    issuer: text({ enum: ['sandbox', 'stripe'] }).notNull(),
    /** Sent with each try of making it, so that the issuer makes one. */
    idempotencyKey: text().notNull().unique(),
    /** The issuer's own names of card and cardholder; null while it is pending. */
    issuerCard: text(),
    issuerCardholder: text(),
    lastFour: text(),
    expiryMonth: integer(),
    expiryYear: integer(),
    createdAt: integer().notNull(),
    changedAt: integer().notNull(),
  },
  (table) => [
    // One card of a wallet at a time.
    uniqueIndex('cards_one_a_wallet')
      .on(table.walletAddress)
      .where(sql`state in ('pending', 'active', 'frozen')`),
    uniqueIndex('cards_issuer_card').on(table.issuer, table.issuerCard),
    index('cards_state').on(table.state),
  ],
);

/** Messages of the issuer that were taken in: each once. */
export const issuerMessages = sqliteTable('issuer_messages', {
  /** The issuer, a colon, and its own name of the message. */
  id: text().primaryKey(),
  kind: text().notNull(),
  receivedAt: integer().notNull(),
});
