/**
 * An id for a row that is created at `at` (Unix ms): a version 7 UUID, which contains a 48-bit timestamp and 74 random bits.
 * Consecutive ids are adjacent in the index, so a commit writes one page of the index rather than a random page for each row.
 */
export function rowId(at: number): string {
  const time = at.toString(16).padStart(12, '0');
  // The variant and the random bits come from a version 4 UUID.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}
