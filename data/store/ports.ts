import type { EndpointState } from '../model/value-state.ts';
import type { TeamStore } from './admin-link-port.ts';
import type { AlertStore } from './alert-port.ts';
import type { AuditStore } from './audit-port.ts';
import type { BounceStore } from './bounce-port.ts';
import type { CallCounts } from './call-count-port.ts';
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
import type { ConversationStore } from './conversation-port.ts';
import type { DeliveryStore } from './delivery-port.ts';
import type { ErasureStore, RetentionStore } from './erasure-port.ts';
import type { FilterStore } from './filter-port.ts';
import type { RecordStore } from './record-port.ts';
import type { ReportStore } from './report-port.ts';
import type { ChangedPart } from './rules/record-changes.ts';
import type { SessionStore } from './session-port.ts';
import type { SetupLinks } from './setup-link-port.ts';
import type { StoreProblem } from './store-errors.ts';
import type { SubmissionStore } from './submission-port.ts';
import type { SubscriptionStore } from './subscription-port.ts';
import type { TopUpStore } from './top-up-port.ts';
import type { WebhookStore } from './webhook-port.ts';

/*
 * The store's ports. Each method covers a whole use case. It is async and takes no transaction, because an adapter manages its
 * own transactions. The contract tests (`contract/*.test.ts`) check every adapter. Times are Unix ms, amounts base units.
 * An adapter may store U+FFFD in place of U+0000 or of a lone surrogate.
 */

/** How many wallets hold BD at one slot, in a token account or through an open stake. */
export interface HolderCount {
  readonly slot: number;
  readonly wallets: number;
  readonly readAt: number;
}

export interface EndpointHealth {
  /** The endpoint's host, without path or key. */
  readonly name: string;
  /** Whether the endpoint answers. An endpoint in a short backoff still counts as answering. */
  readonly active: boolean;
  readonly state: EndpointState;
  readonly latencyMs: number | null;
  readonly slot: number | null;
  /** How many slots this endpoint is behind the most advanced one; null when this endpoint's slot is unknown. */
  readonly slotLag: number | null;
  /** The number of requests in the last `REQUEST_WINDOW_MS`, and how many of them failed. */
  readonly requestCount: number;
  readonly errorCount: number;
  /**
   * The number of credits that the provider charges per day, extrapolated from the last hour; null until requests have been
   * counted for five minutes.
   */
  readonly creditsPerDay: number | null;
  readonly lastError: string | null;
}

/** Two values that should be equal, in base units or counts. */
export interface Difference {
  /**
   * The name of the compared value. The code checks for `vault.balance`, `stake-pool.vault-balance` and
   * `history.unread-transactions`; all other names are only for people to read.
   */
  readonly what: string;
  readonly onChain: bigint;
  readonly indexed: bigint;
}

/** A comparison of the accounts at one slot with the sums of the events up to that slot. */
export interface Reconciliation {
  readonly slot: number;
  readonly at: number;
  readonly differences: readonly Difference[];
}

/** Total amounts of an account's events up to and including a slot. None is negative. */
export interface EventSums {
  readonly totalIn: bigint;
  readonly totalOut: bigint;
  /** The part of `totalIn` that comes from `stake` events, and the part of `totalOut` that comes from `unstake` events. */
  readonly staked: bigint;
  readonly unstaked: bigint;
}

export const HISTORY_SERIES = ['vault', 'staked', 'stakers', 'price', 'volume', 'network'] as const;
export type HistorySeries = (typeof HISTORY_SERIES)[number];

/**
 * Whether a series contains market data. For such a series, `history` reads only points from the same kind of source as the
 * latest quote.
 */
export function isMarketSeries(series: HistorySeries): series is 'price' | 'volume' {
  return series === 'price' || series === 'volume';
}

