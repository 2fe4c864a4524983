const TIME_DIGITS = 12;

/**
 * An id for a row made at a moment (Unix ms): a UUID of version 7, whose first 48 bits are the time and whose 74 others
 * but its version are random. Rows that come one after the other stand side by side in the index of their ids, so that a
 * commit writes its last page instead of one anywhere for each row.
 */
export function rowId(at: number): string {
  const time = at.toString(16).padStart(TIME_DIGITS, '0');
  // The variant and all that is random are as in a UUID of version 4.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}
