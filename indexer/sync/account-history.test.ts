import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventBatch, IndexIdentity, IndexWriter } from '../../data/store/ports.ts';
import {
  type PastTransaction,
  SCRIPTED_MINT,
  type ScriptedNode,
  scriptedNode,
} from '../testing/scripted-history.ts';
import { openTestIndex, type TestIndex } from '../testing/test-chain.ts';
import { type AccountHistory, createAccountHistory, type HistoryProgress } from './account-history.ts';
import { createWindowReader } from './transaction-window.ts';

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

interface Sizes {
  readonly pageSize: number;
  readonly windowSize: number;
  readonly batchSize: number;
  readonly budgetMs: number;
}
const SMALL: Sizes = { pageSize: 5, windowSize: 3, batchSize: 2, budgetMs: 10_000 };

type Writer = Pick<IndexWriter, 'cursor' | 'commitEvents'>;

function follow(
  { pool }: ScriptedNode,
  writer: Writer,
  sizes: Partial<Sizes> = {},
  elapsed = () => 0,
): AccountHistory {
  const all = { ...SMALL, ...sizes };
  const reader = createWindowReader({
    pool,
    mint: SCRIPTED_MINT,
    watched: { address: VAULT, role: 'vault' },
    batchSize: all.batchSize,
  });
  return createAccountHistory({ address: VAULT, pool, writer, reader, ...all, elapsed });
}

async function tick({ pool }: ScriptedNode, history: AccountHistory, askedAt = 0): Promise<HistoryProgress> {
  const call = await history.headCall();
  const head = call ? (await pool.batch([call], never))[0] : null;
  return history.advance(head, askedAt, never);
}

async function untilCaughtUp(node: ScriptedNode, history: AccountHistory): Promise<void> {
  for (let ticks = 0; ticks < 2_000; ticks += 1) {
    if ((await tick(node, history)).state === 'caught-up') return;
  }
  throw new Error('The history never caught up.');
}

/** A past of as many transactions as there are slots; equal neighbours share a slot. Every fourth failed. */
function pastOf(slots: readonly number[]): PastTransaction[] {
  return slots.map((slot, index) => ({
    signature: `s${index}`,
    slot,
    delta: index % 4 === 3 ? null : BigInt(index + 1),
  }));
}

/** What the index must hold of a past, worked out without any of the code under test. */
function expectedOf(past: readonly PastTransaction[]) {
  return past.flatMap(({ signature, slot, delta }, index) => {
    if (delta === null) return [];
    const position = past.slice(0, index).filter((earlier) => earlier.slot === slot).length;
    return [{ signature, slot, position, delta }];
  });
}

async function indexed(index: TestIndex) {
  const events = await index.events();
  return events.map(({ signature, slot, position, delta }) => ({ signature, slot, position, delta }));
}

const slotsOf = fc.array(fc.nat(2), { minLength: 1, maxLength: 40 }).map((steps) => {
  let slot = 10;
  return steps.map((step) => {
    slot += step;
    return slot;
  });
});
const sizesOf = fc.record({
  pageSize: fc.integer({ min: 1, max: 9 }),
  windowSize: fc.integer({ min: 1, max: 7 }),
  batchSize: fc.integer({ min: 1, max: 4 }),
});

let index: TestIndex;
beforeEach(async () => {
  index = await openTestIndex(IDENTITY);
});
afterEach(() => index.close());

