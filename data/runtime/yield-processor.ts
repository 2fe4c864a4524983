import { getPriority, setPriority } from 'node:os';

/** By how much a program that nobody waits for stands back, and the lowest priority there is (both as `nice` counts). */
const STEPS_BACK = 10;
const LOWEST = 19;

/**
 * Lets the programs that answer visitors go first where there is more to do than the processor has time for: a backfill
 * takes minutes, an answer is waited for. Where the system does not allow it all programs stay equal.
 */
export function yieldProcessor(): void {
  try {
    setPriority(Math.min(LOWEST, getPriority() + STEPS_BACK));
  } catch {
    // Nothing is lost but the precedence.
  }
}
