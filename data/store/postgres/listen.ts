import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { CHANGED_PARTS } from '../rules/record-changes.ts';
import type { WakeUpListeners, WakeUps } from '../wake-up-port.ts';
import { connectionOptions, quoteIdentifier } from './connection.ts';
import type { DatabaseSettings } from './database.ts';
import { databaseError } from './database-errors.ts';
import type { Topic } from './notify.ts';

interface Timings {
  /** The first pause before reconnecting. The pause doubles with each failed attempt, up to `longestRetryMs`. */
  readonly firstRetryMs: number;
  readonly longestRetryMs: number;
  /** The pause between two statements that check the connection. */
  readonly keepAliveMs: number;
  /** How long to wait for a connection or an answer. */
  readonly answerMs: number;
}

/** With these timings, a dead network is noticed after at most ten seconds. */
const DEFAULT_TIMINGS: Timings = {
  firstRetryMs: 1_000,
  longestRetryMs: 30_000,
  keepAliveMs: 5_000,
  answerMs: 5_000,
};

/**
 * Listens for commits by all programs, including this one. Uses a separate, direct connection, because a pooler does not pass on
 * notifications. Reconnects whenever the connection is lost. A missed notification only causes a delay, because the store
 * contains everything that notifications report.
 */
export function listen(
  settings: DatabaseSettings,
  { onIndexChanged, onQueued, onChanged, onConnected, onLost }: WakeUpListeners,
  timings: Timings = DEFAULT_TIMINGS,
): WakeUps {
  let isConnected = false;
  let isClosed = false;
  let pauseController = new AbortController();
  const pause = (milliseconds: number) =>
    setTimeout(milliseconds, undefined, { signal: pauseController.signal }).catch(() => {});

  /** Connects, and listens until the connection is lost or is no longer needed. */
  async function listenOnce(): Promise<void> {
    const lossController = new AbortController();
    pauseController = lossController;
    const deadlines = { connectMs: timings.answerMs, statementMs: timings.answerMs };
    const client = new pg.Client({
      ...connectionOptions(settings, deadlines),
      application_name: 'blackduck-portal listener',
    });
    // Without a listener, a lost connection would end the process.
    client.on('error', () => lossController.abort());
    client.on('notification', ({ payload }) => {
      const changedPart = CHANGED_PARTS.find((part) => payload === (`changed:${part}` satisfies Topic));
      if (changedPart !== undefined) onChanged(changedPart);
      else if (payload === ('queue' satisfies Topic)) onQueued();
      else onIndexChanged();
    });
    try {
      await client.connect();
      await client.query(`listen ${quoteIdentifier(settings.schema)}`);
      isConnected = true;
      onConnected();
      for (const part of CHANGED_PARTS) onChanged(part);
      while (!isClosed) {
        await pause(timings.keepAliveMs);
        // Throws if the connection was lost.
        if (!isClosed) await client.query('select 1');
      }
    } finally {
      // Not awaited, because it would never finish on a dead network.
      client.end().catch(() => {});
    }
  }

  async function run(): Promise<void> {
    let retryMs = timings.firstRetryMs;
    let isReported = false;
    while (!isClosed) {
      const error = await listenOnce().catch((thrown: unknown) => thrown);
      if (isClosed) return;
      if (isConnected) {
        retryMs = timings.firstRetryMs;
        isReported = false;
      }
      isConnected = false;
      if (!isReported) onLost(databaseError(error, settings));
      isReported = true;
      pauseController = new AbortController();
      await pause(retryMs);
      retryMs = Math.min(timings.longestRetryMs, 2 * retryMs);
    }
  }
  const running = run();

  return {
    isConnected: () => isConnected,
    async close() {
      isClosed = true;
      isConnected = false;
      pauseController.abort();
      await running;
    },
  };
}
