import { SERVICE_TIMES } from '../../../data/model/service-times.ts';

/** Seconds after which a check takes longer than usual. */
export const SLOW_AFTER = 20;

export type Waiting =
  | 'usual'
  | 'slow'
  /** Longer than a check may take: whoever waits is offered a way out. */
  | 'too-long';

/** How long a check has been waited for, from the whole seconds since it began. */
export function waitingAfter(seconds: number): Waiting {
  if (seconds >= SERVICE_TIMES.verificationSeconds) return 'too-long';
  return seconds >= SLOW_AFTER ? 'slow' : 'usual';
}

/** Whole seconds between two moments (Unix ms); a clock that was set back meanwhile counts as none. */
export function secondsSince(startedAt: number, now: number): number {
  return Math.max(0, Math.floor((now - startedAt) / 1_000));
}
