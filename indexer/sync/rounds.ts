import { StartError } from '../../data/runtime/exit-codes.ts';
import type { Logger } from '../../data/runtime/log.ts';
import { runTraced } from '../../data/runtime/tracing.ts';
import { backoffDelayMs, createInterruptibleSleep, pauseOrStop } from '../pause.ts';
import { RetryableRpcError, RpcRequestError } from '../rpc/rpc-errors.ts';

/** The longest backoff in milliseconds. It is short, because the whole round waits if one of its parts fails. */
const MAX_PAUSE_MS = 3_000;

export interface RoundResult {
  /** Whether there is more to read. */
  readonly isBehind: boolean;
  /** The most consecutive failures of any part; 0 if no part is failing. */
  readonly failureCount: number;
}

export type RoundTrigger = ReturnType<typeof createRoundTrigger>;

/** Creates a trigger that starts the next round early. It can fire at any time, even during a round. */
export function createRoundTrigger() {
  const { sleep, wake } = createInterruptibleSleep();
  let isTriggered = false;
  return {
    trigger(): void {
      isTriggered = true;
      wake();
    },
    /**
     * Waits until the trigger fires, the time has passed, or the signal aborts, but at most half a minute. Returns
     * immediately if the trigger fired since the last wait.
     */
    async wait(milliseconds: number, signal: AbortSignal): Promise<void> {
      if (!isTriggered) await sleep(milliseconds, signal).catch(() => {});
      isTriggered = false;
    },
  };
}

/**
 * Repeats a round until the signal aborts. The next round starts after `intervalMs`, earlier if triggered, and immediately if
 * more is left to read and no part failed. After a failure, the next round does not start before the backoff is over.
 * @param options.name the name of a round in traces
 * @param options.intervalMs milliseconds between the starts of two rounds
 * @param options.minIntervalMs the shortest time (ms) from the start of a round to the start of a triggered one
 */
export async function repeatRounds(
  round: () => Promise<RoundResult>,
  options: {
    readonly name: string;
    readonly intervalMs: () => number;
    readonly minIntervalMs: number;
    readonly trigger: RoundTrigger;
  },
  signal: AbortSignal,
): Promise<void> {
  const { name, intervalMs, minIntervalMs, trigger } = options;
  while (!signal.aborted) {
    const startedAt = performance.now();
    const { isBehind, failureCount } = await runTraced({ name }, async (span) => {
      const done = await round();
      if (done.failureCount > 0) span.fail('part-failed');
      return done;
    });
    if (isBehind && failureCount === 0) continue;
    const backoffMs =
      failureCount === 0 ? 0 : backoffDelayMs(failureCount, Math.random, { longestMs: MAX_PAUSE_MS });
    const untilMs = (milliseconds: number): number =>
      Math.max(0, startedAt + Math.max(milliseconds, backoffMs) - performance.now());
    await pauseOrStop(untilMs(minIntervalMs), signal);
    await trigger.wait(untilMs(intervalMs()), signal);
  }
}

/** Prevents a failure in one part of the work from stopping the other parts. A lasting failure is logged once. */
export function createGuard({ log, signal }: { readonly log: Logger; readonly signal: AbortSignal }) {
  const failures = new Map<string, { readonly kind: string; readonly times: number }>();
  const note = (part: string, error: unknown): void => {
    const message = error instanceof Error ? error.message : String(error);
    const before = failures.get(part);
    // Endpoints describe the same failure with different messages, so their failures are compared without the message.
    const kind = error instanceof RetryableRpcError ? `${error.failure} ${error.code}` : message;
    failures.set(part, { kind, times: (before?.times ?? 0) + 1 });
    if (before?.kind === kind) return;
    // An endpoint's failure needs no stack trace. Anything else may be a bug.
    const isEndpointError = error instanceof RetryableRpcError || error instanceof RpcRequestError;
    if (isEndpointError) log.warn({ part, reason: message }, 'part of indexing failed and will be retried');
    else log.error({ part, err: error }, 'part of indexing failed and will be retried');
  };
  return {
    failuresInARow: (): number => Math.max(0, ...[...failures.values()].map(({ times }) => times)),
    /** Runs a part of the work. Returns undefined if the part failed. @throws {StartError} if the program cannot continue */
    async attemptPart<T>(part: string, work: () => Promise<T>): Promise<T | undefined> {
      try {
        const result = await work();
        if (failures.delete(part)) log.info({ part }, 'part of indexing works again');
        return result;
      } catch (error) {
        if (error instanceof StartError) throw error;
        if (!signal.aborted) note(part, error);
        return undefined;
      }
    },
  };
}
