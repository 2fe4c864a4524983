import type { EndpointState } from '../model/value-state.ts';
import type { AdminStore } from './admin-port.ts';
import type { AuditStore } from './audit-port.ts';
import type { CardStore } from './card-port.ts';
import type {
  ChainAlarm,
  ChainEvent,
  ChainSnapshot,
  Cursor,
  IndexIdentity,
  MarketQuote,
  QuarantinedTransaction,
  StakeEntryRow,
} from './chain-rows.ts';
import type { ChatStore } from './chat-port.ts';
import type { DeliveryStore } from './delivery-port.ts';
import type { ErasureStore, RetentionStore } from './erasure-port.ts';
import type { RecordStore } from './record-port.ts';
import type { SessionStore } from './session-port.ts';
import type { SubmissionStore } from './submission-port.ts';

/**
 * The store's ports: whole use cases, all async, none taking a transaction. An adapter owns its transactions and passes the
 * contract tests (`contract*.test.ts`). Times are Unix milliseconds, amounts base units.
 */

/** The number of wallets that hold BD at one slot, in a token account or through an open stake. */
export interface HolderCount {
  readonly slot: number;
  readonly wallets: number;
  /** When the token accounts were read (Unix ms). */
  readonly readAt: number;
}

export interface EndpointHealth {
  /** Host without path or key. */
  readonly name: string;
  /** Whether it answers. A short backoff still counts as answering. */
  readonly active: boolean;
  readonly state: EndpointState;
  readonly latencyMs: number | null;
  readonly slot: number | null;
  /** Slots behind the most advanced endpoint; null when its slot is unknown. */
  readonly slotLag: number | null;
  /** Requests in the last `REQUEST_WINDOW`, and how many of them failed. */
  readonly requestCount: number;
  readonly errorCount: number;
  /** What the provider charges for a day at the rate of the last hour; null before five minutes have passed. */
  readonly creditsPerDay: number | null;
  readonly lastError: string | null;
}

/** Two figures that should be equal, in base units or counts. */
export interface Difference {
  /** What was compared. The code reads `vault.balance` only. */
  readonly what: string;
  /** From the accounts on chain. */
  readonly onChain: bigint;
  /** From the indexed history. */
  readonly indexed: bigint;
}

/** The comparison of the accounts at one slot with the sum of the events up to it. */
export interface Reconciliation {
  readonly slot: number;
  readonly at: number;
  /** Empty when both agree. */
  readonly differences: readonly Difference[];
}

/** The sums of an account's events up to and including a slot. Unsigned base units. */
export interface EventSums {
  readonly totalIn: bigint;
  readonly totalOut: bigint;
  /** The parts of the totals with kind `stake` and `unstake`. */
  readonly staked: bigint;
  readonly unstaked: bigint;
}

export const HISTORY_SERIES = ['vault', 'staked', 'stakers', 'price'] as const;
export type HistorySeries = (typeof HISTORY_SERIES)[number];

/** One point of a series: the last known value of its interval. */
export interface HistoryPoint {
  /** Start of the interval (Unix ms). */
  readonly at: number;
  /** Base units or a count as decimal digits; a price as decimal text. */
  readonly value: string;
  /** The feed of a stored price. */
  readonly source?: string;
}

export const HISTORY_RESOLUTIONS = ['minute', 'hour', 'day'] as const;
export type HistoryResolution = (typeof HISTORY_RESOLUTIONS)[number];

/** What transactions did, oldest first, and the ones that could not be read. */
export interface TransactionRows {
  readonly events: readonly ChainEvent[];
  readonly alarms?: readonly ChainAlarm[];
  readonly quarantined?: readonly QuarantinedTransaction[];
}

/** The oldest transaction that the chain lists for an account, and whether it is proved to be the account's first. */
export interface HistoryBeginning {
  readonly signature: string;
  readonly slot: number;
  readonly isProved: boolean;
}

