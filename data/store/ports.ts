import type { AdminStore } from './admin-port.ts';
import type { ApplicationStore } from './application-port.ts';
import type { AuditStore } from './audit-port.ts';
import type { BacklogStore } from './backlog-port.ts';
import type { CardStore } from './card-port.ts';
import type {
  ChainAlarm,
  ChainEvent,
  ChainSnapshot,
  Cursor,
  IndexIdentity,
  MarketQuote,
  PlacedTransaction,
  QuarantinedTransaction,
  StakeEntryRow,
} from './chain-rows.ts';
import type { ChatStore } from './chat-port.ts';
import type { ContactStore } from './contact-port.ts';
import type { DeliveryStore } from './delivery-port.ts';
import type { ErasureStore } from './erasure-port.ts';
import type { LoanStore } from './loan-port.ts';
import type { RecordStore } from './record-port.ts';
import type { RetentionStore } from './retention-port.ts';
import type { SessionStore } from './session-port.ts';

/**
 * What the programs may ask of their memory: whole use cases, all async, none taking a transaction. An adapter owns its
 * transactions; every port is held by `contract.test.ts`, which every adapter passes. Times are Unix milliseconds,
 * amounts base units.
 */

/** How many wallets hold BD at one slot: in a token account of theirs, or through an open stake. */
export interface HolderCount {
  readonly slot: number;
  readonly wallets: number;
  /** When the token accounts were read (Unix ms). */
  readonly readAt: number;
}

/**
 * `active`: it is asked. `resting`: it failed and is left alone for a moment. `put-aside`: it answers for another chain,
 * lags far behind or contradicts what is known, and is not believed.
 */
export const ENDPOINT_STATES = ['active', 'resting', 'put-aside'] as const;
export type EndpointState = (typeof ENDPOINT_STATES)[number];

export interface EndpointHealth {
  /** Host without path or key. */
  readonly name: string;
  /** Whether it answers: resting for a moment is no failure yet. */
  readonly active: boolean;
  readonly state: EndpointState;
  readonly latencyMs: number | null;
  readonly slot: number | null;
  /** Slots behind the endpoint that is furthest; null where its slot is not known. */
  readonly slotLag: number | null;
  /** Requests in the last five minutes, and those of them that failed. */
  readonly requestCount: number;
  readonly errorCount: number;
  readonly lastError: string | null;
}

/** The two sides of a check that were to be equal, base units or a count. */
export interface Difference {
  /** What was compared: `vault.balance` is the vault's, others are for people to read. */
  readonly what: string;
  /** What the accounts of the chain say. */
  readonly onChain: bigint;
  /** What the indexed history adds up to. */
  readonly indexed: bigint;
}

/** The accounts at one slot against the sum of the events up to it. */
export interface Reconciliation {
  readonly slot: number;
  readonly at: number;
  /** None where both agree. */
  readonly differences: readonly Difference[];
}

/** What the indexed events of an account add up to, up to a slot and with it. Base units, unsigned. */
export interface EventSums {
  readonly totalIn: bigint;
  readonly totalOut: bigint;
  /** What the staking program moved in and out: the part of the totals that is `stake` and `unstake`. */
  readonly staked: bigint;
  readonly unstaked: bigint;
}

/** Series that are kept for charts. */
export const HISTORY_SERIES = ['vault', 'staked', 'stakers', 'price'] as const;
export type HistorySeries = (typeof HISTORY_SERIES)[number];

/** One point of a series: the value at the end of its interval, or the last one known in it. */
export interface HistoryPoint {
  /** Begin of the interval (Unix ms). */
  readonly at: number;
  /** Base units or a count as decimal digits; a price as decimal text. */
  readonly value: string;
  /** Of a stored price: the feed that told it. */
  readonly source?: string;
}

/** Lengths of the intervals that points are kept for. */
export const HISTORY_RESOLUTIONS = ['minute', 'hour', 'day'] as const;
export type HistoryResolution = (typeof HISTORY_RESOLUTIONS)[number];

