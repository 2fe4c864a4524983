import { useEffect, useState } from 'react';

/** A wait that the server asked for. */
export interface Wait {
  /** Whole seconds that are left of it; 0 when it is over. */
  readonly left: number;
  /** @param seconds null ends one that is under way */
  readonly begin: (seconds: number | null) => void;
}

/** Counts a wait down, second by second. */
export function useWait(): Wait {
  // Unix milliseconds.
  const [wait, setWait] = useState({ until: 0, now: 0 });
  const left = Math.max(0, Math.ceil((wait.until - wait.now) / 1_000));
  const isWaiting = left > 0;
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => setWait(({ until }) => ({ until, now: Date.now() })), 1_000);
    return () => clearInterval(timer);
  }, [isWaiting]);
  return {
    left,
    begin: (seconds) => {
      const now = Date.now();
      setWait({ until: now + (seconds ?? 0) * 1_000, now });
    },
  };
}

/** A wait for reading: `'45 s'`, `'2 min'`, `'14 min 5 s'`. */
export function waitText(seconds: number): string {
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  return [minutes > 0 ? `${minutes} min` : '', rest > 0 || minutes === 0 ? `${rest} s` : '']
    .filter(Boolean)
    .join(' ');
}
