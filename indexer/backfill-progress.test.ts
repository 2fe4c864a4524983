import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type BackfillProgress,
  createBackfillProgress,
  type ProgressBar,
  terminalBar,
} from './backfill-progress.ts';

let clock: number;
let lines: (readonly [details: object, message: string])[];
let progress: BackfillProgress;

const log = { info: (details: object, message: string) => void lines.push([details, message]) };
const create = (bar: ProgressBar | null): BackfillProgress =>
  createBackfillProgress({ log: log as never, bar, now: () => clock });
const step = (transactionCount: number, remainingCount: number, isCaughtUp = false) => ({
  transactionCount,
  remainingCount,
  isCaughtUp,
});

beforeEach(() => {
  clock = 0;
  lines = [];
});

describe('a backfill without a terminal', () => {
  beforeEach(() => {
    progress = create(null);
  });

  it('logs the combined rate and time left for all accounts at intervals, and logs when it is complete', () => {
    progress.report('vault', step(0, 6_000));
    progress.report('pool', step(0, 4_000));
    clock = 2_000;
    progress.report('vault', step(1_000, 5_000));
    clock = 5_000;
    progress.report('pool', step(1_000, 3_000));
    expect(lines).toEqual([
      [{ transactions: 2_000, left: 8_000, perSecond: 400, secondsLeft: 20 }, 'reading history'],
    ]);
    clock = 9_000;
    progress.report('vault', step(5_000, 0, true));
    progress.report('pool', step(3_000, 0, true));
    expect(lines.slice(1)).toEqual([[{ transactions: 10_000, seconds: 9 }, 'history read']]);
  });

  it('is not complete while a history waits and has to be listed again', () => {
    progress.report('vault', step(0, 6_000));
    progress.report('vault', step(1_000, 5_000));
    progress.report('vault', step(0, 0));
    expect(lines).toEqual([]);
    progress.report('vault', step(5_000, 0, true));
    expect(lines).toEqual([[{ transactions: 6_000, seconds: 0 }, 'history read']]);
  });

  it('logs nothing while only new transactions arrive', () => {
    for (; clock < 60_000; clock += 400) progress.report('vault', step(3, 0, true));
    expect(lines).toEqual([]);
  });
});

describe('the progress bar of a backfill', () => {
  let terminal: PassThrough & { isTTY?: boolean };
  let bar: ProgressBar;
  const readTerminal = (): string => String(terminal.read() ?? '');
  beforeEach(() => {
    terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 120 });
    const newBar = terminalBar(terminal);
    if (!newBar) throw new Error('There is no bar.');
    bar = newBar;
    progress = create(bar);
  });
  afterEach(() => progress.stop());

  it('shows the transactions read, the total and the rate, instead of log lines', () => {
    progress.report('vault', step(0, 4_000));
    clock = 1_000;
    progress.report('vault', step(1_000, 3_000));
    bar.stop();
    expect(readTerminal()).toMatch(/Reading history .* 25 % {2}1000\/4000 {2}1,000\/s/);
    expect(lines).toEqual([]);
  });

  it('disappears once the history is read', () => {
    progress.report('vault', step(0, 4_000));
    readTerminal();
    progress.report('vault', step(4_000, 0, true));
    expect(['\u001b[1G\u001b[0K', '\u001b[1G\u001b[2K']).toContain(readTerminal().slice(-8));
    expect(lines).toHaveLength(1);
  });

  it('prints each log line whole, above itself', () => {
    progress.report('vault', step(0, 4_000));
    readTerminal();
    bar.write('{"level":30}\n');
    expect(readTerminal()).toBe('\r\u001b[2K{"level":30}\n\u001b7');
    bar.stop();
    readTerminal();
    bar.write('{"level":30}\n');
    expect(readTerminal()).toBe('{"level":30}\n');
  });

  it('is not created for a stream that is not a terminal', () => {
    expect(terminalBar(new PassThrough())).toBeNull();
  });
});
