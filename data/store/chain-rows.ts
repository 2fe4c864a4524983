import type { ChainAlarmKind, EventKind, EventStatus } from '../model/chain-events.ts';

/* Data read from the chain and the market. Times are Unix milliseconds, amounts base units. */

/**
 * The chain and the accounts that an index is for. The first program that claims the index writes this identity. A claim with a
 * different identity is refused.
 */
export interface IndexIdentity {
  readonly genesisHash: string;
  readonly mint: string;
  readonly vault: string;
  readonly stakePool: string;
  readonly poolVault: string;
  readonly decimals: number;
}

/**
 * One movement into or out of a watched token account. A transaction can have several: one for each stake or unstake, and one
 * for all other changes to the balance.
 */
export interface ChainEvent {
  readonly signature: string;
  readonly account: string;
  readonly slot: number;
  /**
   * The transaction's position among the account's transactions in the same slot, from 0. If an endpoint reports the order
   * in the block, the positions follow that order. Otherwise, they follow the order of the signatures. An account's history is
   * sorted by slot, then position, then the order in which rows were committed.
   */
  readonly position: number;
  /** The event's number within its transaction and account, from 0. */
  readonly part: number;
  readonly blockTime: number | null;
  readonly kind: EventKind;
  /** The counterparty, or the owner of the stake entry. Null when it cannot be determined. */
  readonly wallet: string | null;
  readonly delta: bigint;
  /** The stake entry that was opened or ended. Null if there is none, or if there are several. */
  readonly stakeEntry: string | null;
  readonly status: EventStatus;
}

/** A change that a transaction made to a watched account. The team must check it, even if the balances match. */
export interface ChainAlarm {
  readonly signature: string;
  readonly account: string;
  readonly slot: number;
  readonly blockTime: number | null;
  readonly kind: ChainAlarmKind;
  /** The address that was set; null when the authority was removed or the account closed. */
  readonly address: string | null;
  readonly status: EventStatus;
}

/**
 * A transaction of a watched account that no endpoint returned in a readable form. The indexer retries it, and indexes
 * later transactions in the meantime. Until it is read, sums over a period that includes it are unknown.
 */
export interface QuarantinedTransaction {
  readonly signature: string;
  readonly account: string;
  readonly slot: number;
  readonly position: number;
  readonly blockTime: number | null;
  /** Why the latest attempt to read the transaction failed. */
  readonly reason: string;
  readonly since: number;
}

/** How far an account's history is indexed: it contains every final transaction up to and including this slot. */
export interface Cursor {
  readonly account: string;
  /** A transaction in that slot. */
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
  readonly closedAt: number | null;
}

export interface ChainSnapshot {
  readonly slot: number;
  /** When the accounts were read: by the host's clock, or by the chain's time if the two are far apart. */
  readonly readAt: number;
  /** The host's time minus the chain's when the slot was first read (ms); null if the endpoint reported no time. */
  readonly clockDifference: number | null;
  /** Null if the vault cannot be read. `vaultProblem` then says why, and `vaultLamports` is null too. */
  readonly vaultBalance: bigint | null;
  readonly vaultLamports: bigint | null;
  readonly vaultProblem: string | null;
  readonly totalStaked: bigint;
  /** Staked BD, plus BD sent directly to the pool's vault, bypassing the staking program. */
  readonly poolVaultBalance: bigint;
  readonly supply: bigint;
  /** Empty if the stake entries cannot be read. `stakesProblem` then says why. */
  readonly entries: readonly StakeEntryRow[];
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
