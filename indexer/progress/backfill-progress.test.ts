import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BackfillProgress, createBackfillProgress } from './backfill-progress.ts';
import { type ProgressBar, terminalBar } from './progress-bar.ts';

let clock: number;
let lines: (readonly [details: object, message: string])[];
let progress: BackfillProgress;

const log = { info: (details: object, message: string) => void lines.push([details, message]) };
const create = (bar: ProgressBar | null): BackfillProgress =>
  createBackfillProgress({ log: log as never, bar, now: () => clock });
const step = (transactions: number, left: number, isCaughtUp = false) => ({ transactions, left, isCaughtUp });

beforeEach(() => {
  clock = 0;
  lines = [];
});

describe('a backfill where nobody looks at a terminal', () => {
  beforeEach(() => {
    progress = create(null);
  });

  it('is told now and again in the log with its rate and the time left, all accounts together, and at its end', () => {
    progress.told('vault', step(0, 6_000));
    progress.told('pool', step(0, 4_000));
    clock = 2_000;
    progress.told('vault', step(1_000, 5_000));
    clock = 5_000;
    progress.told('pool', step(1_000, 3_000));
    expect(lines).toEqual([
      [{ transactions: 2_000, left: 8_000, perSecond: 400, secondsLeft: 20 }, 'reading history'],
    ]);
    clock = 9_000;
    progress.told('vault', step(5_000, 0, true));
    progress.told('pool', step(3_000, 0, true));
    expect(lines.slice(1)).toEqual([[{ transactions: 10_000, seconds: 9 }, 'history read']]);
  });

  it('is not told while the chain is merely followed', () => {
    for (; clock < 60_000; clock += 400) progress.told('vault', step(3, 0, true));
    expect(lines).toEqual([]);
  });
});

describe('a backfill on a terminal', () => {
  let terminal: PassThrough & { isTTY?: boolean };
  let bar: ProgressBar;
  const shown = (): string => String(terminal.read() ?? '');
  beforeEach(() => {
    terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 120 });
    const made = terminalBar(terminal);
    if (!made) throw new Error('There is no bar.');
    bar = made;
    progress = create(bar);
  });
  afterEach(() => progress.stop());

  it('is a bar with what is done, the total and the rate, and no line of the log until its end', () => {
    progress.told('vault', step(0, 4_000));
    clock = 1_000;
    progress.told('vault', step(1_000, 3_000));
    bar.stop();
    expect(shown()).toMatch(/Reading history .* 25 % {2}1000\/4000 {2}1,000\/s/);
    expect(lines).toEqual([]);
  });

  it('is gone once the history is read', () => {
    progress.told('vault', step(0, 4_000));
    shown();
    progress.told('vault', step(4_000, 0, true));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the terminal's own words.
    expect(shown()).toMatch(/\u001b\[1G\u001b\[0K$|\u001b\[1G\u001b\[2K$/);
    expect(lines).toHaveLength(1);
  });

  it('lets each line of the log through whole, on a line of its own', () => {
    progress.told('vault', step(0, 4_000));
    shown();
    bar.write('{"level":30}\n');
    expect(shown()).toBe('\r\u001b[2K{"level":30}\n\u001b7');
    bar.stop();
    shown();
    bar.write('{"level":30}\n');
    expect(shown()).toBe('{"level":30}\n');
  });

  it('is none where the stream is no terminal', () => {
    expect(terminalBar(new PassThrough())).toBeNull();
  });
});
