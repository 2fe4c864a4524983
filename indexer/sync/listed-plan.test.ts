import { describe, expect, it } from 'vitest';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import type { RpcCall } from '../rpc/json-rpc.ts';
import { scriptedPool } from '../testing/scripted-pool.ts';
import type { IndexedPart } from './indexed-part.ts';
import { createListedPlan } from './listed-plan.ts';
import type { ReadWindow } from './transaction-window.ts';

const never = new AbortController().signal;
const NEWEST_FIRST = [...'hgfedcba'];
const PAGE = 2;
/** Indexed up to here, so that a page can be given back. */
const INDEXED = 'z';
const READ: ReadWindow = { events: [], alarms: [], readCount: 1, unread: [], witness: null };

const row = (signature: string) => ({
  signature,
  slot: signature.charCodeAt(0) - 'a'.charCodeAt(0) + 1,
  err: null,
  confirmationStatus: 'finalized',
});

/** A plan of eight transactions in four pages, whose pages are answered one by one once a test says so. */
async function heldPlan() {
  const node = scriptedPool({
    getSignaturesForAddress: (
      _: string,
      { before, limit }: { readonly before?: string; readonly limit: number },
    ) => {
      const from = before === undefined ? 0 : NEWEST_FIRST.indexOf(before) + 1;
      const listed = NEWEST_FIRST.slice(from, from + limit).map(row);
      return listed.length < limit ? [...listed, { ...row('a'), signature: INDEXED, slot: 0 }] : listed;
    },
  });
  let isHeld = false;
  const held: { let(): void; fail(error: Error): void }[] = [];
  const batch = async (calls: readonly RpcCall<unknown>[], signal: AbortSignal) => {
    if (isHeld) await new Promise<void>((resolve, reject) => void held.push({ let: resolve, fail: reject }));
    return node.batch(calls, signal);
  };
  const part = {
    bound: () => ({ until: INDEXED, fromSlot: 0 }),
    hasEventsBefore: async () => false,
    positionBefore: async () => null,
  } satisfies Partial<IndexedPart>;
  const newest = NEWEST_FIRST.slice(0, PAGE).map((signature) => ({
    ...{ signature, slot: row(signature).slot, hasFailed: false, isFinalized: true },
  }));
  const plan = createListedPlan(
    {
      ...{ address: 'vault', pageSize: PAGE, windowSize: 1, windowsAhead: 1 },
      pool: { ...node, batch: batch as EndpointPool['batch'] },
      part: part as unknown as IndexedPart,
      read: async () => READ,
    },
    { rows: newest, passesBound: false, askedAt: 0, finalizedSlot: null },
    never,
  );
  await plan.listDown(() => true, never);
  isHeld = true;
  const next = async (): Promise<string> => {
    const window = await plan.next(never);
    return typeof window === 'string' || window === null
      ? String(window)
      : window.rows.map(({ signature }) => signature).join('');
  };
  return { plan, next, held, asked: () => node.calls.at(-1) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a plan of listed pages', () => {
  it('hands out what is on its way while the page after it is awaited', async () => {
    const { next, held } = await heldPlan();
    expect(await next()).toBe('a');
    expect(held.length).toBe(1);
    expect(await next()).toBe('b');
    const third = next();
    held[0]?.let();
    expect(await third).toBe('c');
  });

  it('is held up by a page that fails only when nothing before it is left, and asks for it again', async () => {
    const { next, held } = await heldPlan();
    expect(await next()).toBe('a');
    held[0]?.fail(new Error('no answer'));
    await settled();
    expect(await next()).toBe('b');
    const third = next();
    held[1]?.fail(new Error('no answer again'));
    await expect(third).rejects.toThrow('no answer again');
    const again = next();
    await settled();
    held[2]?.let();
    expect(await again).toBe('c');
  });

  it('gives back the pages from the oldest one on, also while another is on its way', async () => {
    const { plan, next, held } = await heldPlan();
    expect(await next()).toBe('a');
    const givenBack = plan.giveBack(never);
    held[0]?.let();
    await settled();
    // The page after it is asked for as soon as one is taken; it is of no use any more.
    held[1]?.let();
    expect(await givenBack).toBe(true);
    const first = next();
    await settled();
    for (const page of held.slice(2)) page.let();
    expect(await first).toBe('a');
  });
});
