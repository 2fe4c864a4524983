/**
 * The interface between the ledger's engine (LiteSVM, SQLite and a simulation of the stake program) and its stateless
 * JSON-RPC server (`rpc/`).
 *
 * A transaction is confirmed as soon as it is accepted, and finalized `FINALITY_SLOTS` later. Accounts are always read as of
 * the newest slot, whatever the commitment.
 */

/** Slots between acceptance and finality, as on a healthy cluster. */
export const FINALITY_SLOTS = 32;
export const SLOT_MILLISECONDS = 400;
export const BLOCKHASH_VALID_SLOTS = 150;

export interface LedgerAccount {
  readonly lamports: bigint;
  readonly owner: string;
  readonly executable: boolean;
  readonly data: Uint8Array;
}

/** A transaction error as JSON-RPC returns it, such as `{ InstructionError: [0, { Custom: 1 }] }` or `'BlockhashNotFound'`. */
export type TransactionErrorJson = string | { readonly [name: string]: unknown };

export interface TokenBalanceRecord {
  readonly accountIndex: number;
  readonly mint: string;
  readonly owner: string;
  readonly programId: string;
  /** Base units. */
  readonly amount: bigint;
  readonly decimals: number;
}

/** An instruction that another instruction called. Its indexes refer to the static keys followed by the loaded keys. */
export interface InnerInstructionRecord {
  readonly programIdIndex: number;
  readonly accounts: readonly number[];
  readonly data: Uint8Array;
  readonly stackHeight: number;
}

export interface LedgerTransaction {
  readonly signature: string;
  readonly slot: number;
  /** The transaction's position within its slot, from 0. */
  readonly position: number;
  /** Unix seconds. */
  readonly blockTime: number;
  readonly wire: Uint8Array;
  readonly err: TransactionErrorJson | null;
  readonly logs: readonly string[];
  /** Lamports. */
  readonly fee: bigint;
  readonly computeUnits: bigint;
  /** Lamports by account index: static keys, then loaded writable, then loaded readonly. */
  readonly preBalances: readonly bigint[];
  readonly postBalances: readonly bigint[];
  readonly preTokenBalances: readonly TokenBalanceRecord[];
  readonly postTokenBalances: readonly TokenBalanceRecord[];
  readonly innerInstructions: readonly {
    readonly index: number;
    readonly instructions: readonly InnerInstructionRecord[];
  }[];
  readonly loadedAddresses: { readonly writable: readonly string[]; readonly readonly: readonly string[] };
}

export interface SignatureRecord {
  readonly signature: string;
  readonly slot: number;
  readonly position: number;
  readonly blockTime: number;
  readonly err: TransactionErrorJson | null;
  readonly memo: string | null;
}

export interface LedgerClock {
  readonly slot: number;
  readonly blockHeight: number;
  /** Unix seconds. */
  readonly unixTime: number;
}

/** `accepted`: the transaction was stored, possibly with an `err`. Otherwise, it was not stored. */
export type SendOutcome =
  | { readonly kind: 'accepted'; readonly transaction: LedgerTransaction }
  | { readonly kind: 'malformed'; readonly reason: string }
  | {
      readonly kind: 'rejected';
      readonly err: TransactionErrorJson;
      readonly logs: readonly string[];
      readonly computeUnits: bigint;
    };

export interface SimulationResult {
  readonly err: TransactionErrorJson | null;
  readonly logs: readonly string[];
  readonly computeUnits: bigint;
  /** The requested accounts after the run; null for an address without an account. */
  readonly accounts: readonly (LedgerAccount | null)[];
}

export type SimulateOutcome =
  | { readonly kind: 'simulated'; readonly result: SimulationResult }
  | { readonly kind: 'malformed'; readonly reason: string };

export interface SignaturesQuery {
  /** Only transactions older than this signature. */
  readonly before?: string;
  /** Only transactions newer than this signature. */
  readonly until?: string;
  readonly limit: number;
}

export interface LedgerEvents {
  readonly transaction: (transaction: LedgerTransaction) => void;
  readonly accountChange: (address: string, account: LedgerAccount | null, slot: number) => void;
  readonly slot: (clock: LedgerClock) => void;
}

export class AirdropRefusedError extends Error {
  override readonly name = 'AirdropRefusedError';
}

export interface LedgerChain {
  readonly genesisHash: string;
  clock(): LedgerClock;
  /**
   * Permanently advances the clock that programs see, so that a stake locked for months can end now. Slots, block
   * times and the clock sysvar that clients read do not change. @returns the clock that programs see
   */
  advance(milliseconds: number): LedgerClock;
  transactionCount(): number;
  /** A slot's time in Unix seconds, or null if the slot is negative or in the future. */
  blockTime(slot: number): number | null;
  latestBlockhash(): { readonly blockhash: string; readonly lastValidBlockHeight: number };
  account(address: string): LedgerAccount | null;
  /** Every account that a program owns. Do not write to the data: it is shared. */
  programAccounts(program: string): Iterable<readonly [address: string, account: LedgerAccount]>;
  /** The token accounts of an owner or a mint, in both token programs. Do not write to the data: it is shared. */
  tokenAccounts(
    filter: { readonly owner: string } | { readonly mint: string },
  ): Iterable<readonly [address: string, account: LedgerAccount]>;
  transaction(signature: string): LedgerTransaction | null;
  /** Newest first. `unknown-cursor`: the ledger does not have the signature in `before` or `until`. */
  signaturesFor(
    address: string,
    query: SignaturesQuery,
  ):
    | { readonly kind: 'found'; readonly rows: readonly SignatureRecord[] }
    | { readonly kind: 'unknown-cursor'; readonly signature: string };
  /**
   * Verifies, executes and stores one transaction atomically, then calls the listeners. Bytes that are not a transaction are
   * `malformed`. A transaction that fails is rejected. With `skipPreflight`, it is instead stored with its error if it paid its
   * fee.
   */
  send(wire: Uint8Array, options?: { readonly skipPreflight: boolean }): SendOutcome;
  simulate(
    wire: Uint8Array,
    options: {
      readonly verifySignatures: boolean;
      readonly replaceBlockhash: boolean;
      readonly accounts: readonly string[];
    },
  ): SimulateOutcome;
  /** The fee, in lamports, for a serialized message. Null if the message is malformed or its blockhash is not valid. */
  feeForMessage(message: Uint8Array): bigint | null;
  rentExemption(dataLength: number): bigint;
  /**
   * Sends lamports from the faucet. @returns the signature
   * @throws {RangeError} if the text is not an address
   * @throws {AirdropRefusedError} if the address cannot receive the lamports, or the faucet has too few
   */
  airdrop(address: string, lamports: bigint): string;
  /** @returns a function that removes the listener */
  on<E extends keyof LedgerEvents>(event: E, listener: LedgerEvents[E]): () => void;
  close(): void;
}
