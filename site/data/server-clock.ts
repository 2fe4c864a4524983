interface ServerClockParts {
  /** This machine's time, Unix ms. */
  readonly localNow: () => number;
}

/** A difference (ms) that a slow answer or a whole-second header can explain. */
const TOLERANCE = 2_000;

/** The time by which ages are counted: the server's, since a visitor's clock may be wrong by minutes. */
export interface ServerClock {
  /** Unix ms; this machine's own time until the server was heard. */
  readonly now: () => number;
  /** Takes the server's time (Unix ms) from a message that just arrived. @returns whether the clock was set by it. */
  readonly hear: (serverNow: number) => boolean;
}

/** A clock that keeps the server's time by its distance from this machine's. */
export function createServerClock({ localNow }: ServerClockParts): ServerClock {
  let offset: number | null = null;
  let wasBehind = false;
  return {
    now: () => localNow() + (offset ?? 0),
    hear: (serverNow) => {
      if (!Number.isFinite(serverNow)) return false;
      const heard = serverNow - localNow();
      // A message is never early: the one that puts the server furthest ahead was the least delayed. One that puts it
      // far behind was held up, unless the next one says the same: then this machine's clock was set.
      const isBehind = offset !== null && heard < offset - TOLERANCE;
      const isTaken = offset === null || heard > offset || (isBehind && wasBehind);
      wasBehind = isBehind && !isTaken;
      if (isTaken) offset = heard;
      return isTaken;
    },
  };
}

export const serverClock = createServerClock({ localNow: () => Date.now() });
