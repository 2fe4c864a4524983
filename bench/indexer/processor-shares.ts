import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/**
 * Which processors the endpoint runs on and which the program that is measured, so that both have as much in every
 * round: an endpoint is another machine, and must not be slower where the program has more to do.
 */
export interface ProcessorShares {
  /** As `taskset` lists them. */
  readonly endpoint: string;
  readonly measured: string;
}

/** One processor for the endpoint, the others for what is measured; null where the system cannot give them. */
export function processorShares(): ProcessorShares | null {
  const last = availableParallelism() - 1;
  if (last < 1) return null;
  const shares = { endpoint: '0', measured: last === 1 ? '1' : `1-${last}` };
  const isGiven = Object.values(shares).every(
    (list) => spawnSync('taskset', ['-c', list, process.execPath, '--version']).status === 0,
  );
  return isGiven ? shares : null;
}

/** A command that keeps to some processors. */
export function commandOn(processors: string | undefined, command: readonly string[]): readonly string[] {
  return processors === undefined ? command : ['taskset', '-c', processors, ...command];
}
