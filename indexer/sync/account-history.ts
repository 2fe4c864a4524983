import type { Cursor, QuarantinedTransaction } from '../../data/store/chain-rows.ts';
import type { EventBatch } from '../../data/store/ports.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import { createHistoryCursor, type HistoryWriter } from './history-cursor.ts';
import { type HeadQuery, type HeadReply, HistoryGapError, pageCall, readHead } from './signature-pages.ts';
import { createSignatureQueue, type SignatureQueue, type SignatureQueueOptions } from './signature-queue.ts';
import type { ListedTransaction, WindowReader } from './transaction-window.ts';
import { createUnreadable, type RetryPolicy } from './unreadable.ts';

export interface HistoryProgress {
  /** Events committed. */
  readonly events: number;
  /** Listed transactions that the cursor moved over. */
  readonly transactions: number;
  /** Listed transactions that the cursor has not passed yet. */
  readonly remaining: number;
  /** `behind`: there is more to read; call again at once. `waiting`: nothing can be read now; try in the next round. */
  readonly state: 'caught-up' | 'behind' | 'waiting';
  /** Once caught up: every transaction in slots up to this one is indexed or quarantined. Null if unknown. */
  readonly readUpTo: number | null;
  /** The unreadable transaction that blocks the cursor. */
  readonly blockedBy: { readonly signature: string; readonly reason: string } | null;
  /** Unreadable transactions that the cursor skipped. */
  readonly quarantined: readonly QuarantinedTransaction[];
}

export type AccountHistory = ReturnType<typeof createAccountHistory>;

interface AccountHistoryOptions {
  readonly address: string;
  readonly pool: EndpointPool;
  readonly writer: HistoryWriter;
  readonly reader: WindowReader;
  readonly mint: string;
  /** Signatures per page: at most 1000. */
  readonly pageSize: number;
  /** Transactions per commit. */
  readonly windowSize: number;
  /** Windows fetched ahead while one is committed. */
  readonly windowsAhead: number;
  readonly budgetMs: number;
  readonly retryPolicy?: RetryPolicy | undefined;
}

/**
 * Indexes the history of one watched account. Backfill and following are the same work: list what is newer than the
 * cursor, read it oldest first, commit each window together with the cursor.
 */