/** Final rows and the cursor up to which they are complete, committed together. */
export interface EventBatch extends TransactionRows {
  readonly account: string;
  /** Null while no transaction of the account is final: then there are no final rows. */
  readonly cursor: Cursor | null;
  /**
   * What is confirmed and not final yet, all of it after the cursor. Replaces the account's provisional rows. If absent, those
   * up to the cursor are removed.
   */
  readonly provisional?: TransactionRows;
  /** Set when the history was listed from its beginning. */
  readonly beginning?: HistoryBeginning;
  /**
   * When (Unix ms) the chain listed nothing newer than this batch: the history of a quiet account is then known up to that
   * moment. Absent while newer transactions follow: the history is then known up to its newest event.
   */
  readonly caughtUpAt?: number | null;
}

/** Writes `index.db`. Its only writer is the indexer. */
export interface IndexWriter {
  /**
   * Claims the index for one chain and pool, before the first commit. Repeating the claim has no effect.
   * @throws {StoreIdentityError} when the index has a different identity; the message tells an operator what to do.
   */
  claim(identity: IndexIdentity): Promise<void>;
  cursor(account: string): Promise<Cursor | null>;
  beginning(account: string): Promise<HistoryBeginning | null>;
  /**
   * Commits final rows, provisional rows and cursor in one transaction. Final rows are only added: a repeated batch, or one
   * that overlaps the stored rows, changes nothing. The cursor never goes back. An event inserted before stored ones costs
   * more, the more events follow it.
   * Storing a transaction's events releases it from quarantine; a stored transaction is not quarantined.
   * @throws {StoreIdentityError} when the index is not claimed.
   * @throws {RangeError} when the batch contradicts itself: transactions of another account, final ones after the cursor's slot
   * or without a cursor, or provisional ones up to it. Nothing is stored then.
   */
  commitEvents(batch: EventBatch): Promise<void>;
  /**
   * Removes an account's cursor, so that its history is listed again from the beginning. Its rows stay; what they lack is
   * added. Until then the history is not caught up.
   */
  restartHistory(account: string): Promise<void>;
  /** Final quarantined transactions, oldest first: by slot, position, account and signature. */
  quarantined(): Promise<readonly QuarantinedTransaction[]>;
  /**
   * Releases a transaction from quarantine and stores what it did (nothing, if it moved nothing or is no longer on the
   * chain), in one transaction. Nothing changes when it is not quarantined.
   * @throws {RangeError} when `found` belongs to another transaction or account.
   */
  releaseQuarantined(
    transaction: Pick<QuarantinedTransaction, 'signature' | 'account'>,
    found: { readonly events: readonly ChainEvent[]; readonly alarms: readonly ChainAlarm[] },
  ): Promise<void>;
  /**
   * Replaces the account snapshot and its stake entries. A snapshot from an older slot is ignored. One with a
   * `stakesProblem` leaves the stored entries as they are.
   * @throws {RangeError} when two entries have the same address.
   */
  commitSnapshot(snapshot: ChainSnapshot): Promise<void>;
  /** Replaces the quote and samples its price. An older quote is ignored, unless the stored one is from the future. */
  commitQuote(quote: MarketQuote): Promise<void>;
  /**
   * Replaces the number of wallets that hold BD. A number from an older slot is ignored.
   * @throws {StoreIdentityError} when the index is not claimed.
   * @throws {RangeError} when it is not a whole number from 0.
   */
  commitHolders(holders: HolderCount): Promise<void>;
  /** The sums of final events. Costs one index look-up. */
  eventSums(account: string, upToSlot: number): Promise<EventSums>;
  commitReconciliation(reconciliation: Reconciliation): Promise<void>;
  /**
   * Drops points that are older than their resolution is kept for (minutes two days, hours a hundred days, days forever),
   * except the last of them. `commitSnapshot` and `commitQuote` sample every resolution.
   */
  rollUpHistory(now: number): Promise<void>;
  /**
   * Backfills vault, staked and stakers before their first sample from the events, in hours for the last hundred days and
   * in days before that; and prices of the same kind of source from `pastPrices`. Chain series are filled only when the
   * past is certain: both histories are caught up, nothing is quarantined or provisional up to the first sample, the
   * latest reconciliation agrees, and the events add up to the first sample. A count of stakers that differs from the
   * sample is left out. Filling again changes nothing.
   * @returns whether it is filled
   */
  fillHistory(pastPrices?: {
    readonly source: string;
    readonly points: readonly HistoryPoint[];
  }): Promise<boolean>;
  /** Replaces the endpoints' health. The time of the report also shows that the indexer is running. */
  reportEndpoints(endpoints: readonly EndpointHealth[], at: number): Promise<void>;
  close(): Promise<void>;
}

