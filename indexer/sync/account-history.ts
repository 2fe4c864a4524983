import type { Cursor, QuarantinedTransaction } from '../../data/store/chain-rows.ts';
import type { EventBatch } from '../../data/store/ports.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import { type HeadAnswer, type HeadQuestion, readHead } from './head-page.ts';
import { HistoryGapError } from './history-gap.ts';
import { createIndexedPart, type HistoryWriter } from './indexed-part.ts';
import { createListedPlan, type ListedPlan, type ListedPlanOptions } from './listed-plan.ts';
import type { ListedTransaction } from './read-transaction.ts';
import { pageCall } from './signature-pages.ts';
import type { WindowReader } from './transaction-window.ts';
import { createUnreadable, type Patience } from './unreadable.ts';

export interface HistoryProgress {
  /** Events committed. */
  readonly events: number;
  /** Listed transactions that the cursor moved over. */
  readonly transactions: number;
  /** Transactions listed and not passed yet. */
  readonly left: number;
  /**
   * `behind`: more is known to be there; call again at once. `waiting`: it cannot go on now; try again at the
   * next tick.
   */
  readonly state: 'caught-up' | 'behind' | 'waiting';
  /** Where it is caught up: every transaction in slots up to this is indexed or quarantined. Null where unknown. */
  readonly readUpTo: number | null;
  /** The transaction that cannot be read, where that is what it waits for. */
  readonly stuckOn: { readonly signature: string; readonly reason: string } | null;
  /** Transactions that the cursor passed although they could not be read. */
  readonly quarantined: readonly QuarantinedTransaction[];
}

/**
 * The history of one watched account on its way into the index. Backfill and following are the same work:
 * list what is newer than the cursor, read it oldest first, commit each window with the cursor behind it.
 */
export interface AccountHistory {
  /**
   * What to ask at the start of a round, to travel with other calls; null while older pages are being worked
   * through, or while it is too early to try again.
   */
  question(): Promise<HeadQuestion | null>;
  /** Works for about `budgetMs` and returns between two windows. */
  advance(head: HeadAnswer | null, signal: AbortSignal): Promise<HistoryProgress>;
  /**
   * Lists once more what is in this slot and later ones: something there is not where it was. Nothing changes while
   * something is listed once more already.
   */
  relist(fromSlot: number): void;
  /** Forgets what it remembers and reads the cursor again: the store moved it. */
  reload(): void;
  /** A cursor whose transaction a node that is past it did not know; null where there is none. */
  doubtedCursor(): Cursor | null;
}

export interface AccountHistoryOptions {
  readonly address: string;
  readonly pool: EndpointPool;
  readonly writer: HistoryWriter;
  readonly reader: WindowReader;
  readonly mint: string;
  /** Signatures a page: at most 1000. */
  readonly pageSize: number;
  /** Transactions a commit. */
  readonly windowSize: number;
  /** Windows on their way while one is committed. */
  readonly windowsAhead: number;
  readonly budgetMs: number;
  readonly patience?: Patience | undefined;
  /** Milliseconds of a clock that never steps back. */
  readonly elapsed?: (() => number) | undefined;
}

