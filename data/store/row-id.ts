/**
 * An id for a row that is created at `at` (Unix ms): a UUID of version 7, which has 48 bits of time followed by 74 random
 * bits. Consecutive ids are adjacent in the index, so a commit writes one page of the index, not a random page for each row.
 */
export function rowId(at: number): string {
  const time = at.toString(16).padStart(12, '0');
  // The variant and the random bits come from a UUID of version 4.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}
