import type { Cursor, IndexWriter } from '../../data/store/ports.ts';
import type { EndpointPool, PoolReply } from '../rpc/endpoint-pool.ts';
import type { RpcCall } from '../rpc/json-rpc.ts';
import type { SignatureInfo } from '../rpc/solana-calls.ts';
import { countBeforeInSlot, type LowerBound, pageCall, readPage } from './signature-pages.ts';
import { type NextPosition, positionAfter, withPositions } from './slot-positions.ts';
import type { ListedTransaction, WindowReader } from './transaction-window.ts';

export interface HistoryProgress {
  /** Events committed. */
  readonly events: number;
  /** Listed transactions that the cursor moved over. */
  readonly transactions: number;
  /**
   * `behind`: more is known to be there; call again at once. `waiting`: it cannot go on now; try again at the
   * next tick.
   */
  readonly state: 'caught-up' | 'behind' | 'waiting';
  /** The transaction that cannot be read, where that is what it waits for. */
  readonly stuckOn: { readonly signature: string; readonly reason: string } | null;
}

/**
 * The history of one watched account on its way into the index. Backfill and following are the same work:
 * list what is newer than the cursor, read it oldest first, commit each window with the cursor behind it.
 */
export interface AccountHistory {
  /**
   * The call that lists the newest page, to travel with other calls; null while older pages are being worked
   * through.
   */
  headCall(): Promise<RpcCall<readonly SignatureInfo[]> | null>;
  /**
   * Works for about `budgetMs` and returns between two windows.
   * @param askedAt Unix ms before the newest page was asked for
   */
  advance(
    head: PoolReply<readonly SignatureInfo[]> | null,
    askedAt: number,
    signal: AbortSignal,
  ): Promise<HistoryProgress>;
  /** Forgets what it remembers and reads the cursor again: the store moved it. */
  reload(): void;
}

export interface AccountHistoryOptions {
  readonly address: string;
  readonly pool: EndpointPool;
  readonly writer: Pick<IndexWriter, 'cursor' | 'commitEvents'>;
  readonly reader: WindowReader;
  /** Signatures a page: at most 1000. */
  readonly pageSize: number;
  /** Transactions a commit. */
  readonly windowSize: number;
  readonly budgetMs: number;
  /** Milliseconds of a clock that never steps back. */
  readonly elapsed?: () => number;
}

/**
 * A long history is remembered by one signature a page; pages are listed again, oldest first, when their turn
 * comes.
 */
interface Plan {
  /** The last (oldest) signature of each page, from the newest page to the oldest listed. */
  readonly marks: string[];
  /** What is left of the oldest page, newest first, where it is at hand. */
  open: readonly SignatureInfo[] | null;
  isListed: boolean;
  /** Whether a part of the oldest page is committed. */
  isBegun: boolean;
  readonly askedAt: number;
}

/** How often a quiet account is told to the store as known up to now. */
const QUIET_COMMIT_MS = 2_000;