export function createAccountHistory(options: AccountHistoryOptions): AccountHistory {
  const { address, pool, writer, reader, pageSize, windowSize, windowsAhead, budgetMs } = options;
  const { mint, patience, elapsed = performance.now.bind(performance) } = options;
  const unreadable = createUnreadable({ pool, mint, patience, elapsed });
  const part = createIndexedPart({ address, pool, writer, pageSize, elapsed });
  const planOptions: ListedPlanOptions = {
    ...{ address, pool, part, pageSize, windowSize, windowsAhead },
    read: (rows, signal) => reader.read(rows, unreadable.known, signal),
  };
  let plan: ListedPlan | null = null;
  let witness: string | null = null;
  let stuckOn: HistoryProgress['stuckOn'] = null;
  let doubted: Cursor | null = null;
  /** Whether the last list did not stop at the cursor, as if it was not there, which a later page than the newest told. */
  let isLostBelow = false;

  const relist = (fromSlot: number): void => {
    part.relist(fromSlot);
    plan = null;
  };

  const reload = (): void => {
    part.reload();
    doubted = null;
    plan = null;
  };

  const progress = (
    state: HistoryProgress['state'],
    more: Partial<HistoryProgress> = {},
  ): HistoryProgress => ({
    events: 0,
    transactions: 0,
    left: 0,
    readUpTo: null,
    stuckOn: null,
    quarantined: [],
    ...more,
    state,
  });

  const caughtUp = (finalizedSlot: number | null, more: Partial<HistoryProgress> = {}): HistoryProgress => {
    part.caughtUp(finalizedSlot);
    return progress('caught-up', { ...more, readUpTo: finalizedSlot });
  };

  const commit = async (
    told: Pick<EventBatch, 'events' | 'alarms'>,
    rows: readonly ListedTransaction[],
    caughtUpAt: number | null,
  ): Promise<readonly QuarantinedTransaction[]> => {
    const last = rows.at(-1);
    if (!last) return [];
    const quarantined = rows.flatMap(({ signature, slot, position }) => {
      const aside = unreadable.putAside(signature);
      return aside ? [{ signature, account: address, slot, position, blockTime: null, ...aside }] : [];
    });
    await part.commit({ ...told, quarantined }, last, caughtUpAt);
    unreadable.passed(rows.map(({ signature }) => signature));
    return quarantined;
  };

  /** Reads and commits window by window until the time is over. */
  const workDown = async (
    current: ListedPlan,
    deadline: number,
    signal: AbortSignal,
  ): Promise<HistoryProgress> => {
    let events = 0;
    let transactions = 0;
    const quarantined: QuarantinedTransaction[] = [];
    const done = (state: HistoryProgress['state'], more: Partial<HistoryProgress> = {}): HistoryProgress =>
      progress(state, { events, transactions, quarantined, left: plan?.left ?? 0, ...more });
    for (;;) {
      const window = await current.next(signal);
      if (window === null || window === 'lost' || window === 'head') {
        plan = null;
        return done(window === 'lost' ? 'waiting' : 'behind');
      }
      const { rows, endsPage, reading } = window;
      const read = await reading;
      witness = read.witness ?? witness;
      const isWhole = read.readCount === rows.length;
      const isLast = isWhole && current.isLast(window);
      const passed = isWhole ? rows : rows.slice(0, read.readCount);
      quarantined.push(...(await commit(read, passed, isLast ? current.askedAt : null)));
      events += read.events.length;
      transactions += read.readCount;
      current.passed(read.readCount);
      if (!isWhole) {
        // Listed afresh before the next try: a fork may have dropped the transaction.
        if (!(await current.giveBack(signal))) plan = null;
        const known = witness ?? part.cursor?.signature ?? null;
        const [first] = read.unread;
        if (await unreadable.askAll(read.unread, known, signal)) return done('behind');
        stuckOn = first ? { signature: first.row.signature, reason: first.reason } : null;
        return done('waiting', { stuckOn });
      }
      if (endsPage) current.pageDone();
      if (isLast) {
        plan = null;
        return caughtUp(current.finalizedSlot, { events, transactions, quarantined });
      }
      if (elapsed() >= deadline) return done('behind');
    }
  };

  /** Makes a plan of the newest page. @returns what there is to say where there is none to make */
  const beginAt = async (head: HeadAnswer, signal: AbortSignal): Promise<ListedPlan | HistoryProgress> => {
    const reading = readHead(head, part.bound(), part.cursor, isLostBelow && !part.isCursorFinal);
    isLostBelow = false;
    if (reading.kind === 'forked') {
      if (!reading.isElsewhere) doubted = part.cursor;
      relist(reading.slot);
      return progress('waiting');
    }
    if (reading.kind === 'not-there-yet') return progress('waiting');
    if (reading.isCursorFinal) part.cursorIsFinal();
    if (part.bound().until !== null) doubted = null;
    const { rows, passesBound, finalizedSlot } = reading;
    const { askedAt } = head;
    if (rows.length > 0) {
      return createListedPlan(planOptions, { rows, passesBound, askedAt, finalizedSlot }, signal);
    }
    const listsNothing = part.bound().until === null && !passesBound;
    if (listsNothing && (await part.hasEventsBefore(null))) throw new HistoryGapError(head.page.by, address);
    await part.tellQuiet(askedAt, finalizedSlot);
    return caughtUp(finalizedSlot);
  };

  /** An endpoint without the history is left alone where there is another to ask. */
  const leaveAlone = ({ endpoint, message }: HistoryGapError): void => {
    const hasOther = pool.health().some(({ name, state }) => name !== endpoint && state !== 'put-aside');
    if (hasOther) pool.distrust(endpoint, message);
  };

  return {
    reload,
    relist(fromSlot) {
      if (!part.isRelisting) relist(fromSlot);
    },
    doubtedCursor: () => doubted,
    async question() {
      await part.load();
      if (plan || unreadable.isPausing()) return null;
      const page = pageCall(address, part.bound(), { limit: pageSize });
      return { page, cursorSignature: part.isCursorFinal ? null : (part.cursor?.signature ?? null) };
    },
    async advance(head, signal) {
      const deadline = elapsed() + budgetMs;
      await part.load();
      if (unreadable.isPausing()) return progress('waiting', { stuckOn });
      stuckOn = null;
      try {
        if (!plan && head) {
          const begun = await beginAt(head, signal);
          if ('state' in begun) return begun;
          plan = begun;
        }
        if (!plan) return progress('behind');
        if ((await plan.listDown(() => elapsed() < deadline, signal)) === 'lost') {
          plan = null;
          isLostBelow = true;
          return progress('waiting');
        }
        return plan.isListed
          ? await workDown(plan, deadline, signal)
          : progress('behind', { left: plan.left });
      } catch (error) {
        // What was committed stands; what was remembered may no longer fit, so it is listed again.
        reload();
        if (error instanceof HistoryGapError) leaveAlone(error);
        throw error;
      }
    },
  };
}
