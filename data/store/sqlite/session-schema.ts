import { index, integer, sqliteTable, text } from './drizzle.ts';

/** Tables of `app.db` about wallets that prove themselves. Times are Unix milliseconds, addresses base58. */

/** Sign-in messages that were handed out. The nonce itself is not stored, only what it hashes to. */
export const proofChallenges = sqliteTable(
  'proof_challenges',
  {
    /** SHA-256 of the nonce, in hex. */
    nonceHash: text().primaryKey(),
    walletAddress: text().notNull(),
    /** SHA-256 of the whole message, in hex: a signed message is compared with it. */
    messageHash: text().notNull(),
    issuedAt: integer().notNull(),
    expiresAt: integer().notNull(),
    /** When it was used up, by a proof that held or by one that did not; null while it can be used. */
    usedAt: integer(),
  },
  (table) => [index('proof_challenges_expires').on(table.expiresAt)],
);

/** Sessions of wallets that proved themselves. The token in the cookie is not stored, only what it hashes to. */
export const walletSessions = sqliteTable(
  'wallet_sessions',
  {
    /** SHA-256 of the token, in hex. */
    tokenHash: text().primaryKey(),
    walletAddress: text().notNull(),
    provedAt: integer().notNull(),
    expiresAt: integer().notNull(),
    /** When it was ended by signing out; null while it holds. */
    endedAt: integer(),
  },
  (table) => [
    index('wallet_sessions_wallet').on(table.walletAddress),
    index('wallet_sessions_expires').on(table.expiresAt),
  ],
);

/** Wallets that proved themselves at least once. */
export const provenWallets = sqliteTable('proven_wallets', {
  walletAddress: text().primaryKey(),
  firstProvedAt: integer().notNull(),
  lastProvedAt: integer().notNull(),
});

/** Wallets that the team has admitted by hand. */
export const whitelistedWallets = sqliteTable('whitelisted_wallets', {
  walletAddress: text().primaryKey(),
  /** The card tier that the team admitted it to. */
  tier: text().notNull(),
  whitelistedAt: integer().notNull(),
  /** Reference of the request that was granted. */
  referenceNumber: text().notNull(),
});
