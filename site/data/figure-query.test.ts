import { environmentManager, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { applyChange } from './apply-change.ts';
import type { StreamState } from './connection.ts';
import { figureQuery, isNotKnownYet, keepSameFigures, readBody, readingOf } from './figure-query.ts';
import { DASHBOARD_STAKING_TOTAL } from './figure-strategies.ts';
import { createQueryClient } from './query-client.ts';
import { RequestError } from './request.ts';
import { serverClock } from './server-clock.ts';
import { $pollIntervals } from './source-freshness.ts';

const outcome = { data: undefined, errorUpdateCount: 0, isFetching: false, refetch: () => undefined };

describe('a reading', () => {
  it.each([
    ['loading before the first response', {}, { kind: 'loading' }],
    ['unknown if the server does not know the figure', { data: null }, { kind: 'unknown' }],
    ['known after later reads failed', { data: 1, errorUpdateCount: 4 }, { kind: 'known', body: 1 }],
    [
      'failed while the next attempt runs',
      { errorUpdateCount: 1, isFetching: true },
      { kind: 'failed', isRetrying: true },
    ],
  ])('is %s', (_case, changes, reading) => {
    expect(readingOf({ ...outcome, ...changes })).toMatchObject(reading);
  });
});

const before = { balance: '1', parts: [{ hours: 6 }], asOf: '2026-01-01T00:00:00Z', slot: 1, state: 'live' };
const later = { ...before, parts: [{ hours: 6 }], asOf: '2026-01-01T00:00:09Z', slot: 9, state: 'ageing' };

describe('a new response', () => {
  it('with the same figures is replaced by the earlier object, even if the read times differ', () => {
    expect(keepSameFigures(before, later)).toBe(before);
    expect(keepSameFigures([before], [{ ...before }])).toEqual([before]);
  });

  it('is used if a figure differs, appears or disappears, but reuses unchanged parts', () => {
    const moved = keepSameFigures(before, { ...later, balance: '2' });
    expect(moved).toMatchObject({ balance: '2', slot: 9 });
    expect((moved as typeof before).parts).toBe(before.parts);
    expect(keepSameFigures(before, { ...later, extra: 1 })).toMatchObject({ extra: 1 });
    const { parts, ...less } = later;
    expect(keepSameFigures(before, less)).toEqual(less);
    expect(keepSameFigures({ ...less, other: 1 }, { ...less, another: 1 })).toEqual({ ...less, another: 1 });
  });

  it('from an earlier slot is dropped, because it comes from a replica that is behind', () => {
    expect(keepSameFigures(later, { ...before, balance: '2' })).toBe(later);
    expect(keepSameFigures(later, { ...later, balance: '2' })).toMatchObject({ balance: '2' });
  });

  it('is used as is if it is null, or if the earlier response is missing or null', () => {
    expect(keepSameFigures(undefined, later)).toBe(later);
    expect(keepSameFigures(before, null)).toBeNull();
    expect(keepSameFigures(null, later)).toBe(later);
  });
});

const { path, intervalMs } = DASHBOARD_STAKING_TOTAL;

function serve(response: () => Response) {
  const fetchMock = vi.fn<typeof fetch>(async () => response());
  vi.stubGlobal('fetch', fetchMock);
  return fetchMock;
}

const figureResponse = () => Response.json({ balance: '1', stakerCount: 1 });

let stop = () => {};
function observe(stream: StreamState) {
  const client = createQueryClient();
  const observer = new QueryObserver(client, figureQuery(DASHBOARD_STAKING_TOTAL, stream));
  stop = observer.subscribe(() => {});
  const setStream = (next: StreamState) => observer.setOptions(figureQuery(DASHBOARD_STAKING_TOTAL, next));
  return { client, observer, setStream };
}

beforeEach(() => {
  vi.useFakeTimers();
  // React Query polls only in browsers, and mistakes the test environment for a server.
  environmentManager.setIsServer(() => false);
});
afterEach(() => {
  stop();
  $pollIntervals.set({});
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('polling', () => {
  it('waits while the stream is opening for the first time', async () => {
    const fetchMock = serve(figureResponse);
    observe('connecting');
    await vi.advanceTimersByTimeAsync(intervalMs * 3);
    expect(fetchMock).not.toHaveBeenCalled();
  });

  it('reads immediately and then at the strategy’s interval while the stream is down', async () => {
    const fetchMock = serve(figureResponse);
    observe('reconnecting');
    await vi.advanceTimersByTimeAsync(0);
    expect(fetchMock).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(intervalMs * 2 + 100);
    expect(fetchMock).toHaveBeenCalledTimes(3);
  });

  it('stops while the stream is open and resumes when it breaks', async () => {
    const fetchMock = serve(figureResponse);
    const { client, setStream } = observe('connecting');
    client.setQueryData([path], { balance: '2' });
    setStream('live');
    await vi.advanceTimersByTimeAsync(intervalMs * 4);
    expect(fetchMock).not.toHaveBeenCalled();
    setStream('reconnecting');
    await vi.advanceTimersByTimeAsync(intervalMs + 100);
    expect(fetchMock).toHaveBeenCalled();
  });

  it('reads an announced figure once, and never reads a pushed figure', async () => {
    const fetchMock = serve(figureResponse);
    const { client } = observe('live');
    await vi.advanceTimersByTimeAsync(0);
    expect(fetchMock).toHaveBeenCalledTimes(1);
    applyChange(client, { version: 'a-1', bodies: {}, announced: [path], missing: [] });
    await vi.advanceTimersByTimeAsync(intervalMs * 3);
    expect(fetchMock).toHaveBeenCalledTimes(2);
    applyChange(client, { version: 'a-2', bodies: { [path]: { balance: '2' } }, announced: [], missing: [] });
    await vi.advanceTimersByTimeAsync(intervalMs * 3);
    expect(fetchMock).toHaveBeenCalledTimes(2);
  });

  it('retries a failed read twice', async () => {
    const fetchMock = serve(() => new Response('no', { status: 500 }));
    const { observer } = observe('reconnecting');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(fetchMock).toHaveBeenCalledTimes(3);
    expect(observer.getCurrentResult().error?.message).toBe('500: no');
  });
});

describe('a polled figure', () => {
  it('ages by its polling interval until a poll fails', async () => {
    let isDown = false;
    serve(() => (isDown ? new Response('no', { status: 500 }) : Response.json({ balance: '1' })));
    observe('reconnecting');
    await vi.advanceTimersByTimeAsync(0);
    expect($pollIntervals.get()).toEqual({ [path]: intervalMs });
    isDown = true;
    await vi.advanceTimersByTimeAsync(intervalMs);
    expect($pollIntervals.get()).toEqual({});
  });

  it('ages by the interval of its source while the stream is open', async () => {
    serve(() => Response.json({ balance: '1' }));
    observe('live');
    await vi.advanceTimersByTimeAsync(0);
    expect($pollIntervals.get()).toEqual({});
  });
});

describe('a figure that the server has not read yet', () => {
  it('is null, and its read is not retried', async () => {
    const fetchMock = serve(() => Response.json({ success: false }, { status: 503 }));
    const { observer } = observe('reconnecting');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(observer.getCurrentResult().data).toBeNull();
    expect(fetchMock).toHaveBeenCalledTimes(1);
  });

  it('is recognized by the API’s error body, and not by the status 503 alone', async () => {
    serve(() => new Response('<h1>Bad gateway</h1>', { status: 503 }));
    await expect(readBody(path, new AbortController().signal)).rejects.toThrow(/^503: /);
    expect(isNotKnownYet(new RequestError(500, '', '{"success":false}'))).toBe(false);
    expect(isNotKnownYet(new Error('lost'))).toBe(false);
  });
});

describe('the server clock', () => {
  it('is synced with the Date header of a response', async () => {
    const tenMinutesAhead = Date.now() + 600_000;
    const date = new Date(tenMinutesAhead).toUTCString();
    serve(() => Response.json({ balance: '1' }, { headers: { Date: date } }));
    await readBody(path, new AbortController().signal);
    expect(Math.abs(serverClock.now() - tenMinutesAhead)).toBeLessThan(1_000);
  });
});
