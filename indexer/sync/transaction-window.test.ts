import { describe, expect, it } from 'vitest';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import type { PoolReply } from '../rpc/json-rpc.ts';
import { createWindowReader, type ListedTransaction } from './transaction-window.ts';

const NOTHING_KNOWN = { transactions: new Map(), quarantined: new Set<string>() };
const neverAborted = new AbortController().signal;

/** A pool without transactions. It answers a batch when the test calls `answer`. */
function manualPool() {
  const requests: { readonly signatures: readonly unknown[]; answer(): void }[] = [];
  const batch = (calls: readonly { readonly params: readonly unknown[] }[]) =>
    new Promise((resolve) => {
      const replies: PoolReply<unknown>[] = calls.map(() => ({
        ok: true,
        value: { ok: false, reason: 'not found' },
        endpointName: '',
      }));
      requests.push({ signatures: calls.map(({ params }) => params[0]), answer: () => resolve(replies) });
    });
  return { requests, pool: { batch } as unknown as EndpointPool };
}

function listedTransactions(names: string): readonly ListedTransaction[] {
  return [...names].map((signature, slot) => ({
    signature,
    slot,
    position: 0,
    hasFailed: false,
    isFinalized: true,
    transactionIndex: null,
    blockTime: null,
  }));
}

const waitUntilSettled = () => new Promise((resolve) => setImmediate(resolve));

describe('windows of transactions', () => {
  it('are requested oldest first, with at most three requests in flight', async () => {
    const { requests, pool } = manualPool();
    const reader = createWindowReader({
      pool,
      mint: 'mint',
      watched: { address: 'vault', role: 'vault' },
      batchSize: 2,
      requestsAtOnce: 3,
    });
    const windows = ['abcd', 'efgh', 'ijk'].map((names) =>
      reader.read(listedTransactions(names), NOTHING_KNOWN, neverAborted),
    );
    const requestedRows = () => requests.map(({ signatures }) => signatures.join(''));
    await waitUntilSettled();
    expect(requestedRows()).toEqual(['ab', 'cd', 'ef']);
    // No window is complete yet, but the next request starts.
    requests[1]?.answer();
    await waitUntilSettled();
    expect(requestedRows()).toEqual(['ab', 'cd', 'ef', 'gh']);
    requests[0]?.answer();
    await waitUntilSettled();
    expect(requestedRows()).toEqual(['ab', 'cd', 'ef', 'gh', 'ij']);
    for (let at = 2; at < 6; at += 1) {
      requests[at]?.answer();
      await waitUntilSettled();
    }
    expect(requestedRows()).toEqual(['ab', 'cd', 'ef', 'gh', 'ij', 'k']);
    expect((await Promise.all(windows)).map(({ unread }) => unread.length)).toEqual([4, 4, 3]);
  });
});