export interface VaultWindow {
  /** Deposits into the vault and withdrawals from it, both unsigned. */
  readonly deposits: bigint;
  readonly withdrawals: bigint;
  /** The number of events that changed the balance. */
  readonly movements: number;
  /**
   * The sums are complete up to this moment (Unix ms). Null when no history is indexed: then the zeros are unknown, not
   * zero. While an old history is being indexed, this is far in the past.
   */
  readonly until: number | null;
  /**
   * Whether the sums cover the whole window. They do when an event precedes it, when all events add up to the balance, or
   * when accounts and events have agreed once; and when no transaction since then is quarantined.
   */
  readonly reachesBack: boolean;
}

/** The data behind the public figures, read at one moment. Null means not known yet. */
export interface IndexSnapshot {
  readonly identity: IndexIdentity | null;
  readonly chain:
    | (Omit<ChainSnapshot, 'entries'> & {
        /** Null while `stakesProblem` is set. */
        readonly stakerCount: number | null;
        /** Counts the stake entries that were added, removed or changed: while it is unchanged, so are the entries. */
        readonly entryChanges: number;
      })
    | null;
  readonly holders: HolderCount | null;
  readonly quote: MarketQuote | null;
  readonly endpoints: readonly EndpointHealth[];
  readonly endpointsReportedAt: number | null;
  readonly recentEvents: readonly ChainEvent[];
  /**
   * Whether the histories of vault and pool vault are caught up. They are indexed oldest first: until then, `recentEvents`
   * are not the newest of the chain.
   */
  readonly isHistoryRead: boolean;
  /**
   * Whether both histories are known to begin with the account's first transaction: an endpoint proved it, or accounts and
   * events have agreed once.
   */
  readonly hasWholeHistory: boolean;
  /** The latest reconciliation, and the slot and time of the latest one without differences. */
  readonly reconciliation: Reconciliation | null;
  readonly lastAgreement: { readonly slot: number; readonly at: number } | null;
  /** The newest hundred, newest first. */
  readonly alarms: readonly ChainAlarm[];
  readonly quarantinedCount: number;
}

/** The snapshot before anything is indexed. */
export const NOTHING_INDEXED: IndexSnapshot = {
  identity: null,
  chain: null,
  holders: null,
  quote: null,
  endpoints: [],
  endpointsReportedAt: null,
  recentEvents: [],
  isHistoryRead: false,
  hasWholeHistory: false,
  reconciliation: null,
  lastAgreement: null,
  alarms: [],
  quarantinedCount: 0,
};

/** A stake entry of the latest snapshot. */
export interface OpenedStake extends StakeEntryRow {
  /** The transaction that opened it; null when the history does not reach it. */
  readonly openedBy: string | null;
}

/** A stake that has ended, from its transactions: its entry may no longer exist on the chain. */
export interface EndedStake {
  readonly entry: string;
  readonly wallet: string | null;
  /** Returned base units. */
  readonly amount: bigint;
  /** Unix ms; null when the transaction is not indexed or has no time. */
  readonly openedAt: number | null;
  readonly endedAt: number | null;
  readonly openedBy: string | null;
  readonly endedBy: string;
}

