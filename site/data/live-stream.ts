import type { LiveChange, LiveFresh } from '../../data/contract/live.ts';
import { readChange, readFresh } from './live-messages.ts';
import type { StreamState } from './stream-state.ts';

/** What the stream needs of the browser's EventSource. */
export interface EventConnection {
  addEventListener(type: 'change' | 'fresh', listener: (event: MessageEvent<string>) => void): void;
  addEventListener(type: 'error', listener: () => void): void;
  close(): void;
}

export interface LiveStreamParts {
  /** Opens a connection that tells what changed since a version, or everything where none is held. */
  readonly connect: (heldVersion: number | null) => EventConnection;
  readonly onChange: (change: LiveChange) => void;
  readonly onFresh: (fresh: LiveFresh) => void;
  readonly onState: (state: StreamState) => void;
  /** Between 0 and 1, so that pages do not all come back in the same moment. */
  readonly random: () => number;
}

export interface LiveStream {
  /** Opens the stream, and opens it again whenever it breaks, until `stop`. Nothing happens where it is open. */
  start(): void;
  stop(): void;
}

/** All times are milliseconds. */
export const STREAM_TIMING = {
  /** How long the first attempt may take before the page begins to poll beside it. */
  headStart: 2_000,
  /** A stream without a heartbeat, of which one comes every ten seconds, is dead, whatever the connection says. */
  silence: 25_000,
  firstRetry: 1_000,
  retryCap: 10_000,
} as const;

/** Milliseconds before attempt `attempt` (from 0) to come back: doubling, capped, spread over its upper half. */
export function reconnectDelay(attempt: number, random: number): number {
  const full = Math.min(STREAM_TIMING.firstRetry * 2 ** attempt, STREAM_TIMING.retryCap);
  return full * (0.5 + random / 2);
}

/**
 * The page's event stream. It is `live` from its first figures on, not from the opening of the connection: a proxy may
 * hold an open connection and pass nothing.
 */
export function createLiveStream(parts: LiveStreamParts): LiveStream {
  let connection: EventConnection | null = null;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let silenceTimer: ReturnType<typeof setTimeout> | undefined;
  let headStartTimer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let heldVersion: number | null = null;
  let hasFigures = false;

  const drop = () => {
    clearTimeout(silenceTimer);
    clearTimeout(headStartTimer);
    connection?.close();
    connection = null;
    hasFigures = false;
  };

  const lose = () => {
    drop();
    parts.onState('reconnecting');
    clearTimeout(retryTimer);
    retryTimer = setTimeout(open, reconnectDelay(failures, parts.random()));
    failures += 1;
  };

  const heard = () => {
    failures = 0;
    clearTimeout(silenceTimer);
    silenceTimer = setTimeout(lose, STREAM_TIMING.silence);
    // A heartbeat may come first; the figures that follow it need not be asked for.
    if (!hasFigures) return;
    clearTimeout(headStartTimer);
    parts.onState('live');
  };

  function open() {
    const opened = parts.connect(heldVersion);
    connection = opened;
    silenceTimer = setTimeout(lose, STREAM_TIMING.silence);
    opened.addEventListener('error', () => {
      if (opened === connection) lose();
    });
    opened.addEventListener('change', (event) => {
      const change = readChange(event.data);
      if (change === null || opened !== connection) return;
      // The figures first: once the state says live, a figure that is still absent is asked for.
      parts.onChange(change);
      heldVersion = change.version;
      hasFigures = true;
      heard();
    });
    opened.addEventListener('fresh', (event) => {
      const fresh = readFresh(event.data);
      if (fresh === null || opened !== connection) return;
      parts.onFresh(fresh);
      heard();
    });
  }

  return {
    start: () => {
      if (connection !== null) return;
      clearTimeout(retryTimer);
      headStartTimer = setTimeout(() => parts.onState('reconnecting'), STREAM_TIMING.headStart);
      open();
    },
    stop: () => {
      clearTimeout(retryTimer);
      drop();
    },
  };
}
