import { describe, expect, it } from 'vitest';
import type { EndpointPool, PoolReply } from '../rpc/endpoint-pool.ts';
import type { ListedTransaction } from './read-transaction.ts';
import { createWindowReader } from './transaction-window.ts';

const NOTHING_KNOWN = { read: new Map(), putAside: new Set<string>() };
const never = new AbortController().signal;

/** A pool whose batches are answered when a test says so: with nothing, which no transaction is read from. */
function heldPool() {
  const asked: { readonly signatures: readonly unknown[]; answer(): void }[] = [];
  const batch = (calls: readonly { readonly params: readonly unknown[] }[]) =>
    new Promise((resolve) => {
      const replies: PoolReply<unknown>[] = calls.map(() => ({
        ok: true,
        value: { ok: false, reason: 'held' },
        by: '',
      }));
      asked.push({ signatures: calls.map(({ params }) => params[0]), answer: () => resolve(replies) });
    });
  return { asked, pool: { batch } as unknown as EndpointPool };
}

function listed(names: string): readonly ListedTransaction[] {
  return [...names].map((signature, slot) => ({
    signature,
    slot,
    position: 0,
    hasFailed: false,
    isFinalized: true,
  }));
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('windows of transactions', () => {
  it('are asked for oldest first, so many requests at once, the next as soon as one is answered', async () => {
    const { asked, pool } = heldPool();
    const reader = createWindowReader({
      pool,
      mint: 'mint',
      watched: { address: 'vault', role: 'vault' },
      batchSize: 2,
      requestsAtOnce: 3,
    });
    const windows = ['abcd', 'efgh', 'ijk'].map((names) => reader.read(listed(names), NOTHING_KNOWN, never));
    const askedFor = () => asked.map(({ signatures }) => signatures.join(''));
    await settled();
    expect(askedFor()).toEqual(['ab', 'cd', 'ef']);
    // The second is not whole before the first: what follows is asked for all the same.
    asked[1]?.answer();
    await settled();
    expect(askedFor()).toEqual(['ab', 'cd', 'ef', 'gh']);
    asked[0]?.answer();
    await settled();
    expect(askedFor()).toEqual(['ab', 'cd', 'ef', 'gh', 'ij']);
    for (let at = 2; at < 6; at += 1) {
      asked[at]?.answer();
      await settled();
    }
    expect(askedFor()).toEqual(['ab', 'cd', 'ef', 'gh', 'ij', 'k']);
    expect((await Promise.all(windows)).map(({ unread }) => unread.length)).toEqual([4, 4, 3]);
  });
});
