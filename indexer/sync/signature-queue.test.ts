import { describe, expect, it } from 'vitest';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import type { RpcCall } from '../rpc/json-rpc.ts';
import { scriptedPool } from '../testing/scripted-pool.ts';
import { createSignaturePages } from './signature-pages.ts';
import { createSignatureQueue } from './signature-queue.ts';
import type { WindowResult } from './transaction-window.ts';

const neverAborted = new AbortController().signal;
const NEWEST_FIRST = [...'hgfedcba'];
const PAGE_SIZE = 3;
/** The last indexed transaction. A page that is listed again ends there. */
const INDEXED_SIGNATURE = 'z';
const READ_WINDOW: WindowResult = {
  events: [],
  alarms: [],
  readCount: 1,
  unread: [],
  readableSignature: null,
};

const row = (signature: string) => ({
  signature,
  slot: signature.charCodeAt(0) - 'a'.charCodeAt(0) + 1,
  err: null,
  confirmationStatus: 'finalized',
});

/** A queue of eight transactions in four pages of two. The test triggers each answer. */
async function queueWithManualAnswers() {
  const node = scriptedPool({
    getSignaturesForAddress: (
      _: string,
      { before, until, limit }: { readonly before?: string; readonly until?: string; readonly limit: number },
    ) => {
      const from = before === undefined ? 0 : NEWEST_FIRST.indexOf(before) + 1;
      const listed = [...NEWEST_FIRST.map(row), { ...row('a'), signature: INDEXED_SIGNATURE, slot: 0 }];
      return listed.slice(from, until === undefined ? undefined : -1).slice(0, limit);
    },
  });
  let isManual = false;
  const pending: { answer(): void; fail(error: Error): void }[] = [];
  const batch = async (calls: readonly RpcCall<unknown>[], signal: AbortSignal) => {
    if (isManual)
      await new Promise<void>((resolve, reject) => void pending.push({ answer: resolve, fail: reject }));
    return node.batch(calls, signal);
  };
  const newest = NEWEST_FIRST.slice(0, PAGE_SIZE).map((signature, index) => ({
    ...{ signature, slot: row(signature).slot, hasFailed: false, isFinalized: true, transactionIndex: index },
    blockTime: null,
  }));
  const pages = createSignaturePages({
    ...{ address: 'vault', pageSize: PAGE_SIZE, newestPage: newest, reachesCursor: false },
    pool: { batch: batch as EndpointPool['batch'] },
    cursor: { account: 'vault', signature: INDEXED_SIGNATURE, slot: 0 },
    checkBeginning: async () => {},
  });
  const queue = createSignatureQueue({
    ...{ pages, windowSize: 1, windowsAhead: 1 },
    read: async () => READ_WINDOW,
    indexedUpToSlot: () => 0,
  });
  while (!pages.isListed) await pages.listNextPage(neverAborted);
  isManual = true;
  const next = async (): Promise<string> => {
    const window = await queue.next(neverAborted);
    return typeof window === 'string' || window === null
      ? String(window)
      : window.rows.map(({ signature }) => signature).join('');
  };
  return { queue, next, pending };
}

const waitUntilSettled = () => new Promise((resolve) => setImmediate(resolve));

describe('a queue of listed pages', () => {
  it('returns fetched windows while the next page is awaited', async () => {
    const { next, pending } = await queueWithManualAnswers();
    expect(await next()).toBe('a');
    expect(pending.length).toBe(1);
    expect(await next()).toBe('b');
    const third = next();
    pending[0]?.answer();
    expect(await third).toBe('c');
  });

  it('returns all earlier windows before it waits for a failing page, and requests the page again', async () => {
    const { next, pending } = await queueWithManualAnswers();
    expect(await next()).toBe('a');
    pending[0]?.fail(new Error('no answer'));
    await waitUntilSettled();
    expect(await next()).toBe('b');
    const third = next();
    pending[1]?.fail(new Error('no answer again'));
    await expect(third).rejects.toThrow('no answer again');
    const again = next();
    await waitUntilSettled();
    pending[2]?.answer();
    expect(await again).toBe('c');
  });

  it('starts again from the oldest page after pages are given back, even while another page is being fetched', async () => {
    const { queue, next, pending } = await queueWithManualAnswers();
    expect(await next()).toBe('a');
    const givenBack = queue.giveBack();
    pending[0]?.answer();
    await waitUntilSettled();
    // Taking a page requests the next one, which is then discarded.
    pending[1]?.answer();
    await givenBack;
    const first = next();
    for (let request = 2; request < 5; request += 1) {
      await waitUntilSettled();
      pending[request]?.answer();
    }
    expect(await first).toBe('a');
  });
});
