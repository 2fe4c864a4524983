import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** By how much the priority is lowered, and the lowest priority (as `nice` counts). */
const LOWERED_BY = 10;
const LOWEST = 19;

/** Linux lists the threads of this process here. Each has its own priority. */
const THREADS = '/proc/self/task';
/** This process, or this thread if the system distinguishes threads. */
const SELF = 0;

function threads(): readonly number[] {
  try {
    return readdirSync(THREADS).map(Number);
  } catch {
    return [SELF];
  }
}

/**
 * Lowers the priority of this process, so that programs that serve visitors go first: a backfill takes minutes, and nobody
 * waits for it. All threads are lowered, including those that collect garbage and write files; later threads inherit it.
 * If the system does not allow it, all programs stay equal.
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
