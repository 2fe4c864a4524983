import { bulkhead } from 'cockatiel';
import type { EventStatus } from '../../data/model/chain-events.ts';
import type { ChainAlarm, ChainEvent } from '../../data/store/chain-rows.ts';
import { alarmsOn, classify, type WatchedAccount } from '../chain/classify.ts';
import { type DecodedTransaction, decodeTransaction, UndecodableTransactionError } from '../chain/decode.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import type { RpcCall } from '../rpc/json-rpc.ts';
import { getTransaction, type SignatureInfo } from '../rpc/solana-calls.ts';

/** A transaction in an account's list. */
export interface ListedTransaction extends SignatureInfo {
  /** Its position among the account's transactions in the same slot, from 0. */
  readonly position: number;
}

/** The next free position in a slot, among the transactions of one account. */
export interface NextPosition {
  readonly slot: number;
  readonly position: number;
}

/**
 * Numbers the transactions within each slot.
 * @param next the next position in the first transaction's slot, if earlier transactions share that slot
 */
export function withPositions(
  oldestFirst: readonly SignatureInfo[],
  next: NextPosition | null,
): readonly ListedTransaction[] {
  let { slot, position } = next ?? { slot: -1, position: 0 };
  return oldestFirst.map((row) => {
    if (row.slot !== slot) {
      slot = row.slot;
      position = 0;
    }
    const placed = { ...row, position };
    position += 1;
    return placed;
  });
}

export function positionAfter({ slot, position }: ListedTransaction): NextPosition {
  return { slot, position: position + 1 };
}

/** An endpoint's transaction, or the reason that it cannot be read. */
type TransactionReading =
  | { readonly ok: true; readonly transaction: DecodedTransaction }
  | { readonly ok: false; readonly reason: string };

/** Reads the result of `getTransaction` for a signature, in any slot and state. */
export function readTransactionResult(result: unknown, signature: string, mint: string): TransactionReading {
  if (result === null) return { ok: false, reason: 'the node lists it but does not have it' };
  try {
    const transaction = decodeTransaction(result, mint);
    if (transaction.signature === signature) return { ok: true, transaction };
    return { ok: false, reason: 'the node returned a different transaction' };
  } catch (error) {
    if (!(error instanceof UndecodableTransactionError)) throw error;
    return { ok: false, reason: error.message };
  }
}

/** Reads the result of `getTransaction` for a transaction that is listed as successful. */
export function readListed(
  result: unknown,
  { signature, slot }: SignatureInfo,
  mint: string,
): TransactionReading {
  const reading = readTransactionResult(result, signature, mint);
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
 * A transaction's events and alarms for a watched account, in order.
 * @param listed the events reuse its signature string, so that each signature is in memory once
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
  const alarms = alarmsOn(transaction, watched).map((alarm) => ({
    signature,
    account,
    slot,
    blockTime,
    ...alarm,
    status,
  }));
  return { events, alarms };
}

/** A listed transaction that could not be read, and the reason. */
export interface UnreadTransaction {
  readonly row: ListedTransaction;
  readonly reason: string;
}

/** A run of listed transactions, read as far as possible. */
export interface ReadWindow {
  /** Events of the transactions before the first unread one, oldest first. */
  readonly events: readonly ChainEvent[];
  /** Alarms of the same transactions, oldest first. */
  readonly alarms: readonly ChainAlarm[];
  /** Transactions before the first unread one. */
  readonly readCount: number;
  /** Oldest first. */
  readonly unread: readonly UnreadTransaction[];
  /** The signature of a transaction that was read; null if there is none. */
  readonly witness: string | null;
}

export interface KnownTransaction {
  readonly transaction: DecodedTransaction;
  /** Whether it was final when it was read. */
  readonly isFinalized: boolean;
}

