import type { TransferState } from '../model/top-ups.ts';
import type { AuditRecord } from './audit-port.ts';

/** A USDT transfer from or to a funding address, as read from the chain. Amounts are base units. */
export interface ChainTransfer {
  /** The chain, the transaction's hash and the log index: `1-0x…-7`. */
  readonly id: string;
  readonly block: number;
  /** When the block was produced (Unix ms). */
  readonly at: number;
  readonly isOutgoing: boolean;
  readonly counterparty: string;
  /** More than 0. */
  readonly amount: bigint;
}

export interface StoredTransfer extends Omit<ChainTransfer, 'isOutgoing'> {
  readonly state: TransferState;
  readonly cardId: string | null;
  /** Null until the transfer is credited. */
  readonly fee: bigint | null;
  readonly credited: bigint | null;
  /** When the transfer was credited or settled (Unix ms). */
  readonly closedAt: number | null;
  /** Whether the team credited or settled the transfer. */
  readonly isByHand: boolean;
}

/** How far the transfers of one token to and from one address have been read on a chain. */
export interface UsdtFeed {
  readonly id: string;
  /** The last final block that was read, and its hash. */
  readonly block: number;
  readonly blockHash: string;
  /** When the feed last moved forward (Unix ms). */
  readonly readAt: number;
  /** The expected balance of the address after `block`. */
  readonly expected: bigint;
  /** The last block at which the address had the expected balance. */
  readonly matchedBlock: number;
  /** Unix ms. */
  readonly comparedAt: number;
  /** The balance on the chain minus the expected one, at the last comparison. */
  readonly difference: bigint;
}

export interface TransferBatch {
  readonly feed: string;
  readonly previousBlock: number;
  readonly block: number;
  readonly blockHash: string;
  /** Unix ms. */
  readonly at: number;
  /** Every transfer after `previousBlock`, up to and including `block`. */
  readonly final: readonly ChainTransfer[];
  /** The transfers after `block`. They replace all stored `confirming` transfers. */
  readonly confirming: readonly ChainTransfer[];
}

/**
 * Top-ups of cards in USDT. A final transfer is stored once, and credited (less the fee) at most once, in one transaction with
 * its audit record and messages. If the decimals of the amount identify no usable card, the transfer waits for the team.
 */
export interface TopUpStore {
  feed(id: string): Promise<UsdtFeed | null>;
  /** Does nothing if the feed exists. */
  begin(feed: UsdtFeed): Promise<void>;
  /**
   * Stores a batch and moves the feed forward.
   * @returns false, without storing anything, if the feed is not at `previousBlock`, because another program moved it
   */
  commit(batch: TransferBatch): Promise<boolean>;
  /**
   * Adds final transfers that earlier batches lacked. They are in blocks up to the feed's block.
   * @returns the number of transfers added
   */
  addMissing(feed: string, final: readonly ChainTransfer[], at: number): Promise<number>;
  /** Stores the result of a comparison at the feed's block. @returns false if the feed has moved */
  saveComparison(
    feed: string,
    result: { readonly block: number; readonly at: number; readonly balance: bigint },
  ): Promise<boolean>;
  /** Assigns a tag to each usable card that has none. @param draw returns a new candidate with each call */
  assignTags(draw: () => number): Promise<void>;
  tagOf(cardId: string): Promise<number | null>;
  /** Newest first. */
  ofCard(cardId: string, limit: number): Promise<readonly StoredTransfer[]>;
  /** Oldest first. */
  unmatchedTransfers(limit: number): Promise<readonly StoredTransfer[]>;
  unmatchedCount(): Promise<number>;
  /** Most recently credited first. */
  creditedTransfers(limit: number): Promise<readonly StoredTransfer[]>;
  /**
   * Credits an unmatched transfer to a card that can be used.
   * @returns null, without changing anything, if the transfer is not waiting for the team, or the card cannot be used
   */
  book(id: string, cardId: string, audit: AuditRecord): Promise<StoredTransfer | null>;
  /** Marks an unmatched transfer as settled. @returns false if it is not waiting for the team */
  settle(id: string, audit: AuditRecord): Promise<boolean>;
}
