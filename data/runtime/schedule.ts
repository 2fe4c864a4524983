import { createTask } from 'node-cron';
import { StartError } from './exit-codes.ts';
import type { Logger } from './log.ts';

/** Something to be done again and again. */
export interface Job {
  readonly name: string;
  /** When, in cron's five fields, by UTC. */
  readonly pattern: string;
  /** Does it once; ends soon where the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

export interface Schedule {
  /** Does a job at once, beside its schedule; nothing where it is being done. */
  runNow(job: Job): void;
  /**
   * Ends when the signal has aborted and what was being done has ended.
   * @throws {StartError} where a job says that the program cannot go on
   */
  readonly ended: Promise<void>;
}

/**
 * Does jobs on their schedules until the signal aborts. A job is never done twice at a time: what comes due meanwhile
 * is left out. One that fails is told once while it fails alike, keeps no other from its work, and comes due again.
 */
export function startSchedule(options: {
  readonly jobs: readonly Job[];
  readonly log: Logger;
  readonly signal: AbortSignal;
}): Schedule {
  const { jobs, log, signal } = options;
  const running = new Map<Job, Promise<void>>();
  const failing = new Map<Job, string>();
  const end = Promise.withResolvers<void>();

  const runOnce = async (job: Job): Promise<void> => {
    try {
      await job.run(signal);
      if (failing.delete(job)) log.info({ job: job.name }, 'a scheduled job works again');
    } catch (error) {
      // Told to stop: what was under way ended with the signal, which is no fault.
      if (signal.aborted) return;
      if (error instanceof StartError) {
        end.reject(error);
        return;
      }
      const message = error instanceof Error ? error.message : String(error);
      if (failing.get(job) === message) return;
      failing.set(job, message);
      log.error({ job: job.name, err: error }, 'a scheduled job failed; it is done again when it comes due');
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
    createTask(job.pattern, () => runNow(job), {
      name: job.name,
      timezone: 'UTC',
      unref: true,
      suppressMissedWarning: true,
    }),
  );
  const stop = (): void => {
    for (const task of tasks) void task.destroy();
    Promise.all(running.values()).then(() => end.resolve(), end.reject);
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  else for (const task of tasks) void task.start();
  return { runNow, ended: end.promise };
}
