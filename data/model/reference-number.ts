/** How a reference number is written: the day in UTC, then six digits that begin with no zero. */
export const REFERENCE_NUMBER = /^BD-\d{8}-[1-9]\d{5}$/;

/** The numbers that a day's reference can end with: from the first, below the second. */
export const REFERENCE_SERIALS = { from: 100_000, below: 1_000_000 } as const;

/**
 * `BD-YYYYMMDD-NNNNNN` of a moment (Unix ms) and a number drawn by the caller.
 * @throws {RangeError} where the number is outside `REFERENCE_SERIALS`.
 */
export function referenceNumber(at: number, serial: number): string {
  const { from, below } = REFERENCE_SERIALS;
  if (!Number.isInteger(serial) || serial < from || serial >= below) {
    throw new RangeError(`A reference number ends with six digits from ${from} on, not with ${serial}.`);
  }
  return `BD-${new Date(at).toISOString().slice(0, 10).replaceAll('-', '')}-${serial}`;
}
