import type { Logger } from '../../data/runtime/log.ts';
import type { BotAnswer, BotApi, BotFault, BotUser, RawUpdate } from './bot-api.ts';

/** How the reading of updates goes. Times are Unix milliseconds. */
export type PollState =
  | { readonly kind: 'starting' }
  | { readonly kind: 'listening'; readonly at: number }
  | { readonly kind: 'failing'; readonly fault: BotFault; readonly at: number }
  | { readonly kind: 'stopped' };

export interface UpdatePolling {
  state(): PollState;
  /** Ends the read under way and the handling of what was read. */
  stop(): Promise<void>;
}

export interface PollingOptions {
  readonly api: Pick<BotApi, 'getMe' | 'getUpdates'>;
  /** Takes one update; never throws. */
  readonly handle: (update: RawUpdate, bot: BotUser, signal: AbortSignal) => Promise<void>;
  readonly log: Logger;
  readonly now: () => number;
  /** Waits so many milliseconds, or until the signal. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Seconds that Telegram holds a read open while nobody writes. */
const WAIT_SECONDS = 25;
/** Updates that are handled at once: one that takes its time holds up nobody else's. */
const AT_ONCE = 8;

/** Milliseconds that the confirmation at the end may take: the process is about to end. */
const CONFIRM_WITHIN = 1_000;

interface Backoff {
  readonly first: number;
  readonly longest: number;
}
/** What another program or a person has to mend is tried seldom. */
const TO_MEND: Backoff = { first: 60_000, longest: 600_000 };
const IN_USE: Backoff = { first: 5_000, longest: 60_000 };
const PASSING: Backoff = { first: 1_000, longest: 30_000 };

/** Milliseconds until the next try after so many failures in a row, from 1 on. */
export function pollPause(fault: BotFault, failures: number): number {
  if (fault.retryAfterMs !== undefined) return Math.min(fault.retryAfterMs, TO_MEND.longest);
  const { first, longest } =
    fault.kind === 'token' || fault.kind === 'forbidden'
      ? TO_MEND
      : fault.kind === 'conflict'
        ? IN_USE
        : PASSING;
  return Math.min(longest, first * 2 ** Math.min(failures - 1, 10));
}

/**
 * Reads what people write to the bot by long polling, for which nobody has to reach this machine, until stopped. No
 * fault ends it: Telegraf's own polling ends with the first token or conflict that is refused.
 */
export function pollUpdates({ api, handle, log, now, pause }: PollingOptions): UpdatePolling {
  const stopped = new AbortController();
  const { signal } = stopped;
  const underWay = new Set<Promise<void>>();
  let state: PollState = { kind: 'starting' };
  let offset = 0;

  const take = async (update: RawUpdate, bot: BotUser): Promise<void> => {
    while (underWay.size >= AT_ONCE) await Promise.race(underWay);
    const handling = handle(update, bot, signal).finally(() => underWay.delete(handling));
    underWay.add(handling);
  };

  /** Asks until there is an answer. @returns null where it was stopped. */
  const insist = async <Result>(ask: () => Promise<BotAnswer<Result>>): Promise<Result | null> => {
    for (let failures = 1; !signal.aborted; failures += 1) {
      const answer = await ask();
      if (signal.aborted) return null;
      if (answer.ok) {
        if (failures > 1) log.info('the bot is heard again');
        return answer.result;
      }
      const { fault } = answer;
      const pauseMs = pollPause(fault, failures);
      // Said once for each run of failures, and when they become others.
      if (state.kind !== 'failing' || state.fault.kind !== fault.kind) {
        log.warn({ fault: fault.kind, error: fault.error, pauseMs }, 'the bot cannot read its updates');
      }
      state = { kind: 'failing', fault, at: now() };
      await pause(pauseMs, signal);
    }
    return null;
  };

  const run = async (): Promise<void> => {
    const bot = await insist(() => api.getMe(signal));
    while (bot && !signal.aborted) {
      const askedAt = now();
      const updates = await insist(() => api.getUpdates(offset, WAIT_SECONDS, signal));
      if (!updates) break;
      state = { kind: 'listening', at: now() };
      // A server that does not hold the read open is not asked without a rest.
      if (updates.length === 0 && now() - askedAt < PASSING.first) await pause(PASSING.first, signal);
      for (const update of updates) {
        offset = Math.max(offset, update.update_id + 1);
        await take(update, bot);
      }
    }
    await Promise.all(underWay);
    // Confirms what was handled: else the next start would be told it once more.
    if (offset > 0) await api.getUpdates(offset, 0, AbortSignal.timeout(CONFIRM_WITHIN));
    state = { kind: 'stopped' };
  };
  const running = run();
  return {
    state: () => state,
    stop: () => {
      stopped.abort();
      return running;
    },
  };
}
