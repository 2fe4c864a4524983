import type { ChainEvent } from '../../data/store/ports.ts';
import { classify, type WatchedAccount } from '../chain/classify.ts';
import { type DecodedTransaction, decodeTransaction, UndecodableTransactionError } from '../chain/decode.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import { getTransaction, type SignatureInfo } from '../rpc/solana-calls.ts';

/** A transaction as the chain lists it among those of an account. */
export interface ListedTransaction extends SignatureInfo {
  /** Its place among those of the account in the same slot, from 0. */
  readonly position: number;
}

/** A run of listed transactions, read as far as they can be. */
export interface ReadWindow {
  /** Events of the readable ones, oldest first. */
  readonly events: readonly ChainEvent[];
  /** How many of the listed transactions, from the oldest, are read completely. */
  readonly readCount: number;
  /** The one that cannot be read at present, and why. */
  readonly stuckOn: { readonly signature: string; readonly reason: string } | null;
}

export interface WindowReader {
  /** Reads listed transactions of an account, oldest first. */
  read(listed: readonly ListedTransaction[], signal: AbortSignal): Promise<ReadWindow>;
}

type Fetched =
  | { readonly ok: true; readonly transaction: DecodedTransaction }
  | { readonly ok: false; readonly reason: string };

/**
 * @param options.batchSize transactions asked for in one request; requests of one window run side by side
 */
export function createWindowReader(options: {
  readonly pool: EndpointPool;
  readonly mint: string;
  readonly watched: WatchedAccount;
  readonly batchSize: number;
}): WindowReader {
  const { pool, mint, watched, batchSize } = options;

  const fetchBatch = async (
    rows: readonly ListedTransaction[],
    signal: AbortSignal,
  ): Promise<readonly (readonly [string, Fetched])[]> => {
    const replies = await pool.batch<unknown[]>(
      rows.map(({ signature }) => getTransaction(signature)),
      signal,
    );
    return rows.map((row, index) => {
      const reply = replies[index];
      if (!reply?.ok) return [row.signature, { ok: false, reason: reply?.error.message ?? 'no reply' }];
      return [row.signature, decodeListed(reply.value, row, mint)];
    });
  };

  return {
    async read(listed, signal) {
      // A failed transaction changed no balance: nothing to fetch.
      const succeeded = listed.filter(({ hasFailed }) => !hasFailed);
      const batches = await Promise.all(
        Array.from({ length: Math.ceil(succeeded.length / batchSize) }, (_, index) =>
          fetchBatch(succeeded.slice(index * batchSize, (index + 1) * batchSize), signal),
        ),
      );
      const fetched = new Map(batches.flat());
      const events: ChainEvent[] = [];
      for (const [index, row] of listed.entries()) {
        if (row.hasFailed) continue;
        const one = fetched.get(row.signature);
        if (!one?.ok) {
          const reason = one?.reason ?? 'it was not fetched';
          return { events, readCount: index, stuckOn: { signature: row.signature, reason } };
        }
        const event = eventOf(one.transaction, row, watched);
        if (event) events.push(event);
      }
      return { events, readCount: listed.length, stuckOn: null };
    },
  };
}

function decodeListed(result: unknown, row: ListedTransaction, mint: string): Fetched {
  if (result === null) return { ok: false, reason: 'the node lists it but does not have it' };
  try {
    const transaction = decodeTransaction(result, mint);
    if (transaction.signature !== row.signature || transaction.slot !== row.slot) {
      return { ok: false, reason: 'the node answered another transaction than the one it listed' };
    }
    if (transaction.hasFailed)
      return { ok: false, reason: 'the node lists it as successful but answers a failure' };
    return { ok: true, transaction };
  } catch (error) {
    if (!(error instanceof UndecodableTransactionError)) throw error;
    return { ok: false, reason: error.message };
  }
}

function eventOf(
  { signature, slot, blockTime, ...transaction }: DecodedTransaction,
  { position, isFinalized }: ListedTransaction,
  watched: WatchedAccount,
): ChainEvent | null {
  const movement = classify({ signature, slot, blockTime, ...transaction }, watched);
  if (!movement) return null;
  return {
    signature,
    account: watched.address,
    slot,
    position,
    blockTime,
    ...movement,
    status: isFinalized ? 'finalized' : 'confirmed',
  };
}
