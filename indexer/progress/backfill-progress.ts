import type { Logger } from '../../data/runtime/log.ts';
import type { ProgressBar } from './progress-bar.ts';

/** How the reading of one account's history gets on. */
export interface BackfillStep {
  /** Transactions passed since the last step. */
  readonly transactions: number;
  /** Transactions listed and not passed yet. */
  readonly left: number;
  readonly isCaughtUp: boolean;
}

/** Shows whoever waits for it how a backfill gets on. What is merely followed is not shown. */
export interface BackfillProgress {
  told(account: string, step: BackfillStep): void;
  /** Takes away what it shows. */
  stop(): void;
}

/** Fewer transactions than this are read before anyone looks. */
const WORTH_SHOWING = 1_000;
const LINE_MS = 5_000;

/**
 * All accounts together: on the bar where there is one, else as a line of the log now and again.
 * @param options.now milliseconds of a clock that never steps back
 */
export function createBackfillProgress(options: {
  readonly log: Pick<Logger, 'info'>;
  readonly bar: ProgressBar | null;
  readonly now?: () => number;
}): BackfillProgress {
  const { log, bar, now = performance.now.bind(performance) } = options;
  const left = new Map<string, number>();
  let passed = 0;
  let run: { readonly startedAt: number; readonly from: number; toldAt: number } | null = null;

  const end = (): void => {
    if (!run) return;
    const seconds = Math.round((now() - run.startedAt) / 1_000);
    bar?.stop();
    log.info({ transactions: passed - run.from, seconds }, 'history read');
    run = null;
  };

  return {
    told(account, { transactions, left: stillLeft, isCaughtUp }) {
      passed += transactions;
      left.set(account, isCaughtUp ? 0 : stillLeft);
      const allLeft = [...left.values()].reduce((sum, one) => sum + one, 0);
      if (!run && allLeft < WORTH_SHOWING) return;
      run ??= { startedAt: now(), from: passed, toldAt: now() };
      if (allLeft === 0) {
        end();
        return;
      }
      const done = passed - run.from;
      const elapsed = (now() - run.startedAt) / 1_000;
      const perSecond = elapsed > 0 ? Math.round(done / elapsed) : 0;
      if (bar) bar.show({ done, total: done + allLeft, perSecond });
      else if (now() - run.toldAt >= LINE_MS) {
        run.toldAt = now();
        const secondsLeft = perSecond > 0 ? Math.round(allLeft / perSecond) : null;
        log.info({ transactions: done, left: allLeft, perSecond, secondsLeft }, 'reading history');
      }
    },
    stop() {
      bar?.stop();
    },
  };
}
