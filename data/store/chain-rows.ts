import type { ChainAlarmKind, EventKind, EventStatus } from '../model/chain-events.ts';

/** Readings of the chain and the market. Times are Unix milliseconds, amounts base units. */

/** The chain and accounts of an index. Written by the first claim; another identity is refused. */
export interface IndexIdentity {
  readonly genesisHash: string;
  readonly mint: string;
  readonly vault: string;
  readonly stakePool: string;
  readonly poolVault: string;
  readonly decimals: number;
}

/**
 * One movement of a watched token account. A transaction has one event per watched account that it moves, and one for each
 * stake and unstake.
 */
export interface ChainEvent {
  readonly signature: string;
  /** The watched token account. */
  readonly account: string;
  readonly slot: number;
  /**
   * The transaction's place among those of the account in the same slot, from 0: in the order of the block where endpoints
   * report it, otherwise in the order of signatures. An account's history is ordered by slot, then position, then order of
   * committing.
   */
  readonly position: number;
  /** Counts the transaction's events of the account, from 0. */
  readonly part: number;
  readonly blockTime: number | null;
  readonly kind: EventKind;
  /** The counterparty's wallet; of a stake or unstake, the owner of the entry. Null when it cannot be determined. */
  readonly wallet: string | null;
  /** Signed change of the watched account. */
  readonly delta: bigint;
  /** The stake entry that was opened or ended, when there is exactly one. */
  readonly stakeEntry: string | null;
  readonly status: EventStatus;
}

/** Something in a transaction that the team must check, even if the balances match. Stored with the transaction's events. */
export interface ChainAlarm {
  readonly signature: string;
  /** The watched token account. */
  readonly account: string;
  readonly slot: number;
  readonly blockTime: number | null;
  readonly kind: ChainAlarmKind;
  /** The address that was set; null when the authority was removed or the account closed. */
  readonly address: string | null;
  readonly status: EventStatus;
}

/**
 * A transaction of a watched account that no endpoint could return in a form that can be read. Later transactions are indexed.
 * It is retried. Until it is read, sums over its time are unknown.
 */
export interface QuarantinedTransaction {
  readonly signature: string;
  readonly account: string;
  readonly slot: number;
  readonly position: number;
  readonly blockTime: number | null;
  /** Why the latest attempt to read it failed. */
  readonly reason: string;
  /** When it was quarantined (Unix ms). */
  readonly since: number;
}

/**
 * How far an account's history is indexed: every final transaction up to and including this slot. Null means that nothing is
 * indexed yet, which differs from slot 0.
 */
export interface Cursor {
  readonly account: string;
  /** A transaction of the slot. */
  readonly signature: string;
  readonly slot: number;
}

export interface StakeEntryRow {
  readonly address: string;
  readonly wallet: string;
  readonly nonce: number;
  readonly amount: bigint;
  readonly effectiveAmount: bigint;
  readonly createdAt: number;
  readonly unlocksAt: number;
  /** Null while the entry is open. */
  readonly closedAt: number | null;
}

/** The watched accounts at one slot. */
export interface ChainSnapshot {
  readonly slot: number;
  /** Unix ms, by the host's clock; by the chain's time if they are far apart. */
  readonly readAt: number;
  /** The host's time minus the chain's when the slot was first read (ms); null if the node told no time. */
  readonly clockDifference: number | null;
  /** Null if the vault cannot be read: then `vaultProblem` says why. */
  readonly vaultBalance: bigint | null;
  /** Lamports in the vault token account; null as above. */
  readonly vaultLamports: bigint | null;
  readonly vaultProblem: string | null;
  readonly totalStaked: bigint;
  /** The balance of the pool's vault: staked BD, and BD sent there without the staking program. */
  readonly poolVaultBalance: bigint;
  readonly supply: bigint;
  /** Empty if they cannot be read: then `stakesProblem` says why. */
  readonly entries: readonly StakeEntryRow[];
  /** Stake entries that cannot be read, and so are not among `entries`. */
  readonly unreadEntries: number;
  readonly stakesProblem: string | null;
}

export interface MarketQuote {
  /** Decimal text, as the feed returned it. */
  readonly priceUsd: string;
  readonly priceChange24h: string | null;
  readonly volume24h: string | null;
  readonly liquidity: string | null;
  readonly source: string;
  readonly readAt: number;
}
