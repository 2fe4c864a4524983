import type { ListedTransaction } from './read-transaction.ts';
import type { ReadWindow } from './transaction-window.ts';

/** Listed transactions with what was read of them. */
export interface QueuedWindow {
  readonly rows: readonly ListedTransaction[];
  readonly reading: Promise<ReadWindow>;
  /** Whether its last transaction is the newest of a page. */
  readonly endsPage: boolean;
}

/**
 * Windows of listed transactions on their way, oldest first: as many as keep the endpoint at work while one of them is
 * decoded and committed, and no more.
 */
export interface WindowQueue {
  /** Whether more transactions should be put in, so that reading never waits for a list. */
  readonly wantsMore: boolean;
  readonly isEmpty: boolean;
  /** Puts in a page, oldest first. */
  add(page: readonly ListedTransaction[]): void;
  /** The oldest window, taken out; the ones behind it are on their way. */
  next(): QueuedWindow | undefined;
}

/** @param options.depth windows on their way behind the one taken out */
export function createWindowQueue(options: {
  readonly windowSize: number;
  readonly depth: number;
  readonly read: (rows: readonly ListedTransaction[]) => Promise<ReadWindow>;
}): WindowQueue {
  const { windowSize, depth, read } = options;
  const waiting: { readonly rows: readonly ListedTransaction[]; readonly endsPage: boolean }[] = [];
  const onTheWay: QueuedWindow[] = [];

  const fill = (): void => {
    while (onTheWay.length < depth) {
      const window = waiting.shift();
      if (!window) return;
      const reading = read(window.rows);
      // A failure is met where it is awaited; until then it must not count as unhandled.
      reading.catch(() => {});
      onTheWay.push({ ...window, reading });
    }
  };

  return {
    get wantsMore() {
      return waiting.length === 0;
    },
    get isEmpty() {
      return waiting.length === 0 && onTheWay.length === 0;
    },
    add(page) {
      for (let from = 0; from < page.length; from += windowSize) {
        waiting.push({
          rows: page.slice(from, from + windowSize),
          endsPage: from + windowSize >= page.length,
        });
      }
      fill();
    },
    next() {
      const window = onTheWay.shift();
      fill();
      return window;
    },
  };
}