/** One point of a series: the last known value in its interval or, for the series `network`, the lowest value. */
export interface HistoryPoint {
  /** Start of the interval (Unix ms). */
  readonly at: number;
  /**
   * An amount in base units, a count, a price or a volume, as decimal text. For `network`, the share of endpoints that answer,
   * from `0.000` to `1.000`. Empty if the feed provides no volume, if the indexer did not report, or if it has no endpoints.
   */
  readonly value: string;
  /** The feed from which a stored price or volume was read. */
  readonly source?: string;
}

export const HISTORY_RESOLUTIONS = ['minute', 'hour', 'day'] as const;
export type HistoryResolution = (typeof HISTORY_RESOLUTIONS)[number];

/** The effects of transactions, oldest first, and the transactions that could not be read. */
export interface TransactionRows {
  readonly events: readonly ChainEvent[];
  readonly alarms?: readonly ChainAlarm[];
  readonly quarantined?: readonly QuarantinedTransaction[];
}

/** The oldest transaction that the chain lists for an account, and whether it is proven to be the first one. */
export interface HistoryBeginning {
  readonly signature: string;
  readonly slot: number;
  readonly isProven: boolean;
}

/** Final rows and the cursor up to which they are complete, committed together. */
export interface EventBatch extends TransactionRows {
  readonly account: string;
  /** Null while no transaction of the account is final. The batch then has no final rows. */
  readonly cursor: Cursor | null;
  /**
   * The rows that are confirmed but not final yet, all after the cursor. They replace the account's stored provisional rows. If
   * absent, only the stored provisional rows up to the cursor are removed.
   */
  readonly provisional?: TransactionRows;
  /** Set if the history was listed from its beginning. */
  readonly beginning?: HistoryBeginning;
  /**
   * The time at which the chain listed no transaction after this batch: the history is complete up to this time. Absent if newer
   * transactions follow: the history is then complete only up to its newest event.
   */
  readonly caughtUpAt?: number | null;
}

