import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EXIT, StartError } from './exit-codes.ts';
import { type Job, longestGap, startSchedule } from './schedule.ts';

const MINUTE_MS = 60_000;

beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 0, 15, 12, 0, 30) }));
afterEach(() => void vi.useRealTimers());

function startJobs(jobs: readonly Job[]) {
  const controller = new AbortController();
  const levels: number[] = [];
  const write = (line: string) => void levels.push(JSON.parse(line).level);
  const schedule = startSchedule({ jobs, log: pino({}, { write }), signal: controller.signal });
  return { ...schedule, levels, stop: () => controller.abort(new Error('stopping')) };
}

describe('the longest time between two runs', () => {
  it.each([
    ['0 3 * * *', 24],
    ['0 9-17 * * *', 16],
    ['*/30 8-18 * * *', 13.5],
    ['*/20 8-18 * * 1-5', 61 + 1 / 3],
    ['0 9-17 1 * *', 30 * 24 + 16],
  ])('of %s is %d hours, regardless of the current time', (pattern, hours) => {
    for (const hour of [9, 20]) {
      vi.setSystemTime(Date.UTC(2026, 0, 15, hour, 16));
      expect(longestGap(pattern) / (60 * MINUTE_MS)).toBeCloseTo(hours);
    }
  });
});

describe('the schedule', () => {
  it('runs a job at its scheduled times, but not after the signal aborts', async () => {
    const moments: string[] = [];
    const run = async () => void moments.push(new Date().toISOString().slice(11, 16));
    const { stop, ended } = startJobs([{ name: 'check', cronPattern: '*/5 * * * *', run }]);
    await vi.advanceTimersByTimeAsync(11 * MINUTE_MS);
    expect(moments).toEqual(['12:05', '12:10']);
    stop();
    await vi.advanceTimersByTimeAsync(30 * MINUTE_MS);
    await ended;
    expect(moments).toHaveLength(2);
  });

  it('keeps running a job when the clock is set back', async () => {
    const run = vi.fn().mockResolvedValue(undefined);
    const { stop } = startJobs([{ name: 'check', cronPattern: '*/5 * * * *', run }]);
    await vi.advanceTimersByTimeAsync(11 * MINUTE_MS);
    expect(run).toHaveBeenCalledTimes(2);
    vi.setSystemTime(Date.now() - 17 * 86_400_000);
    await vi.advanceTimersByTimeAsync(10 * MINUTE_MS);
    expect(run).toHaveBeenCalledTimes(4);
    stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('skips no run of a daily job after the clock is set forward, such as when a suspended machine resumes', async () => {
    const run = vi.fn().mockResolvedValue(undefined);
    const { stop } = startJobs([{ name: 'backup', cronPattern: '17 3 * * *', run }]);
    vi.setSystemTime(Date.now() + 10 * 60 * MINUTE_MS);
    await vi.advanceTimersByTimeAsync(6 * 60 * MINUTE_MS);
    expect(run).toHaveBeenCalledTimes(1);
    stop();
  });

  it('never runs a job twice at the same time, whether scheduled or started directly', async () => {
    let runningCount = 0;
    let maxRunning = 0;
    let runs = 0;
    const job: Job = {
      name: 'slow',
      cronPattern: '* * * * *',
      async run() {
        runs += 1;
        runningCount += 1;
        maxRunning = Math.max(maxRunning, runningCount);
        await new Promise((resolve) => setTimeout(resolve, 2.5 * MINUTE_MS));
        runningCount -= 1;
      },
    };
    const { runNow, stop } = startJobs([job]);
    runNow(job);
    runNow(job);
    await vi.advanceTimersByTimeAsync(10 * MINUTE_MS);
    stop();
    expect(maxRunning).toBe(1);
    expect(runs).toBeGreaterThan(2);
  });

  it('ends after the running jobs have ended', async () => {
    const work = Promise.withResolvers<void>();
    const job: Job = { name: 'long', cronPattern: '0 * * * *', run: () => work.promise };
    const { runNow, stop, ended } = startJobs([job]);
    runNow(job);
    const onEnd = vi.fn();
    const end = ended.then(onEnd);
    stop();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(onEnd).not.toHaveBeenCalled();
    work.resolve();
    await end;
  });

  it('logs a repeated failure once and the recovery once, and keeps running every job', async () => {
    const failingRun = vi.fn().mockRejectedValue(new Error('no disk'));
    const succeedingRun = vi.fn().mockResolvedValue(undefined);
    const pattern = '* * * * *';
    const { levels, stop } = startJobs([
      { name: 'breaks', cronPattern: pattern, run: failingRun },
      { name: 'works', cronPattern: pattern, run: succeedingRun },
    ]);
    await vi.advanceTimersByTimeAsync(3 * MINUTE_MS);
    failingRun.mockResolvedValue(undefined);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    stop();
    expect(succeedingRun).toHaveBeenCalledTimes(4);
    const { error, info } = pino.levels.values;
    expect(levels).toEqual([error, info]);
  });

  it('rejects when a job throws a StartError', async () => {
    const error = new StartError('index.db is damaged', EXIT.tryAgain);
    const job: Job = { name: 'dies', cronPattern: '0 * * * *', run: () => Promise.reject(error) };
    const { runNow, ended } = startJobs([job]);
    const end = expect(ended).rejects.toBe(error);
    runNow(job);
    await end;
  });
});
