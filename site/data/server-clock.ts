import { FRESHNESS } from '../../data/model/value-state.ts';

interface ServerClockParts {
  /** This machine's time, Unix ms. */
  readonly localNow: () => number;
  /** The server's time, Unix ms; null where it cannot be had. */
  readonly askServer: () => Promise<number | null>;
}

/** A difference that a slow answer or a whole-second header can explain is no difference. */
const TOLERANCE = 5_000;

/** The time by which ages are counted. */
export interface ServerClock {
  /** Unix ms. */
  readonly now: () => number;
  /**
   * Compares a moment just reported by the server with this machine's time. Where one of the two must be wrong, the
   * server is asked for its time, once: else a visitor whose clock is off would see every figure called stale.
   */
  readonly check: (reportedAt: number) => Promise<void>;
}

/** A clock that follows this machine until it is shown to be wrong. */
export function createServerClock({ localNow, askServer }: ServerClockParts): ServerClock {
  let offset = 0;
  let asked = false;
  return {
    now: () => localNow() + offset,
    check: async (reportedAt) => {
      const age = localNow() - reportedAt;
      if (asked || (age > -TOLERANCE && age < FRESHNESS.chain.limit)) return;
      asked = true;
      const serverNow = await askServer();
      if (serverNow === null) return;
      const difference = serverNow - localNow();
      if (Math.abs(difference) > TOLERANCE) offset = difference;
    },
  };
}

/** Reads the server's time (Unix ms, whole seconds) from the head of a page; null where it cannot be had. */
async function readServerTime(): Promise<number | null> {
  try {
    const response = await fetch('/', { method: 'HEAD', cache: 'no-store' });
    const time = Date.parse(response.headers.get('date') ?? '');
    return Number.isNaN(time) ? null : time;
  } catch {
    return null;
  }
}

export const serverClock = createServerClock({ localNow: Date.now, askServer: readServerTime });
