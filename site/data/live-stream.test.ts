import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLiveStream, type EventConnection, reconnectDelay, STREAM_TIMING } from './live-stream.ts';

class FakeConnection implements EventConnection {
  closed = false;
  readonly listeners = new Map<string, (event: MessageEvent<string>) => void>();

  addEventListener(type: string, listener: (event: MessageEvent<string>) => void): void {
    this.listeners.set(type, listener);
  }
  close(): void {
    this.closed = true;
  }
  emit(type: 'change' | 'fresh' | 'error', data: unknown = null): void {
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    this.listeners.get(type)?.(new MessageEvent(type, { data: text }));
  }
}

let stream: ReturnType<typeof createLiveStream>;

function start(isReachable = true) {
  const connections: FakeConnection[] = [];
  const log: string[] = [];
  const versions: (string | null)[] = [];
  stream = createLiveStream({
    connect: (since) => {
      versions.push(since);
      const connection = new FakeConnection();
      connections.push(connection);
      return connection;
    },
    onChange: (change) => log.push(`change ${change.version}`),
    onHeartbeat: (heartbeat) => log.push(`heartbeat ${heartbeat.chain?.slot ?? '-'}`),
    onState: (state) => {
      if (log.at(-1) !== state) log.push(state);
    },
    random: () => 1,
    isReachable: () => isReachable,
  });
  stream.start();
  const latest = () => {
    const connection = connections.at(-1);
    if (!connection) throw new Error('not connected');
    return connection;
  };
  return { log, connections, versions, latest };
}

const change = { version: 'a-1', bodies: { '/api/a': 1 }, announced: [], missing: [] };
const heartbeat = {
  now: '2026-01-01T00:00:01Z',
  chain: { asOf: '2026-01-01T00:00:00Z', slot: 9 },
  market: null,
};

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  stream.stop();
  vi.useRealTimers();
});

describe('the live stream', () => {
  it('delivers its first figures before it is live', () => {
    const { log, latest } = start();
    latest().emit('change', change);
    latest().emit('fresh', heartbeat);
    expect(log).toEqual(['change a-1', 'live', 'heartbeat 9', 'live']);
  });

  it('is not live after a heartbeat alone', () => {
    const { log, latest } = start();
    latest().emit('fresh', heartbeat);
    expect(log).toEqual(['heartbeat 9']);
    vi.advanceTimersByTime(STREAM_TIMING.headStartMs);
    expect(log.at(-1)).toBe('reconnecting');
    latest().emit('change', change);
    expect(log.at(-1)).toBe('live');
  });

  it('is reconnecting when the first message is late, so that the page polls', () => {
    const { log } = start();
    vi.advanceTimersByTime(STREAM_TIMING.headStartMs);
    expect(log).toEqual(['reconnecting']);
  });

  it('reconnects after a break and is live when a message arrives', () => {
    const { log, connections, latest } = start();
    latest().emit('change', change);
    latest().emit('error');
    expect(connections[0]?.closed).toBe(true);
    vi.advanceTimersByTime(STREAM_TIMING.firstRetryMs);
    expect(connections).toHaveLength(2);
    expect(log.at(-1)).toBe('reconnecting');
    latest().emit('change', { ...change, version: 'a-2' });
    expect(log.slice(-2)).toEqual(['change a-2', 'live']);
  });

  it('backs off after each failure up to a cap, and resets after a success', () => {
    const { connections, latest } = start();
    latest().emit('error');
    vi.advanceTimersByTime(1_000);
    latest().emit('error');
    vi.advanceTimersByTime(1_999);
    expect(connections).toHaveLength(2);
    vi.advanceTimersByTime(1);
    expect(connections).toHaveLength(3);
    latest().emit('change', change);
    latest().emit('error');
    vi.advanceTimersByTime(1_000);
    expect(connections).toHaveLength(4);
    expect(reconnectDelay(30, 1, true)).toBe(STREAM_TIMING.retryCapMs);
    expect(reconnectDelay(0, 0, true)).toBe(STREAM_TIMING.firstRetryMs / 2);
  });

  it('reconnects within two seconds when an outage ends', () => {
    const { connections, latest } = start(false);
    for (let attempt = 1; attempt < 9; attempt += 1) {
      latest().emit('error');
      vi.advanceTimersByTime(STREAM_TIMING.outageRetryCapMs);
      expect(connections).toHaveLength(attempt + 1);
    }
    expect(STREAM_TIMING.outageRetryCapMs).toBeLessThan(2_000);
  });

  it('replaces its connection on demand, but opens none after stop', () => {
    const { log, connections, latest } = start();
    latest().emit('change', change);
    stream.reconnect();
    expect(log.at(-1)).toBe('reconnecting');
    vi.advanceTimersByTime(STREAM_TIMING.firstRetryMs);
    expect(connections).toHaveLength(2);
    stream.stop();
    stream.reconnect();
    vi.advanceTimersByTime(120_000);
    expect(connections).toHaveLength(2);
  });

  it('resumes from its last version, and is live again even if nothing changed', () => {
    const { log, versions, latest } = start();
    latest().emit('change', { ...change, version: 'a-7' });
    latest().emit('error');
    vi.advanceTimersByTime(STREAM_TIMING.firstRetryMs);
    expect(versions).toEqual([null, 'a-7']);
    latest().emit('change', { version: 'a-7', bodies: {}, announced: [], missing: [] });
    expect(log.at(-1)).toBe('live');
    stream.stop();
    stream.start();
    expect(versions.at(-1)).toBe('a-7');
  });

  it('tolerates one missed ten-second heartbeat, and drops the connection after two', () => {
    expect(STREAM_TIMING.silenceMs).toBeLessThan(30_000);
    expect(STREAM_TIMING.silenceMs).toBeGreaterThan(20_000);
    const { log, connections, latest } = start();
    latest().emit('change', change);
    vi.advanceTimersByTime(STREAM_TIMING.silenceMs - 1);
    expect(log.at(-1)).toBe('live');
    vi.advanceTimersByTime(1);
    expect(log.at(-1)).toBe('reconnecting');
    expect(connections[0]?.closed).toBe(true);
  });

  it('ignores invalid messages', () => {
    const { log, latest } = start();
    latest().emit('change', 'no json');
    latest().emit('change', { version: 'a-1' });
    latest().emit('fresh', '[]');
    latest().emit('fresh', { chain: null, market: null });
    expect(log).toEqual([]);
  });

  it('opens one connection even if it is started twice, and none after stop', () => {
    const { connections, latest } = start();
    stream.start();
    expect(connections).toHaveLength(1);
    latest().emit('error');
    stream.stop();
    vi.advanceTimersByTime(120_000);
    expect(connections).toHaveLength(1);
  });
});
