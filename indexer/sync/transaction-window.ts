import { bulkhead } from 'cockatiel';
import type { EventStatus } from '../../data/model/chain-events.ts';
import type { ChainAlarm, ChainEvent } from '../../data/store/chain-rows.ts';
import { alarmsOfAccount, classify, type WatchedAccount } from '../chain/classify.ts';
import { type DecodedTransaction, decodeTransaction, UndecodableTransactionError } from '../chain/decode.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import type { BulkSource } from '../rpc/helius-history.ts';
import type { RpcCall } from '../rpc/json-rpc.ts';
import { type SignatureInfo, transactionCall } from '../rpc/solana-calls.ts';

export interface ListedTransaction extends SignatureInfo {
  /** The transaction's position among the account's transactions in the same slot, from 0. */
  readonly position: number;
}

/**
 * Orders transactions by slot, oldest first, and within a slot by their index in the block. Nodes before Agave 4 do not
 * report the index; without it, a slot's transactions are ordered by signature.
 */
export function sortInChainOrder(rows: readonly SignatureInfo[]): readonly ListedTransaction[] {
  const slots = [...Map.groupBy(rows, ({ slot }) => slot)].sort(([one], [other]) => one - other);
  return slots.flatMap(([, inSlot]) => {
    const hasBlockIndexes = inSlot.every(({ transactionIndex }) => transactionIndex !== null);
    const order = (one: SignatureInfo, other: SignatureInfo): number =>
      hasBlockIndexes
        ? Number(one.transactionIndex) - Number(other.transactionIndex)
        : one.signature < other.signature
          ? -1
          : 1;
    return inSlot.toSorted(order).map((row, position) => ({ ...row, position }));
  });
}

type TransactionReading =
  | { readonly ok: true; readonly transaction: DecodedTransaction }
  | { readonly ok: false; readonly reason: string };

function tryDecode(result: unknown, mint: string): TransactionReading {
  try {
    return { ok: true, transaction: decodeTransaction(result, mint) };
  } catch (error) {
    if (!(error instanceof UndecodableTransactionError)) throw error;
    return { ok: false, reason: error.message };
  }
}

/** Decodes the result of `getTransaction` for a signature. The transaction may be in any slot, and may have failed. */
export function readTransactionResult(result: unknown, signature: string, mint: string): TransactionReading {
  if (result === null) return { ok: false, reason: 'the node lists it but does not have it' };
  const reading = tryDecode(result, mint);
  if (!reading.ok || reading.transaction.signature === signature) return reading;
  return { ok: false, reason: 'the node returned a different transaction' };
}

/** Decodes the result of `getTransaction` for a transaction that is listed as successful. */
export function readListed(result: unknown, row: SignatureInfo, mint: string): TransactionReading {
  return checkListing(readTransactionResult(result, row.signature, mint), row);
}

function checkListing(reading: TransactionReading, { slot }: SignatureInfo): TransactionReading {
  if (!reading.ok) return reading;
  if (reading.transaction.slot !== slot) {
    return { ok: false, reason: 'the node lists and returns it with different slots' };
  }
  if (reading.transaction.hasFailed) {
    return { ok: false, reason: 'the node lists it as successful but returns it as failed' };
  }
  return reading;
}

/**
 * A transaction's events and alarms for a watched account.
 * @param listed the listed transaction. Its signature string is reused in the events, so that each signature is in memory only
 * once
 */
export function activityOf(
  transaction: DecodedTransaction,
  listed: Pick<ListedTransaction, 'signature' | 'position'>,
  status: EventStatus,
  watched: WatchedAccount,
): { readonly events: readonly ChainEvent[]; readonly alarms: readonly ChainAlarm[] } {
  const { slot, blockTime } = transaction;
  const { signature, position } = listed;
  const account = watched.address;
  const events = classify(transaction, watched).map((movement, part) => ({
    signature,
    account,
    slot,
    position,
    part,
    blockTime,
    ...movement,
    status,
  }));
  const alarms = alarmsOfAccount(transaction, watched).map((alarm) => ({
    signature,
    account,
    slot,
    blockTime,
    ...alarm,
    status,
  }));
  return { events, alarms };
}

export interface UnreadTransaction {
  readonly row: ListedTransaction;
  readonly reason: string;
}

/**
 * The result of reading a window of listed transactions. `events`, `alarms` and `readCount` cover only the slots before the
 * slot of the first unread transaction.
 */
