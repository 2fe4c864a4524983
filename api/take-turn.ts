/** Milliseconds of work per turn of the event loop. Further work waits for a later turn. */
const TURN_MS = 10;

/** When this turn's time budget runs out, in monotonic milliseconds; null until the turn has run any work. */
let turnEndsAt: number | null = null;

/**
 * Runs work now, or in a later turn of the event loop if this turn has already taken too long. Between turns, the portal answers
 * requests for cached figures, which never wait for a turn.
 */
export function takeTurn(work: () => void): void {
  const now = performance.now();
  if (turnEndsAt === null) {
    turnEndsAt = now + TURN_MS;
    // Scheduled before the postponed work, so that the next turn starts with this reset.
    setImmediate(() => {
      turnEndsAt = null;
    });
  }
  if (now < turnEndsAt) work();
  else setImmediate(takeTurn, work);
}

/**
 * Resolves in a turn of the event loop that has time left. If several callers wait, each one runs its work before the next one
 * continues.
 */
export const waitForTurn = (): Promise<void> => new Promise((resolve) => setImmediate(takeTurn, resolve));
