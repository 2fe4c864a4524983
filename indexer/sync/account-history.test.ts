// @module-tag slow
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EventBatch } from '../../data/store/ports.ts';
import {
  advanceUntilCaughtUp,
  createVaultHistory,
  expectedEvents,
  IDENTITY,
  indexedEvents,
  type PastTransaction,
  type ScriptedNode,
  scriptedNode,
  tick,
  transactionsAt,
  VAULT,
} from '../testing/scripted-history.ts';
import { SCRIPTED_ENDPOINT } from '../testing/scripted-pool.ts';
import { openTestIndex, type TestIndex } from '../testing/test-chain.ts';
import type { HistoryWriter } from './account-history.ts';
import { HistoryGapError } from './signature-pages.ts';

const anySlots = fc.array(fc.nat(2), { minLength: 1, maxLength: 40 }).map((steps) => {
  let slot = 10;
  return steps.map((step) => {
    slot += step;
    return slot;
  });
});
const anySizes = fc.record({
  pageSize: fc.integer({ min: 1, max: 9 }),
  windowSize: fc.integer({ min: 1, max: 7 }),
  windowsAhead: fc.integer({ min: 1, max: 4 }),
  batchSize: fc.integer({ min: 1, max: 4 }),
  requestsAtOnce: fc.integer({ min: 1, max: 4 }),
});

let index: TestIndex;
beforeEach(async () => {
  index = await openTestIndex(IDENTITY);
  return () => index.close();
});
afterEach(() => void vi.restoreAllMocks());

function recordingWriter() {
  const batches: EventBatch[] = [];
  const writer: HistoryWriter = {
    ...index.writer,
    commitEvents: async (batch) => {
      batches.push(batch);
      await index.writer.commitEvents(batch);
    },
  };
  return { writer, batches };
}

describe('the history of an account', () => {
  it('is indexed completely and in order, whatever the size of pages, windows and batches', async () => {
    await fc.assert(
      fc.asyncProperty(anySlots, anySizes, async (slots, sizes) => {
        const fresh = await openTestIndex(IDENTITY);
        const past = transactionsAt(slots);
        const node = scriptedNode(VAULT, past);
        await advanceUntilCaughtUp(node, createVaultHistory(node, fresh.writer, sizes));
        expect(await indexedEvents(fresh)).toEqual(expectedEvents(past));
        await fresh.close();
      }),
      { numRuns: 10 },
    );
  });

  it('has the same rows with stops and failures at any commit as without them', async () => {
    const script = fc.infiniteStream(fc.constantFrom('go', 'go', 'stop before', 'stop after'));
    await fc.assert(
      fc.asyncProperty(anySlots, anySizes, script, async (slots, sizes, moves) => {
        const fresh = await openTestIndex(IDENTITY);
        const past = transactionsAt(slots);
        const node = scriptedNode(VAULT, past);
        const stopping: HistoryWriter = {
          ...fresh.writer,
          async commitEvents(batch: EventBatch) {
            const move = moves.next().value;
            if (move === 'stop before') throw new Error('stopped before the commit');
            await fresh.writer.commitEvents(batch);
            if (move === 'stop after') throw new Error('stopped after the commit');
          },
        };
        let history = createVaultHistory(node, stopping, sizes);
        for (let ticks = 0; ticks < 1_000; ticks += 1) {
          try {
            if ((await tick(node, history)).state === 'caught-up') break;
          } catch {
            // After every second failure, the history is loaded again from the store.
            if (ticks % 2 === 0) history = createVaultHistory(node, stopping, sizes);
          }
        }
        expect(await indexedEvents(fresh)).toEqual(expectedEvents(past));
        await fresh.close();
      }),
      { numRuns: 10 },
    );
  });

  it('includes new slots, even after a restart', async () => {
    const past = transactionsAt([5, 5, 5, 6, 6, 6, 6, 9, 9, 10, 11]);
    const node = scriptedNode(VAULT, []);
    let history = createVaultHistory(node, index.writer);
    for (const [slot, entries] of Map.groupBy(past, (entry) => entry.slot)) {
      node.history.push(...entries);
      if (slot % 2 === 0) history = createVaultHistory(node, index.writer);
      await advanceUntilCaughtUp(node, history);
    }
    expect(await indexedEvents(index)).toEqual(expectedEvents(past));
  });

  it('misses nothing that arrives while older pages are being read', async () => {
    const past = transactionsAt(Array.from({ length: 60 }, (_, position) => 10 + position));
    const node = scriptedNode(VAULT, past.slice(0, 30));
    let clock = 0;
    // The clock advances each time it is read, so that each call of `tick` stops before its work is done.
    const history = createVaultHistory(node, index.writer, { budgetMs: 4 }, () => {
      clock += 1;
      return clock;
    });
    for (const entry of past.slice(30)) {
      await tick(node, history);
      node.history.push(entry);
    }
    await advanceUntilCaughtUp(node, history);
    expect(await indexedEvents(index)).toEqual(expectedEvents(past));
  });

  it('is complete if the node returns shorter pages than requested', async () => {
    const past = transactionsAt(Array.from({ length: 30 }, (_, position) => position));
    const node = scriptedNode(VAULT, past);
    node.maxPage = 4;
    await advanceUntilCaughtUp(node, createVaultHistory(node, index.writer, { pageSize: 10 }));
    expect(await indexedEvents(index)).toEqual(expectedEvents(past));
  });

  it('lists each page of a long history at most twice', async () => {
    const node = scriptedNode(VAULT, transactionsAt(Array.from({ length: 100 }, (_, position) => position)));
    await advanceUntilCaughtUp(
      node,
      createVaultHistory(node, index.writer, { pageSize: 10, windowSize: 10 }),
    );
    const listed = node.pool.calls.filter(([method]) => method === 'getSignaturesForAddress');
    const requestsByPage = Map.groupBy(listed, (call) => JSON.stringify(call));
    expect(requestsByPage.size).toBeGreaterThan(10);
    for (const requests of requestsByPage.values()) expect(requests.length).toBeLessThanOrEqual(2);
  });

  it('does not fetch failed transactions', async () => {
    const past = [
      { signature: 'first', slot: 1, delta: 1n },
      { signature: 'failed', slot: 2, delta: null },
    ];
    const node = scriptedNode(VAULT, past);
    await advanceUntilCaughtUp(node, createVaultHistory(node, index.writer));
    expect(node.pool.calls).not.toContainEqual(['getTransaction', 'failed', expect.anything()]);
    expect(await index.writer.cursor(VAULT)).toMatchObject({ signature: 'failed', slot: 2 });
  });
});

