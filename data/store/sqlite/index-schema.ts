import { z } from 'zod';
import { CHAIN_ALARM_KINDS, EVENT_KINDS, EVENT_STATUSES } from '../../model/chain-events.ts';
import { ENDPOINT_STATES } from '../../model/value-state.ts';
import { type Difference, HISTORY_RESOLUTIONS, HISTORY_SERIES } from '../ports.ts';
import { HISTORY_ORIGINS } from '../rules/series.ts';
import {
  baseUnits,
  check,
  customType,
  index,
  integer,
  primaryKey,
  sql,
  sqliteTable,
  sqliteView,
  text,
  uniqueIndex,
} from './drizzle.ts';

/*
 * The tables of `index.db`. Times are Unix milliseconds, amounts are base units as text. The row of a single-row table has the
 * id 1. After a change, run `npx drizzle-kit generate --config data/store/sqlite/drizzle.index.config.ts`.
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

/** The watched token accounts with their cursors. A cursor's signature and slot are both set or both null. */
export const accounts = sqliteTable(
  'accounts',
  {
    id: integer().primaryKey(),
    address: text().notNull().unique(),
    cursorSignature: text('cursor_signature'),
    cursorSlot: integer('cursor_slot'),
    /** When the stored history last included the chain's newest transaction; null if it never did. */
    caughtUpAt: integer('caught_up_at'),
    /** The oldest transaction that an endpoint listed; null until the history has been listed back to its start. */
    oldestSignature: text('oldest_signature'),
    oldestSlot: integer('oldest_slot'),
    /** Whether the oldest transaction is proven to be the account's first one. */
    hasBeginning: integer('has_beginning', { mode: 'boolean' }).notNull().default(false),
    eventCount: integer('event_count').notNull().default(0),
  },
  (table) => [
    check('accounts_cursor_whole', sql`(${table.cursorSignature} is null) = (${table.cursorSlot} is null)`),
  ],
);

/** The columns of an event, including the account's running totals up to and including that event. */
const eventColumns = () => ({
  id: integer().primaryKey(),
  accountId: integer('account_id')
    .notNull()
    .references(() => accounts.id),
  signature: text().notNull(),
  slot: integer().notNull(),
  position: integer().notNull(),
  /** The event's number within its transaction and account, starting at 0. */
  part: integer().notNull().default(0),
  blockTime: integer('block_time'),
  /** The latest block time among the account's events up to this one, so it never decreases; null while no time is known. */
  historyTime: integer('history_time'),
  kind: text({ enum: EVENT_KINDS }).notNull(),
  wallet: text(),
  /**
   * The first characters of the wallet's address, used to find the wallet's events. An index of full addresses would be four
   * times as large.
   */
  walletBeginning: text('wallet_beginning').generatedAlwaysAs(sql`substr(wallet, 1, 8)`, {
    mode: 'virtual',
  }),
  delta: baseUnits().notNull(),
  stakeEntry: text('stake_entry'),
  totalIn: baseUnits('total_in').notNull(),
  totalOut: baseUnits('total_out').notNull(),
  movements: integer().notNull(),
  staked: baseUnits().notNull(),
  unstaked: baseUnits().notNull(),
});

/**
 * Final movements of the watched accounts; append-only. An account's history is sorted by slot, position and id. Each row
 * contains the account's running totals, so that the sum over any period is the difference between two rows.
 */
export const events = sqliteTable(
  'events',
  {
    ...eventColumns(),
    /** A hash of the signature. An index of the signatures themselves would take up most of the file. */
    signatureKey: integer('signature_key').notNull(),
  },
  (table) => [
    // Not unique, because two signatures may have the same hash. The writer checks for the signature before it inserts an event.
    index('events_signature').on(table.signatureKey, table.accountId),
    index('events_history').on(table.accountId, table.historyTime, table.slot, table.position),
    index('events_slot').on(table.accountId, table.slot, table.position),
    index('events_stake_entry')
      .on(table.stakeEntry, table.slot, table.position)
      .where(sql`stake_entry is not null`),
    index('events_wallet')
      .on(table.walletBeginning, table.slot, table.position)
      .where(sql`wallet_beginning is not null`),
    // A partial index: its size does not depend on the number of other events.
    index('events_ended_stakes')
      .on(table.slot, table.position)
      .where(sql`kind = 'unstake' and stake_entry is not null`),
  ],
);

/**
 * Movements that are confirmed but not yet final, usually less than a minute old. An account's rows are always replaced
 * together.
 */
export const provisionalEvents = sqliteTable('provisional_events', eventColumns());

/** Final and provisional events together. Provisional events have ids of 2^52 and above. A migration creates the view. */
export const allEvents = sqliteView('all_events', {
  ...eventColumns(),
  status: text({ enum: EVENT_STATUSES }).notNull(),
}).existing();

/** The number of transactions in which a wallet staked or unstaked. The writer updates it together with the events. */
export const walletActivity = sqliteTable('wallet_activity', {
  wallet: text().primaryKey(),
  transactions: integer().notNull(),
});

/** Account changes that the team must check. */
export const alarms = sqliteTable(
  'alarms',
  {
    id: integer().primaryKey(),
    accountId: integer('account_id')
      .notNull()
      .references(() => accounts.id),
    signature: text().notNull(),
    slot: integer().notNull(),
    blockTime: integer('block_time'),
    kind: text({ enum: CHAIN_ALARM_KINDS }).notNull(),
    /** Empty if there is no address, because the unique index would treat nulls as distinct. */
    address: text().notNull(),
    status: text({ enum: EVENT_STATUSES }).notNull(),
  },
  (table) => [
    uniqueIndex('alarms_what').on(table.signature, table.accountId, table.kind, table.address),
    index('alarms_slot').on(table.slot),
  ],
);

