import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';

/**
 * For tests: makes this process's time pass faster, so that code which waits seconds between two tries is tested as it
 * is, without its waits. Covers `setTimeout`, `setInterval`, those of `node:timers/promises`, `Date.now` and
 * `performance.now`; not `AbortSignal.timeout`, nor what SQLite and sockets wait for.
 *
 * @param factor milliseconds that pass in one of the wall clock
 * @returns puts time back, and what waits on the wall clock meanwhile
 */
export function speedUpTime(factor: number): { readonly restore: () => void; readonly real: RealTime } {
  const real: RealTime = {
    setTimeout: globalThis.setTimeout,
    now: performance.now.bind(performance),
  };
  const { setInterval } = globalThis;
  const { setTimeout: sleep } = timersPromises;
  const wallClock = Date.now;
  const began = { steady: real.now(), wall: wallClock() };

  const faster = <Timer extends typeof globalThis.setTimeout | typeof globalThis.setInterval>(timer: Timer) =>
    ((run: () => void, milliseconds = 0, ...args: []) =>
      timer(run, milliseconds / factor, ...args)) as unknown as Timer;
  globalThis.setTimeout = Object.assign(faster(real.setTimeout), real.setTimeout);
  globalThis.setInterval = faster(setInterval);
  timersPromises.setTimeout = (milliseconds = 0, ...args) => sleep(milliseconds / factor, ...args);
  performance.now = () => began.steady + (real.now() - began.steady) * factor;
  Date.now = () => Math.floor(began.wall + (wallClock() - began.wall) * factor);
  syncBuiltinESMExports();
  return {
    real,
    restore() {
      globalThis.setTimeout = real.setTimeout;
      globalThis.setInterval = setInterval;
      timersPromises.setTimeout = sleep;
      Reflect.deleteProperty(performance, 'now');
      Date.now = wallClock;
      syncBuiltinESMExports();
    },
  };
}

export interface RealTime {
  readonly setTimeout: typeof globalThis.setTimeout;
  /** Milliseconds of the steady clock. */
  now(): number;
}