export function createAccountHistory(options: AccountHistoryOptions): AccountHistory {
  const { address, pool, writer, reader, pageSize, windowSize, budgetMs } = options;
  const { elapsed = performance.now.bind(performance) } = options;
  let cursor: Cursor | null = null;
  let isLoaded = false;
  let isCursorKnown = true;
  let next: NextPosition | null = null;
  let plan: Plan | null = null;
  let toldAt = Number.NEGATIVE_INFINITY;

  const bound = (): LowerBound => ({ cursor, isCursorKnown });

  const reload = (): void => {
    isLoaded = false;
    isCursorKnown = true;
    next = null;
    plan = null;
  };

  const load = async (): Promise<void> => {
    if (isLoaded) return;
    cursor = await writer.cursor(address);
    isLoaded = true;
  };

  const commit = async (
    events: Parameters<IndexWriter['commitEvents']>[0]['events'],
    last: ListedTransaction,
    caughtUpAt: number | null,
  ): Promise<void> => {
    const reached = { account: address, signature: last.signature, slot: last.slot };
    await writer.commitEvents({ account: address, events, cursor: reached, caughtUpAt });
    cursor = reached;
    isCursorKnown = true;
    next = positionAfter(last);
    if (caughtUpAt !== null) toldAt = elapsed();
  };

  const tellQuiet = async (askedAt: number): Promise<void> => {
    // A node that does not know the cursor may be behind: what it does not list may still be there.
    if (!cursor || !isCursorKnown || elapsed() - toldAt < QUIET_COMMIT_MS) return;
    await writer.commitEvents({ account: address, events: [], cursor, caughtUpAt: askedAt });
    toldAt = elapsed();
  };

  const fetchPage = async (before: string | undefined, signal: AbortSignal) => {
    const call = pageCall(address, bound(), { ...(before && { before }), limit: pageSize });
    const [reply] = await pool.batch([call], signal);
    return readPage(reply, bound());
  };

  /** Where the first transaction stands in its slot, which the cursor may share. */
  const positionBefore = async (
    first: SignatureInfo | undefined,
    signal: AbortSignal,
  ): Promise<NextPosition | null> => {
    if (!cursor || !isCursorKnown || first?.slot !== cursor.slot) return null;
    if (next) return next;
    const before = await countBeforeInSlot(pool, cursor, pageSize, signal);
    if (before === null) throw new Error(`The node that is asked now does not know ${cursor.signature}.`);
    return { slot: cursor.slot, position: before + 1 };
  };

  /** Reads and commits one page window by window, the next window being fetched while one is committed. */
  const workThrough = async (
    newestFirst: readonly SignatureInfo[],
    caughtUpAt: number | null,
    deadline: number,
    signal: AbortSignal,
  ) => {
    const oldestFirst = newestFirst.toReversed();
    const listed = withPositions(oldestFirst, await positionBefore(oldestFirst[0], signal));
    const windowAt = (from: number) => listed.slice(from, from + windowSize);
    let reading = reader.read(windowAt(0), signal);
    let events = 0;
    let done = 0;
    while (done < listed.length) {
      const window = await reading;
      const end = done + window.readCount;
      const goesOn = window.stuckOn === null && end < listed.length && elapsed() < deadline;
      if (goesOn) {
        reading = reader.read(windowAt(end), signal);
        // A failure is met where it is awaited; until then it must not count as unhandled.
        reading.catch(() => {});
      }
      const last = listed[end - 1];
      if (last && end > done) {
        await commit(window.events, last, end === listed.length ? caughtUpAt : null);
      }
      events += window.events.length;
      done = end;
      if (!goesOn) return { events, done, stuckOn: window.stuckOn };
    }
    return { events, done, stuckOn: null };
  };

  const begin = (
    head: PoolReply<readonly SignatureInfo[]>,
    askedAt: number,
  ): Plan | 'nothing-new' | 'lost' => {
    const page = readPage(head, bound());
    if (page.kind === 'lost') {
      isCursorKnown = false;
      return 'lost';
    }
    if (page.passesBound) isCursorKnown = false;
    const last = page.rows.at(-1);
    if (!last) return 'nothing-new';
    return { marks: [last.signature], open: page.rows, isListed: page.passesBound, isBegun: false, askedAt };
  };

  /** Lists down to the cursor. A short page proves nothing (nodes may cap a page), only an empty one does. */
  const listDown = async (
    current: Plan,
    deadline: number,
    signal: AbortSignal,
  ): Promise<'lost' | undefined> => {
    while (!current.isListed && elapsed() < deadline) {
      const page = await fetchPage(current.marks.at(-1), signal);
      if (page.kind === 'lost') return 'lost';
      if (page.passesBound) isCursorKnown = false;
      const last = page.rows.at(-1);
      if (last) {
        current.marks.push(last.signature);
        current.open = page.rows;
      }
      current.isListed = page.passesBound || last === undefined;
    }
    return undefined;
  };

  const workDown = async (current: Plan, deadline: number, signal: AbortSignal): Promise<HistoryProgress> => {
    let events = 0;
    let transactions = 0;
    const progress = (
      state: HistoryProgress['state'],
      stuckOn: HistoryProgress['stuckOn'] = null,
    ): HistoryProgress => ({ events, transactions, state, stuckOn });
    while (current.marks.length > 0) {
      const isHead = current.marks.length === 1;
      // The newest page has grown since it was listed: it is listed afresh at the next tick.
      if (isHead && !current.open) {
        plan = null;
        return progress('behind');
      }
      let rows = current.open;
      if (!rows) {
        const page = await fetchPage(current.marks.at(-2), signal);
        if (page.kind === 'lost') break;
        // A page that does not end where it ended when it was listed would leave a gap.
        const endsAtMark = page.rows.at(-1)?.signature === current.marks.at(-1);
        if (!endsAtMark && (!current.isBegun || page.rows.length >= pageSize)) break;
        rows = page.rows;
      }
      current.open = null;
      current.isBegun = true;
      const outcome = await workThrough(rows, isHead ? current.askedAt : null, deadline, signal);
      events += outcome.events;
      transactions += outcome.done;
      if (outcome.stuckOn) {
        // The page is listed afresh before the next try: a fork may have dropped the transaction.
        if (isHead) plan = null;
        return progress('waiting', outcome.stuckOn);
      }
      if (outcome.done < rows.length) {
        current.open = rows.slice(0, rows.length - outcome.done);
        return progress('behind');
      }
      current.marks.pop();
      current.isBegun = false;
      if (isHead) {
        plan = null;
        return progress('caught-up');
      }
      if (elapsed() >= deadline) return progress('behind');
    }
    plan = null;
    return progress('waiting');
  };

  const behind: HistoryProgress = { events: 0, transactions: 0, state: 'behind', stuckOn: null };

  return {
    reload,
    async headCall() {
      await load();
      return plan ? null : pageCall(address, bound(), { limit: pageSize });
    },
    async advance(head, askedAt, signal) {
      const deadline = elapsed() + budgetMs;
      await load();
      if (!plan && head) {
        const begun = begin(head, askedAt);
        if (begun === 'lost') return behind;
        if (begun === 'nothing-new') {
          await tellQuiet(askedAt);
          return { ...behind, state: 'caught-up' };
        }
        plan = begun;
      }
      if (!plan) return behind;
      try {
        if ((await listDown(plan, deadline, signal)) === 'lost') {
          plan = null;
          return { ...behind, state: 'waiting' };
        }
        return plan.isListed ? await workDown(plan, deadline, signal) : behind;
      } catch (error) {
        // What was committed stands; what was remembered may no longer fit, so it is listed again.
        reload();
        throw error;
      }
    },
  };
}
