/** The time to store for a change. It identifies a state of the row, so it increases even if the clock goes back. */
export const nextChangedAt = (changedAt: number, at: number): number => Math.max(at, changedAt + 1);
