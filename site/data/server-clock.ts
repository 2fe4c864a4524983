/** How late a measured time can be, in milliseconds: responses are slow, and headers give whole seconds. */
const TOLERANCE_MS = 2_000;

/**
 * The server's time. Ages are computed from it, because a visitor's clock may be minutes off.
 * @param localNow this device's time, Unix ms
 */
export function createServerClock(localNow: () => number) {
  let offsetMs: number | null = null;
  let wasBehind = false;
  return {
    /** Unix ms. Until the first sync, this device's own time. */
    now: () => localNow() + (offsetMs ?? 0),
    /** Syncs with the server's time (Unix ms) in a message that just arrived. @returns whether the clock changed */
    sync: (serverNow: number): boolean => {
      if (!Number.isFinite(serverNow)) return false;
      const measured = serverNow - localNow();
      // The offset is the server's time minus this device's time. A delayed message only makes the offset smaller, so the
      // largest offset is the most accurate. A much smaller offset comes from a delayed message. Two in a row mean that this
      // device's clock was changed.
      const isBehind = offsetMs !== null && measured < offsetMs - TOLERANCE_MS;
      const isAccepted = offsetMs === null || measured > offsetMs || (isBehind && wasBehind);
      wasBehind = isBehind && !isAccepted;
      if (isAccepted) offsetMs = measured;
      return isAccepted;
    },
  };
}

export const serverClock = createServerClock(() => Date.now());
