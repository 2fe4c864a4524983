import cliProgress from 'cli-progress';
import type { Logger } from '../data/runtime/log.ts';

export type BackfillProgress = ReturnType<typeof createBackfillProgress>;

/** Backfills with fewer transactions finish too fast to need a progress display. */
const MIN_TRANSACTIONS = 1_000;
const LOG_INTERVAL_MS = 5_000;

/**
 * Shows the combined backfill progress of all accounts: in a progress bar if there is one, otherwise in occasional log lines.
 * Transactions that arrive after the backfill are not shown.
 * @param options.now milliseconds of a monotonic clock
 */
export function createBackfillProgress(options: {
  readonly log: Pick<Logger, 'info'>;
  readonly bar: ProgressBar | null;
  readonly now?: () => number;
}) {
  const { log, bar, now = performance.now.bind(performance) } = options;
  const remainingByAccount = new Map<string, number>();
  let indexedCount = 0;
  let run: { readonly startedAt: number; readonly startCount: number; loggedAt: number } | null = null;

  return {
    /**
     * @param step.transactionCount transactions indexed since the last report
     * @param step.remainingCount transactions that are listed, but not indexed yet; 0 if the history has to be listed again
     */
    report(
      account: string,
      step: {
        readonly transactionCount: number;
        readonly remainingCount: number;
        readonly isCaughtUp: boolean;
      },
    ): void {
      indexedCount += step.transactionCount;
      if (step.isCaughtUp || step.remainingCount > 0) remainingByAccount.set(account, step.remainingCount);
      const totalRemaining = [...remainingByAccount.values()].reduce((sum, one) => sum + one, 0);
      if (!run && totalRemaining < MIN_TRANSACTIONS) return;
      run ??= { startedAt: now(), startCount: indexedCount, loggedAt: now() };
      const done = indexedCount - run.startCount;
      const seconds = (now() - run.startedAt) / 1_000;
      if (totalRemaining === 0) {
        bar?.stop();
        log.info({ transactions: done, seconds: Math.round(seconds) }, 'history read');
        run = null;
        return;
      }
      const perSecond = seconds > 0 ? Math.round(done / seconds) : 0;
      if (bar) bar.show({ done, total: done + totalRemaining, perSecond });
      else if (now() - run.loggedAt >= LOG_INTERVAL_MS) {
        run.loggedAt = now();
        const secondsLeft = perSecond > 0 ? Math.round(totalRemaining / perSecond) : null;
        log.info({ transactions: done, left: totalRemaining, perSecond, secondsLeft }, 'reading history');
      }
    },
    stop: (): void => bar?.stop(),
  };
}

/** A bar at the bottom of a terminal, below the log. */
export interface ProgressBar {
  show(state: { readonly done: number; readonly total: number; readonly perSecond: number }): void;
  stop(): void;
  /** Writes a whole line, including its end, above the bar. */
  write(line: string): void;
}

type Terminal = NodeJS.WritableStream & { readonly isTTY?: boolean };

const ERASE_LINE = '\r\u001b[2K';
/** cli-progress draws the bar at the saved cursor position, so after each written line, the position below it is saved. */
const SAVE_CURSOR = '\u001b7';

/** Returns null if the stream is not a terminal. */
export function terminalBar(stream: Terminal = process.stderr): ProgressBar | null {
  if (stream.isTTY !== true) return null;
  let bar: cliProgress.SingleBar | null = null;
  return {
    show({ done, total, perSecond }) {
      const rate = { rate: perSecond.toLocaleString('en') };
      if (bar) {
        bar.setTotal(total);
        bar.update(done, rate);
        return;
      }
      bar = new cliProgress.SingleBar(
        {
          stream,
          format: 'Reading history {bar} {percentage} %  {value}/{total}  {rate}/s  {eta_formatted} left',
          etaBuffer: 50,
          clearOnComplete: true,
          // A log line erases the bar, so the bar is drawn again even if it has not changed.
          forceRedraw: true,
          // If the program is killed, the terminal must still show its cursor and wrap lines.
          hideCursor: null,
          linewrap: null,
          gracefulExit: false,
        },
        cliProgress.Presets.shades_classic,
      );
      bar.start(total, done, rate);
    },
    stop() {
      bar?.stop();
      bar = null;
    },
    write(line) {
      stream.write(bar ? `${ERASE_LINE}${line}${SAVE_CURSOR}` : line);
    },
  };
}
