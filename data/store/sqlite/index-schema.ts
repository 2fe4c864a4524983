import { sql } from 'drizzle-orm';
import { check, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { EVENT_KINDS, EVENT_STATUSES } from '../../model/chain-events.ts';
import { baseUnits } from './amount-column.ts';

/**
 * The tables of `index.db`. Times are Unix milliseconds, amounts base units as text. A table of one row has the id 1 and
 * nothing else. After a change: `npx drizzle-kit generate --config data/store/sqlite/drizzle.index.config.ts`.
 */

export const indexIdentity = sqliteTable(
  'index_identity',
  {
    id: integer().primaryKey(),
    genesisHash: text('genesis_hash').notNull(),
    mint: text().notNull(),
    vault: text().notNull(),
    stakePool: text('stake_pool').notNull(),
    poolVault: text('pool_vault').notNull(),
    decimals: integer().notNull(),
  },
  (table) => [check('index_identity_one_row', sql`${table.id} = 1`)],
);

/** The watched token accounts, each with its cursor: signature and slot are both set or both null. */
export const accounts = sqliteTable(
  'accounts',
  {
    id: integer().primaryKey(),
    address: text().notNull().unique(),
    cursorSignature: text('cursor_signature'),
    cursorSlot: integer('cursor_slot'),
    /** When the chain listed nothing newer than the cursor; null where that is not known to be so. */
    caughtUpAt: integer('caught_up_at'),
  },
  (table) => [
    check('accounts_cursor_whole', sql`(${table.cursorSignature} is null) = (${table.cursorSlot} is null)`),
  ],
);

/**
 * Movements of the watched accounts. An account's history is ordered by slot, position and id. Each row carries the
 * account's running totals after it, so that a balance or a sum over any span is a difference of two rows, found by
 * index, and never a walk over the rows between.
 */
export const events = sqliteTable(
  'events',
  {
    id: integer().primaryKey(),
    accountId: integer('account_id')
      .notNull()
      .references(() => accounts.id),
    signature: text().notNull(),
    slot: integer().notNull(),
    position: integer().notNull(),
    blockTime: integer('block_time'),
    /** The block time, or the latest one before it: never falls within an account; null until one is known. */
    historyTime: integer('history_time'),
    kind: text({ enum: EVENT_KINDS }).notNull(),
    wallet: text(),
    delta: baseUnits().notNull(),
    status: text({ enum: EVENT_STATUSES }).notNull(),
    totalIn: baseUnits('total_in').notNull(),
    totalOut: baseUnits('total_out').notNull(),
    movements: integer().notNull(),
  },
  (table) => [
    uniqueIndex('events_signature_account').on(table.signature, table.accountId),
    index('events_history').on(table.accountId, table.historyTime, table.slot, table.position),
    index('events_slot').on(table.slot),
    // Partial, so that a finalized history of any length costs it nothing.
    index('events_provisional').on(table.slot).where(sql`status = 'confirmed'`),
  ],
);

export const chainSnapshot = sqliteTable(
  'chain_snapshot',
  {
    id: integer().primaryKey(),
    slot: integer().notNull(),
    readAt: integer('read_at').notNull(),
    vaultBalance: baseUnits('vault_balance').notNull(),
    vaultLamports: baseUnits('vault_lamports').notNull(),
    totalStaked: baseUnits('total_staked').notNull(),
    supply: baseUnits().notNull(),
    stakerCount: integer('staker_count').notNull(),
  },
  (table) => [check('chain_snapshot_one_row', sql`${table.id} = 1`)],
);

export const stakeEntries = sqliteTable('stake_entries', {
  address: text().primaryKey(),
  wallet: text().notNull(),
  nonce: integer().notNull(),
  amount: baseUnits().notNull(),
  effectiveAmount: baseUnits('effective_amount').notNull(),
  createdAt: integer('created_at').notNull(),
  unlocksAt: integer('unlocks_at').notNull(),
  closedAt: integer('closed_at'),
});

export const marketQuote = sqliteTable(
  'market_quote',
  {
    id: integer().primaryKey(),
    priceUsd: text('price_usd').notNull(),
    priceChange24h: text('price_change_24h'),
    volume24h: text('volume_24h'),
    liquidity: text(),
    source: text().notNull(),
    readAt: integer('read_at').notNull(),
  },
  (table) => [check('market_quote_one_row', sql`${table.id} = 1`)],
);

export const endpointReport = sqliteTable(
  'endpoint_report',
  {
    id: integer().primaryKey(),
    reportedAt: integer('reported_at').notNull(),
  },
  (table) => [check('endpoint_report_one_row', sql`${table.id} = 1`)],
);

/** The endpoints of the latest report, in the order they were told. */
export const endpoints = sqliteTable('endpoints', {
  id: integer().primaryKey(),
  name: text().notNull(),
  active: integer({ mode: 'boolean' }).notNull(),
  latencyMs: integer('latency_ms'),
  slot: integer(),
  errorCount: integer('error_count').notNull(),
  lastError: text('last_error'),
});
