import type { EventKind, EventStatus } from '../model/chain-events.ts';

/**
 * What the programs may ask of their memory: whole use cases, all async, none taking a transaction. An adapter owns its
 * transactions; every port is held by `contract.test.ts`, which every adapter passes. Times are Unix milliseconds,
 * amounts base units.
 */

/** What an index is an index of. Written at the first commit; an index of another chain or pool is refused. */
export interface IndexIdentity {
  readonly genesisHash: string;
  readonly mint: string;
  readonly vault: string;
  readonly stakePool: string;
  readonly poolVault: string;
  readonly decimals: number;
}

/** One movement of a watched token account. A transaction that moves two watched accounts is two events. */
export interface ChainEvent {
  readonly signature: string;
  /** The watched token account. */
  readonly account: string;
  readonly slot: number;
  /**
   * Where the transaction stands among those of the account in the same slot, from 0: the order the chain lists them in.
   * An account's history is ordered by slot, then position, then the order of committing.
   */
  readonly position: number;
  readonly blockTime: number | null;
  readonly kind: EventKind;
  /** The counterparty's wallet; null where none can be named. */
  readonly wallet: string | null;
  /** Signed change of the watched account. */
  readonly delta: bigint;
  readonly status: EventStatus;
}

/** How far an account's history is indexed. Null means nothing is indexed yet, which is not the same as slot 0. */
export interface Cursor {
  readonly account: string;
  readonly signature: string;
  readonly slot: number;
}

export interface StakeEntryRow {
  readonly address: string;
  readonly wallet: string;
  readonly nonce: number;
  readonly amount: bigint;
  readonly effectiveAmount: bigint;
  /** Times are Unix milliseconds; null where the entry is open. */
  readonly createdAt: number;
  readonly unlocksAt: number;
  readonly closedAt: number | null;
}

/** The watched accounts as they stood at one slot. */
export interface ChainSnapshot {
  readonly slot: number;
  readonly readAt: number;
  readonly vaultBalance: bigint;
  /** Lamports in the vault token account. */
  readonly vaultLamports: bigint;
  readonly totalStaked: bigint;
  readonly supply: bigint;
  readonly entries: readonly StakeEntryRow[];
}

export interface MarketQuote {
  /** Decimal text, as the feed gave it. */
  readonly priceUsd: string;
  readonly priceChange24h: string | null;
  readonly volume24h: string | null;
  readonly liquidity: string | null;
  readonly source: string;
  readonly readAt: number;
}

export interface EndpointHealth {
  /** Host without path or key. */
  readonly name: string;
  readonly active: boolean;
  readonly latencyMs: number | null;
  readonly slot: number | null;
  /** Failed requests in the last five minutes. */
  readonly errorCount: number;
  readonly lastError: string | null;
}

/** Rows and the cursor that says they are complete, committed together or not at all. */
export interface EventBatch {
  readonly account: string;
  /** Oldest first; none where the listed transactions moved nothing and only the cursor advances. */
  readonly events: readonly ChainEvent[];
  readonly cursor: Cursor;
  /**
   * When (Unix ms) the chain listed nothing newer than this batch, so that a quiet account still counts as known up to
   * that moment. Absent while newer transactions are still to come: history is then known up to its newest event.
   */
  readonly caughtUpAt?: number | null;
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
   * where its transaction landed again after a fork), but never goes from finalized to provisional. The cursor never
   * goes back. A new event older than stored ones takes its place among them, at a cost that grows with what follows it.
   * @throws {StoreIdentityError} where the index was not claimed.
   * @throws {RangeError} where the batch contradicts itself: events of another account, or beyond the cursor's slot.
   * Nothing is stored then.
   */
  commitEvents(batch: EventBatch): Promise<void>;
  /** Signatures of provisional events up to a slot, oldest first, to be checked again. */
  provisionalEvents(
    upToSlot: number,
    limit: number,
  ): Promise<readonly { signature: string; account: string; slot: number }[]>;
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
  commitQuote(quote: MarketQuote): Promise<void>;
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
   * the balance. Where it does not, the sums are those of a part.
   */
  readonly reachesBack: boolean;
}

/** Everything the public figures are made of, read at one moment. Null means: not known yet. */
export interface IndexSnapshot {
  readonly identity: IndexIdentity | null;
  readonly chain: (Omit<ChainSnapshot, 'entries'> & { readonly stakerCount: number }) | null;
  readonly quote: MarketQuote | null;
  readonly endpoints: readonly EndpointHealth[];
  readonly endpointsReportedAt: number | null;
  readonly recentEvents: readonly ChainEvent[];
  /**
   * Whether vault and pool vault were both read up to their newest transaction. Histories are read oldest first: until
   * then `recentEvents` are not the newest of the chain.
   */
  readonly isHistoryRead: boolean;
}

/** What is known before anything was indexed. */
export const NOTHING_INDEXED: IndexSnapshot = {
  identity: null,
  chain: null,
  quote: null,
  endpoints: [],
  endpointsReportedAt: null,
  recentEvents: [],
  isHistoryRead: false,
};

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
   * The vault's balance at each moment: what the latest snapshot holds less what moved after the moment. Null where
   * that cannot be told: no snapshot, a history that begins after the moment or is not read up to the snapshot, or a
   * moment after the snapshot.
   */
  vaultBalanceAt(moments: readonly number[]): Promise<readonly (bigint | null)[]>;
  /** Every stake entry of the latest snapshot, open and closed, by address. */
  stakeEntries(): Promise<readonly StakeEntryRow[]>;
  close(): Promise<void>;
}

export interface AuditRecord {
  readonly id: string;
  readonly at: number;
  /** Who acted: `system`, or later an account's id. Never a name or an address of a person. */
  readonly actor: string;
  /** What was done, as `noun.verb`. */
  readonly action: string;
  readonly details: Readonly<Record<string, string | number | boolean | null>>;
}

/** `app.db`: what only the portal knows. One writer: the API. */
export interface AppStore {
  /**
   * Adds one record; the same record again is the same record.
   * @throws {RangeError} where the id is taken by another record: what is recorded is never overwritten.
   */
  recordAudit(record: AuditRecord): Promise<void>;
  /** Newest first: by time, then the one recorded last. */
  auditTrail(limit: number): Promise<readonly AuditRecord[]>;
  close(): Promise<void>;
}

/** The index belongs to another chain, mint or pool than the one configured. */
export class StoreIdentityError extends Error {
  override readonly name = 'StoreIdentityError';
  /** What the index holds otherwise than it was claimed for; nothing where it was not claimed at all. */
  readonly differing: readonly (keyof IndexIdentity)[];

  constructor(message: string, differing: readonly (keyof IndexIdentity)[] = []) {
    super(message);
    this.differing = differing;
  }
}

/** The store file cannot be opened, read or written. Carries what to do. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}