describe('the history of an account', () => {
  it('is indexed whole and in order, whatever the sizes of pages, windows and batches', async () => {
    await fc.assert(
      fc.asyncProperty(slotsOf, sizesOf, async (slots, sizes) => {
        const fresh = await openTestIndex(IDENTITY);
        const past = pastOf(slots);
        const node = scriptedNode(VAULT, past);
        await untilCaughtUp(node, follow(node, fresh.writer, sizes));
        expect(await indexed(fresh)).toEqual(expectedOf(past));
        await fresh.close();
      }),
      { numRuns: 40 },
    );
  });

  it('gives the same rows when it is stopped between any two commits, or any commit fails, as in one run', async () => {
    const script = fc.infiniteStream(fc.constantFrom('go', 'go', 'stop before', 'stop after'));
    await fc.assert(
      fc.asyncProperty(slotsOf, sizesOf, script, async (slots, sizes, moves) => {
        const fresh = await openTestIndex(IDENTITY);
        const past = pastOf(slots);
        const node = scriptedNode(VAULT, past);
        const stopping: Writer = {
          cursor: fresh.writer.cursor,
          async commitEvents(batch: EventBatch) {
            const move = moves.next().value;
            if (move === 'stop before') throw new Error('stopped before the commit');
            await fresh.writer.commitEvents(batch);
            if (move === 'stop after') throw new Error('stopped after the commit');
          },
        };
        let history = follow(node, stopping, sizes);
        for (let ticks = 0; ticks < 1_000; ticks += 1) {
          try {
            if ((await tick(node, history)).state === 'caught-up') break;
          } catch {
            // Half of the time the program itself is gone, and a new one begins from the store.
            if (ticks % 2 === 0) history = follow(node, stopping, sizes);
          }
        }
        expect(await indexed(fresh)).toEqual(expectedOf(past));
        await fresh.close();
      }),
      { numRuns: 40 },
    );
  });

  it('grows on while it is followed, also within a slot that was indexed already, and after a restart', async () => {
    const past = pastOf([5, 5, 5, 6, 6, 6, 6, 9, 9]);
    const node = scriptedNode(VAULT, []);
    let history = follow(node, index.writer);
    for (const [count, entry] of past.entries()) {
      node.history.push(entry);
      if (count % 3 === 0) history = follow(node, index.writer);
      await untilCaughtUp(node, history);
    }
    expect(await indexed(index)).toEqual(expectedOf(past));
  });

  it('misses nothing that arrives while an older part is being read', async () => {
    const past = pastOf(Array.from({ length: 60 }, (_, at) => 10 + Math.floor(at / 2)));
    const node = scriptedNode(VAULT, past.slice(0, 30));
    let clock = 0;
    // Every look at the clock costs one unit: a tick ends in the middle of its work.
    const history = follow(node, index.writer, { budgetMs: 4 }, () => {
      clock += 1;
      return clock;
    });
    for (const entry of past.slice(30)) {
      await tick(node, history);
      node.history.push(entry);
    }
    await untilCaughtUp(node, history);
    expect(await indexed(index)).toEqual(expectedOf(past));
  });

  it('is complete where the node gives shorter pages than asked for', async () => {
    const past = pastOf(Array.from({ length: 30 }, (_, at) => at));
    const node = scriptedNode(VAULT, past);
    node.longestPage = 4;
    await untilCaughtUp(node, follow(node, index.writer, { pageSize: 10 }));
    expect(await indexed(index)).toEqual(expectedOf(past));
  });

  it('is complete where the node lists something late within a page that was listed before', async () => {
    const past = pastOf(Array.from({ length: 12 }, (_, at) => at));
    const node = scriptedNode(VAULT, [...past.slice(0, 4), ...past.slice(8)]);
    const history = follow(
      node,
      {
        cursor: index.writer.cursor,
        commitEvents: async (batch) => {
          await index.writer.commitEvents(batch);
          node.history = past;
        },
      },
      { pageSize: 3, windowSize: 3 },
    );
    await untilCaughtUp(node, history);
    expect(await indexed(index)).toEqual(expectedOf(past));
  });

  it('lists each page of a long history at most twice and remembers one signature of it', async () => {
    const node = scriptedNode(VAULT, pastOf(Array.from({ length: 100 }, (_, at) => at)));
    await untilCaughtUp(node, follow(node, index.writer, { pageSize: 10, windowSize: 10 }));
    const listed = node.pool.calls.filter(([method]) => method === 'getSignaturesForAddress');
    expect(listed.length).toBeLessThanOrEqual(2 * 10 + 4);
  });

  it('does not fetch failed transactions', async () => {
    const node = scriptedNode(VAULT, [{ signature: 'failed', slot: 1, delta: null }]);
    await untilCaughtUp(node, follow(node, index.writer));
    expect(node.pool.calls.some(([method]) => method === 'getTransaction')).toBe(false);
    expect(await index.writer.cursor(VAULT)).toMatchObject({ signature: 'failed', slot: 1 });
  });
});

describe('a transaction that cannot be read', () => {
  it('holds the cursor just before it, is told, and is indexed once it appears', async () => {
    const past = pastOf([1, 2, 3, 5, 5, 6]);
    const node = scriptedNode(VAULT, past);
    node.withheld.add('s2');
    const history = follow(node, index.writer, { pageSize: 100, windowSize: 4 });
    expect(await tick(node, history)).toMatchObject({
      state: 'waiting',
      stuckOn: { signature: 's2', reason: expect.stringContaining('does not have it') },
    });
    expect(await tick(node, history)).toMatchObject({ state: 'waiting' });
    expect(await index.writer.cursor(VAULT)).toMatchObject({ signature: 's1' });
    expect(await indexed(index)).toEqual(expectedOf(past.slice(0, 2)));
    node.withheld.clear();
    await untilCaughtUp(node, history);
    expect(await indexed(index)).toEqual(expectedOf(past));
  });

  it('is also one that the node answers for another slot than it lists', async () => {
    const node = scriptedNode(VAULT, pastOf([1, 2]));
    node.moved.set('s1', 7);
    const history = follow(node, index.writer);
    expect(await tick(node, history)).toMatchObject({ state: 'waiting', stuckOn: { signature: 's1' } });
    expect(await indexed(index)).toEqual(expectedOf(pastOf([1])));
  });

  it('is no obstacle any more once the chain no longer lists it', async () => {
    const past = pastOf([1, 2, 3]);
    const node = scriptedNode(VAULT, past);
    node.withheld.add('s1');
    const history = follow(node, index.writer);
    await tick(node, history);
    const left = past.filter(({ signature }) => signature !== 's1');
    node.history = left;
    await untilCaughtUp(node, history);
    expect(await indexed(index)).toEqual(expectedOf(left));
  });
});

