import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IndexIdentity } from '../../data/store/chain-rows.ts';
import { batchOf, sampleEvent } from '../../data/store/testing/sample-rows.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import { INVALID_PARAMS, RpcRequestError } from '../rpc/rpc-errors.ts';
import { SCRIPTED_MINT, type ScriptedNode, scriptedNode } from '../testing/scripted-history.ts';
import { openTestIndex, type TestIndex } from '../testing/test-chain.ts';
import { createQuarantineKeeper, type QuarantineKeeper } from './quarantine.ts';

const VAULT = 'vault';
const IDENTITY: IndexIdentity = {
  genesisHash: 'genesis',
  mint: SCRIPTED_MINT,
  vault: VAULT,
  stakePool: 'pool',
  poolVault: 'pool-vault',
  decimals: 6,
};
const never = new AbortController().signal;

let index: TestIndex;
let node: ScriptedNode;
let clock: number;

beforeEach(async () => {
  clock = 0;
  node = scriptedNode(VAULT, [
    { signature: 'older', slot: 4, delta: 1n },
    { signature: 'aside', slot: 5, delta: 7n },
    { signature: 'newer', slot: 6, delta: 2n },
  ]);
  node.finalizedSlot = 100;
  index = await openTestIndex(IDENTITY);
  await index.writer.commitEvents({
    account: VAULT,
    events: [],
    quarantined: [
      { signature: 'aside', account: VAULT, slot: 5, position: 0, blockTime: null, reason: 'null', since: 1 },
    ],
    cursor: { account: VAULT, signature: 'newer', slot: 6, position: 0 },
  });
});
afterEach(() => index.close());