/** Writes the index. Only the indexer uses this port. */
export interface IndexWriter {
  /**
   * Assigns the index to one chain and pool. Must precede the first commit. Repeating a claim has no effect.
   * @throws {StoreIdentityError} when the index has a different identity; the message says what an operator can do.
   */
  claim(identity: IndexIdentity): Promise<void>;
  cursor(account: string): Promise<Cursor | null>;
  beginning(account: string): Promise<HistoryBeginning | null>;
  /**
   * Commits final rows, provisional rows and the cursor in one transaction. Final rows are only added, so existing rows do not
   * change. The cursor never goes back: a batch that ends before it only adds what is missing. Inserting an event takes
   * longer if many stored events follow it, because their running totals are corrected. Storing a transaction's events
   * releases it from quarantine. A transaction whose events are stored is never put into quarantine.
   * @throws {StoreIdentityError} when the index is not claimed.
   * @throws {RangeError} when the batch has a cursor or a transaction of another account, a final transaction after the
   * cursor's slot, or a provisional transaction up to that slot. Without a cursor, no final transaction is allowed. In these
   * cases nothing is stored.
   */
  commitEvents(batch: EventBatch): Promise<void>;
  /** The final transactions in quarantine, sorted by slot, position, account and signature. */
  quarantined(): Promise<readonly QuarantinedTransaction[]>;
  /**
   * Releases a transaction from quarantine and stores its effects, in one database transaction. `rows` is empty if the
   * transaction moved nothing or is no longer on the chain. If the transaction is not quarantined, nothing changes.
   * @throws {RangeError} when `rows` belongs to another transaction or account.
   */
  releaseQuarantined(
    transaction: Pick<QuarantinedTransaction, 'signature' | 'account'>,
    rows: { readonly events: readonly ChainEvent[]; readonly alarms: readonly ChainAlarm[] },
  ): Promise<void>;
  /**
   * Replaces the account snapshot and its stake entries. A snapshot from an older slot is ignored. A snapshot with a
   * `stakesProblem` does not change the stored entries.
   * @throws {RangeError} when two entries have the same address.
   */
  commitSnapshot(snapshot: ChainSnapshot): Promise<void>;
  /**
   * Replaces the stored quote, and adds its price and its volume to the charts. An older quote is ignored, unless the stored
   * quote is from the future. The new points are never earlier than the stored snapshot, which has the chain's time if the
   * host's clock is behind.
   */
  commitQuote(quote: MarketQuote): Promise<void>;
  /**
   * Replaces the number of wallets that hold BD. A number from an older slot is ignored.
   * @throws {StoreIdentityError} when the index is not claimed.
   * @throws {RangeError} when the number is negative or not an integer.
   */
  commitHolders(holders: HolderCount): Promise<void>;
  /** Includes only final events. Takes one index look-up. */
  eventSums(account: string, upToSlot: number): Promise<EventSums>;
  commitReconciliation(reconciliation: Reconciliation): Promise<void>;
  /**
   * Deletes old points: minute points after two days, hourly points after a hundred days, daily points never. Keeps the newest
   * old point of each series, because it gives the value at the start of the remaining period.
   */
  deleteOldHistory(now: number): Promise<void>;
  /**
   * Backfills the charts before their first sample. `vault`, `staked` and `stakers` are computed from the events; `price` comes
   * from `pastPrices`. Prices are filled only after a quote from the same kind of source was stored. The last hundred days get
   * hourly points, earlier days only daily ones. A second call changes nothing.
   * The series from the chain are filled only if the events are certain:
   * - both histories are caught up
   * - nothing is quarantined, and no event up to the first sample is provisional
   * - the latest reconciliation agrees
   * - the events add up to the first sample
   * `stakers` is left out if the number of stakers according to the events differs from the first sample.
   * @returns whether the charts are filled
   */
  fillHistory(pastPrices?: {
    readonly source: string;
    readonly points: readonly HistoryPoint[];
  }): Promise<boolean>;
  /**
   * Replaces the stored health of the endpoints. The time of the report also shows that the indexer is running. As in
   * `commitQuote`, the points that this call adds to the charts are never earlier than the stored snapshot.
   */
  reportEndpoints(endpoints: readonly EndpointHealth[], at: number): Promise<void>;
  close(): Promise<void>;
}

export interface VaultWindow {
  /** Deposits and withdrawals are never negative. */
  readonly deposits: bigint;
  readonly withdrawals: bigint;
  /** The number of events that changed the balance. */
  readonly movements: number;
  /**
   * The time up to which the sums are complete. While an old history is being indexed, this is far in the past. Null when no
   * history is indexed: the sums are then unknown, not zero.
   */
  readonly until: number | null;
  /**
   * Whether the sums cover the whole window. They do if an event precedes the window, if all events add up to the balance,
   * or if a reconciliation ever agreed. They do not while a quarantined transaction may be in the window.
   */
  readonly coversWindow: boolean;
}

/** The data behind the public figures, read at one moment. Null means not known yet. */
export interface IndexSnapshot {
  readonly identity: IndexIdentity | null;
  readonly chain:
    | (Omit<ChainSnapshot, 'entries'> & {
        /** Null while `stakesProblem` is set. */
        readonly stakerCount: number | null;
        /**
         * How many times a stake entry was added, removed or changed. If this number has not changed, neither have the
         * entries.
         */
        readonly entryChanges: number;
      })
    | null;
  readonly holders: HolderCount | null;
  readonly quote: MarketQuote | null;
  readonly endpoints: readonly EndpointHealth[];
  readonly endpointsReportedAt: number | null;
  readonly recentEvents: readonly ChainEvent[];
  /**
   * Whether the histories of the vault and the pool's vault are caught up. Events are indexed oldest first, so until
   * then, `recentEvents` are not the newest events on the chain.
   */
  readonly isHistoryCaughtUp: boolean;
  /**
   * The time up to which both histories are indexed, by the indexer's clock (Unix ms); null while `isHistoryCaughtUp` is
   * false. It is updated every few seconds. If the histories can no longer be read, it stops changing, and
   * `isHistoryCaughtUp` stays true.
   */
  readonly historyReadAt: number | null;
  /** Whether both histories certainly include their first transaction: an endpoint proved it, or a reconciliation once agreed. */
  readonly hasCompleteHistory: boolean;
  /** The latest reconciliation. */
  readonly reconciliation: Reconciliation | null;
  /** The latest reconciliation without differences. */
  readonly lastAgreement: { readonly slot: number; readonly at: number } | null;
  /** The newest hundred alarms, newest first. */
  readonly alarms: readonly ChainAlarm[];
  readonly quarantinedCount: number;
}

