import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import type { SignatureInfo } from '../rpc/solana-calls.ts';
import type { HistoryCursor } from './history-cursor.ts';
import { createPageMarks } from './page-marks.ts';
import {
  type ListedTransaction,
  type NextPosition,
  positionAfter,
  type ReadWindow,
  withPositions,
} from './transaction-window.ts';

/** Listed transactions and the pending read of them. */
interface QueuedWindow {
  readonly rows: readonly ListedTransaction[];
  readonly reading: Promise<ReadWindow>;
  /** Whether its last transaction is the newest of a page. */
  readonly endsPage: boolean;
}

/**
 * Fetches windows of listed transactions ahead, oldest first: just enough to keep the endpoint busy while one window is
 * decoded and committed.
 * @param options.depth windows fetched ahead of the one taken out
 */
function createWindowQueue(options: {
  readonly windowSize: number;
  readonly depth: number;
  readonly read: (rows: readonly ListedTransaction[]) => Promise<ReadWindow>;
}) {
  const { windowSize, depth, read } = options;
  const waiting: { readonly rows: readonly ListedTransaction[]; readonly endsPage: boolean }[] = [];
  const fetching: QueuedWindow[] = [];

  const fill = (): void => {
    while (fetching.length < depth) {
      const window = waiting.shift();
      if (!window) return;
      const reading = read(window.rows);
      // A failure is handled where the reading is awaited.
      reading.catch(() => {});
      fetching.push({ ...window, reading });
    }
  };

  return {
    /** Whether a page is needed now, so that reading never waits for a list. */
    get wantsMore(): boolean {
      return waiting.length === 0;
    },
    get isEmpty(): boolean {
      return waiting.length === 0 && fetching.length === 0;
    },
    /** @param page oldest first */
    add(page: readonly ListedTransaction[]): void {
      for (let from = 0; from < page.length; from += windowSize) {
        waiting.push({
          rows: page.slice(from, from + windowSize),
          endsPage: from + windowSize >= page.length,
        });
      }
      fill();
    },
    /** Removes and returns the oldest window. */
    next(): QueuedWindow | undefined {
      const window = fetching.shift();
      fill();
      return window;
    },
  };
}

export type SignatureQueue = ReturnType<typeof createSignatureQueue>;

export interface SignatureQueueOptions {
  readonly address: string;
  readonly pool: EndpointPool;
  readonly historyCursor: HistoryCursor;
  readonly pageSize: number;
  /** Transactions per commit. */
  readonly windowSize: number;
  /** Windows fetched ahead while one is committed. */
  readonly windowsAhead: number;
  readonly read: (rows: readonly ListedTransaction[], signal: AbortSignal) => Promise<ReadWindow>;
}

/**
 * Queues the listed transactions that are not indexed yet, as windows to read, oldest first.
 * @param newest the newest page, newest first and not empty
 */
export function createSignatureQueue(
  { address, pool, historyCursor, pageSize, windowSize, windowsAhead, read }: SignatureQueueOptions,
  newest: {
    readonly rows: readonly SignatureInfo[];
    readonly passesBound: boolean;
    /** Unix ms before the page was requested. */
    readonly requestedAt: number;
    /** The finalized slot of the node that listed the page; null if unknown. */
    readonly finalizedSlot: number | null;
  },
  signal: AbortSignal,
) {
  const bound = historyCursor.bound();
  const marks = createPageMarks({
    address,
    pool,
    pageSize,
    bound,
    newest: newest.rows,
    passesBound: newest.passesBound,
    hasEventsBefore: historyCursor.hasEventsBefore,
  });
  const newQueue = (signal: AbortSignal) =>
    createWindowQueue({ windowSize, depth: windowsAhead, read: (rows) => read(rows, signal) });
  let queue = newQueue(signal);
  /** The page being added to the queue while earlier windows are read. */
  let filling: Promise<'queued' | 'lost' | 'head'> | null = null;
  /** The position of the first transaction of the next page. */
  let queuedTo: NextPosition | null = null;
  let passedCount = 0;

  /** Adds the next page to the queue. */
  const queuePage = async (signal: AbortSignal): Promise<'queued' | 'lost' | 'head'> => {
    const taken = await marks.take(historyCursor.bound(), signal);
    if (taken === 'lost' || taken === 'head') return taken;
    const oldestFirst = taken.toReversed();
    const [first] = oldestFirst;
    const listed = withPositions(
      oldestFirst,
      queuedTo ?? (await historyCursor.positionBefore(first, signal)),
    );
    const last = listed.at(-1);
    if (last) queuedTo = positionAfter(last);
    else marks.done();
    queue.add(listed);
    return 'queued';
  };

  /** Adds pages to the queue. A page that fails is requested again with the next window. */
  const beginFilling = (signal: AbortSignal): void => {
    if (filling || !queue.wantsMore || marks.isEmpty) return;
    filling = queuePage(signal).finally(() => {
      filling = null;
    });
    filling.then(
      (outcome) => outcome === 'queued' && beginFilling(signal),
      // A failure is handled where `filling` is awaited.
      () => {},
    );
  };

  return {
    requestedAt: newest.requestedAt,
    finalizedSlot: newest.finalizedSlot,
    /** Whether everything is listed down to the cursor. */
    get isListed(): boolean {
      return marks.isListed;
    },
    /** Listed transactions that the cursor has not passed yet. */
    get left(): number {
      return marks.listedCount - passedCount;
    },
    /** Lists older pages until the bound, while there is time. */
    async listDown(isTimeLeft: () => boolean, signal: AbortSignal): Promise<'listed' | 'lost'> {
      while (!marks.isListed && isTimeLeft()) {
        if ((await marks.listOne(signal)) === 'lost') return 'lost';
      }
      return 'listed';
    },
    /**
     * The next window. Later ones are already being fetched. `lost` (the list has changed) and `head` (the newest page may
     * have grown) mean that it has to be listed again. Null if nothing is left.
     */
    async next(signal: AbortSignal): Promise<QueuedWindow | 'lost' | 'head' | null> {
      for (;;) {
        const window = queue.next();
        beginFilling(signal);
        if (window) return window;
        if (!filling) return null;
        const outcome = await filling;
        if (outcome !== 'queued') return outcome;
      }
    },
    isLast: ({ endsPage }: QueuedWindow): boolean =>
      endsPage && marks.isEmpty && queue.isEmpty && filling === null,
    /** Counts transactions as indexed. */
    passed(count: number): void {
      passedCount += count;
    },
    pageDone: marks.done,
    /** Goes back to the oldest page, to list the rest of it again. @returns whether that is possible */
    async giveBack(signal: AbortSignal): Promise<boolean> {
      while (filling) await filling.catch(() => {});
      if (bound.until === null || marks.isEmpty) return false;
      marks.giveBack();
      queue = newQueue(signal);
      queuedTo = null;
      return true;
    },
  };
}