describe('a partly indexed page', () => {
  it('is indexed completely if the node returns less than the rest of the page', async () => {
    const past = transactionsAt(Array.from({ length: 16 }, (_, position) => position));
    const node = scriptedNode(VAULT, past.slice(0, 2));
    const history = createVaultHistory(node, index.writer, { windowSize: 2 });
    await advanceUntilCaughtUp(node, history);
    node.history = past;
    node.withheld.add('s4');
    expect(await tick(node, history)).toMatchObject({ blockedBy: { signature: 's4' } });
    node.withheld.clear();
    node.maxPage = 1;
    await tick(node, history);
    node.maxPage = 1_000;
    await advanceUntilCaughtUp(node, history);
    expect(await indexedEvents(index)).toEqual(expectedEvents(past));
  });
});

describe('with a node that lacks older history', () => {
  const past = transactionsAt([1, 2, 3, 600, 601, 605, 606, 607]);
  const newest = past.slice(6);

  it.each([
    ['refuses', false],
    ['refuses', true],
    ['lists-everything', false],
    ['lists-everything', true],
  ] as const)(
    'the index has no gap after an unknown cursor (node: %s, restarted: %s)',
    async (unknownCursor, restarts) => {
      const node = scriptedNode(VAULT, past.slice(0, 5));
      node.unknownCursor = unknownCursor;
      let history = createVaultHistory(node, index.writer);
      await advanceUntilCaughtUp(node, history);
      await advanceUntilCaughtUp(node, history);
      node.history = newest;
      if (restarts) history = createVaultHistory(node, index.writer);
      const failures: unknown[] = [];
      for (let ticks = 0; ticks < 6; ticks += 1) {
        await tick(node, history).catch((error: unknown) => failures.push(error));
      }
      expect(failures.at(-1)).toBeInstanceOf(HistoryGapError);
      expect(node.pool.distrusted).toEqual([]);
      expect(await indexedEvents(index)).toEqual(expectedEvents(past.slice(0, 5)));
      node.history = past;
      await advanceUntilCaughtUp(node, history);
      expect(await indexedEvents(index)).toEqual(expectedEvents(past));
    },
  );

  it.each(['an empty list', 'a shorter list'])(
    'the index keeps its history if listing it again returns %s',
    async (listing) => {
      const node = scriptedNode(VAULT, past);
      const history = createVaultHistory(node, index.writer);
      await advanceUntilCaughtUp(node, history);
      node.history = listing === 'an empty list' ? [] : newest;
      history.restart();
      await expect(tick(node, history)).rejects.toThrow(HistoryGapError);
      expect(await indexedEvents(index)).toEqual(expectedEvents(past));
      node.history = past;
      await advanceUntilCaughtUp(node, history);
      expect(await indexedEvents(index)).toEqual(expectedEvents(past));
    },
  );

  it.each([
    ['lacks the older part', false],
    ['refuses to list it', true],
  ])(
    'indexing continues with newer transactions if the whole history cannot be listed again because a node %s',
    async (_which, refusesLists) => {
      const node = scriptedNode(VAULT, past.slice(0, 7));
      const { requestFromEach } = scriptedNode(VAULT, past).pool;
      const history = createVaultHistory({ ...node, pool: { ...node.pool, requestFromEach } }, index.writer);
      await advanceUntilCaughtUp(node, history);
      Object.assign(node, { history: past, historyFrom: 605, refusesLists });
      history.restart();
      for (let attempts = 0; attempts < 5; attempts += 1) await expect(tick(node, history)).rejects.toThrow();
      node.refusesLists = false;
      await advanceUntilCaughtUp(node, history);
      expect(await indexedEvents(index)).toEqual(expectedEvents(past));
      expect((await index.writer.cursor(VAULT))?.slot).toBe(607);
    },
  );

  it('missing transactions are added, even if attempts fail before and after part of the history is read', async () => {
    const node = scriptedNode(VAULT, past.toSpliced(4, 1));
    const history = createVaultHistory(node, index.writer);
    await advanceUntilCaughtUp(node, history);
    const failFourTimes = async () => {
      node.historyFrom = 605;
      for (let attempts = 0; attempts < 4; attempts += 1)
        await expect(tick(node, history)).rejects.toThrow(HistoryGapError);
      node.historyFrom = 0;
    };
    node.history = past;
    history.restart();
    await failFourTimes();
    expect(await tick(node, history)).toMatchObject({ state: 'behind', transactionCount: 4 });
    await failFourTimes();
    await advanceUntilCaughtUp(node, history);
    expect(await indexedEvents(index)).toEqual(expectedEvents(past));
  });

  it('the cursor stays while the whole history is listed again, even if a commit fails or the indexer stops', async () => {
    const node = scriptedNode(VAULT, past.toSpliced(1, 1));
    const cursors: unknown[] = [];
    let commitsToFailure = Number.POSITIVE_INFINITY;
    const writer: HistoryWriter = {
      ...index.writer,
      async commitEvents(batch) {
        commitsToFailure -= 1;
        if (commitsToFailure === 0) throw new Error('the disk is full');
        await index.writer.commitEvents(batch);
        cursors.push((await index.writer.cursor(VAULT))?.slot);
      },
    };
    const history = createVaultHistory(node, writer);
    await advanceUntilCaughtUp(node, history);
    node.history = past;
    cursors.length = 0;
    node.pool.calls.length = 0;
    history.restart();
    commitsToFailure = 2;
    await expect(tick(node, history)).rejects.toThrow('full');
    expect(cursors).toEqual([607]);
    expect(await indexedEvents(index)).toEqual(expectedEvents(past));
    const restarted = scriptedNode(VAULT, past);
    restarted.historyFrom = 605;
    await advanceUntilCaughtUp(restarted, createVaultHistory(restarted, index.writer));
    await advanceUntilCaughtUp(node, history);
    expect(new Set(cursors)).toEqual(new Set([607]));
    const reads = node.pool.calls.filter(
      ([method, signature]) => method === 'getTransaction' && signature === 's1',
    );
    expect(reads).toHaveLength(1);
  });
});

