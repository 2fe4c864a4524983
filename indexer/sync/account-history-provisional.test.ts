import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  advanceUntilCaughtUp,
  blockTimeOf,
  createVaultHistory,
  expectedEvents,
  IDENTITY,
  indexedEvents,
  scriptedNode,
  tick,
  transactionsAt,
  VAULT,
} from '../testing/scripted-history.ts';
import { openTestIndex, type TestIndex } from '../testing/test-chain.ts';

let index: TestIndex;
beforeEach(async () => {
  index = await openTestIndex(IDENTITY);
  return () => index.close();
});
afterEach(() => void vi.restoreAllMocks());

const PAST = transactionsAt([1, 2, 3, 5, 6, 7, 8, 9]);
/** Slots up to 3 are final. */
const nodeWithProvisional = () => {
  const node = scriptedNode(VAULT, PAST);
  node.finalizedSlot = 3;
  return node;
};
const readStatuses = async () =>
  (await index.events()).map(({ signature, status }) => `${signature} ${status}`);
const provisionalCount = async () => (await index.reader.statistics()).provisionalEvents;

describe('provisional transactions', () => {
  it('are read after the final ones, and the cursor stays below them', async () => {
    const node = nodeWithProvisional();
    await advanceUntilCaughtUp(node, createVaultHistory(node, index.writer));
    expect(await readStatuses()).toEqual([
      's0 finalized',
      's1 finalized',
      's2 finalized',
      's4 confirmed',
      's5 confirmed',
      's6 confirmed',
    ]);
    expect(await index.writer.cursor(VAULT)).toMatchObject({ signature: 's2', slot: 3 });
  });

  it('are read again as final once their slots are final', async () => {
    const node = nodeWithProvisional();
    const history = createVaultHistory(node, index.writer);
    await advanceUntilCaughtUp(node, history);
    node.finalizedSlot = 6;
    await advanceUntilCaughtUp(node, history);
    expect(await provisionalCount()).toBe(2);
    node.finalizedSlot = null;
    await advanceUntilCaughtUp(node, history);
    expect(await provisionalCount()).toBe(0);
    expect(await indexedEvents(index)).toEqual(expectedEvents(PAST));
  });

  it.each([
    ['that vanish on a fork', PAST.slice(0, 5)],
    [
      'that a fork moves to different slots',
      PAST.map((one) => ({ ...one, slot: one.slot > 3 ? one.slot + 4 : one.slot })),
    ],
    [
      'that a fork replaces',
      [...PAST.slice(0, 4), { signature: 'new', slot: 6, delta: 70n }, ...PAST.slice(6)],
    ],
    [
      'that get a predecessor on a fork',
      [...PAST.slice(0, 3), { signature: 'new', slot: 4, delta: 70n }, ...PAST.slice(3)],
    ],
  ])('%s are all replaced, even after a restart', async (_, forked) => {
    for (const restarts of [false, true]) {
      const fresh = await openTestIndex(IDENTITY);
      const node = nodeWithProvisional();
      let history = createVaultHistory(node, fresh.writer);
      await advanceUntilCaughtUp(node, history);
      if (restarts) history = createVaultHistory(node, fresh.writer);
      node.history = forked;
      await advanceUntilCaughtUp(node, history);
      expect(await indexedEvents(fresh)).toEqual(expectedEvents(forked));
      node.finalizedSlot = null;
      await advanceUntilCaughtUp(node, history);
      expect(await indexedEvents(fresh)).toEqual(expectedEvents(forked));
      await fresh.close();
    }
  });

  it('of one slot stay together if the slot becomes final while it is listed', async () => {
    const past = transactionsAt([1, 5, 5, 5, 6]);
    const node = scriptedNode(VAULT, past);
    node.finalizedSlot = 4;
    const { batch } = node.pool;
    node.pool.batch = (async (calls, signal) => {
      const replies = await batch(calls, signal);
      node.finalizedSlot = 5;
      return replies;
    }) as typeof batch;
    await advanceUntilCaughtUp(node, createVaultHistory(node, index.writer, { pageSize: 2 }));
    expect(await indexedEvents(index)).toEqual(expectedEvents(past));
  });

  it('may fill whole pages', async () => {
    const node = nodeWithProvisional();
    await advanceUntilCaughtUp(node, createVaultHistory(node, index.writer, { pageSize: 2 }));
    expect(await indexedEvents(index)).toEqual(expectedEvents(PAST));
    expect(await provisionalCount()).toBe(3);
  });

  it('are requested once, and listed in one call while nothing changes', async () => {
    const node = nodeWithProvisional();
    const history = createVaultHistory(node, index.writer, { pageSize: 100 });
    await advanceUntilCaughtUp(node, history);
    await advanceUntilCaughtUp(node, history);
    const before = node.pool.calls.length;
    await tick(node, history);
    expect(node.pool.calls.slice(before).map(([method]) => method)).toEqual(['getSignaturesForAddress']);
  });

  it('that cannot be read do not hold back others, and are quarantined', async () => {
    const node = nodeWithProvisional();
    node.withheld.add('s4');
    const history = createVaultHistory(node, index.writer);
    const quarantinedCount = async () => (await index.reader.latestSnapshot(0)).quarantinedCount;
    await tick(node, history);
    expect(await readStatuses()).toContain('s5 confirmed');
    expect(await quarantinedCount()).toBe(0);
    await tick(node, history);
    await tick(node, history);
    expect(await quarantinedCount()).toBe(1);
    const { slot = 0 } = PAST.find(({ signature }) => signature === 's4') ?? {};
    const { coversWindow } = await index.reader.vaultMovements(blockTimeOf(slot) * 1_000 + 1);
    expect(coversWindow).toBe(true);
    node.withheld.clear();
    await tick(node, history);
    expect(await quarantinedCount()).toBe(0);
    expect(await indexedEvents(index)).toEqual(expectedEvents(PAST));
  });

  it('wait until all final ones have been read', async () => {
    const node = nodeWithProvisional();
    node.withheld.add('s1');
    await tick(node, createVaultHistory(node, index.writer));
    expect(await readStatuses()).toEqual(['s0 finalized']);
  });
});