export const EMPTY_INDEX_SNAPSHOT: IndexSnapshot = {
  identity: null,
  chain: null,
  holders: null,
  quote: null,
  endpoints: [],
  endpointsReportedAt: null,
  recentEvents: [],
  isHistoryCaughtUp: false,
  historyReadAt: null,
  hasCompleteHistory: false,
  reconciliation: null,
  lastAgreement: null,
  alarms: [],
  quarantinedCount: 0,
};

export interface SnapshotStake extends StakeEntryRow {
  /** The transaction that opened the stake; null if it is not indexed. */
  readonly openedBy: string | null;
}

/** A stake that has ended, according to its transactions. Its entry may no longer exist on the chain. */
export interface EndedStake {
  readonly entry: string;
  readonly wallet: string | null;
  /** The amount returned. */
  readonly amount: bigint;
  /** Null when the opening transaction is not indexed or has no time. */
  readonly openedAt: number | null;
  readonly endedAt: number | null;
  readonly openedBy: string | null;
  readonly endedBy: string;
}

/** The stakes of the pool, read at one moment. */
export interface Stakes {
  /** The entries in the latest snapshot, open and closed, sorted by address. */
  readonly entries: readonly SnapshotStake[];
  /** Newest first. */
  readonly ended: readonly EndedStake[];
  /** For each wallet, the number of indexed transactions in which it staked or unstaked. */
  readonly transactionCounts: ReadonlyMap<string, number>;
}

/** Where a list of events continues. Events are sorted by slot, then position, then `order`. */
export interface EventCursor {
  readonly slot: number;
  readonly position: number;
  /** Increases with every committed event. Starts over when the index is rebuilt. */
  readonly order: number;
}

export interface WalletEvent extends ChainEvent, Pick<EventCursor, 'order'> {
  /**
   * The latest block time among this event and the account's earlier events. An event without a block time therefore gets the
   * time of an earlier event. Null if none of them has a time.
   */
  readonly historyTime: number | null;
}

export interface WalletEvents {
  /** Newest first. */
  readonly events: readonly WalletEvent[];
  /** Null if no older events follow. */
  readonly next: EventCursor | null;
}

/** Numbers about the index, for operators. The cost of reading them does not depend on the length of the history. */
export interface IndexStatistics {
  /** Final events only. */
  readonly events: Readonly<Record<'vault' | 'stake-pool', number>>;
  readonly provisionalEvents: number;
  readonly quarantined: number;
  readonly alarms: number;
  /** The slot of the older of the two cursors; null when one is missing. */
  readonly cursorSlot: number | null;
}

