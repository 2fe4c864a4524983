import type { ChainAlarmKind, EventKind, EventStatus } from '../model/chain-events.ts';

/**
 * What the chain and the market were read to say, as the ports take and tell it. Times are Unix milliseconds, amounts base
 * units.
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

/**
 * One movement of a watched token account. A transaction that moves two watched accounts is two events or more: each stake
 * and unstake in it is one.
 */
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
  /** Its number among the transaction's events of the account, from 0, in the order in which it did them. */
  readonly part: number;
  readonly blockTime: number | null;
  readonly kind: EventKind;
  /** The counterparty's wallet, of a stake or unstake the one that the entry belongs to; null where none can be named. */
  readonly wallet: string | null;
  /** Signed change of the watched account. */
  readonly delta: bigint;
  /** The stake entry that the staking program opened or ended, where it is known to be just one. */
  readonly stakeEntry: string | null;
  readonly status: EventStatus;
}

/**
 * Something that a transaction did to a watched account, which the team has to look at, whatever the balance says.
 * Stored with the events of the transaction, and gone with them if it vanishes.
 */
export interface ChainAlarm {
  readonly signature: string;
  /** The watched token account. */
  readonly account: string;
  readonly slot: number;
  readonly blockTime: number | null;
  readonly kind: ChainAlarmKind;
  /** The address that was set; null where the authority was removed, or the account closed. */
  readonly address: string | null;
  readonly status: EventStatus;
}

/**
 * A transaction of a watched account that no endpoint could tell for long. The cursor has passed it, so that what
 * follows is indexed; it is asked for again and again, and until it is read every sum over it counts as unknown.
 */
export interface QuarantinedTransaction {
  readonly signature: string;
  readonly account: string;
  readonly slot: number;
  readonly position: number;
  readonly blockTime: number | null;
  /** Why it could not be read, last. */
  readonly reason: string;
  /** When it was put aside (Unix ms). */
  readonly since: number;
}

/** Where a transaction of a watched account was found. */
export interface PlacedTransaction {
  readonly signature: string;
  /** The watched token account. */
  readonly account: string;
  readonly slot: number;
}

/** How far an account's history is indexed. Null means nothing is indexed yet, which is not the same as slot 0. */
export interface Cursor {
  readonly account: string;
  readonly signature: string;
  readonly slot: number;
  /** Where its transaction stands among those of the account in the same slot, as in an event. */
  readonly position: number;
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
  /** Base units in the pool's vault: what is staked, and what was sent there without the staking program. */
  readonly poolVaultBalance: bigint;
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