describe('the beginning of a history', () => {
  const past = transactionsAt([4, 5, 6]);
  const isComplete = async () => {
    await index.writer.commitEvents({
      account: IDENTITY.poolVault,
      events: [],
      cursor: null,
      beginning: { signature: 'first', slot: 1, isProven: true },
    });
    return (await index.reader.latestSnapshot(0)).hasCompleteHistory;
  };

  it('is proved by a node that keeps the whole ledger', async () => {
    const node = scriptedNode(VAULT, past);
    await advanceUntilCaughtUp(node, createVaultHistory(node, index.writer));
    expect(await isComplete()).toBe(true);
  });

  it('is proved by a transaction that created the account', async () => {
    const node = scriptedNode(VAULT, past);
    Object.assign(node, { firstBlock: 3, creationSignature: 's0' });
    await advanceUntilCaughtUp(node, createVaultHistory(node, index.writer));
    expect(await isComplete()).toBe(true);
  });

  it('is unknown if the list ends at a node that has dropped older blocks', async () => {
    const node = scriptedNode(VAULT, past);
    node.firstBlock = 3;
    await advanceUntilCaughtUp(node, createVaultHistory(node, index.writer));
    expect(await indexedEvents(index)).toEqual(expectedEvents(past));
    expect(await isComplete()).toBe(false);
  });

  it('is not taken from an endpoint whose list ends too early', async () => {
    const node = scriptedNode(VAULT, past);
    node.historyFrom = 5;
    const whole = scriptedNode(VAULT, past);
    const pool = { ...node.pool, requestFromEach: whole.pool.requestFromEach };
    const history = createVaultHistory({ ...node, pool }, index.writer);
    await expect(tick(node, history)).rejects.toThrow(HistoryGapError);
    expect(node.pool.withoutHistory).toEqual([[SCRIPTED_ENDPOINT, expect.any(String)]]);
    expect(await indexedEvents(index)).toEqual([]);
  });

  it('is unknown if the node listed the end of a slot and then dropped the slot', async () => {
    const withFullSlot = transactionsAt([4, 5, 5, 6, 7, 8, 9]);
    const whole = scriptedNode(VAULT, withFullSlot);
    const batch: ScriptedNode['pool']['batch'] = async (calls, signal) => {
      const replies = await whole.pool.batch(calls, signal);
      Object.assign(whole, { historyFrom: 6, firstBlock: 6 });
      return replies;
    };
    const node = { ...whole, pool: { ...whole.pool, batch } };
    const history = createVaultHistory(node, index.writer, { pageSize: 5 });
    await expect(tick(node, history)).rejects.toThrow(HistoryGapError);
    expect(await indexedEvents(index)).toEqual([]);
  });
});