export function createAccountHistory(options: AccountHistoryOptions) {
  const { address, pool, writer, reader, pageSize, windowSize, windowsAhead, budgetMs } = options;
  const { mint, retryPolicy } = options;
  const unreadable = createUnreadable({ pool, mint, retryPolicy });
  const historyCursor = createHistoryCursor({ address, pool, writer, pageSize });
  const queueOptions: SignatureQueueOptions = {
    ...{ address, pool, historyCursor, pageSize, windowSize, windowsAhead },
    read: (rows, signal) => reader.read(rows, unreadable.known, signal),
  };
  let queue: SignatureQueue | null = null;
  let witness: string | null = null;
  let blockedBy: HistoryProgress['blockedBy'] = null;
  let suspect: Cursor | null = null;
  /** Whether an older page of the last listing ran past the cursor, as if the cursor did not exist. */
  let isLostBelow = false;

  const relist = (fromSlot: number): void => {
    historyCursor.relist(fromSlot);
    queue = null;
  };

  const reload = (): void => {
    historyCursor.reload();
    suspect = null;
    queue = null;
  };

  const progress = (
    state: HistoryProgress['state'],
    more: Partial<HistoryProgress> = {},
  ): HistoryProgress => ({
    events: 0,
    transactions: 0,
    remaining: 0,
    readUpTo: null,
    blockedBy: null,
    quarantined: [],
    ...more,
    state,
  });

  const caughtUp = (finalizedSlot: number | null, more: Partial<HistoryProgress> = {}): HistoryProgress => {
    historyCursor.caughtUp(finalizedSlot);
    return progress('caught-up', { ...more, readUpTo: finalizedSlot });
  };

  const commit = async (
    read: Pick<EventBatch, 'events' | 'alarms'>,
    rows: readonly ListedTransaction[],
    caughtUpAt: number | null,
  ): Promise<readonly QuarantinedTransaction[]> => {
    const last = rows.at(-1);
    if (!last) return [];
    const quarantined = rows.flatMap(({ signature, slot, position }) => {
      const reason = unreadable.quarantineReason(signature);
      return reason ? [{ signature, account: address, slot, position, blockTime: null, ...reason }] : [];
    });
    await historyCursor.commit({ ...read, quarantined }, last, caughtUpAt);
    unreadable.forget(rows.map(({ signature }) => signature));
    return quarantined;
  };

  /** Reads and commits one window at a time until the deadline. */
  const processQueue = async (
    current: SignatureQueue,
    deadline: number,
    signal: AbortSignal,
  ): Promise<HistoryProgress> => {
    let events = 0;
    let transactions = 0;
    const quarantined: QuarantinedTransaction[] = [];
    const done = (state: HistoryProgress['state'], more: Partial<HistoryProgress> = {}): HistoryProgress =>
      progress(state, { events, transactions, quarantined, remaining: queue?.left ?? 0, ...more });
    for (;;) {
      const window = await current.next(signal);
      if (window === null || window === 'lost' || window === 'head') {
        queue = null;
        return done(window === 'lost' ? 'waiting' : 'behind');
      }
      const { rows, endsPage, reading } = window;
      const read = await reading;
      witness = read.witness ?? witness;
      const isWhole = read.readCount === rows.length;
      const isLast = isWhole && current.isLast(window);
      const passed = isWhole ? rows : rows.slice(0, read.readCount);
      quarantined.push(...(await commit(read, passed, isLast ? current.requestedAt : null)));
      events += read.events.length;
      transactions += read.readCount;
      current.passed(read.readCount);
      if (!isWhole) {
        // List again before the next try: a fork may have dropped the transaction.
        if (!(await current.giveBack(signal))) queue = null;
        const known = witness ?? historyCursor.cursor?.signature ?? null;
        const [first] = read.unread;
        if (await unreadable.retryEverywhere(read.unread, known, signal)) return done('behind');
        blockedBy = first ? { signature: first.row.signature, reason: first.reason } : null;
        return done('waiting', { blockedBy });
      }
      if (endsPage) current.pageDone();
      if (isLast) {
        queue = null;
        return caughtUp(current.finalizedSlot, { events, transactions, quarantined });
      }
      if (performance.now() >= deadline) return done('behind');
    }
  };

  /** Starts a queue at the newest page. @returns the progress if there is nothing to queue */
  const openQueue = async (
    head: HeadReply,
    signal: AbortSignal,
  ): Promise<SignatureQueue | HistoryProgress> => {
    const reading = readHead(
      head,
      historyCursor.bound(),
      historyCursor.cursor,
      isLostBelow && !historyCursor.isCursorFinal,
    );
    isLostBelow = false;
    if (reading.kind === 'forked') {
      if (!reading.isElsewhere) suspect = historyCursor.cursor;
      relist(reading.slot);
      return progress('waiting');
    }
    if (reading.kind === 'not-there-yet') return progress('waiting');
    if (reading.isCursorFinal) historyCursor.cursorIsFinal();
    if (historyCursor.bound().until !== null) suspect = null;
    const { rows, passesBound, finalizedSlot } = reading;
    const { requestedAt } = head;
    if (rows.length > 0) {
      return createSignatureQueue(queueOptions, { rows, passesBound, requestedAt, finalizedSlot }, signal);
    }
    const listsNothing = historyCursor.bound().until === null && !passesBound;
    if (listsNothing && (await historyCursor.hasEventsBefore(null)))
      throw new HistoryGapError(head.page.by, address);
    await historyCursor.commitQuiet(requestedAt, finalizedSlot);
    return caughtUp(finalizedSlot);
  };

  /** Distrusts an endpoint that lacks the history, if there is another endpoint. */
  const distrustWithoutHistory = ({ endpoint, message }: HistoryGapError): void => {
    const hasOther = pool.health().some(({ name, state }) => name !== endpoint && state !== 'distrusted');
    if (hasOther) pool.distrust(endpoint, message);
  };

  return {
    /** Discards the state and reads the cursor again, because the store has moved it. */
    reload,
    /**
     * Lists this slot and later ones again, because a transaction has moved. Does nothing while a slot is already
     * being listed again.
     */
    relist(fromSlot: number): void {
      if (!historyCursor.isRelisting) relist(fromSlot);
    },
    /** The cursor, if a node that is past it does not know its transaction; otherwise null. */
    suspectCursor: (): Cursor | null => suspect,
    /**
     * The calls for the start of a round, to be batched with others. Null while older pages are being read, or while
     * it is too early to retry.
     */
    async headQuery(): Promise<HeadQuery | null> {
      await historyCursor.load();
      if (queue || unreadable.isPausing()) return null;
      const page = pageCall(address, historyCursor.bound(), { limit: pageSize });
      return {
        page,
        cursorSignature: historyCursor.isCursorFinal ? null : (historyCursor.cursor?.signature ?? null),
      };
    },
    /** Reads for about `budgetMs`, and stops between two windows. */
    async advance(head: HeadReply | null, signal: AbortSignal): Promise<HistoryProgress> {
      const deadline = performance.now() + budgetMs;
      await historyCursor.load();
      if (unreadable.isPausing()) return progress('waiting', { blockedBy });
      blockedBy = null;
      try {
        if (!queue && head) {
          const opened = await openQueue(head, signal);
          if ('state' in opened) return opened;
          queue = opened;
        }
        if (!queue) return progress('behind');
        if ((await queue.listDown(() => performance.now() < deadline, signal)) === 'lost') {
          queue = null;
          isLostBelow = true;
          return progress('waiting');
        }
        return queue.isListed
          ? await processQueue(queue, deadline, signal)
          : progress('behind', { remaining: queue.left });
      } catch (error) {
        // Committed transactions stay. The rest may be outdated, and is listed again.
        reload();
        if (error instanceof HistoryGapError) distrustWithoutHistory(error);
        throw error;
      }
    },
  };
}
