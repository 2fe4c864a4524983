import type { Logger } from '../../data/runtime/log.ts';
import type { BotAnswer, BotClient, BotError, BotErrorKind, BotUser, RawUpdate } from './bot-client.ts';

/** The state of polling. Times are Unix milliseconds. */
export type PollState =
  | { readonly kind: 'starting' }
  /** Another replica reads the updates. */
  | { readonly kind: 'elsewhere' }
  | { readonly kind: 'listening'; readonly at: number }
  | { readonly kind: 'failing'; readonly error: BotError; readonly at: number }
  | { readonly kind: 'stopped' };

export interface UpdatePolling {
  state(): PollState;
  /** Aborts the current read and waits for all handlers to finish. */
  stop(): Promise<void>;
}

interface PollingOptions {
  readonly api: Pick<BotClient, 'getMe' | 'getUpdates'>;
  /** Never throws. */
  readonly handle: (update: RawUpdate, bot: BotUser) => Promise<void>;
  readonly log: Logger;
  readonly now: () => number;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** How long, in seconds, Telegram keeps a read open while there are no messages. */
const WAIT_SECONDS = 25;
/** The maximum number of updates that are handled at a time: several, so that a slow one does not block the others. */
const MAX_HANDLERS = 8;

/** Short, because the process is about to stop. */
const CONFIRM_TIMEOUT_MS = 1_000;

const TEMPORARY_BACKOFF = { firstMs: 1_000, longestMs: 30_000 };
/** For errors that an operator has to fix. */
const PERMANENT_BACKOFF = { firstMs: 60_000, longestMs: 600_000 };
const BACKOFF: Partial<Record<BotErrorKind, typeof TEMPORARY_BACKOFF>> = {
  token: PERMANENT_BACKOFF,
  forbidden: PERMANENT_BACKOFF,
  conflict: { firstMs: 5_000, longestMs: 60_000 },
};

/** Milliseconds until the next attempt. @param failures consecutive failures, at least 1 */
export function pollPauseMs(error: BotError, failures: number): number {
  if (error.retryAfterMs !== undefined) return Math.min(error.retryAfterMs, PERMANENT_BACKOFF.longestMs);
  const { firstMs, longestMs } = BACKOFF[error.kind] ?? TEMPORARY_BACKOFF;
  return Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 10));
}

/**
 * Reads messages to the bot by long polling, which needs no public address. Unlike Telegraf's own polling, which stops after
 * an invalid token or a conflict, this function continues after every error.
 */
export function pollUpdates({ api, handle, log, now, pause }: PollingOptions): UpdatePolling {
  const stopController = new AbortController();
  const { signal } = stopController;
  const runningHandlers = new Set<Promise<void>>();
  let state: PollState = { kind: 'starting' };
  let offset = 0;

  const startHandler = (update: RawUpdate, bot: BotUser): void => {
    const handling = handle(update, bot).finally(() => runningHandlers.delete(handling));
    runningHandlers.add(handling);
  };

  /** Returns null after a stop. */
  const retry = async <Result>(call: () => Promise<BotAnswer<Result>>): Promise<Result | null> => {
    for (let failures = 1; !signal.aborted; failures += 1) {
      const answer = await call();
      if (signal.aborted) return null;
      if (answer.ok) {
        if (failures > 1) log.info('the bot can read its updates again');
        return answer.result;
      }
      const { error } = answer;
      const pauseMs = pollPauseMs(error, failures);
      // Consecutive failures of one kind are logged once.
      if (state.kind !== 'failing' || state.error.kind !== error.kind) {
        log.warn({ kind: error.kind, error: error.message, pauseMs }, 'the bot cannot read its updates');
      }
      state = { kind: 'failing', error, at: now() };
      await pause(pauseMs, signal);
    }
    return null;
  };

  const run = async (): Promise<void> => {
    const bot = await retry(() => api.getMe(signal));
    while (bot && !signal.aborted) {
      const askedAt = now();
      const updates = await retry(() => api.getUpdates(offset, WAIT_SECONDS, signal));
      if (!updates) break;
      state = { kind: 'listening', at: now() };
      // Without a pause, a server that does not keep reads open would be polled in a tight loop.
      if (updates.length === 0 && now() - askedAt < TEMPORARY_BACKOFF.firstMs)
        await pause(TEMPORARY_BACKOFF.firstMs, signal);
      for (const update of updates) {
        while (runningHandlers.size >= MAX_HANDLERS) await Promise.race(runningHandlers);
        // Telegram sends the remaining updates after the next start.
        if (signal.aborted) break;
        offset = update.update_id + 1;
        startHandler(update, bot);
      }
    }
    await Promise.all(runningHandlers);
    // Confirms the handled updates, so that Telegram does not send them again after the next start.
    if (offset > 0) await api.getUpdates(offset, 0, AbortSignal.timeout(CONFIRM_TIMEOUT_MS));
    state = { kind: 'stopped' };
  };
  const running = run();
  return {
    state: () => state,
    stop: () => {
      stopController.abort();
      return running;
    },
  };
}
