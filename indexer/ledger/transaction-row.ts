import type { LedgerTransaction, TokenBalanceRecord } from './chain.ts';

/** A transaction as SQLite keeps it: what is searched in columns, the rest as JSON. */
export interface TransactionRow {
  readonly signature: string;
  readonly slot: number;
  readonly position: number;
  readonly block_time: number;
  readonly wire: Uint8Array;
  readonly err: string | null;
  readonly outcome: string;
}

type StoredTokenBalance = Omit<TokenBalanceRecord, 'amount'> & { readonly amount: string };

/** JSON has no integers beyond 2⁵³ and no bytes: lamports and base units are text, bytes base64. */
interface StoredOutcome {
  readonly logs: readonly string[];
  readonly fee: string;
  readonly computeUnits: string;
  readonly preBalances: readonly string[];
  readonly postBalances: readonly string[];
  readonly preTokenBalances: readonly StoredTokenBalance[];
  readonly postTokenBalances: readonly StoredTokenBalance[];
  readonly innerInstructions: readonly {
    readonly index: number;
    readonly instructions: readonly {
      readonly programIdIndex: number;
      readonly accounts: readonly number[];
      readonly data: string;
      readonly stackHeight: number;
    }[];
  }[];
  readonly loadedAddresses: LedgerTransaction['loadedAddresses'];
}

export function writeTransactionRow(transaction: LedgerTransaction): TransactionRow {
  const outcome: StoredOutcome = {
    logs: transaction.logs,
    fee: transaction.fee.toString(),
    computeUnits: transaction.computeUnits.toString(),
    preBalances: transaction.preBalances.map(String),
    postBalances: transaction.postBalances.map(String),
    preTokenBalances: transaction.preTokenBalances.map(storeTokenBalance),
    postTokenBalances: transaction.postTokenBalances.map(storeTokenBalance),
    innerInstructions: transaction.innerInstructions.map((group) => ({
      index: group.index,
      instructions: group.instructions.map((instruction) => ({
        ...instruction,
        data: Buffer.from(instruction.data).toString('base64'),
      })),
    })),
    loadedAddresses: transaction.loadedAddresses,
  };
  return {
    signature: transaction.signature,
    slot: transaction.slot,
    position: transaction.position,
    block_time: transaction.blockTime,
    wire: transaction.wire,
    err: transaction.err === null ? null : JSON.stringify(transaction.err),
    outcome: JSON.stringify(outcome),
  };
}

export function readTransactionRow(row: TransactionRow): LedgerTransaction {
  const outcome: StoredOutcome = JSON.parse(row.outcome);
  return {
    signature: row.signature,
    slot: row.slot,
    position: row.position,
    blockTime: row.block_time,
    wire: new Uint8Array(row.wire),
    err: row.err === null ? null : JSON.parse(row.err),
    logs: outcome.logs,
    fee: BigInt(outcome.fee),
    computeUnits: BigInt(outcome.computeUnits),
    preBalances: outcome.preBalances.map(BigInt),
    postBalances: outcome.postBalances.map(BigInt),
    preTokenBalances: outcome.preTokenBalances.map(restoreTokenBalance),
    postTokenBalances: outcome.postTokenBalances.map(restoreTokenBalance),
    innerInstructions: outcome.innerInstructions.map((group) => ({
      index: group.index,
      instructions: group.instructions.map((instruction) => ({
        ...instruction,
        data: new Uint8Array(Buffer.from(instruction.data, 'base64')),
      })),
    })),
    loadedAddresses: outcome.loadedAddresses,
  };
}

function storeTokenBalance(balance: TokenBalanceRecord): StoredTokenBalance {
  return { ...balance, amount: balance.amount.toString() };
}

function restoreTokenBalance(balance: StoredTokenBalance): TokenBalanceRecord {
  return { ...balance, amount: BigInt(balance.amount) };
}