export interface WindowResult {
  /** Oldest first. */
  readonly events: readonly ChainEvent[];
  /** Oldest first. */
  readonly alarms: readonly ChainAlarm[];
  /** The number of transactions in the covered slots, including transactions that need not be fetched. */
  readonly readCount: number;
  /** Oldest first. */
  readonly unread: readonly UnreadTransaction[];
  /** The signature of any transaction that was read; null if there is none. */
  readonly readableSignature: string | null;
}

/** Transactions that need not be fetched. */
export interface KnownTransactions {
  /** By signature. */
  readonly transactions: ReadonlyMap<string, DecodedTransaction>;
  /** Signatures to skip. */
  readonly quarantined: Pick<ReadonlySet<string>, 'has'>;
}

export type RowResult =
  | ({ readonly ok: true } & ReturnType<typeof activityOf>)
  | { readonly ok: false; readonly reason: string };

/** A class, because thousands of these exist at once, and each object literal would have its own closure. */
class ListedCall implements RpcCall<RowResult> {
  readonly #row: ListedTransaction;
  readonly #readReply: (result: unknown, row: ListedTransaction) => RowResult;

  constructor(row: ListedTransaction, readReply: (result: unknown, row: ListedTransaction) => RowResult) {
    this.#row = row;
    this.#readReply = readReply;
  }

  get method(): string {
    return 'getTransaction';
  }

