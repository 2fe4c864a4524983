/** Milliseconds by which a slow response or a header in whole seconds can be off. */
const TOLERANCE = 2_000;

/** The server's time. Ages count from it, because a visitor's clock may be minutes off. */
interface ServerClock {
  /** Unix ms. This device's own time until the first sync. */
  readonly now: () => number;
  /** Syncs with the server's time (Unix ms) of a message that just arrived. @returns whether it changed the clock. */
  readonly sync: (serverNow: number) => boolean;
}

/** @param localNow this device's time, Unix ms */
export function createServerClock(localNow: () => number): ServerClock {
  let offset: number | null = null;
  let wasBehind = false;
  return {
    now: () => localNow() + (offset ?? 0),
    sync: (serverNow) => {
      if (!Number.isFinite(serverNow)) return false;
      const measured = serverNow - localNow();
      // Messages are only ever late: the largest offset comes from the least delayed one. A much smaller offset is a
      // delayed message, unless the next one confirms it: then this device's clock was changed.
      const isBehind = offset !== null && measured < offset - TOLERANCE;
      const isAccepted = offset === null || measured > offset || (isBehind && wasBehind);
      wasBehind = isBehind && !isAccepted;
      if (isAccepted) offset = measured;
      return isAccepted;
    },
  };
}

export const serverClock = createServerClock(() => Date.now());
