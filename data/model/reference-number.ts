/** A reference number: the day in UTC, then six digits, the first not zero. */
export const REFERENCE_NUMBER_PATTERN = /^BD-\d{8}-[1-9]\d{5}$/;

/** The reference numbers in a text that a person wrote, in upper or lower case. */
export const referencesIn = (text: string): readonly string[] =>
  text.match(/BD-\d{8}-[1-9]\d{5}/gi)?.map((match) => match.toUpperCase()) ?? [];

/** The range of the last six digits. */
export const REFERENCE_SERIALS = { from: 100_000, below: 1_000_000 } as const;

/**
 * `BD-YYYYMMDD-NNNNNN` for a time (Unix ms) and a serial drawn by the caller.
 * @throws {RangeError} when the serial is outside `REFERENCE_SERIALS`.
 */
export function referenceNumber(at: number, serial: number): string {
  const { from, below } = REFERENCE_SERIALS;
  if (!Number.isInteger(serial) || serial < from || serial >= below) {
    throw new RangeError(`A reference number ends with six digits from ${from} on, not with ${serial}.`);
  }
  return `BD-${new Date(at).toISOString().slice(0, 10).replaceAll('-', '')}-${serial}`;
}

const DAY_MS = 86_400_000;

/**
 * A client may propose a reference number. The proposal is accepted if it is well-formed and its date is at most one day before
 * or after the UTC date of `at`, because the client may be in a different time zone.
 * @param at Unix ms
 * @returns a function whose first call returns the accepted proposal; all other calls draw a number
 */
export function createReferenceSource(
  proposedNumber: string | undefined,
  at: number,
  draw: () => string,
): () => string {
  const dayPrefixes = [-1, 0, 1].map((offset) =>
    referenceNumber(at + offset * DAY_MS, REFERENCE_SERIALS.from).slice(0, 12),
  );
  const isAcceptable =
    proposedNumber !== undefined &&
    REFERENCE_NUMBER_PATTERN.test(proposedNumber) &&
    dayPrefixes.includes(proposedNumber.slice(0, 12));
  let unusedProposal = isAcceptable ? proposedNumber : null;
  return () => {
    const referenceNumber = unusedProposal ?? draw();
    unusedProposal = null;
    return referenceNumber;
  };
}
