import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLiveStream, type EventConnection, reconnectDelay, STREAM_TIMING } from './live-stream.ts';

/** A browser's EventSource as the stream sees it, driven by the test. */
class FakeConnection implements EventConnection {
  closed = false;
  readonly listeners = new Map<string, (event: MessageEvent<string>) => void>();

  addEventListener(type: string, listener: (event: MessageEvent<string>) => void): void {
    this.listeners.set(type, listener);
  }
  close(): void {
    this.closed = true;
  }
  say(type: 'change' | 'fresh' | 'error', data: unknown = null): void {
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    this.listeners.get(type)?.(new MessageEvent(type, { data: text }));
  }
}

function world() {
  const connections: FakeConnection[] = [];
  const log: string[] = [];
  const asked: (number | null)[] = [];
  const stream = createLiveStream({
    connect: (heldVersion) => {
      asked.push(heldVersion);
      const connection = new FakeConnection();
      connections.push(connection);
      return connection;
    },
    onChange: (change) => log.push(`change ${change.version}`),
    onFresh: (fresh) => log.push(`fresh ${fresh.chain?.slot ?? '-'}`),
    onState: (state) => {
      if (log.at(-1) !== state) log.push(state);
    },
    random: () => 1,
  });
  const latest = () => {
    const connection = connections.at(-1);
    if (!connection) throw new Error('not connected');
    return connection;
  };
  return { stream, log, connections, asked, latest };
}

const change = { version: 1, bodies: { '/api/a': 1 }, announced: [], missing: [] };
const fresh = { now: '2026-01-01T00:00:01Z', chain: { asOf: '2026-01-01T00:00:00Z', slot: 9 }, market: null };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the live stream', () => {
  it('delivers its figures before it calls itself live', () => {
    const { stream, log, latest } = world();
    stream.start();
    latest().say('change', change);
    latest().say('fresh', fresh);
    expect(log).toEqual(['change 1', 'live', 'fresh 9', 'live']);
    stream.stop();
  });

  it('is not live by a heartbeat alone, before its figures', () => {
    const { stream, log, latest } = world();
    stream.start();
    latest().say('fresh', fresh);
    expect(log).toEqual(['fresh 9']);
    vi.advanceTimersByTime(STREAM_TIMING.headStart);
    expect(log.at(-1)).toBe('reconnecting');
    latest().say('change', change);
    expect(log.at(-1)).toBe('live');
    stream.stop();
  });

  it('lets the page poll beside it when the first message is late', () => {
    const { stream, log } = world();
    stream.start();
    vi.advanceTimersByTime(STREAM_TIMING.headStart);
    expect(log).toEqual(['reconnecting']);
    stream.stop();
  });

  it('comes back by itself after a break, and is live only when a message arrives', () => {
    const { stream, log, connections, latest } = world();
    stream.start();
    latest().say('change', change);
    latest().say('error');
    expect(connections[0]?.closed).toBe(true);
    vi.advanceTimersByTime(STREAM_TIMING.firstRetry);
    expect(connections).toHaveLength(2);
    expect(log.at(-1)).toBe('reconnecting');
    latest().say('change', { ...change, version: 2 });
    expect(log.slice(-2)).toEqual(['change 2', 'live']);
    stream.stop();
  });

  it('waits longer after each failure, up to its cap, and starts anew after a success', () => {
    const { stream, connections, latest } = world();
    stream.start();
    latest().say('error');
    vi.advanceTimersByTime(1_000);
    latest().say('error');
    vi.advanceTimersByTime(1_999);
    expect(connections).toHaveLength(2);
    vi.advanceTimersByTime(1);
    expect(connections).toHaveLength(3);
    latest().say('change', change);
    latest().say('error');
    vi.advanceTimersByTime(1_000);
    expect(connections).toHaveLength(4);
    expect(reconnectDelay(30, 1)).toBe(STREAM_TIMING.retryCap);
    expect(reconnectDelay(0, 0)).toBe(STREAM_TIMING.firstRetry / 2);
    stream.stop();
  });

  it('asks for what it missed by the version it holds, and is live again though nothing was', () => {
    const { stream, log, asked, latest } = world();
    stream.start();
    latest().say('change', { ...change, version: 7 });
    latest().say('error');
    vi.advanceTimersByTime(STREAM_TIMING.firstRetry);
    expect(asked).toEqual([null, 7]);
    latest().say('change', { version: 7, bodies: {}, announced: [], missing: [] });
    expect(log.at(-1)).toBe('live');
    stream.stop();
    stream.start();
    expect(asked.at(-1)).toBe(7);
    stream.stop();
  });

  it('gives up a connection that missed two heartbeats of ten seconds', () => {
    expect(STREAM_TIMING.silence).toBeLessThan(30_000);
    expect(STREAM_TIMING.silence).toBeGreaterThan(20_000);
  });

  it('gives up a connection that has gone silent', () => {
    const { stream, log, connections, latest } = world();
    stream.start();
    latest().say('change', change);
    vi.advanceTimersByTime(STREAM_TIMING.silence - 1);
    expect(log.at(-1)).toBe('live');
    vi.advanceTimersByTime(1);
    expect(log.at(-1)).toBe('reconnecting');
    expect(connections[0]?.closed).toBe(true);
    stream.stop();
  });

  it('ignores a message that is not what the contract says', () => {
    const { stream, log, latest } = world();
    stream.start();
    latest().say('change', 'no json');
    latest().say('change', { version: 1 });
    latest().say('fresh', '[]');
    latest().say('fresh', { chain: null, market: null });
    expect(log).toEqual([]);
    stream.stop();
  });

  it('stays closed once stopped, and one start is enough', () => {
    const { stream, connections, latest } = world();
    stream.start();
    stream.start();
    expect(connections).toHaveLength(1);
    latest().say('error');
    stream.stop();
    vi.advanceTimersByTime(120_000);
    expect(connections).toHaveLength(1);
  });
});
