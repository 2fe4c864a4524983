/**
 * Makes time pass faster in this process, so that code that waits for seconds can be tested unchanged. Affects `setTimeout`,
 * `setInterval`, `Date.now` and `performance.now`, but not `node:timers/promises`, `AbortSignal.timeout`, SQLite or sockets.
 *
 * @param factor milliseconds that pass in each real millisecond
 * @returns the real clock, and a function that restores it
 */
export function speedUpTime(factor: number): { readonly restore: () => void; readonly real: RealTime } {
  const real: RealTime = {
    setTimeout: globalThis.setTimeout,
    now: performance.now.bind(performance),
  };
  const { setInterval } = globalThis;
  const wallClock = Date.now;
  const began = { monotonic: real.now(), wall: wallClock() };

  const faster = <Timer extends typeof globalThis.setTimeout | typeof globalThis.setInterval>(timer: Timer) =>
    ((run: () => void, milliseconds = 0, ...args: []) =>
      timer(run, milliseconds / factor, ...args)) as unknown as Timer;
  globalThis.setTimeout = Object.assign(faster(real.setTimeout), real.setTimeout);
  globalThis.setInterval = faster(setInterval);
  performance.now = () => began.monotonic + (real.now() - began.monotonic) * factor;
  Date.now = () => Math.floor(began.wall + (wallClock() - began.wall) * factor);
  return {
    real,
    restore() {
      globalThis.setTimeout = real.setTimeout;
      globalThis.setInterval = setInterval;
      Reflect.deleteProperty(performance, 'now');
      Date.now = wallClock;
    },
  };
}

export interface RealTime {
  readonly setTimeout: typeof globalThis.setTimeout;
  /** Milliseconds of the monotonic clock. */
  now(): number;
}