describe('a cursor that the node does not know', () => {
  it.each(['refuses', 'lists-everything'] as const)(
    'loses nothing and doubles nothing where the node %s',
    async (unknownCursor) => {
      const past = pastOf([1, 2, 2, 3, 3]);
      const node = scriptedNode(VAULT, past.slice(0, 4));
      node.unknownCursor = unknownCursor;
      await untilCaughtUp(node, follow(node, index.writer));
      // A fork dropped the cursor's transaction; what followed it stands in the same and later slots.
      const after = [
        ...past.slice(0, 3),
        { signature: 'new-3', slot: 3, delta: 7n },
        { signature: 'new-4', slot: 4, delta: 8n },
      ];
      node.history = after;
      const history = follow(node, index.writer);
      await untilCaughtUp(node, history);
      await untilCaughtUp(node, history);
      expect(await indexed(index)).toEqual(expectedOf(after));
    },
  );

  it('is listed from anew once the store took back the events of what a fork dropped', async () => {
    const past = pastOf([1, 2, 3, 3]).slice(0, 3);
    const node = scriptedNode(VAULT, past);
    node.status = 'confirmed';
    const history = follow(node, index.writer);
    await untilCaughtUp(node, history);
    node.history = [...past.slice(0, 2), { signature: 'instead', slot: 4, delta: 9n }];
    await untilCaughtUp(node, history);
    expect((await indexed(index)).map(({ signature }) => signature)).toEqual(['s0', 's1', 's2', 'instead']);
    await index.writer.settleEvents({ finalized: [], vanished: ['s2'] });
    history.reload();
    await untilCaughtUp(node, history);
    expect(await indexed(index)).toEqual(expectedOf(node.history));
  });

  it('moves nothing while the node is merely behind', async () => {
    const past = pastOf([1, 2, 3, 4, 5, 6]);
    const node = scriptedNode(VAULT, past);
    const history = follow(node, index.writer);
    await untilCaughtUp(node, history);
    node.history = past.slice(0, 2);
    for (let ticks = 0; ticks < 5; ticks += 1) await tick(node, history);
    expect(await index.writer.cursor(VAULT)).toMatchObject({ signature: 's5' });
    node.history = [...past, { signature: 'next', slot: 6, delta: 1n }];
    await untilCaughtUp(node, history);
    expect(await indexed(index)).toEqual(expectedOf(node.history));
  });
});

describe('how far the history is known', () => {
  const PAST = pastOf([1, 2, 3, 4, 5]);
  /** Ticks as milliseconds passed, and what the wall clock says. */
  const caughtUpTo = async (
    windowSize: number,
    past: readonly PastTransaction[],
    ticks: readonly (readonly [number, number])[],
  ) => {
    const told: (number | null | undefined)[] = [];
    const node = scriptedNode(VAULT, past);
    const recording: Writer = {
      cursor: index.writer.cursor,
      commitEvents: async (batch) => {
        told.push(batch.caughtUpAt);
        await index.writer.commitEvents(batch);
      },
    };
    let clock = 0;
    const history = follow(node, recording, { pageSize: 100, windowSize }, () => clock);
    for (const [elapsed, askedAt] of ticks) {
      clock = elapsed;
      await tick(node, history, askedAt);
    }
    return told;
  };

  it('is told with the last window only, and then now and again while nothing happens', async () => {
    const ticks = [
      [0, 50_000],
      [500, 50_500],
      [3_000, 53_000],
    ] as const;
    expect(await caughtUpTo(2, PAST, ticks)).toEqual([null, null, 50_000, 53_000]);
  });

  it('is told on where the system clock stepped back', async () => {
    const ticks = [
      [0, 50_000],
      [3_000, 20_000],
    ] as const;
    expect((await caughtUpTo(2, PAST, ticks)).at(-1)).toBe(20_000);
  });
});