/** Rows and the cursor that says they are complete, committed together or not at all. */
export interface EventBatch {
  readonly account: string;
  /** Oldest first; none where the listed transactions moved nothing and only the cursor advances. */
  readonly events: readonly ChainEvent[];
  readonly alarms?: readonly ChainAlarm[];
  /** Transactions that the cursor passes although they could not be read. */
  readonly quarantined?: readonly QuarantinedTransaction[];
  /** Null where the chain lists no transaction of the account at all: then nothing but `caughtUpAt` is told. */
  readonly cursor: Cursor | null;
  /**
   * When (Unix ms) the chain listed nothing newer than this batch, so that a quiet account still counts as known up to
   * that moment. Absent while newer transactions are still to come: history is then known up to its newest event.
   */
  readonly caughtUpAt?: number | null;
  /** Whether all that the cursor had passed is listed once more with it, after a fork: then the cursor may go back. */
  readonly endsRelisting?: boolean;
}

/** The writing side of `index.db`. One writer: the indexer. */
export interface IndexWriter {
  /**
   * Claims the index for one chain and pool, before anything is committed. Claiming again for the same is harmless.
   * @throws {StoreIdentityError} where it already holds another, with the mend.
   */
  claim(identity: IndexIdentity): Promise<void>;
  cursor(account: string): Promise<Cursor | null>;
  /**
   * Commits events and cursor in one transaction. Repeating a batch, or sending one that overlaps what is stored, changes
   * nothing. A finalized event is final; a provisional one becomes what is told of it last (finalized, or in another slot
   * where its transaction landed again after a fork), but never goes from finalized to provisional. The cursor goes back,
   * to an earlier slot or position of its slot, by a batch alone that ends a listing once more. A new event older than
   * stored ones takes its place among them, at a cost that grows with what follows it.
   * A transaction told as an event is in quarantine no longer; one that is stored as an event is not put there.
   * @throws {StoreIdentityError} where the index was not claimed.
   * @throws {RangeError} where the batch contradicts itself or what is stored: transactions of another account or beyond
   * the cursor's slot, or no cursor where there are transactions. Nothing is stored then.
   */
  commitEvents(batch: EventBatch): Promise<void>;
  /** Signatures whose events or alarms are provisional, up to a slot, oldest first, to be checked again. */
  provisionalEvents(upToSlot: number, limit: number): Promise<readonly PlacedTransaction[]>;
  /** The newest finalized event of an account in slots up to one; null where there is none. */
  finalEvent(account: string, upToSlot: number): Promise<PlacedTransaction | null>;
  /** Transactions put aside, oldest first: by slot, position, account and signature. */
  quarantined(): Promise<readonly QuarantinedTransaction[]>;
  /**
   * Takes a transaction out of quarantine with what it turned out to have done (nothing, where it moved nothing or is no
   * longer on the chain), in one transaction. Where it is not in quarantine any more, nothing changes.
   * @throws {RangeError} where what was found is of another transaction or account.
   */
  releaseQuarantined(
    transaction: Pick<QuarantinedTransaction, 'signature' | 'account'>,
    found: { readonly events: readonly ChainEvent[]; readonly alarms: readonly ChainAlarm[] },
  ): Promise<void>;
  /**
   * Marks transactions as finalized, and removes the provisional events of those that vanished as if they had never
   * been, in one transaction. A finalized event is final and stays. Where an account loses an event, or its cursor stood
   * on a vanished transaction, the cursor steps back to the newest event of an earlier slot, or to nothing: what took
   * the place of the vanished ones, and what followed them, is then listed again.
   * @throws {RangeError} where a signature is said to be both.
   */
  settleEvents(outcome: { finalized: readonly string[]; vanished: readonly string[] }): Promise<void>;
  /**
   * Replaces the account snapshot and its stake entries. An older slot than the stored one is ignored.
   * @throws {RangeError} where two entries have one address.
   */
  commitSnapshot(snapshot: ChainSnapshot): Promise<void>;
  /** Replaces the quote and samples its price. An older one than the stored is ignored, unless that lies in the future. */
  commitQuote(quote: MarketQuote): Promise<void>;
  /**
   * Replaces the count of wallets that hold BD. One of an older slot than the stored one is ignored.
   * @throws {StoreIdentityError} where the index was not claimed.
   * @throws {RangeError} where it is no whole number from 0.
   */
  commitHolders(holders: HolderCount): Promise<void>;
  /** What an account's events add up to, up to a slot and with it. Costs one index look-up. */
  eventSums(account: string, upToSlot: number): Promise<EventSums>;
  commitReconciliation(reconciliation: Reconciliation): Promise<void>;
  /**
   * Drops points that are older than their resolution is kept for (minutes two days, hours a hundred days, days for
   * ever), but for the last of them, so that the history stays bounded. `commitSnapshot` and `commitQuote` sample every
   * resolution themselves, where a value changed: none is made of another that may have been cut.
   */
  rollUpHistory(now: number): Promise<void>;
  /**
   * Fills what lies before the first sample of vault, staked and stakers from the events, hours for the last hundred
   * days and days before that; and prices from the points given, for the kind of source they are of. Nothing of the
   * chain is filled while it is not sure: both histories have to be read, nothing be in quarantine or provisional up to
   * the first sample, the latest reconciliation (if there is one) agree, and the events add up to the first sample. A
   * count of stakers that the events do not make stays out. Filling again changes nothing.
   * @returns whether it was filled, now or before
   */
  fillHistory(pastPrices?: {
    readonly source: string;
    readonly points: readonly HistoryPoint[];
  }): Promise<boolean>;
  /** Replaces the endpoints' health; says at the same time that the indexer is alive. */
  reportEndpoints(endpoints: readonly EndpointHealth[], at: number): Promise<void>;
  close(): Promise<void>;
}