/** The stakes of the pool, read at one moment. */
export interface Stakes {
  /** Entries of the latest snapshot, open and closed, by address. */
  readonly entries: readonly OpenedStake[];
  /** Newest first. */
  readonly ended: readonly EndedStake[];
  /** The number of indexed stakes and unstakes, by wallet. */
  readonly transactionCounts: ReadonlyMap<string, number>;
}

/** The place of an event among all events: by slot, then position, then order of committing. */
export interface EventPlace {
  readonly slot: number;
  readonly position: number;
  /** Rises with every commit. Starts again when the index is rebuilt. */
  readonly order: number;
}

export interface WalletEvents {
  /** Newest first. */
  readonly events: readonly ChainEvent[];
  /** The place of the last event when older ones follow, else null. */
  readonly next: EventPlace | null;
}

/** The contents of the index, for operators. Costs the same at any length of history. */
export interface IndexStatistics {
  /** Final events by watched account. */
  readonly events: Readonly<Record<'vault' | 'stake-pool', number>>;
  readonly provisionalEvents: number;
  readonly quarantined: number;
  readonly alarms: number;
  /** The slot of the older of the two cursors; null when one is missing. */
  readonly cursorSlot: number | null;
}

/** Reads `index.db`, for the API. */
export interface IndexReader {
  /**
   * A number that changes with every commit of the writer, at the cost of a page read; 0 while there is no index. Values
   * from different processes are not comparable.
   */
  dataVersion(): Promise<number>;
  /** One consistent read; `recentEvents` newest first, by `EventPlace`. */
  latestSnapshot(recentEvents: number): Promise<IndexSnapshot>;
  /**
   * Vault deposits and withdrawals after a moment, by block time (an event without one counts with the event before it).
   * Costs two index look-ups for a window of any length.
   */
  vaultMovements(since: number): Promise<VaultWindow>;
  /**
   * The vault's balance at each moment: the sum of the events up to it, and the balance before the first of them. That
   * balance is zero when the events add up to the latest snapshot. Otherwise it is the difference that the latest
   * reconciliation found, if no reconciliation ever agreed and the difference is unchanged. Null when neither applies:
   * then events are missing, or the snapshot is ahead of them for a moment. Null also without a snapshot, for a moment
   * after it, before the first event or after the indexed history, and when a transaction since then is quarantined.
   */
  vaultBalanceAt(moments: readonly number[]): Promise<readonly (bigint | null)[]>;
  /** Stake entries with their history, and the newest ended stakes. */
  stakes(maxEnded: number): Promise<Stakes>;
  /**
   * The newest events with the wallet as counterparty, or the newest before a place. Costs one index look-up and the rows
   * returned, at any length of history.
   * @param limit at least 1
   */
  walletEvents(wallet: string, limit: number, before: EventPlace | null): Promise<WalletEvents>;
  /**
   * A series from a moment on, oldest first, preceded by the last point before it. Prices are of the same kind of source
   * as the latest quote: demo prices and market prices never mix.
   */
  history(
    series: HistorySeries,
    resolution: HistoryResolution,
    since: number,
  ): Promise<readonly HistoryPoint[]>;
  statistics(): Promise<IndexStatistics>;
  close(): Promise<void>;
}

/** `app.db`: the portal's own data. Its only writer is the API. */
export interface AppStore extends AuditStore {
  readonly cards: CardStore;
  readonly admins: AdminStore;
  readonly sessions: SessionStore;
  readonly submissions: SubmissionStore;
  readonly records: RecordStore;
  readonly retention: RetentionStore;
  readonly erasures: ErasureStore;
  readonly deliveries: DeliveryStore;
  readonly chat: ChatStore;
  /**
   * Writes a complete, checked copy to a path while the store is in use. @returns its length in bytes
   * @throws {StoreUnavailableError} when that fails; nothing is left at the path then.
   */
  backUp(target: string): Promise<number>;
  close(): Promise<void>;
}