/** Transactions that could not be read. Once they are final, the cursor moves past them. */
export const quarantined = sqliteTable(
  'quarantined',
  {
    id: integer().primaryKey(),
    accountId: integer('account_id')
      .notNull()
      .references(() => accounts.id),
    signature: text().notNull(),
    slot: integer().notNull(),
    position: integer().notNull(),
    blockTime: integer('block_time'),
    reason: text().notNull(),
    since: integer().notNull(),
    status: text({ enum: EVENT_STATUSES }).notNull().default('finalized'),
  },
  (table) => [
    uniqueIndex('quarantined_signature_account').on(table.signature, table.accountId),
    index('quarantined_slot').on(table.accountId, table.slot, table.position),
  ],
);

/** The points of the charts. No resolution is computed from another. */
export const historyPoints = sqliteTable(
  'history_points',
  {
    series: text({ enum: HISTORY_SERIES }).notNull(),
    origin: text({ enum: HISTORY_ORIGINS }).notNull(),
    resolution: text({ enum: HISTORY_RESOLUTIONS }).notNull(),
    /** The start of the interval. */
    at: integer().notNull(),
    value: text().notNull(),
    /** The market feed that a price or volume came from; null for the other series. */
    source: text(),
  },
  (table) => [primaryKey({ columns: [table.series, table.origin, table.resolution, table.at] })],
);

/** The first sample of each origin. The history before this sample is backfilled once. */
export const historyBeginnings = sqliteTable('history_beginnings', {
  origin: text({ enum: HISTORY_ORIGINS }).primaryKey(),
  at: integer().notNull(),
  /** The slot and the figures of the first snapshot; null for prices. */
  slot: integer(),
  vault: baseUnits(),
  staked: baseUnits(),
  stakers: integer(),
  isFilled: integer('is_filled', { mode: 'boolean' }).notNull(),
});

const amount = z
  .string()
  .regex(/^-?\d+$/)
  .transform(BigInt);
const storedDifferences = z.array(z.object({ what: z.string(), onChain: amount, indexed: amount }));

/** A column for a list of differences: JSON in the file, with amounts as decimal text. */
const differenceList = customType<{ data: readonly Difference[]; driverData: string }>({
  dataType: () => 'text',
  toDriver: (differences) =>
    JSON.stringify(differences, (_, part) => (typeof part === 'bigint' ? part.toString() : part)),
  fromDriver: (stored) => storedDifferences.parse(JSON.parse(stored)),
});

/** The latest reconciliation, and the slot and time of the latest one without differences. */
export const reconciliations = sqliteTable(
  'reconciliations',
  {
    id: integer().primaryKey(),
    slot: integer().notNull(),
    at: integer().notNull(),
    differences: differenceList().notNull(),
    agreedSlot: integer('agreed_slot'),
    agreedAt: integer('agreed_at'),
  },
  (table) => [
    check('reconciliations_one_row', sql`${table.id} = 1`),
    check(
      'reconciliations_agreement_whole',
      sql`(${table.agreedSlot} is null) = (${table.agreedAt} is null)`,
    ),
  ],
);

export const chainSnapshot = sqliteTable(
  'chain_snapshot',
  {
    id: integer().primaryKey(),
    slot: integer().notNull(),
    readAt: integer('read_at').notNull(),
    clockDifference: integer('clock_difference'),
    vaultBalance: baseUnits('vault_balance').notNull(),
    vaultLamports: baseUnits('vault_lamports').notNull(),
    /** Why the vault cannot be read, or null. If set, the vault's balance and lamports are stored as 0 and read as null. */
    vaultProblem: text('vault_problem'),
    totalStaked: baseUnits('total_staked').notNull(),
    poolVaultBalance: baseUnits('pool_vault_balance').notNull(),
    supply: baseUnits().notNull(),
    stakerCount: integer('staker_count').notNull(),
    unreadEntries: integer('unread_entries').notNull().default(0),
    /** How often stake entries have been added, changed or removed. */
    entryChanges: integer('entry_changes').notNull().default(0),
    /** Why the stake entries cannot be read, or null. If set, `stakerCount` is the last known number. */
    stakesProblem: text('stakes_problem'),
  },
  (table) => [check('chain_snapshot_one_row', sql`${table.id} = 1`)],
);

export const holderCounts = sqliteTable(
  'holder_counts',
  {
    id: integer().primaryKey(),
    slot: integer().notNull(),
    wallets: integer().notNull(),
    readAt: integer('read_at').notNull(),
  },
  (table) => [
    check('holder_counts_one_row', sql`${table.id} = 1`),
    check('holder_counts_not_negative', sql`${table.wallets} >= 0`),
  ],
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
  { id: integer().primaryKey(), reportedAt: integer('reported_at').notNull() },
  (table) => [check('endpoint_report_one_row', sql`${table.id} = 1`)],
);

/** The endpoints of the latest report, in the order of the report. */
export const endpoints = sqliteTable('endpoints', {
  id: integer().primaryKey(),
  name: text().notNull(),
  active: integer({ mode: 'boolean' }).notNull(),
  state: text({ enum: ENDPOINT_STATES }).notNull(),
  latencyMs: integer('latency_ms'),
  slot: integer(),
  slotLag: integer('slot_lag'),
  requestCount: integer('request_count').notNull(),
  errorCount: integer('error_count').notNull(),
  creditsPerDay: integer('credits_per_day'),
  lastError: text('last_error'),
});
