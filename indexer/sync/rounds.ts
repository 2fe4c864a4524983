import { StartError } from '../../data/runtime/exit-codes.ts';
import type { Logger } from '../../data/runtime/log.ts';
import { pauseOrStop } from '../pause.ts';
import { backoffDelay } from '../rpc/backoff.ts';
import { RetryableRpcError, RpcRequestError } from '../rpc/rpc-errors.ts';

/**
 * The longest pause after failures in a row: short, since the parts that work pause with the one that fails.
 */
const LONGEST_PAUSE_MS = 3_000;

export interface Round {
  /** More is known to be there. */
  readonly isBehind: boolean;
  /** Failures in a row of the part that failed most often. */
  readonly failures: number;
}

/** Repeats a round every `pollMs`, or at once while it is behind, until the signal aborts. */
export async function repeatRounds(
  round: () => Promise<Round>,
  pollMs: number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const startedAt = performance.now();
    const { isBehind, failures } = await round();
    if (isBehind && failures === 0) continue;
    const backoff = failures === 0 ? 0 : backoffDelay(failures, Math.random, { longestMs: LONGEST_PAUSE_MS });
    await pauseOrStop(Math.max(0, startedAt + Math.max(pollMs, backoff) - performance.now()), signal);
  }
}

export interface Guard {
  /** Failures in a row of the part that failed most often. */
  failuresInARow(): number;
  /**
   * Does a part of the work; what fails in it is told and goes no further.
   * @throws {StartError} where the program cannot go on
   */
  guarded<T>(part: string, work: () => Promise<T>): Promise<T | undefined>;
}

/** Runs parts of the work so that what fails in one is told and tried again. */
export function createGuard({ log, signal }: { readonly log: Logger; readonly signal: AbortSignal }): Guard {
  const faults = faultReporter(log);
  return {
    failuresInARow: faults.inARow,
    async guarded(part, work) {
      try {
        const result = await work();
        faults.clear(part);
        return result;
      } catch (error) {
        if (error instanceof StartError) throw error;
        // Told to stop: what was under way ended with the signal, which is no fault.
        if (!signal.aborted) faults.tell(part, error);
        return undefined;
      }
    },
  };
}

/** Tells a fault once while it lasts, and when it is over. */
function faultReporter(log: Logger) {
  const standing = new Map<string, { kind: string; times: number }>();
  return {
    tell(part: string, error: unknown): void {
      const message = error instanceof Error ? error.message : String(error);
      const before = standing.get(part);
      // Endpoints word one trouble in many ways; what they mean by it is one.
      const kind = error instanceof RetryableRpcError ? `${error.fault} ${error.code}` : message;
      standing.set(part, { kind, times: (before?.times ?? 0) + 1 });
      if (before?.kind === kind) return;
      // What the chain's endpoints do needs no stack; anything else may be a fault of the program.
      const isOutside = error instanceof RetryableRpcError || error instanceof RpcRequestError;
      if (isOutside) log.warn({ part, reason: message }, 'a part of indexing failed; it is tried again');
      else log.error({ part, err: error }, 'a part of indexing failed; it is tried again');
    },
    clear(part: string): void {
      if (standing.delete(part)) log.info({ part }, 'works again');
    },
    inARow: (): number => Math.max(0, ...[...standing.values()].map(({ times }) => times)),
  };
}
