import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import type { SignatureInfo } from '../rpc/solana-calls.ts';
import type { IndexedPart } from './indexed-part.ts';
import { createPageMarks } from './page-marks.ts';
import type { ListedTransaction } from './read-transaction.ts';
import { type NextPosition, positionAfter, withPositions } from './slot-positions.ts';
import type { ReadWindow } from './transaction-window.ts';
import { createWindowQueue, type QueuedWindow } from './window-queue.ts';

/** What was listed of a history and is not indexed yet: pages on their way into windows, oldest first. */
export interface ListedPlan {
  /** Unix ms before its newest page was asked for. */
  readonly askedAt: number;
  /** The finalized slot of the node that listed the newest page; null where it told none. */
  readonly finalizedSlot: number | null;
  /** Whether it is listed down to where the history is indexed. */
  readonly isListed: boolean;
  /** Transactions listed and not passed yet. */
  readonly left: number;
  /** Lists page by page down to the bound, while there is time. */
  listDown(isTimeLeft: () => boolean, signal: AbortSignal): Promise<'listed' | 'lost'>;
  /**
   * The next window, with the ones behind it on their way. `lost` and `head`: what is listed has to be listed afresh, for
   * it has changed, or the newest page has grown; null where nothing is left.
   */
  next(signal: AbortSignal): Promise<QueuedWindow | 'lost' | 'head' | null>;
  /** Whether a window is the last one of all. */
  isLast(window: QueuedWindow): boolean;
  /** A number of transactions is indexed. */
  passed(count: number): void;
  /** The oldest page is worked through. */
  pageDone(): void;
  /** Goes back to the oldest page, to list what is left of it afresh. @returns whether it can */
  giveBack(signal: AbortSignal): Promise<boolean>;
}

export interface ListedPlanOptions {
  readonly address: string;
  readonly pool: EndpointPool;
  readonly part: IndexedPart;
  readonly pageSize: number;
  /** Transactions a commit. */
  readonly windowSize: number;
  /** Windows on their way while one is committed. */
  readonly windowsAhead: number;
  readonly read: (rows: readonly ListedTransaction[], signal: AbortSignal) => Promise<ReadWindow>;
}

/** @param newest the newest page, newest first and not empty */
export function createListedPlan(
  { address, pool, part, pageSize, windowSize, windowsAhead, read }: ListedPlanOptions,
  newest: {
    readonly rows: readonly SignatureInfo[];
    readonly passesBound: boolean;
    readonly askedAt: number;
    readonly finalizedSlot: number | null;
  },
  begun: AbortSignal,
): ListedPlan {
  const { askedAt, finalizedSlot } = newest;
  const bound = part.bound();
  const marks = createPageMarks({
    address,
    pool,
    pageSize,
    bound,
    newest: newest.rows,
    passesBound: newest.passesBound,
    hasEventsBefore: part.hasEventsBefore,
  });
  const newQueue = (signal: AbortSignal) =>
    createWindowQueue({ windowSize, depth: windowsAhead, read: (rows) => read(rows, signal) });
  let queue = newQueue(begun);
  /** A page on its way into the queue, while what is in it is worked through. */
  let filling: Promise<'queued' | 'lost' | 'head'> | null = null;
  /** The place of the first transaction of the page that is queued next. */
  let queuedTo: NextPosition | null = null;
  let passedCount = 0;

  /** Puts the next page into the queue. */
  const queuePage = async (signal: AbortSignal): Promise<'queued' | 'lost' | 'head'> => {
    const taken = await marks.take(part.bound(), signal);
    if (taken === 'lost' || taken === 'head') return taken;
    const oldestFirst = taken.toReversed();
    const [first] = oldestFirst;
    const listed = withPositions(oldestFirst, queuedTo ?? (await part.positionBefore(first, signal)));
    const last = listed.at(-1);
    if (last) queuedTo = positionAfter(last);
    else marks.done();
    queue.add(listed);
    return 'queued';
  };

  /** Fills the queue page by page. One that cannot be had is asked for again with the next window. */
  const beginFilling = (signal: AbortSignal): void => {
    if (filling || !queue.wantsMore || marks.isEmpty) return;
    filling = queuePage(signal).finally(() => {
      filling = null;
    });
    filling.then(
      (outcome) => outcome === 'queued' && beginFilling(signal),
      // A failure is met where it is awaited.
      () => {},
    );
  };

  return {
    askedAt,
    finalizedSlot,
    get isListed() {
      return marks.isListed;
    },
    get left() {
      return marks.listedCount - passedCount;
    },
    async listDown(isTimeLeft, signal) {
      while (!marks.isListed && isTimeLeft()) {
        if ((await marks.listOne(signal)) === 'lost') return 'lost';
      }
      return 'listed';
    },
    async next(signal) {
      for (;;) {
        const window = queue.next();
        beginFilling(signal);
        if (window) return window;
        if (!filling) return null;
        // What was on its way is worked through; the newest page, which has grown since, is listed afresh.
        const outcome = await filling;
        if (outcome !== 'queued') return outcome;
      }
    },
    isLast: ({ endsPage }) => endsPage && marks.isEmpty && queue.isEmpty && filling === null,
    passed(count) {
      passedCount += count;
    },
    pageDone: marks.done,
    async giveBack(signal) {
      while (filling) await filling.catch(() => {});
      if (bound.until === null || marks.isEmpty) return false;
      marks.giveBack();
      queue = newQueue(signal);
      queuedTo = null;
      return true;
    },
  };
}
