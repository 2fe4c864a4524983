/** Lets waiters sleep until a moment, or until somebody says that what they wait for may have come. */
export interface WakeUp {
  /** Sleeps; at most half a minute. @throws the signal's reason where it aborts meanwhile */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** Wakes all who sleep. */
  wake(): void;
}

const LONGEST_SLEEP_MS = 30_000;

export function createWakeUp(): WakeUp {
  const sleepers = new Set<() => void>();
  return {
    sleep: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const end = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', stop);
          sleepers.delete(rise);
        };
        const rise = (): void => {
          end();
          resolve();
        };
        const stop = (): void => {
          end();
          reject(signal.reason);
        };
        const timer = setTimeout(rise, Math.min(LONGEST_SLEEP_MS, Math.max(1, milliseconds)));
        signal.addEventListener('abort', stop, { once: true });
        sleepers.add(rise);
      }),
    wake() {
      for (const rise of [...sleepers]) rise();
    },
  };
}
