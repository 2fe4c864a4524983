import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** In the units of `nice`: a higher number means a lower priority. */
const NICE_INCREMENT = 10;
const LOWEST_PRIORITY = 19;

/** The ids of all threads, because on Linux each thread has its own priority. On other systems only 0, for the whole process. */
function threadIds(): readonly number[] {
  try {
    return readdirSync('/proc/self/task').map(Number);
  } catch {
    return [0];
  }
}

/**
 * Lowers the priority of this process, so that programs that serve visitors run first. The indexer's backfill takes
 * minutes, and nobody waits for it. Call this once the program is ready: at a low priority, starting on a busy machine
 * takes longer than the supervisor waits. The lower priority applies to all threads, including later ones. If the
 * system does not allow the change, the priority stays the same.
 */
export function lowerPriority(): void {
  const priority = Math.min(LOWEST_PRIORITY, getPriority() + NICE_INCREMENT);
  for (const thread of threadIds()) {
    try {
      setPriority(thread, priority);
    } catch {
      // The thread has ended, or the system does not allow the change.
    }
  }
}
