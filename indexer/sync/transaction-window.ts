import { bulkhead } from 'cockatiel';
import type { ChainAlarm, ChainEvent } from '../../data/store/chain-rows.ts';
import type { WatchedAccount } from '../chain/classify.ts';
import type { DecodedTransaction } from '../chain/decode.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import type { RpcCall } from '../rpc/json-rpc.ts';
import { getTransaction } from '../rpc/solana-calls.ts';
import { type ListedTransaction, readListed, tellingsOf } from './read-transaction.ts';

/** A listed transaction that could not be read, and why. */
export interface UnreadTransaction {
  readonly row: ListedTransaction;
  readonly reason: string;
}

/** A run of listed transactions, read as far as they can be. */
export interface ReadWindow {
  /** Events of those before the first unread one, oldest first. */
  readonly events: readonly ChainEvent[];
  /** What they did to the account beside moving its balance, oldest first. */
  readonly alarms: readonly ChainAlarm[];
  /** How many of the listed transactions, from the oldest, are read completely. */
  readonly readCount: number;
  /** Those that cannot be read at present, oldest first. */
  readonly unread: readonly UnreadTransaction[];
  /** One that was read; null where none was fetched. */
  readonly witness: string | null;
}

export interface KnownTransaction {
  readonly transaction: DecodedTransaction;
  /** Whether no fork could change it any more when it was read. */
  readonly isFinalized: boolean;
}

/** What is known of transactions beforehand, so that they are not fetched. */
export interface KnownTransactions {
  /** Read already, in the slot and state in which they were listed then. */
  readonly read: ReadonlyMap<string, KnownTransaction>;
  /** To be passed over. */
  readonly putAside: Pick<ReadonlySet<string>, 'has'>;
}

/** What a listed transaction did to the account, or why it cannot be read. */
type ToldRow =
  | ({ readonly ok: true } & ReturnType<typeof tellingsOf>)
  | { readonly ok: false; readonly reason: string };

export interface WindowReader {
  /** Reads listed transactions of an account, oldest first. */
  read(
    listed: readonly ListedTransaction[],
    known: KnownTransactions,
    signal: AbortSignal,
  ): Promise<ReadWindow>;
}

/**
 * @param options.batchSize transactions asked for in one request
 * @param options.requestsAtOnce requests on their way at the same time, of whichever windows: the next is sent as one is
 * answered, so that the endpoint never waits for a window to be whole
 */
export function createWindowReader(options: {
  readonly pool: EndpointPool;
  readonly mint: string;
  readonly watched: WatchedAccount;
  readonly batchSize: number;
  readonly requestsAtOnce: number;
}): WindowReader {
  const { pool, mint, watched, batchSize, requestsAtOnce } = options;
  const turns = bulkhead(requestsAtOnce, Number.POSITIVE_INFINITY);

  const toldOf = (transaction: DecodedTransaction, { position, isFinalized }: ListedTransaction): ToldRow => {
    const status = isFinalized ? 'finalized' : 'confirmed';
    return { ok: true, ...tellingsOf(transaction, { position, status }, watched) };
  };

  // Read as the reply arrives, and only what it did is kept: the rest is garbage at once.
  const call = (row: ListedTransaction): RpcCall<ToldRow> => ({
    ...getTransaction(row.signature),
    read: (result) => {
      const telling = readListed(result, row, mint);
      return telling.ok ? toldOf(telling.transaction, row) : telling;
    },
  });

  const fetchBatch = async (
    rows: readonly ListedTransaction[],
    tellings: Map<string, ToldRow>,
    signal: AbortSignal,
  ): Promise<void> => {
    const replies = await pool.batch<ToldRow[]>(rows.map(call), signal);
    for (const [index, { signature }] of rows.entries()) {
      const reply = replies[index];
      const reason = reply?.ok ? '' : (reply?.error.message ?? 'no reply');
      tellings.set(signature, reply?.ok ? reply.value : { ok: false, reason });
    }
  };

  return {
    async read(listed, { read, putAside }, signal) {
      // What was read on a fork says nothing of a transaction that landed again.
      const knownOf = (row: ListedTransaction): DecodedTransaction | undefined => {
        const known = read.get(row.signature);
        const holds = known?.transaction.slot === row.slot && (known.isFinalized || !row.isFinalized);
        return holds ? known.transaction : undefined;
      };
      // A failed transaction changed no balance: nothing to fetch.
      const wanted = listed.filter((row) => !row.hasFailed && !putAside.has(row.signature) && !knownOf(row));
      const tellings = new Map<string, ToldRow>();
      const batches: Promise<void>[] = [];
      for (let from = 0; from < wanted.length; from += batchSize) {
        const rows = wanted.slice(from, from + batchSize);
        batches.push(turns.execute(() => fetchBatch(rows, tellings, signal)));
      }
      await Promise.all(batches);
      const events: ChainEvent[] = [];
      const alarms: ChainAlarm[] = [];
      const unread: UnreadTransaction[] = [];
      let readCount = 0;
      let witness: string | null = null;
      for (const row of listed) {
        const isNothing = row.hasFailed || putAside.has(row.signature);
        const known = knownOf(row);
        const telling = known ? toldOf(known, row) : tellings.get(row.signature);
        if (!isNothing && !telling?.ok) {
          unread.push({ row, reason: telling?.reason ?? 'it was not fetched' });
        } else if (!isNothing && telling?.ok) {
          witness = row.signature;
          if (unread.length === 0) {
            events.push(...telling.events);
            alarms.push(...telling.alarms);
          }
        }
        if (unread.length === 0) readCount += 1;
      }
      return { events, alarms, readCount, unread, witness };
    },
  };
}
