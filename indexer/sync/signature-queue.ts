import type { SignaturePages } from './signature-pages.ts';
import { type ListedTransaction, sortInChainOrder, type WindowResult } from './transaction-window.ts';

interface QueuedWindow {
  readonly rows: readonly ListedTransaction[];
  readonly reading: Promise<WindowResult>;
  /** Whether the window's last transaction is the newest one on its page. */
  readonly endsPage: boolean;
}

/**
 * Fetches windows of listed transactions in advance, oldest first: just enough to keep the endpoint busy while one window is
 * decoded and committed.
 * @param options.depth the number of windows to fetch ahead
 */
function createWindowQueue(options: {
  readonly windowSize: number;
  readonly depth: number;
  readonly read: (rows: readonly ListedTransaction[]) => Promise<WindowResult>;
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
    /** Whether to request a page now, so that the reader does not have to wait for the page later. */
    get wantsMore(): boolean {
      return waiting.length === 0;
    },
    /** Splits a page, oldest first, into windows. A slot is never split. */
    add(page: readonly ListedTransaction[]): void {
      for (let from = 0; from < page.length; ) {
        let to = Math.min(from + windowSize, page.length);
        while (to < page.length && page[to]?.slot === page[to - 1]?.slot) to += 1;
        waiting.push({ rows: page.slice(from, to), endsPage: to === page.length });
        from = to;
      }
      fill();
    },
    next(): QueuedWindow | undefined {
      const window = fetching.shift();
      fill();
      return window;
    },
  };
}

export type SignatureQueue = ReturnType<typeof createSignatureQueue>;

/**
 * Queues the listed final transactions that are not indexed yet, as windows to read, oldest first.
 * @param options.windowsAhead how many windows are fetched ahead while one is committed
 * @param options.indexedUpToSlot the slot up to which transactions are indexed
 */
export function createSignatureQueue(options: {
  readonly pages: SignaturePages;
  readonly windowSize: number;
  readonly windowsAhead: number;
  readonly read: (rows: readonly ListedTransaction[]) => Promise<WindowResult>;
  readonly indexedUpToSlot: () => number;
}) {
  const { pages, windowSize, windowsAhead, read, indexedUpToSlot } = options;
  const createQueue = () => createWindowQueue({ windowSize, depth: windowsAhead, read });
  let queue = createQueue();
  /** The page being added to the queue while earlier windows are read. */
  let filling: Promise<'queued' | 'head' | 'lost'> | null = null;
  let passedCount = 0;

  const queuePage = async (signal: AbortSignal): Promise<'queued' | 'head' | 'lost'> => {
    const rows = await pages.take(signal);
    if (rows === 'head' || rows === 'lost') return rows;
    const newRows = sortInChainOrder(rows.filter(({ slot }) => slot > indexedUpToSlot()));
    if (newRows.length === 0) pages.markDone();
    queue.add(newRows);
    return 'queued';
  };

  /** Adds pages to the queue in the background. A page that fails is requested again when the next window is taken. */
  const beginFilling = (signal: AbortSignal): void => {
    if (filling || !queue.wantsMore || pages.isEmpty) return;
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
    get remainingCount(): number {
      return Math.max(0, pages.listedCount - passedCount);
    },
    /**
     * Returns the next window, or null if nothing is left. `lost` (the list has changed) and `head` (the newest page may have
     * grown) mean that the transactions have to be listed again.
     */
    async next(signal: AbortSignal): Promise<QueuedWindow | 'head' | 'lost' | null> {
      for (;;) {
        const window = queue.next();
        beginFilling(signal);
        if (window) return window;
        if (!filling) return null;
        const outcome = await filling;
        if (outcome !== 'queued') return outcome;
      }
    },
    notePassed(count: number): void {
      passedCount += count;
    },
    markPageDone: pages.markDone,
    /**
     * Drops the fetched windows, and continues with the oldest unfinished page. @returns true if several pages are waiting
     */
    async giveBack(): Promise<boolean> {
      while (filling) await filling.catch(() => {});
      queue = createQueue();
      return pages.giveBack();
    },
  };
}
