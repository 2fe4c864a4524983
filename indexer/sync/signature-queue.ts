import type { SignaturePages } from './signature-pages.ts';
import { inChainOrder, type ListedTransaction, type ReadWindow } from './transaction-window.ts';

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
    /** Windows do not split a slot. @param page oldest first */
    add(page: readonly ListedTransaction[]): void {
      for (let from = 0; from < page.length; ) {
        let to = Math.min(from + windowSize, page.length);
        while (to < page.length && page[to]?.slot === page[to - 1]?.slot) to += 1;
        waiting.push({ rows: page.slice(from, to), endsPage: to === page.length });
        from = to;
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

/**
 * Queues the listed final transactions that are not indexed yet, as windows to read, oldest first.
 * @param options.windowsAhead windows fetched ahead while one is committed
 * @param options.indexedTo the slot up to which transactions are indexed
 */
export function createSignatureQueue(options: {
  readonly pages: SignaturePages;
  /** Transactions per commit. */
  readonly windowSize: number;
  readonly windowsAhead: number;
  readonly read: (rows: readonly ListedTransaction[]) => Promise<ReadWindow>;
  readonly indexedTo: () => number;
}) {
  const { pages, windowSize, windowsAhead, read, indexedTo } = options;
  const newQueue = () => createWindowQueue({ windowSize, depth: windowsAhead, read });
  let queue = newQueue();
  /** The page being added to the queue while earlier windows are read. */
  let filling: Promise<'queued' | 'head' | 'lost'> | null = null;
  let passedCount = 0;

  /** Adds the next page to the queue. */
  const queuePage = async (signal: AbortSignal): Promise<'queued' | 'head' | 'lost'> => {
    const rows = await pages.take(signal);
    if (rows === 'head' || rows === 'lost') return rows;
    const listed = inChainOrder(rows.filter(({ slot }) => slot > indexedTo()));
    if (listed.length === 0) pages.done();
    queue.add(listed);
    return 'queued';
  };

  /** Adds pages to the queue. A page that fails is requested again with the next window. */
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
    /** Listed transactions that the cursor has not passed yet. */
    get left(): number {
      return Math.max(0, pages.listedCount - passedCount);
    },
    /**
     * The next window. Later ones are already being fetched. `lost` (the list has changed) and `head` (the newest page may
     * have grown) mean that it has to be listed again. Null if nothing is left.
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
    /** Counts transactions as indexed. */
    passed(count: number): void {
      passedCount += count;
    },
    pageDone: pages.done,
    /** Goes back to the oldest page, to list the rest of it again. @returns whether older pages than the newest are left */
    async giveBack(): Promise<boolean> {
      while (filling) await filling.catch(() => {});
      queue = newQueue();
      return pages.giveBack();
    },
  };
}