export interface VaultWindow {
  /** What came into the vault, and what left it (both unsigned). */
  readonly deposits: bigint;
  readonly withdrawals: bigint;
  /** Events that changed the balance. */
  readonly movements: number;
  /**
   * The sums are complete up to this moment (Unix ms). Null where no history is indexed: then the zeros beside it are
   * unknown, not zero. While an old history is being indexed it lies far behind the clock.
   */
  readonly until: number | null;
  /**
   * Whether history reaches back to the moment asked for: its first event is not younger, or all of it together makes
   * the balance, or did where accounts and events last agreed; and no transaction since then is in quarantine. Where it does not, the sums are those of a part.
   */
  readonly reachesBack: boolean;
}

/** Everything the public figures are made of, read at one moment. Null means: not known yet. */
export interface IndexSnapshot {
  readonly identity: IndexIdentity | null;
  readonly chain:
    | (Omit<ChainSnapshot, 'entries'> & {
        readonly stakerCount: number;
        /** Counts every stake entry that came, went or changed: while it stays, the entries are the same. */
        readonly entryChanges: number;
      })
    | null;
  /** Null until the wallets were counted once. */
  readonly holders: HolderCount | null;
  readonly quote: MarketQuote | null;
  readonly endpoints: readonly EndpointHealth[];
  readonly endpointsReportedAt: number | null;
  readonly recentEvents: readonly ChainEvent[];
  /**
   * Whether vault and pool vault were both read up to their newest transaction. Histories are read oldest first: until
   * then `recentEvents` are not the newest of the chain.
   */
  readonly isHistoryRead: boolean;
  /** The latest comparison of the accounts with the events, and when and where they last agreed. */
  readonly reconciliation: Reconciliation | null;
  readonly lastAgreement: { readonly slot: number; readonly at: number } | null;
  /** Newest first, the newest hundred. */
  readonly alarms: readonly ChainAlarm[];
  readonly quarantinedCount: number;
}

/** What is known before anything was indexed. */
export const NOTHING_INDEXED: IndexSnapshot = {
  identity: null,
  chain: null,
  holders: null,
  quote: null,
  endpoints: [],
  endpointsReportedAt: null,
  recentEvents: [],
  isHistoryRead: false,
  reconciliation: null,
  lastAgreement: null,
  alarms: [],
  quarantinedCount: 0,
};

/** A stake entry of the latest snapshot, with the transaction that opened it. */
export interface OpenedStake extends StakeEntryRow {
  /** Null while the history does not reach it. */
  readonly openedBy: string | null;
}

/** A stake that has ended, told by its transactions: its entry may be gone from the chain. */
export interface EndedStake {
  readonly entry: string;
  readonly wallet: string | null;
  /** Base units that were returned. */
  readonly amount: bigint;
  /** Unix ms; null where the transaction is not indexed, or its time unknown. */
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
  /** Stakes and unstakes indexed, by wallet. */
  readonly transactionCounts: ReadonlyMap<string, number>;
}