/** Transactions that need no fetching. */
export interface KnownTransactions {
  /** Already read, with the slot and state in which they were listed then. */
  readonly read: ReadonlyMap<string, KnownTransaction>;
  /** To be skipped. */
  readonly quarantined: Pick<ReadonlySet<string>, 'has'>;
}

/** A listed transaction's events and alarms, or the reason that it cannot be read. */
type RowResult =
  | ({ readonly ok: true } & ReturnType<typeof activityOf>)
  | { readonly ok: false; readonly reason: string };

/**
 * A class, because thousands of these exist at once, and each object literal would hold its own closure and parameters.
 */
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
    return getTransaction(this.#row.signature).params;
  }

  read(result: unknown): RowResult {
    return this.#readReply(result, this.#row);
  }
}

export type WindowReader = ReturnType<typeof createWindowReader>;

/**
 * @param options.batchSize transactions per request
 * @param options.requestsAtOnce concurrent requests for all windows together. Each answer starts the next request, so that
 * the endpoint never waits for a window to complete.
 */
export function createWindowReader(options: {
  readonly pool: EndpointPool;
  readonly mint: string;
  readonly watched: WatchedAccount;
  readonly batchSize: number;
  readonly requestsAtOnce: number;
}) {
  const { pool, mint, watched, batchSize, requestsAtOnce } = options;
  const turns = bulkhead(requestsAtOnce, Number.POSITIVE_INFINITY);

  const activityResult = (transaction: DecodedTransaction, row: ListedTransaction): RowResult => {
    const { isFinalized } = row;
    const { events, alarms } = activityOf(transaction, row, isFinalized ? 'finalized' : 'confirmed', watched);
    return { ok: true, events, alarms };
  };

  // Decoded as the reply arrives, so that everything but events and alarms is freed at once.
  const readReply = (result: unknown, row: ListedTransaction): RowResult => {
    const reading = readListed(result, row, mint);
    return reading.ok ? activityResult(reading.transaction, row) : reading;
  };

  /** @returns the results in the order of the rows */
  const fetchBatch = async (
    rows: readonly ListedTransaction[],
    signal: AbortSignal,
  ): Promise<readonly RowResult[]> => {
    const calls = rows.map((row) => new ListedCall(row, readReply));
    const replies = await pool.batch<RowResult[]>(calls, signal);
    return rows.map((_, index) => {
      const reply = replies[index];
      return reply?.ok ? reply.value : { ok: false, reason: reply?.error.message ?? 'no reply' };
    });
  };

  return {
    /** @param listed oldest first */
    async read(
      listed: readonly ListedTransaction[],
      { read, quarantined }: KnownTransactions,
      signal: AbortSignal,
    ): Promise<ReadWindow> {
      // What was read on a fork is not valid for a transaction that landed again.
      const knownOf = (row: ListedTransaction): DecodedTransaction | undefined => {
        const known = read.get(row.signature);
        const isValid = known?.transaction.slot === row.slot && (known.isFinalized || !row.isFinalized);
        return isValid ? known.transaction : undefined;
      };
      // A failed transaction changes no balance.
      const wanted = listed.filter(
        (row) => !row.hasFailed && !quarantined.has(row.signature) && !knownOf(row),
      );
      const batches: Promise<readonly RowResult[]>[] = [];
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
        const isSkipped = row.hasFailed || quarantined.has(row.signature);
        const known = knownOf(row);
        let reading: RowResult | undefined;
        if (passed < wanted.length && row === wanted[passed]) {
          reading = fetched[passed];
          passed += 1;
        } else if (known) reading = activityResult(known, row);
        if (!isSkipped && !reading?.ok) {
          unread.push({ row, reason: reading?.reason ?? 'it was not fetched' });
        } else if (!isSkipped && reading?.ok) {
          witness = row.signature;
          if (unread.length === 0) {
            events.push(...reading.events);
            alarms.push(...reading.alarms);
          }
        }
        if (unread.length === 0) readCount += 1;
      }
      return { events, alarms, readCount, unread, witness };
    },
  };
}
