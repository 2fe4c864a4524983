import type { LiveChange, LiveHeartbeat } from '../../data/contract/live.ts';
import type { StreamState } from './connection.ts';

// Messages are validated by hand, because the contract's schemas would add all of zod to every page.

function asRecord(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

function parse(text: string): Record<string, unknown> | null {
  try {
    return asRecord(JSON.parse(text));
  } catch {
    return null;
  }
}

const isString = (value: unknown): value is string => typeof value === 'string';

function readChange(text: string): LiveChange | null {
  const message = parse(text);
  const bodies = asRecord(message?.bodies);
  if (message === null || bodies === null || !isString(message.version)) return null;
  const { version, missing, announced } = message;
  if (!Array.isArray(missing) || !Array.isArray(announced)) return null;
  return { version, bodies, announced: announced.filter(isString), missing: missing.filter(isString) };
}

function isSourceRead(value: unknown): value is { asOf: string } {
  return typeof asRecord(value)?.asOf === 'string';
}

function isReadAtSlot(value: unknown): value is { asOf: string; slot: number } {
  return isSourceRead(value) && typeof asRecord(value)?.slot === 'number';
}

function readHeartbeat(text: string): LiveHeartbeat | null {
  const { now, chain, market } = parse(text) ?? {};
  if (typeof now !== 'string') return null;
  return { now, chain: isReadAtSlot(chain) ? chain : null, market: isSourceRead(market) ? market : null };
}

export interface EventConnection {
  addEventListener(type: 'change' | 'fresh', listener: (event: MessageEvent<string>) => void): void;
  addEventListener(type: 'error', listener: () => void): void;
  close(): void;
}

interface LiveStreamDeps {
  /** Opens a connection that sends the changes since a version, or all figures if the version is null. */
  readonly connect: (sinceVersion: string | null) => EventConnection;
  readonly onChange: (change: LiveChange) => void;
  readonly onHeartbeat: (heartbeat: LiveHeartbeat) => void;
  readonly onState: (state: StreamState) => void;
  /** Whether the portal answers other requests. */
  readonly isReachable: () => boolean;
  /** Returns a random number from 0 to 1. It keeps pages from all reconnecting at the same time. */
  readonly random: () => number;
}

export const STREAM_TIMING = {
  /** If a stream delivers no figures within this time after its start, the page also polls. */
  headStartMs: 2_000,
  /** A stream that is silent for longer than this counts as dead, because heartbeats arrive more often. */
  silenceMs: 25_000,
  firstRetryMs: 1_000,
  /** The longest pause while the portal answers, but has too many connections to accept the stream. */
  retryCapMs: 10_000,
  /** The longest pause while the portal cannot be reached. Short, so that pages notice within two seconds that it is back. */
  outageRetryCapMs: 1_000,
} as const;

/**
 * Milliseconds before a reconnect; `attempt` counts from 0. The delay doubles up to a cap, and is then shortened by a random
 * share of up to half.
 */
export function reconnectDelay(attempt: number, random: number, isReachable: boolean): number {
  const { firstRetryMs, retryCapMs, outageRetryCapMs } = STREAM_TIMING;
  const maxDelayMs = Math.min(firstRetryMs * 2 ** attempt, isReachable ? retryCapMs : outageRetryCapMs);
  return maxDelayMs * (0.5 + random / 2);
}

/**
 * The page's event stream. It becomes `live` when the first figures arrive, not when the connection opens: a proxy may keep
 * a connection open and forward nothing.
 */
export function createLiveStream(deps: LiveStreamDeps) {
  let connection: EventConnection | null = null;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let silenceTimer: ReturnType<typeof setTimeout> | undefined;
  let headStartTimer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let lastVersion: string | null = null;
  let hasFigures = false;

  const close = () => {
    clearTimeout(silenceTimer);
    clearTimeout(headStartTimer);
    connection?.close();
    connection = null;
    hasFigures = false;
  };

  const reconnect = () => {
    close();
    deps.onState('reconnecting');
    clearTimeout(retryTimer);
    retryTimer = setTimeout(open, reconnectDelay(failures, deps.random(), deps.isReachable()));
    failures += 1;
  };

  const onMessage = () => {
    failures = 0;
    clearTimeout(silenceTimer);
    silenceTimer = setTimeout(reconnect, STREAM_TIMING.silenceMs);
    // A heartbeat may come before the figures.
    if (!hasFigures) return;
    clearTimeout(headStartTimer);
    deps.onState('live');
  };

  function open() {
    const opened = deps.connect(lastVersion);
    connection = opened;
    silenceTimer = setTimeout(reconnect, STREAM_TIMING.silenceMs);
    opened.addEventListener('error', () => {
      if (opened === connection) reconnect();
    });
    opened.addEventListener('change', (event) => {
      const change = readChange(event.data);
      if (change === null || opened !== connection) return;
      // Must come before the state becomes `live`, because the page then reads every figure that is still missing.
      deps.onChange(change);
      lastVersion = change.version;
      hasFigures = true;
      onMessage();
    });
    opened.addEventListener('fresh', (event) => {
      const heartbeat = readHeartbeat(event.data);
      if (heartbeat === null || opened !== connection) return;
      deps.onHeartbeat(heartbeat);
      onMessage();
    });
  }

  return {
    /** Opens the stream, and reopens it after each failure until `stop` is called. */
    start: () => {
      if (connection !== null) return;
      clearTimeout(retryTimer);
      headStartTimer = setTimeout(() => deps.onState('reconnecting'), STREAM_TIMING.headStartMs);
      open();
    },
    /** Replaces the current connection, if any, because it may be dead. */
    reconnect: () => {
      if (connection !== null) reconnect();
    },
    stop: () => {
      clearTimeout(retryTimer);
      close();
    },
  };
}