function keeper(): QuarantineKeeper {
  return createQuarantineKeeper({
    pool: node.pool,
    writer: index.writer,
    mint: SCRIPTED_MINT,
    watched: [{ address: VAULT, role: 'vault' }],
    elapsed: () => clock,
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
/** Stores a final event that stands before the transaction. */
const storeFinal = (signature: string, slot: number) =>
  index.writer.commitEvents(batchOf([sampleEvent(slot, { signature, account: VAULT })]));
const asked = () => node.pool.calls.filter(([method]) => method === 'getTransaction').length;

describe('a quarantined transaction', () => {
  it('is released with its event as soon as it can be read, at its own place', async () => {
    expect(await keeper().work(never)).toEqual([{ signature: 'aside', account: VAULT, isGone: false }]);
    expect(await events()).toEqual([['aside', 5, 0, 7n, 'finalized']]);
    expect(await index.writer.quarantined()).toEqual([]);
  });

  it('is asked for at once after a restart, and then after waits that grow to ten minutes at most', async () => {
    node.withheld.add('aside');
    const quarantine = keeper();
    const askedAt: number[] = [];
    for (clock = 0; clock < 3_600_000; clock += 1_000) {
      const before = asked();
      await quarantine.work(never);
      if (asked() > before) askedAt.push(clock);
    }
    const waits = askedAt.map((at, which) => at - (askedAt[which - 1] ?? 0));
    expect(waits.slice(0, 4)).toEqual([0, 5_000, 10_000, 20_000]);
    expect(Math.max(...waits)).toBe(600_000);
    expect(await index.writer.quarantined()).toHaveLength(1);
    await keeper().work(never);
    expect(asked()).toBeGreaterThan(askedAt.length);
  });

  it('is released with nothing where it failed for good', async () => {
    node.history = node.history.map((past) => (past.signature === 'aside' ? { ...past, delta: null } : past));
    expect(await keeper().work(never)).toMatchObject([{ isGone: false }]);
    expect(await events()).toEqual([]);
  });

  it('is released with nothing once it was denied and listed nowhere three times', async () => {
    node.history = node.history.filter(({ signature }) => signature !== 'aside');
    const quarantine = keeper();
    for (let times = 0; times < 2; times += 1) {
      expect(await quarantine.work(never)).toEqual([]);
      clock += 600_000;
    }
    expect(await quarantine.work(never)).toMatchObject([{ isGone: true }]);
    expect(await index.writer.quarantined()).toEqual([]);
  });

  const without = (past: ScriptedNode['history']) => past.filter(({ signature }) => signature !== 'aside');
  /** Asks as often as would be enough for a transaction that is gone, and more. */
  const staysFor = async (quarantine: QuarantineKeeper): Promise<boolean> => {
    for (let times = 0; times < 6; times += 1) {
      await quarantine.work(never);
      clock += 600_000;
    }
    return (await index.writer.quarantined()).length === 1;
  };

  it.each([
    ['that refuses to tell how far its history reaches back', null],
    ['that says its history begins later', 899_000],
    ['that says it has all of the history', 0],
  ])('stays where the one node that answers has forgotten its time: one %s', async (_, firstBlock) => {
    await storeFinal('older', 4);
    node.history.push({ signature: 'newest', slot: 900_000, delta: 1n });
    Object.assign(node, { finalizedSlot: 900_100, keptFrom: 899_000, firstBlock });
    expect(await staysFor(keeper())).toBe(true);
    // Nor does it leave later, once a node with that history denies nothing: it is read.
    node.keptFrom = 0;
    expect(await keeper().work(never)).toMatchObject([{ isGone: false }]);
  });

  it('stays where nothing is stored before it and the node does not say how far its history reaches', async () => {
    node.history = without(node.history);
    node.firstBlock = null;
    expect(await staysFor(keeper())).toBe(true);
  });

  it('is gone where the node that denies it knows the final event before it, and says no more', async () => {
    await storeFinal('older', 4);
    node.history = without(node.history);
    node.firstBlock = null;
    expect(await staysFor(keeper())).toBe(false);
  });

  it('stays where one of the denials came from a node without its time, until there are three others', async () => {
    await storeFinal('older', 4);
    node.history = without(node.history);
    const quarantine = keeper();
    for (const keptFrom of [0, 0, 6, 0, 0]) {
      node.keptFrom = keptFrom;
      expect(await quarantine.work(never)).toEqual([]);
      clock += 600_000;
    }
    expect(await quarantine.work(never)).toMatchObject([{ isGone: true }]);
  });

  it('stays where the node that denies it is hardly past its slot', async () => {
    node.history = without(node.history);
    node.finalizedSlot = 5 + 31;
    expect(await staysFor(keeper())).toBe(true);
  });

  it('stays where the node lists it still', async () => {
    node.withheld.add('aside');
    expect(await staysFor(keeper())).toBe(true);
  });

  it('stays where the node that denies it does not tell what it lists', async () => {
    node.history = without(node.history);
    const error = new RpcRequestError('getSignaturesForAddress', INVALID_PARAMS, 'Invalid params');
    const { askEach } = node.pool;
    const unlisting: EndpointPool['askEach'] = async (calls, signal) =>
      (await askEach(calls, signal)).map(({ endpoint, replies }) => ({
        endpoint,
        replies: [
          ...(replies as readonly object[]).slice(0, -1),
          { ok: false, error, by: endpoint },
        ] as never,
      }));
    node = { ...node, pool: { ...node.pool, askEach: unlisting } };
    expect(await staysFor(keeper())).toBe(true);
  });

  it('stays where one endpoint denies it and another lists it', async () => {
    const denying = scriptedNode(VAULT, without(node.history));
    denying.finalizedSlot = 100;
    node.withheld.add('aside');
    const { askEach } = node.pool;
    const both: EndpointPool['askEach'] = async (calls, signal) => [
      ...(await askEach(calls, signal)),
      ...(await denying.pool.askEach(calls, signal)),
    ];
    node = { ...node, pool: { ...node.pool, askEach: both } };
    expect(await staysFor(keeper())).toBe(true);
  });

  it('stays where it failed on what may still be a fork', async () => {
    node.history = node.history.map((past) => (past.signature === 'aside' ? { ...past, delta: null } : past));
    node.status = 'confirmed';
    expect(await staysFor(keeper())).toBe(true);
  });

  it('is put where it landed again, among those of that slot', async () => {
    node.history = [
      { signature: 'older', slot: 4, delta: 1n },
      { signature: 'same-slot', slot: 6, delta: 1n },
      { signature: 'aside', slot: 6, delta: 7n },
      { signature: 'newer', slot: 6, delta: 2n },
    ];
    await keeper().work(never);
    expect(await events()).toEqual([['aside', 6, 1, 7n, 'finalized']]);
  });

  it('waits for the cursor where it landed again beyond it', async () => {
    node.history = [
      { signature: 'older', slot: 4, delta: 1n },
      { signature: 'newer', slot: 6, delta: 2n },
      { signature: 'aside', slot: 9, delta: 7n },
    ];
    expect(await keeper().work(never)).toEqual([]);
    expect(await index.writer.quarantined()).toHaveLength(1);
  });
});
