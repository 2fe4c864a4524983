import { type QueryFunction, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LiveChange } from '../../data/contract/live.ts';
import { applyChange, READ_HANGS_AFTER_MS } from './apply-change.ts';
import { createQueryClient } from './query-client.ts';
import { $storedReads } from './source-freshness.ts';

const client = createQueryClient();
let stop = () => {};
const apply = (change: Partial<LiveChange>) =>
  applyChange(client, { version: 'a-1', bodies: {}, announced: [], missing: [], ...change });

function observe(queryFn: QueryFunction<unknown, string[]>, initialData?: unknown) {
  const observer = new QueryObserver(client, { queryKey: ['/api/a'], retry: false, queryFn, initialData });
  stop = observer.subscribe(() => {});
  return observer;
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  stop();
  client.clear();
  vi.useRealTimers();
});

describe('a change from the event stream', () => {
  it('writes each body to the cache under its path, and leaves other paths unchanged', () => {
    client.setQueryData(['/api/a'], { v: 1 });
    apply({ bodies: { '/api/b': [2], '/api/c': 3 } });
    expect(['/api/a', '/api/b', '/api/c'].map((path) => client.getQueryData([path]))).toEqual([
      { v: 1 },
      [2],
      3,
    ]);
  });

  it('sets a figure to null when the server no longer knows it', () => {
    client.setQueryData(['/api/a'], { v: 1 });
    $storedReads.setKey('/api/a', 1);
    apply({ missing: ['/api/a'] });
    expect(client.getQueryData(['/api/a'])).toBeNull();
    expect($storedReads.get()).toEqual({});
  });

  it('is not overwritten by an earlier read in flight', async () => {
    let reply: (body: unknown) => void = () => {};
    const observer = observe(
      ({ signal }) =>
        new Promise((resolve, reject) => {
          reply = resolve;
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    );
    apply({ bodies: { '/api/a': { v: 'stream' } } });
    reply({ v: 'older' });
    await vi.advanceTimersByTimeAsync(0);
    expect(client.getQueryData(['/api/a'])).toEqual({ v: 'stream' });
    expect(observer.getCurrentResult().status).toBe('success');
  });

  it('refetches an announced figure after the read in flight, which may return an older value', async () => {
    const replies: ((body: unknown) => void)[] = [];
    const observer = observe(() => new Promise((resolve) => replies.push(resolve)));
    apply({ announced: ['/api/a'] });
    await vi.advanceTimersByTimeAsync(0);
    replies[0]?.('before the stake');
    await vi.advanceTimersByTimeAsync(0);
    apply({ announced: ['/api/a'] });
    await vi.advanceTimersByTimeAsync(0);
    expect(replies).toHaveLength(2);
    replies[1]?.('after the stake');
    await vi.advanceTimersByTimeAsync(0);
    expect(replies).toHaveLength(3);
    replies[2]?.('after both stakes');
    await vi.advanceTimersByTimeAsync(0);
    expect(observer.getCurrentResult().data).toBe('after both stakes');
  });

  it('aborts a hung read and refetches the announced figure', async () => {
    const reads: { readonly signal: AbortSignal; readonly reply: (body: unknown) => void }[] = [];
    const observer = observe(
      ({ signal }) => new Promise((reply) => reads.push({ signal, reply })),
      'before the stake',
    );
    for (let change = 0; change < 3; change += 1) {
      apply({ announced: ['/api/a'] });
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(reads).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(READ_HANGS_AFTER_MS);
    expect(reads.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    reads[1]?.reply('after the stake');
    await vi.advanceTimersByTimeAsync(0);
    expect(observer.getCurrentResult().data).toBe('after the stake');
  });
});