export interface IndexReader {
  /**
   * A number that changes with every commit by the writer; 0 while there is no index. Cheap to read. Values from different
   * processes cannot be compared.
   */
  dataVersion(): Promise<number>;
  /** Reads everything at one moment. `recentEvents` are newest first, in the order of `EventCursor`. */
  latestSnapshot(recentEventCount: number): Promise<IndexSnapshot>;
  /**
   * Deposits into the vault and withdrawals from it after a given time. An event without a block time is given the time of the
   * event before it. Takes two index look-ups, however long the window is.
   */
  vaultMovements(since: number): Promise<VaultWindow>;
  /**
   * The vault's balance at each time: the balance before the first event, plus the sum of the events up to the time. The
   * balance before the first event is zero if the events add up to the latest snapshot. If no reconciliation ever agreed, it
   * may also be the difference that the latest reconciliation found, as long as the snapshot differs from the events by the
   * same amount. Otherwise every balance is null, because events are missing or the snapshot is briefly ahead of them.
   * Every balance is also null without a snapshot and while the history is not caught up. Some balances are null because their
   * time is before the first event, after the snapshot, after the indexed history, or not later than a quarantined transaction.
   */
  vaultBalanceAt(moments: readonly number[]): Promise<readonly (bigint | null)[]>;
  stakes(maxEnded: number): Promise<Stakes>;
  /**
   * The newest events of the wallet, or the newest ones before a cursor. The cost depends on the number of returned rows,
   * not on the length of the history.
   * @param limit at least 1
   */
  walletEvents(wallet: string, limit: number, before: EventCursor | null): Promise<WalletEvents>;
  /**
   * A series from a given time on, oldest first, preceded by the last point before that time. Prices and volumes come from
   * the same kind of source as the latest quote, so demo prices and market prices never mix.
   */
  history(
    series: HistorySeries,
    resolution: HistoryResolution,
    since: number,
  ): Promise<readonly HistoryPoint[]>;
  statistics(): Promise<IndexStatistics>;
  /** Null if the index is a file. */
  readonly pool: (() => PoolState) | null;
  /** The fence of the program that writes the index; null if the index is a file. */
  readonly writerFence: (() => Promise<number>) | null;
  close(): Promise<void>;
}

export interface PoolState {
  readonly max: number;
  readonly open: number;
  readonly idle: number;
  readonly waiting: number;
}

/** The portal's own data: the file `app.db`, or tables in PostgreSQL. */
export interface AppStore extends AuditStore {
  /**
   * Calls the listener after each commit by this program that changes what the team sees.
   * @returns a function that stops listening
   */
  onChanged(listener: (parts: ReadonlySet<ChangedPart>) => void): () => void;
  readonly cards: CardStore;
  readonly admins: TeamStore;
  readonly sessions: SessionStore;
  readonly submissions: SubmissionStore;
  readonly records: RecordStore;
  readonly conversations: ConversationStore;
  readonly reports: ReportStore;
  readonly retention: RetentionStore;
  readonly erasures: ErasureStore;
  readonly deliveries: DeliveryStore;
  readonly bounces: BounceStore;
  readonly webhooks: WebhookStore;
  readonly alerts: AlertStore;
  readonly chat: ChatStore;
  readonly filters: FilterStore;
  readonly subscriptions: SubscriptionStore;
  readonly topUps: TopUpStore;
  /** Null if no other process uses the store: this process can then count calls itself. */
  readonly callCounts: CallCounts | null;
  /** Null if no other process uses the store: this process can then keep the setup link in memory. */
  readonly setupLinks: SetupLinks | null;
  /** Null if the store is a file. */
  readonly pool: (() => PoolState) | null;
  /**
   * Writes a complete, verified copy of the store to a path. The store can stay in use.
   * @returns the length of the copy in bytes
   * @throws {StoreUnavailableError} when the copy fails. In that case nothing is left at the path.
   */
  backUp(target: string): Promise<number>;
  /**
   * Why nothing can be stored; null while writing works. Called ten times a second. Once the store is lost, every
   * method that reads or stores data throws, except `copyLostStore`.
   */
  problem(): Promise<StoreProblem | null>;
  /** After a failed write, checks whether the disk can be written to again. */
  tryToWrite(): Promise<void>;
  /**
   * Copies a lost store to a path, as it was before the loss.
   * @returns the length of the copy in bytes
   * @throws {StoreUnavailableError} when the store can no longer be read completely. In that case nothing is left at the path.
   */
  copyLostStore(target: string): Promise<number>;
  close(): Promise<void>;
}