/** Where an event stands among all of them: by slot, then position, then the order of committing. */
export interface EventPlace {
  readonly slot: number;
  readonly position: number;
  /** Rises with every commit; counted anew where the index is built again. */
  readonly order: number;
}

/** A page of a wallet's events. */
export interface WalletEvents {
  /** Newest first. */
  readonly events: readonly ChainEvent[];
  /** The place of the last of them, where older ones follow; else null. */
  readonly next: EventPlace | null;
}

/** What the index holds, for those who operate it. All of it costs the same at any length of history. */
export interface IndexStatistics {
  /** Events by the account watched: `vault` and `stake-pool`. */
  readonly events: Readonly<Record<'vault' | 'stake-pool', number>>;
  readonly provisionalEvents: number;
  readonly quarantined: number;
  readonly alarms: number;
  /** The slot of the older of the two cursors; null where one has none. */
  readonly cursorSlot: number | null;
}

/** The reading side of `index.db`, for the API. */
export interface IndexReader {
  /**
   * A number that changes with every commit of the writer, at the cost of a page read; 0 while there is no index yet.
   * Only its changing means anything: it is counted anew in every process.
   */
  dataVersion(): Promise<number>;
  /** One consistent read; `recentEvents` newest first: by slot, then position, then the one committed last. */
  latestSnapshot(recentEvents: number): Promise<IndexSnapshot>;
  /**
   * Vault deposits and withdrawals after a moment, by block time (an event without one counts with the event before
   * it). Costs two index look-ups, however many events lie between.
   */
  vaultMovements(since: number): Promise<VaultWindow>;
  /**
   * The vault's balance at each moment: what the events up to it add up to, and what the vault held before the first
   * of them. That is nothing where the events up to the latest snapshot make its balance; where they do not, what the
   * latest reconciliation found missing, if none ever agreed and the same is missing still. Null where neither is so:
   * then events are missing, or the snapshot is ahead of them for a moment. Null as well without a snapshot, for a
   * moment after it, where history begins later or is not read so far, and where a transaction since then is in
   * quarantine.
   */
  vaultBalanceAt(moments: readonly number[]): Promise<readonly (bigint | null)[]>;
  /** Stake entries with their history; of ended stakes the newest ones, as many as asked for. */
  stakes(endedAtMost: number): Promise<Stakes>;
  /**
   * Events of the watched accounts that name the wallet as counterparty: the newest, or those older than a place. Costs
   * one index look-up and the rows told, however long the history is.
   * @param limit at least 1
   */
  walletEvents(wallet: string, limit: number, before: EventPlace | null): Promise<WalletEvents>;
  /**
   * A series from a moment on, oldest first, and the last point before it. Prices are those of the same kind of source
   * as the latest quote: made-up ones and a market's never mix.
   */
  history(
    series: HistorySeries,
    resolution: HistoryResolution,
    since: number,
  ): Promise<readonly HistoryPoint[]>;
  statistics(): Promise<IndexStatistics>;
  close(): Promise<void>;
}

/** `app.db`: what only the portal knows. One writer: the API. */
export interface AppStore extends AuditStore {
  /** The cards that were given out. */
  readonly cards: CardStore;
  /** Accounts of the team and their sessions. */
  readonly admins: AdminStore;
  /** Wallets that prove themselves. */
  readonly sessions: SessionStore;
  readonly applications: ApplicationStore;
  readonly contacts: ContactStore;
  /** What the team sees and decides of all that people sent. */
  readonly records: RecordStore;
  readonly loans: LoanStore;
  /** What is deleted after its time. */
  readonly retention: RetentionStore;
  /** What is held of a person, and erased when they ask for it. */
  readonly erasures: ErasureStore;
  readonly deliveries: DeliveryStore;
  /** What the assistant keeps. */
  readonly chat: ChatStore;
  /**
   * Writes a whole, checked copy to a path, while the store is written to. @returns its length in bytes
   * @throws {StoreUnavailableError} where that cannot be done; nothing is left at the path then.
   */
  backUp(target: string): Promise<number>;
  /** What the team has still to do. */
  readonly backlog: BacklogStore;
  close(): Promise<void>;
}
