import { QueryObserver } from '@tanstack/react-query';
import { describe, expect, it, vi } from 'vitest';
import { applyChange, READ_HANGS_AFTER_MS } from './apply-change.ts';
import { createQueryClient } from './query-client.ts';

describe('a change from the event stream', () => {
  it('writes each body to the cache under its path', () => {
    const client = createQueryClient();
    applyChange(client, {
      version: 1,
      bodies: { '/api/a': { v: 1 }, '/api/b': [2] },
      announced: [],
      missing: [],
    });
    expect(client.getQueryData(['/api/a'])).toEqual({ v: 1 });
    expect(client.getQueryData(['/api/b'])).toEqual([2]);
  });

  it('leaves other paths unchanged', () => {
    const client = createQueryClient();
    client.setQueryData(['/api/a'], { v: 1 });
    applyChange(client, { version: 2, bodies: { '/api/b': 1 }, announced: [], missing: [] });
    expect(client.getQueryData(['/api/a'])).toEqual({ v: 1 });
  });

  it('sets a figure to null when the server no longer knows it', () => {
    const client = createQueryClient();
    client.setQueryData(['/api/a'], { v: 1 });
    applyChange(client, { version: 2, bodies: {}, announced: [], missing: ['/api/a'] });
    expect(client.getQueryData(['/api/a'])).toBeNull();
  });

  it('is not overwritten by an earlier read in flight', async () => {
    const client = createQueryClient();
    let reply: (body: unknown) => void = () => {};
    const observer = new QueryObserver(client, {
      queryKey: ['/api/a'],
      retry: false,
      queryFn: ({ signal }) =>
        new Promise((resolve, reject) => {
          reply = resolve;
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    });
    const stop = observer.subscribe(() => {});
    applyChange(client, { version: 3, bodies: { '/api/a': { v: 'stream' } }, announced: [], missing: [] });
    reply({ v: 'older' });
    await new Promise((resolve) => setImmediate(resolve));
    expect(client.getQueryData(['/api/a'])).toEqual({ v: 'stream' });
    expect(observer.getCurrentResult().status).toBe('success');
    stop();
    client.clear();
  });

  it('refetches an announced figure after the read in flight, which may return an older value', async () => {
    const client = createQueryClient();
    const replies: ((body: unknown) => void)[] = [];
    const observer = new QueryObserver(client, {
      queryKey: ['/api/a'],
      retry: false,
      queryFn: () => new Promise((resolve) => replies.push(resolve)),
    });
    const stop = observer.subscribe(() => {});
    const settled = () => new Promise((resolve) => setImmediate(resolve));
    applyChange(client, { version: 4, bodies: {}, announced: ['/api/a'], missing: [] });
    await settled();
    replies[0]?.(['before the stake']);
    await settled();
    applyChange(client, { version: 5, bodies: {}, announced: ['/api/a'], missing: [] });
    await settled();
    expect(replies).toHaveLength(2);
    replies[1]?.(['after the stake']);
    await settled();
    expect(replies).toHaveLength(3);
    replies[2]?.(['after both stakes']);
    await settled();
    expect(observer.getCurrentResult().data).toEqual(['after both stakes']);
    stop();
    client.clear();
  });

  it('aborts a hung read and refetches the announced figure', async () => {
    vi.useFakeTimers();
    const client = createQueryClient();
    const reads: { readonly signal: AbortSignal; readonly reply: (body: unknown) => void }[] = [];
    const observer = new QueryObserver(client, {
      queryKey: ['/api/a'],
      initialData: ['before the stake'] as unknown,
      retry: false,
      queryFn: ({ signal }) => new Promise((reply) => reads.push({ signal, reply })),
    });
    const stop = observer.subscribe(() => {});
    for (let version = 6; version < 9; version += 1) {
      applyChange(client, { version, bodies: {}, announced: ['/api/a'], missing: [] });
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(reads).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(READ_HANGS_AFTER_MS);
    expect(reads.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    reads[1]?.reply(['after the stake']);
    await vi.advanceTimersByTimeAsync(0);
    expect(observer.getCurrentResult().data).toEqual(['after the stake']);
    stop();
    client.clear();
    vi.useRealTimers();
  });
});
