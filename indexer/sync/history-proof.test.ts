import { describe, expect, it } from 'vitest';
import type { PlacedTransaction } from '../../data/store/chain-rows.ts';
import type { PoolReply } from '../rpc/json-rpc.ts';
import { type ScriptedNode, scriptedNode } from '../testing/scripted-history.ts';
import { statusQuery } from './history-proof.ts';

const VAULT = 'vault';
const never = new AbortController().signal;
const missing: PlacedTransaction = { signature: 'missing', account: VAULT, slot: 500 };
const witness: PlacedTransaction = { signature: 'witness', account: VAULT, slot: 400 };

/** A node with the whole history except for the missing transaction. */
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
  const query = await statusQuery({ finalEvent: async () => nearest }, [missing], [missing]);
  const replies = await node.pool.batch<unknown[]>(query.calls, never);
  return query.read(change(replies)).provesAbsence(missing);
}

describe('a node that does not know a transaction', () => {
  it.each<[string, Partial<ScriptedNode>, PlacedTransaction | null, boolean]>([
    ['can deny it where it knows the final event before it', { firstBlock: null }, witness, true],
    ['cannot where it has dropped that event', { firstBlock: null, historyFrom: 600 }, witness, false],
    [
      'cannot where it claims to have the slot of that event and does not know the event',
      { firstBlock: 0, historyFrom: 600 },
      witness,
      false,
    ],
    ['can where its history begins between the two', { firstBlock: 450, historyFrom: 450 }, witness, true],
    [
      "can where its history begins with the transaction's slot",
      { firstBlock: 500, historyFrom: 500 },
      witness,
      true,
    ],
    ['cannot where its history begins later', { firstBlock: 501, historyFrom: 501 }, witness, false],
    ['can where no event precedes it and its history begins no later', { firstBlock: 500 }, null, true],
    ['cannot where no event precedes it and its history begins later', { firstBlock: 501 }, null, false],
    [
      'cannot where no event precedes it and the node refuses its first block',
      { firstBlock: null },
      null,
      false,
    ],
    ['cannot where it is only just past it', { finalizedSlot: 531 }, witness, false],
    ['can where it is well past it', { finalizedSlot: 532 }, witness, true],
    ['cannot where the event before it is not final', { status: 'confirmed' }, witness, false],
    [
      'cannot where it reports the event before it in a different slot',
      { firstBlock: null },
      { ...witness, slot: 399 },
      false,
    ],
  ])('%s', async (_, changes, nearest, canDeny) => {
    expect(await denies(nodeWith(changes), nearest)).toBe(canDeny);
  });

  it('proves nothing if another node reported the slot or the first block', async () => {
    const elsewhere = (at: number) => (replies: readonly PoolReply<unknown>[]) =>
      replies.map((reply, index) => (index === at ? { ...reply, by: 'another' } : reply));
    expect(await denies(nodeWith({}), witness, elsewhere(0))).toBe(false);
    expect(await denies(nodeWith({}), null, elsewhere(2))).toBe(false);
    expect(await denies(nodeWith({}), witness, elsewhere(2))).toBe(true);
  });

  it('denies only a transaction in doubt, and requests the first block only for one', async () => {
    const node = nodeWith({});
    const query = await statusQuery({ finalEvent: async () => witness }, [missing], []);
    const statuses = query.read(await node.pool.batch<unknown[]>(query.calls, never));
    expect(statuses.statusOf('missing')).toEqual({ kind: 'unknown' });
    expect(statuses.provesAbsence(missing)).toBe(false);
    expect(node.pool.calls.map(([method]) => method)).toEqual(['getSlot', 'getSignatureStatuses']);
  });

  it('gets the witnesses and the transactions in one call', async () => {
    const node = nodeWith({});
    const { calls } = await statusQuery({ finalEvent: async () => witness }, [missing], [missing]);
    await node.pool.batch<unknown[]>(calls, never);
    expect(node.pool.calls[1]?.[1]).toEqual(['missing', 'witness']);
  });
});
