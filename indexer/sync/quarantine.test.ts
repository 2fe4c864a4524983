import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { batchOf, sampleEvent } from '../../data/store/testing/sample-rows.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import { INVALID_PARAMS, RpcRequestError } from '../rpc/rpc-errors.ts';
import {
  IDENTITY,
  never,
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
    { signature: 'held', slot: 5, delta: 7n },
    { signature: 'newer', slot: 6, delta: 2n },
  ]);
  node.finalizedSlot = 100;
  index = await openTestIndex(IDENTITY);
  await index.writer.commitEvents({
    account: VAULT,
    events: [],
    quarantined: [
      { signature: 'held', account: VAULT, slot: 5, position: 0, blockTime: null, reason: 'null', since: 1 },
    ],
    cursor: { account: VAULT, signature: 'newer', slot: 6, position: 0 },
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await index.close();
});

function keeper() {
  return createQuarantineKeeper({
    pool: node.pool,
    writer: index.writer,
    mint: SCRIPTED_MINT,
    watched: [{ address: VAULT, role: 'vault' }],
  });
}
const events = async () =>
  (await index.events()).map(({ signature, slot, position, delta, status }) => [
    signature,
    slot,
    position,
    delta,
    status,
  ]);
/** Stores a final event that precedes the transaction. */
const storeFinal = (signature: string, slot: number) =>
  index.writer.commitEvents(batchOf([sampleEvent(slot, { signature, account: VAULT })]));
const requests = () => node.pool.calls.filter(([method]) => method === 'getTransaction').length;

describe('a quarantined transaction', () => {
  it('is released with its event, at its position, once it can be read', async () => {
    expect(await keeper().retryDue(never)).toEqual([{ signature: 'held', account: VAULT, isGone: false }]);
    expect(await events()).toEqual([['held', 5, 0, 7n, 'finalized']]);
    expect(await index.writer.quarantined()).toEqual([]);
  });

  it('is retried at once after a restart, and then after growing delays of at most ten minutes', async () => {
    node.withheld.add('held');
    const quarantine = keeper();
    const retriedAt: number[] = [];
    for (clock = 0; clock < 3_600_000; clock += 1_000) {
      const before = requests();
      await quarantine.retryDue(never);
      if (requests() > before) retriedAt.push(clock);
    }
    const waits = retriedAt.map((at, which) => at - (retriedAt[which - 1] ?? 0));
    expect(waits.slice(0, 4)).toEqual([0, 5_000, 10_000, 20_000]);
    expect(Math.max(...waits)).toBe(600_000);
    expect(await index.writer.quarantined()).toHaveLength(1);
    await keeper().retryDue(never);
    expect(requests()).toBeGreaterThan(retriedAt.length);
  });

  it('is released without events if it failed and is final', async () => {
    node.history = node.history.map((past) => (past.signature === 'held' ? { ...past, delta: null } : past));
    expect(await keeper().retryDue(never)).toMatchObject([{ isGone: false }]);
    expect(await events()).toEqual([]);
  });

  it('is released without events once it has been denied and unlisted three times', async () => {
    node.history = node.history.filter(({ signature }) => signature !== 'held');
    const quarantine = keeper();
    for (let times = 0; times < 2; times += 1) {
      expect(await quarantine.retryDue(never)).toEqual([]);
      clock += 600_000;
    }
    expect(await quarantine.retryDue(never)).toMatchObject([{ isGone: true }]);
    expect(await index.writer.quarantined()).toEqual([]);
  });

  const without = (past: ScriptedNode['history']) => past.filter(({ signature }) => signature !== 'held');
  /** Retries more often than it takes to release a vanished transaction. */
  const staysFor = async (quarantine: ReturnType<typeof keeper>): Promise<boolean> => {
    for (let times = 0; times < 6; times += 1) {
      await quarantine.retryDue(never);
      clock += 600_000;
    }
    return (await index.writer.quarantined()).length === 1;
  };

  it.each([
    ['that refuses its first block', null],
    ['that reports a later first block', 899_000],
    ['that claims to have the whole history', 0],
  ])(
    'stays if the only node that answers has dropped that part of history: one %s',
    async (_, firstBlock) => {
      await storeFinal('older', 4);
      node.history.push({ signature: 'newest', slot: 900_000, delta: 1n });
      Object.assign(node, { finalizedSlot: 900_100, historyFrom: 899_000, firstBlock });
      expect(await staysFor(keeper())).toBe(true);
      // A node with that part of history returns it.
      node.historyFrom = 0;
      expect(await keeper().retryDue(never)).toMatchObject([{ isGone: false }]);
    },
  );

  it('stays after a denial by a node without that part of history, until three others deny it', async () => {
    await storeFinal('older', 4);
    node.history = without(node.history);
    const quarantine = keeper();
    for (const historyFrom of [0, 0, 6, 0, 0]) {
      node.historyFrom = historyFrom;
      expect(await quarantine.retryDue(never)).toEqual([]);
      clock += 600_000;
    }
    expect(await quarantine.retryDue(never)).toMatchObject([{ isGone: true }]);
  });

  it('stays if the node still lists it', async () => {
    node.withheld.add('held');
    expect(await staysFor(keeper())).toBe(true);
  });

  it('stays if the denying node does not answer the list call', async () => {
    node.history = without(node.history);
    const error = new RpcRequestError('getSignaturesForAddress', INVALID_PARAMS, 'Invalid params');
    const { requestFromEach } = node.pool;
    const unlisting: EndpointPool['requestFromEach'] = async (calls, signal) =>
      (await requestFromEach(calls, signal)).map(({ endpoint, replies }) => ({
        endpoint,
        replies: [
          ...(replies as readonly object[]).slice(0, -1),
          { ok: false, error, by: endpoint },
        ] as never,
      }));
    node = { ...node, pool: { ...node.pool, requestFromEach: unlisting } };
    expect(await staysFor(keeper())).toBe(true);
  });

  it('stays if one endpoint denies it and another lists it', async () => {
    const denying = scriptedNode(VAULT, without(node.history));
    denying.finalizedSlot = 100;
    node.withheld.add('held');
    const { requestFromEach } = node.pool;
    const both: EndpointPool['requestFromEach'] = async (calls, signal) => [
      ...(await requestFromEach(calls, signal)),
      ...(await denying.pool.requestFromEach(calls, signal)),
    ];
    node = { ...node, pool: { ...node.pool, requestFromEach: both } };
    expect(await staysFor(keeper())).toBe(true);
  });

  it('stays if it failed and is not final', async () => {
    node.history = node.history.map((past) => (past.signature === 'held' ? { ...past, delta: null } : past));
    node.status = 'confirmed';
    expect(await staysFor(keeper())).toBe(true);
  });

  it('is stored in the slot where it landed again, at its position there', async () => {
    node.history = [
      { signature: 'older', slot: 4, delta: 1n },
      { signature: 'same-slot', slot: 6, delta: 1n },
      { signature: 'held', slot: 6, delta: 7n },
      { signature: 'newer', slot: 6, delta: 2n },
    ];
    await keeper().retryDue(never);
    expect(await events()).toEqual([['held', 6, 1, 7n, 'finalized']]);
  });

  it('waits for the cursor if it landed again past the cursor', async () => {
    node.history = [
      { signature: 'older', slot: 4, delta: 1n },
      { signature: 'newer', slot: 6, delta: 2n },
      { signature: 'held', slot: 9, delta: 7n },
    ];
    expect(await keeper().retryDue(never)).toEqual([]);
    expect(await index.writer.quarantined()).toHaveLength(1);
  });
});
