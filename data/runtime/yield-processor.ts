import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** By how much a program that nobody waits for stands back, and the lowest priority there is (both as `nice` counts). */
const STEPS_BACK = 10;
const LOWEST = 19;

/** Where Linux tells the threads of this process, of which each has a priority of its own. */
const THREADS = '/proc/self/task';
/** This process, or this thread where threads are told apart. */
const SELF = 0;

function threads(): readonly number[] {
  try {
    return readdirSync(THREADS).map(Number);
  } catch {
    return [SELF];
  }
}

/**
 * Lets the programs that answer visitors go first where there is more to do than the processor has time for: a backfill
 * takes minutes, an answer is waited for. The threads that collect memory and write files stand back with the program;
 * those that they start later inherit it. Where the system does not allow it all programs stay equal.
 */
export function yieldProcessor(): void {
  const priority = Math.min(LOWEST, getPriority() + STEPS_BACK);
  for (const thread of threads()) {
    try {
      setPriority(thread, priority);
    } catch {
      // A thread that ended meanwhile, or a system that does not allow it: nothing is lost but the precedence.
    }
  }
}
