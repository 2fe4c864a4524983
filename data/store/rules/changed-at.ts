/** Returns the time of a change. The time identifies a state of the row, so it grows even if the clock goes back. */
export const nextChangedAt = (changedAt: number, at: number): number => Math.max(at, changedAt + 1);
