import cliProgress from 'cli-progress';

/** A bar at the bottom of a terminal, which lines of the log go past. */
export interface ProgressBar {
  show(state: { readonly done: number; readonly total: number; readonly perSecond: number }): void;
  stop(): void;
  /** Writes a whole line, its end included, above the bar. */
  write(line: string): void;
}

type Terminal = NodeJS.WritableStream & { readonly isTTY?: boolean };

const ERASE_LINE = '\r\u001b[2K';
/** Where the bar was begun, it puts the cursor at its end: that is below what was written meanwhile. */
const SAVE_CURSOR = '\u001b7';

/** The bar on stderr, or another stream; null where that is no terminal. Writing to a terminal is done when it returns. */
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
          // A line of the log erases the bar.
          forceRedraw: true,
          // A kill must not leave the terminal without a cursor or unable to wrap.
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
