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

/** Of a class, since thousands are on their way at once: each would have a function and parameters of its own. */
class ListedCall implements RpcCall<ToldRow> {
  readonly #row: ListedTransaction;
  readonly #readReply: (result: unknown, row: ListedTransaction) => ToldRow;

  constructor(row: ListedTransaction, readReply: (result: unknown, row: ListedTransaction) => ToldRow) {
    this.#row = row;
    this.#readReply = readReply;
  }

  get method(): string {
    return 'getTransaction';
  }

  get params(): readonly unknown[] {
    return getTransaction(this.#row.signature).params;
  }

  read(result: unknown): ToldRow {
    return this.#readReply(result, this.#row);
  }
}

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

  const toldOf = (transaction: DecodedTransaction, row: ListedTransaction): ToldRow => {
    const { isFinalized } = row;
    const { events, alarms } = tellingsOf(transaction, row, isFinalized ? 'finalized' : 'confirmed', watched);
    return { ok: true, events, alarms };
  };

  // Read as the reply arrives, and only what it did is kept: the rest is garbage at once.
  const readReply = (result: unknown, row: ListedTransaction): ToldRow => {
    const telling = readListed(result, row, mint);
    return telling.ok ? toldOf(telling.transaction, row) : telling;
  };

  /** @returns what is told of each row, in their order */
  const fetchBatch = async (
    rows: readonly ListedTransaction[],
    signal: AbortSignal,
  ): Promise<readonly ToldRow[]> => {
    const calls = rows.map((row) => new ListedCall(row, readReply));
    const replies = await pool.batch<ToldRow[]>(calls, signal);
    return rows.map((_, index) => {
      const reply = replies[index];
      return reply?.ok ? reply.value : { ok: false, reason: reply?.error.message ?? 'no reply' };
    });
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
      const batches: Promise<readonly ToldRow[]>[] = [];
      for (let from = 0; from < wanted.length; from += batchSize) {
        const rows = wanted.slice(from, from + batchSize);
        batches.push(turns.execute(() => fetchBatch(rows, signal)));
      }
      const fetched = (await Promise.all(batches)).flat();
      let passed = 0;
      const events: ChainEvent[] = [];
      const alarms: ChainAlarm[] = [];
      const unread: UnreadTransaction[] = [];
      let readCount = 0;
      let witness: string | null = null;
      for (const row of listed) {
        const isNothing = row.hasFailed || putAside.has(row.signature);
        const known = knownOf(row);
        let telling: ToldRow | undefined;
        if (passed < wanted.length && row === wanted[passed]) {
          telling = fetched[passed];
          passed += 1;
        } else if (known) telling = toldOf(known, row);
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