  get params(): readonly unknown[] {
    return transactionCall(this.#row.signature).params;
  }

  read(result: unknown): RowResult {
    return this.#readReply(result, this.#row);
  }
}

/**
 * A bulk call costs 100 credits, and `getTransaction` costs 10 (helius.dev/docs/billing/credits). Above this many rows, a bulk
 * call is cheaper.
 */
const MIN_BULK_ROWS = 10;

const NO_ACTIVITY: RowResult = { ok: true, events: [], alarms: [] };
const NOT_FETCHED: RowResult = { ok: false, reason: 'it was not fetched' };

function* groupBySlot(rows: readonly ListedTransaction[]): Generator<readonly ListedTransaction[]> {
  for (let from = 0; from < rows.length; ) {
    let to = from + 1;
    while (rows[to]?.slot === rows[from]?.slot) to += 1;
    yield rows.slice(from, to);
    from = to;
  }
}

export type WindowReader = ReturnType<typeof createWindowReader>;

/**
 * Reads the events and alarms of listed transactions.
 * @param options.batchSize transactions per request
 * @param options.bulkSource the source that is tried first for final transactions; the pool serves those that the source lacks
 * @param options.requestsAtOnce concurrent requests for all windows together. Each answer starts the next request, so that the
 * endpoint stays busy even while no window is complete.
 */
export function createWindowReader(options: {
  readonly pool: EndpointPool;
  readonly mint: string;
  readonly watched: WatchedAccount;
  readonly batchSize: number;
  readonly requestsAtOnce: number;
  readonly bulkSource?: BulkSource | undefined;
}) {
  const { pool, mint, watched, batchSize, requestsAtOnce, bulkSource } = options;
  const requestLimiter = bulkhead(requestsAtOnce, Number.POSITIVE_INFINITY);

  const activityResult = (
    transaction: DecodedTransaction,
    row: ListedTransaction,
    status: EventStatus,
  ): RowResult => ({ ok: true, ...activityOf(transaction, row, status, watched) });

  // Decodes each reply as it arrives, so that everything except the events and alarms is freed immediately.
  const replyReader =
    (status: EventStatus) =>
    (result: unknown, row: ListedTransaction): RowResult => {
      const reading = readListed(result, row, mint);
      return reading.ok ? activityResult(reading.transaction, row, status) : reading;
    };
  const readFinal = replyReader('finalized');
  const readProvisional = replyReader('confirmed');

  /** Returns the results in the order of the rows. */
  const fetchBatch = async (
    rows: readonly ListedTransaction[],
    readReply: typeof readFinal,
    signal: AbortSignal,
  ): Promise<readonly RowResult[]> => {
    const calls = rows.map((row) => new ListedCall(row, readReply));
    const replies = await pool.batch<RowResult[]>(calls, signal);
    return rows.map((_, index) => {
      const reply = replies[index];
      return reply?.ok ? reply.value : { ok: false, reason: reply?.error.message ?? 'no reply' };
    });
  };

  /** Fetches as many transactions as possible from the bulk source. A result that does not match its row is ignored. */
  const takeFromBulk = async (
    rows: readonly ListedTransaction[],
    signal: AbortSignal,
  ): Promise<Map<string, RowResult>> => {
    const results = new Map<string, RowResult>();
    const [first, last] = [rows[0]?.slot, rows.at(-1)?.slot];
    if (!bulkSource || first === undefined || last === undefined || rows.length <= MIN_BULK_ROWS)
      return results;
    const rowBySignature = new Map(rows.map((row) => [row.signature, row]));
    for await (const page of bulkSource.pages(watched.address, { first, last }, signal)) {
      const takenBefore = results.size;
      for (const result of page) {
        const reading = tryDecode(result, mint);
        const row = reading.ok && rowBySignature.get(reading.transaction.signature);
        if (!row) continue;
        const matched = checkListing(reading, row);
        if (matched.ok) results.set(row.signature, activityResult(matched.transaction, row, 'finalized'));
      }
      const gained = results.size - takenBefore;
      if (gained <= MIN_BULK_ROWS || rows.length - results.size <= MIN_BULK_ROWS) break;
    }
    return results;
  };

  const fetchFinal = async (
    rows: readonly ListedTransaction[],
    signal: AbortSignal,
  ): Promise<readonly RowResult[]> => {
    const results = await takeFromBulk(rows, signal);
    const left = rows.filter(({ signature }) => !results.has(signature));
    const fetched = left.length > 0 ? await fetchBatch(left, readFinal, signal) : [];
    for (const [index, { signature }] of left.entries())
      results.set(signature, fetched[index] ?? NOT_FETCHED);
    return rows.map(({ signature }) => results.get(signature) ?? NOT_FETCHED);
  };

  return {
    /** @param transactions oldest first */
    async read(
      transactions: readonly ListedTransaction[],
      { transactions: knownTransactions, quarantined }: KnownTransactions,
      signal: AbortSignal,
    ): Promise<WindowResult> {
      // A transaction that was read on a fork may have landed again in a different slot.
      const knownOf = (row: ListedTransaction): DecodedTransaction | undefined => {
        const transaction = knownTransactions.get(row.signature);
        return transaction?.slot === row.slot ? transaction : undefined;
      };
      // Failed transactions change no balance, so they are not fetched.
      const rowsToFetch = transactions.filter(
        (row) => !row.hasFailed && !quarantined.has(row.signature) && !knownOf(row),
      );
      const batches: Promise<readonly RowResult[]>[] = [];
      for (let from = 0; from < rowsToFetch.length; from += batchSize) {
        const rows = rowsToFetch.slice(from, from + batchSize);
        batches.push(requestLimiter.execute(() => fetchFinal(rows, signal)));
      }
      const fetched = (await Promise.all(batches)).flat();
      const results = new Map(rowsToFetch.map((row, index) => [row.signature, fetched[index]]));
      const resultOf = (row: ListedTransaction): RowResult => {
        if (row.hasFailed || quarantined.has(row.signature)) return NO_ACTIVITY;
        const transaction = knownOf(row);
        return transaction
          ? activityResult(transaction, row, 'finalized')
          : (results.get(row.signature) ?? NOT_FETCHED);
      };
      const events: ChainEvent[] = [];
      const alarms: ChainAlarm[] = [];
      const unread: UnreadTransaction[] = [];
      let readableSignature: string | null = null;
      let readCount = 0;
      for (const inSlot of groupBySlot(transactions)) {
        const slotResults = inSlot.map(resultOf);
        for (const [index, row] of inSlot.entries()) {
          const result = slotResults[index];
          if (result && !result.ok) unread.push({ row, reason: result.reason });
          else if (result !== NO_ACTIVITY) readableSignature = row.signature;
        }
        if (unread.length > 0) continue;
        for (const result of slotResults) {
          if (!result.ok) continue;
          events.push(...result.events);
          alarms.push(...result.alarms);
        }
        readCount += inSlot.length;
      }
      return { events, alarms, readCount, unread, readableSignature };
    },
    /** The results are in the order of the rows. */
    async readEach(rows: readonly ListedTransaction[], signal: AbortSignal): Promise<readonly RowResult[]> {
      const results: RowResult[] = [];
      for (let from = 0; from < rows.length; from += batchSize) {
        const batch = rows.slice(from, from + batchSize);
        results.push(...(await fetchBatch(batch, readProvisional, signal)));
      }
      return results;
    },
  };
}
