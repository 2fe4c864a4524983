import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  IDENTITY,
  neverAborted,
  SCRIPTED_MINT,
  type ScriptedNode,
  scriptedNode,
  VAULT,
} from '../testing/scripted-history.ts';
import { openTestIndex, type TestIndex } from '../testing/test-chain.ts';
import { createQuarantineKeeper } from './quarantine.ts';

let index: TestIndex;
let node: ScriptedNode;
let clock: number;

beforeEach(async () => {
  clock = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => clock);
  node = scriptedNode(VAULT, [
    { signature: 'older', slot: 4, delta: 1n },
    { signature: 'unread', slot: 5, delta: 7n },
    { signature: 'newer', slot: 6, delta: 2n },
  ]);
  index = await openTestIndex(IDENTITY);
  await index.writer.commitEvents({
    account: VAULT,
    events: [],
    quarantined: [
      {
        signature: 'unread',
        account: VAULT,
        slot: 5,
        position: 0,
        blockTime: null,
        reason: 'null',
        since: 1,
      },
    ],
    cursor: { account: VAULT, signature: 'newer', slot: 6 },
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await index.close();
});

function createKeeper() {
  return createQuarantineKeeper({
    pool: node.pool,
    writer: index.writer,
    mint: SCRIPTED_MINT,
    watched: [{ address: VAULT, role: 'vault' }],
  });
}
const requestCount = () => node.pool.calls.filter(([method]) => method === 'getTransaction').length;

describe('a quarantined transaction', () => {
  it('is released with its event, at its position, once it can be read', async () => {
    expect(await createKeeper().retryDue(neverAborted)).toEqual([{ signature: 'unread', account: VAULT }]);
    const released = { signature: 'unread', slot: 5, position: 0, delta: 7n, status: 'finalized' };
    expect(await index.events()).toMatchObject([released]);
    expect(await index.writer.quarantined()).toEqual([]);
  });

  it('is retried immediately after a restart, and then after growing delays of at most ten minutes', async () => {
    node.withheld.add('unread');
    const quarantine = createKeeper();
    const retriedAt: number[] = [];
    for (clock = 0; clock < 3_600_000; clock += 1_000) {
      const before = requestCount();
      await quarantine.retryDue(neverAborted);
      if (requestCount() > before) retriedAt.push(clock);
    }
    const waits = retriedAt.map((time, attempt) => time - (retriedAt[attempt - 1] ?? 0));
    expect(waits.slice(0, 4)).toEqual([0, 5_000, 10_000, 20_000]);
    expect(Math.max(...waits)).toBe(600_000);
    expect(await index.writer.quarantined()).toHaveLength(1);
    await createKeeper().retryDue(neverAborted);
    expect(requestCount()).toBeGreaterThan(retriedAt.length);
  });

  it('is released without events if it failed', async () => {
    node.history = node.history.map((past) =>
      past.signature === 'unread' ? { ...past, delta: null } : past,
    );
    expect(await createKeeper().retryDue(neverAborted)).toHaveLength(1);
    expect(await index.events()).toEqual([]);
  });

  it('stays while endpoints return it in a different slot', async () => {
    node.returnedSlots.set('unread', 9);
    expect(await createKeeper().retryDue(neverAborted)).toEqual([]);
    expect(await index.writer.quarantined()).toHaveLength(1);
  });
});
