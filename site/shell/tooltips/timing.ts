/** Milliseconds that a pointer rests before the first tooltip opens. */
const DELAY = 700;
/** Milliseconds after one closed within which the next opens at once. */
const SKIP_DELAY = 300;

/** Milliseconds to wait before a tooltip opens, `sinceClosed` milliseconds after the one before (null: none was). */
export function openDelay(sinceClosed: number | null): number {
  return sinceClosed !== null && sinceClosed <= SKIP_DELAY ? 0 : DELAY;
}
