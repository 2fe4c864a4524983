import { describe, expect, it } from 'vitest';
import type { PlacedTransaction } from '../../data/store/chain-rows.ts';
import type { PoolReply } from '../rpc/endpoint-pool.ts';
import { type ScriptedNode, scriptedNode } from '../testing/scripted-history.ts';
import { statusQuestion } from './history-proof.ts';

const VAULT = 'vault';
const never = new AbortController().signal;
const missing: PlacedTransaction = { signature: 'missing', account: VAULT, slot: 500 };
const witness: PlacedTransaction = { signature: 'witness', account: VAULT, slot: 400 };

/** A node that has the whole history, but for the missing transaction, unless a test changes it. */
function nodeWith(changes: Partial<ScriptedNode>): ScriptedNode {
  const node = scriptedNode(VAULT, [
    { signature: 'witness', slot: 400, delta: 1n },
    { signature: 'newer', slot: 600, delta: 1n },
  ]);
  return Object.assign(node, { finalizedSlot: 900_100 }, changes);
}

async function denies(
  node: ScriptedNode,
  nearest: PlacedTransaction | null,
  change: (replies: readonly PoolReply<unknown>[]) => readonly PoolReply<unknown>[] = (replies) => replies,
): Promise<boolean> {
  const question = await statusQuestion({ finalEvent: async () => nearest }, [missing], [missing]);
  const replies = await node.pool.batch<unknown[]>(question.calls, never);
  return question.read(change(replies)).denies(missing);
}

describe('a node that does not know a transaction', () => {
  it.each<[string, Partial<ScriptedNode>, PlacedTransaction | null, boolean]>([
    ['can deny it where it knows the final event before it', { firstBlock: null }, witness, true],
    ['cannot where it has forgotten that event', { firstBlock: null, keptFrom: 600 }, witness, false],
    [
      'cannot where it says that it has the slot of that event but does not know it',
      { firstBlock: 0, keptFrom: 600 },
      witness,
      false,
    ],
    ['can where its history begins between the two', { firstBlock: 450, keptFrom: 450 }, witness, true],
    ['can where it begins with the very slot', { firstBlock: 500, keptFrom: 500 }, witness, true],
    ['cannot where it begins later', { firstBlock: 501, keptFrom: 501 }, witness, false],
    ['can where nothing is before it and its history begins no later', { firstBlock: 500 }, null, true],
    ['cannot where nothing is before it and its history begins later', { firstBlock: 501 }, null, false],
    ['cannot where nothing is before it and it refuses to tell', { firstBlock: null }, null, false],
    ['cannot where it is hardly past it', { finalizedSlot: 531 }, witness, false],
    ['can where it is well past it', { finalizedSlot: 532 }, witness, true],
    ['cannot where the event before it may still be on a fork', { status: 'confirmed' }, witness, false],
    [
      'cannot where it tells the event before it in another slot',
      { firstBlock: null },
      { ...witness, slot: 399 },
      false,
    ],
  ])('%s', async (_, changes, nearest, canDeny) => {
    expect(await denies(nodeWith(changes), nearest)).toBe(canDeny);
  });

  it('proves nothing by what another says of its slot or its first block', async () => {
    const elsewhere = (at: number) => (replies: readonly PoolReply<unknown>[]) =>
      replies.map((reply, index) => (index === at ? { ...reply, by: 'another' } : reply));
    expect(await denies(nodeWith({}), witness, elsewhere(0))).toBe(false);
    expect(await denies(nodeWith({}), null, elsewhere(2))).toBe(false);
    expect(await denies(nodeWith({}), witness, elsewhere(2))).toBe(true);
  });

  it('denies none that is not in doubt, and is not asked for its first block then', async () => {
    const node = nodeWith({});
    const question = await statusQuestion({ finalEvent: async () => witness }, [missing], []);
    const told = question.read(await node.pool.batch<unknown[]>(question.calls, never));
    expect(told.statusOf('missing')).toEqual({ kind: 'unknown' });
    expect(told.denies(missing)).toBe(false);
    expect(node.pool.calls.map(([method]) => method)).toEqual(['getSlot', 'getSignatureStatuses']);
  });

  it('is asked for each witness in the call that asks for the transactions', async () => {
    const node = nodeWith({});
    const { calls } = await statusQuestion({ finalEvent: async () => witness }, [missing], [missing]);
    await node.pool.batch<unknown[]>(calls, never);
    expect(node.pool.calls[1]?.[1]).toEqual(['missing', 'witness']);
  });
});
