import { createTask } from 'node-cron';
import { StartError } from './exit-codes.ts';
import type { Logger } from './log.ts';

export interface Job {
  readonly name: string;
  /** Five cron fields, in UTC. */
  readonly cronPattern: string;
  /** Runs the job once. Must end soon after the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

interface Schedule {
  /** Runs a job now, in addition to its schedule, unless it is running already. */
  runNow(job: Job): void;
  /**
   * Resolves once the signal has aborted and the running jobs have ended.
   * @throws {StartError} when a job throws one, because the program cannot continue
   */
  readonly ended: Promise<void>;
}

/**
 * `longestGap` compares runs over at least this time (ms), unless that takes more than `MOST_RUNS` runs. The time is more than a
 * week, because some patterns run only on certain weekdays.
 */
const MIN_COMPARED_SPAN_MS = 8 * 86_400_000;
const FEWEST_RUNS = 9;
/** Finding this many runs takes about a second. */
const MOST_RUNS = FEWEST_RUNS * 4 ** 4;

/**
 * How often (ms) a schedule checks the clock. If the clock was set forward or back by more than this time, each task
 * recomputes its next run.
 */
const CLOCK_CHECK_MS = 60_000;

/** The longest gap (ms) between two consecutive runs of a pattern. This can take about a second, so call it once. */
export function longestGap(cronPattern: string): number {
  const task = createTask(cronPattern, () => {}, { timezone: 'UTC' });
  let runs: readonly Date[] = [];
  const span = () => (runs.at(-1)?.getTime() ?? 0) - (runs[0]?.getTime() ?? 0);
  for (let count = FEWEST_RUNS; count <= MOST_RUNS && span() < MIN_COMPARED_SPAN_MS; count *= 4) {
    runs = task.getNextRuns(count);
  }
  return Math.max(0, ...runs.slice(1).map((run, index) => run.getTime() - (runs[index]?.getTime() ?? 0)));
}

/**
 * Runs jobs on their schedules until the signal aborts. A run is skipped if its job is still running. If a job fails several
 * times in a row with the same message, only the first failure is logged. A failure does not affect other jobs.
 */
export function startSchedule(options: {
  readonly jobs: readonly Job[];
  readonly log: Logger;
  readonly signal: AbortSignal;
}): Schedule {
  const { jobs, log, signal } = options;
  const running = new Map<Job, Promise<void>>();
  const errorByJob = new Map<Job, string>();
  const end = Promise.withResolvers<void>();

  const runOnce = async (job: Job): Promise<void> => {
    try {
      await job.run(signal);
      if (errorByJob.delete(job)) log.info({ job: job.name }, 'a scheduled job works again');
    } catch (error) {
      // A failure of an aborted job is expected.
      if (signal.aborted) return;
      if (error instanceof StartError) {
        end.reject(error);
        return;
      }
      const message = error instanceof Error ? error.message : String(error);
      if (errorByJob.get(job) === message) return;
      errorByJob.set(job, message);
      log.error({ job: job.name, err: error }, 'a scheduled job failed; it runs again when it is due');
    }
  };
  const runNow = (job: Job): void => {
    if (signal.aborted || running.has(job)) return;
    running.set(
      job,
      runOnce(job).finally(() => running.delete(job)),
    );
  };

  const tasks = jobs.map((job) =>
    createTask(job.cronPattern, () => runNow(job), {
      name: job.name,
      timezone: 'UTC',
      unref: true,
      suppressMissedWarning: true,
    }),
  );
  let lastCheckedAt = Date.now();
  const clockTimer = setInterval(() => {
    const now = Date.now();
    if (Math.abs(now - lastCheckedAt - CLOCK_CHECK_MS) > CLOCK_CHECK_MS) {
      for (const task of tasks) {
        void task.stop();
        void task.start();
      }
    }
    lastCheckedAt = now;
  }, CLOCK_CHECK_MS).unref();
  const stop = (): void => {
    clearInterval(clockTimer);
    for (const task of tasks) void task.destroy();
    Promise.all(running.values()).then(() => end.resolve(), end.reject);
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  else for (const task of tasks) void task.start();
  return { runNow, ended: end.promise };
}

/**
 * Runs one job on its schedule and, by default, also immediately.
 * @returns a function that ends the schedule, aborts the current run and waits for it to end
 */
export function startJob(job: Job, log: Logger, { runsNow = true } = {}): () => Promise<void> {
  const stopController = new AbortController();
  const schedule = startSchedule({ jobs: [job], log, signal: stopController.signal });
  if (runsNow) schedule.runNow(job);
  return async () => {
    stopController.abort();
    await schedule.ended;
  };
}
