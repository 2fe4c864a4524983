/**
 * Makes time pass faster in this process, so that code that waits for seconds can be tested unchanged. Affects `setTimeout`,
 * `setInterval`, `Date.now` and `performance.now`, but not `node:timers/promises`, `AbortSignal.timeout`, SQLite or sockets.
 * While the process does not run, for example on a busy machine, hardly any time passes, so that a server in this process does
 * not seem to respond late.
 *
 * @param factor how many milliseconds pass in one real millisecond
 * @returns the real clock, and a function that restores it
 */
export function speedUpTime(factor: number): { readonly restore: () => void; readonly real: RealTime } {
  const real: RealTime = {
    setTimeout: globalThis.setTimeout,
    now: performance.now.bind(performance),
  };
  const { setInterval } = globalThis;
  const wallClock = Date.now;
  const startTimes = { monotonic: real.now(), wall: wallClock() };

  /** Real milliseconds that count as passed, up to the last tick. */
  let counted = 0;
  let tickedAt = real.now();
  const elapsed = (): number => counted + Math.min(real.now() - tickedAt, MAX_TICK_MS);
  const tickTimer = setInterval(() => {
    counted = elapsed();
    tickedAt = real.now();
  }, 1).unref();

  const setFastTimeout = (run: (...args: unknown[]) => void, milliseconds = 0, ...args: unknown[]) => {
    const due = elapsed() + milliseconds / factor;
    const timer = real.setTimeout(() => {
      // A timer may fire up to half a millisecond early.
      if (elapsed() < due - 0.5) timer.refresh();
      else run(...args);
    }, milliseconds / factor);
    return timer;
  };
  globalThis.setTimeout = Object.assign(setFastTimeout, real.setTimeout) as typeof globalThis.setTimeout;
  globalThis.setInterval = ((run: () => void, milliseconds = 0, ...args: []) =>
    setInterval(run, milliseconds / factor, ...args)) as typeof globalThis.setInterval;
  performance.now = () => startTimes.monotonic + elapsed() * factor;
  Date.now = () => Math.floor(startTimes.wall + elapsed() * factor);
  return {
    real,
    restore() {
      clearInterval(tickTimer);
      globalThis.setTimeout = real.setTimeout;
      globalThis.setInterval = setInterval;
      Reflect.deleteProperty(performance, 'now');
      Date.now = wallClock;
    },
  };
}

/** If the event loop is blocked for longer than this, only this many real milliseconds count as passed. */
const MAX_TICK_MS = 5;

export interface RealTime {
  readonly setTimeout: typeof globalThis.setTimeout;
  /** The time on the monotonic clock (ms). */
  now(): number;
}