describe('transactions within a slot', () => {
  /** A node that lists the transactions of a slot in a different order each time. */
  const shufflingNode = (past: readonly PastTransaction[], reportsIndex: boolean): ScriptedNode => {
    const node = scriptedNode(VAULT, past);
    node.reportsIndex = reportsIndex;
    // A transaction's index in the block is the same in each answer.
    node.indexOf = (signature) => past.findIndex((one) => one.signature === signature);
    let turn = 0;
    return {
      ...node,
      pool: {
        ...node.pool,
        batch: (calls, signal) => {
          turn += 1;
          const slots = [...Map.groupBy(past, ({ slot }) => slot).values()];
          node.history = slots.flatMap((inSlot) => (turn % 2 === 0 ? inSlot : inSlot.toReversed()));
          return node.pool.batch(calls, signal);
        },
      },
    };
  };

  it.each([
    ['by their index in the block', true],
    ['by their signatures where nodes report no index', false],
  ])('are ordered %s, and none is lost if their order changes between answers', async (_, reportsIndex) => {
    await fc.assert(
      fc.asyncProperty(anySlots, anySizes, async (slots, sizes) => {
        const fresh = await openTestIndex(IDENTITY);
        const past = slots
          // Keeps at most three transactions per slot, so that no slot fills a page.
          .filter((slot, position) => slots[position - 3] !== slot)
          .map((slot, position) => ({ signature: `s${100 + position}`, slot, delta: BigInt(position + 1) }));
        const node = shufflingNode(past, reportsIndex);
        await advanceUntilCaughtUp(
          node,
          createVaultHistory(node, fresh.writer, { ...sizes, pageSize: sizes.pageSize + 3 }),
        );
        expect(await indexedEvents(fresh)).toEqual(expectedEvents(past));
        await fresh.close();
      }),
      {
        numRuns: 5,
        examples: [
          [
            [10, 10, 10, 11, 11, 11],
            { pageSize: 1, windowSize: 1, windowsAhead: 1, batchSize: 1, requestsAtOnce: 1 },
          ],
        ],
      },
    );
  });
});

describe('an account without any transaction', () => {
  it('is caught up once a node that keeps the whole ledger lists nothing', async () => {
    const { writer, batches } = recordingWriter();
    const node = scriptedNode(VAULT, []);
    expect(await tick(node, createVaultHistory(node, writer), 70_000)).toMatchObject({
      state: 'caught-up',
      listing: { readUpToSlot: 0 },
    });
    expect(batches).toMatchObject([{ account: VAULT, events: [], cursor: null, caughtUpAt: 70_000 }]);
  });
});

describe('the time up to which the history is known', () => {
  const PAST = transactionsAt([1, 2, 3, 4, 5]);
  /** @param rounds the time of each round (ms): `at` on the monotonic clock, `time` on the system clock */
  const caughtUpTimes = async (...rounds: readonly { readonly at: number; readonly time: number }[]) => {
    const { writer, batches } = recordingWriter();
    const node = scriptedNode(VAULT, PAST);
    let clock = 0;
    const history = createVaultHistory(node, writer, { pageSize: 100, windowSize: 2 }, () => clock);
    for (const { at, time } of rounds) {
      clock = at;
      await tick(node, history, time);
    }
    return batches.map(({ caughtUpAt }) => caughtUpAt);
  };

  it('is stored only after the last window, and then at intervals while the account does not change', async () => {
    const rounds = [0, 500, 3_000].map((at) => ({ at, time: 50_000 + at }));
    expect(await caughtUpTimes(...rounds)).toEqual([undefined, undefined, undefined, 50_000, 53_000]);
  });

  it('is stored if the system clock stepped back', async () => {
    expect((await caughtUpTimes({ at: 0, time: 50_000 }, { at: 3_000, time: 20_000 })).at(-1)).toBe(20_000);
  });
});
