import { environmentManager, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { applyChange } from './apply-change.ts';
import { figureQuery, isNotKnownYet, readFigure } from './figure-query.ts';
import { DASHBOARD_STAKING_TOTAL } from './figure-strategies.ts';
import { createQueryClient } from './query-client.ts';
import { RequestError } from './request.ts';
import { serverClock } from './server-clock.ts';
import type { StreamState } from './stream-state.ts';

const { path, interval } = DASHBOARD_STAKING_TOTAL;

function serve(...answers: readonly (() => Response)[]) {
  let turn = 0;
  const fetched = vi.fn<typeof fetch>(async () => {
    const next = answers[Math.min(turn, answers.length - 1)];
    turn += 1;
    return next ? next() : new Response('{}');
  });
  vi.stubGlobal('fetch', fetched);
  return fetched;
}

const known = () => Response.json({ balance: '1', stakerCount: 1 });
const notYet = () =>
  Response.json({ success: false, error: 'not read yet', code: 'NOT_YET' }, { status: 503 });
const proxyDown = () => new Response('<h1>Bad gateway</h1>', { status: 503 });

function observe(stream: StreamState) {
  const client = createQueryClient();
  const observer = new QueryObserver(client, figureQuery(DASHBOARD_STAKING_TOTAL, stream));
  const stop = observer.subscribe(() => {});
  return {
    client,
    observer,
    stop,
    turn: (next: StreamState) => observer.setOptions(figureQuery(DASHBOARD_STAKING_TOTAL, next)),
  };
}

beforeEach(() => {
  vi.useFakeTimers();
  // Intervals run in a browser only, and this process looks like a server.
  environmentManager.setIsServer(() => false);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('polling', () => {
  it('asks for nothing while the stream is being opened', async () => {
    const fetched = serve(known);
    const { stop } = observe('connecting');
    await vi.advanceTimersByTimeAsync(interval * 3);
    expect(fetched).not.toHaveBeenCalled();
    stop();
  });

  it('asks at once and then at the strategy’s interval while the stream is down', async () => {
    const fetched = serve(known);
    const { stop } = observe('reconnecting');
    await vi.advanceTimersByTimeAsync(0);
    expect(fetched).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(interval * 2 + 100);
    expect(fetched).toHaveBeenCalledTimes(3);
    stop();
  });

  it('is off while the stream is open, and on again when it breaks', async () => {
    const fetched = serve(known);
    const { client, turn, stop } = observe('connecting');
    client.setQueryData([path], { balance: '2' });
    turn('live');
    await vi.advanceTimersByTimeAsync(interval * 4);
    expect(fetched).not.toHaveBeenCalled();
    turn('reconnecting');
    await vi.advanceTimersByTimeAsync(interval + 100);
    expect(fetched).toHaveBeenCalled();
    stop();
  });

  it('asks once for a figure that an open stream did not bring', async () => {
    const fetched = serve(known);
    const { stop } = observe('live');
    await vi.advanceTimersByTimeAsync(interval * 3);
    expect(fetched).toHaveBeenCalledTimes(1);
    stop();
  });

  it('reads a figure again that an open stream announces, once, and one that it brought not at all', async () => {
    const fetched = serve(known);
    const { client, stop } = observe('live');
    await vi.advanceTimersByTimeAsync(0);
    expect(fetched).toHaveBeenCalledTimes(1);
    applyChange(client, { version: 1, bodies: {}, announced: [path], missing: [] });
    await vi.advanceTimersByTimeAsync(interval * 3);
    expect(fetched).toHaveBeenCalledTimes(2);
    applyChange(client, { version: 2, bodies: { [path]: { balance: '2' } }, announced: [], missing: [] });
    await vi.advanceTimersByTimeAsync(interval * 3);
    expect(fetched).toHaveBeenCalledTimes(2);
    stop();
  });

  it('tries a failed read twice more before it gives up', async () => {
    const fetched = serve(() => new Response('no', { status: 500 }));
    const { observer, stop } = observe('reconnecting');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(fetched).toHaveBeenCalledTimes(3);
    expect(observer.getCurrentResult().error?.message).toBe('500: no');
    stop();
  });
});

describe('a figure that the server does not know yet', () => {
  it('is null at once, not an error to retry', async () => {
    const fetched = serve(notYet);
    const { observer, stop } = observe('reconnecting');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(observer.getCurrentResult().data).toBeNull();
    expect(fetched).toHaveBeenCalledTimes(1);
    stop();
  });

  it('is told by the API’s own error body, not by the 503 of a proxy', async () => {
    serve(proxyDown);
    await expect(readFigure(path, new AbortController().signal)).rejects.toThrow(/^503: /);
    expect(isNotKnownYet(new RequestError(500, '', '{"success":false}'))).toBe(false);
    expect(isNotKnownYet(new Error('lost'))).toBe(false);
  });
});

describe('while only polling works', () => {
  it('the server’s time comes from the head of an answer', async () => {
    const tenMinutesAhead = Date.now() + 600_000;
    const date = new Date(tenMinutesAhead).toUTCString();
    serve(() => Response.json({ balance: '1' }, { headers: { Date: date } }));
    await readFigure(path, new AbortController().signal);
    expect(Math.abs(serverClock.now() - tenMinutesAhead)).toBeLessThan(1_000);
  });
});
