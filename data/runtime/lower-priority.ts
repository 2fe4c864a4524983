import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** In the units of `nice`: a higher number is a lower priority. */
const LOWERED_BY = 10;
const LOWEST = 19;

/** The ids to set the priority of. On Linux, each thread has its own priority; on other systems, 0 means the whole process. */
function threads(): readonly number[] {
  try {
    return readdirSync('/proc/self/task').map(Number);
  } catch {
    return [0];
  }
}

/**
 * Lowers the priority of this process, so that programs that serve visitors run first: a backfill takes minutes, and nobody waits
 * for it. Call it once the program is ready: on a busy machine, starting with a low priority takes longer than the supervisor
 * waits. The lower priority applies to all threads, including those that collect garbage and write files. Later threads inherit
 * it. If the system does not allow this, the priority stays the same.
 */
export function lowerPriority(): void {
  const priority = Math.min(LOWEST, getPriority() + LOWERED_BY);
  for (const thread of threads()) {
    try {
      setPriority(thread, priority);
    } catch {
      // The thread has ended, or the system does not allow it.
    }
  }
}
