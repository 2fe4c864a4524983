// @module-tag slow
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EndpointHealth, EventBatch } from '../../data/store/ports.ts';
import {
  expectedEvents,
  follow,
  headReply,
  IDENTITY,
  indexed,
  never,
  type PastTransaction,
  type ScriptedNode,
  scriptedNode,
  tick,
  transactionsAt,
  untilCaughtUp,
  VAULT,
  type Writer,
} from '../testing/scripted-history.ts';
import { SCRIPTED_ENDPOINT } from '../testing/scripted-pool.ts';
import { openTestIndex, type TestIndex } from '../testing/test-chain.ts';
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
});
afterEach(async () => {
  vi.restoreAllMocks();
  await index.close();
});

describe('the history of an account', () => {
  it('is indexed completely and in order at any size of pages, windows and batches', async () => {
    await fc.assert(
      fc.asyncProperty(anySlots, anySizes, async (slots, sizes) => {
        const fresh = await openTestIndex(IDENTITY);
        const past = transactionsAt(slots);
        const node = scriptedNode(VAULT, past);
        await untilCaughtUp(node, follow(node, fresh.writer, sizes));
        expect(await indexed(fresh)).toEqual(expectedEvents(past));
        await fresh.close();
      }),
      { numRuns: 40 },
    );
  });

  it('gives the same rows after stops and failures at any commit as in one run', async () => {
    const script = fc.infiniteStream(fc.constantFrom('go', 'go', 'stop before', 'stop after'));
    await fc.assert(
      fc.asyncProperty(anySlots, anySizes, script, async (slots, sizes, moves) => {
        const fresh = await openTestIndex(IDENTITY);
        const past = transactionsAt(slots);
        const node = scriptedNode(VAULT, past);
        const stopping: Writer = {
          cursor: fresh.writer.cursor,
          eventSums: fresh.writer.eventSums,
          provisionalEvents: fresh.writer.provisionalEvents,
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
            // Every second failure restarts from the store.
            if (ticks % 2 === 0) history = follow(node, stopping, sizes);
          }
        }
        expect(await indexed(fresh)).toEqual(expectedEvents(past));
        await fresh.close();
      }),
      { numRuns: 40 },
    );
  });

  it('includes new transactions, also within an indexed slot and after a restart', async () => {
    const past = transactionsAt([5, 5, 5, 6, 6, 6, 6, 9, 9]);
    const node = scriptedNode(VAULT, []);
    let history = follow(node, index.writer);
    for (const [count, entry] of past.entries()) {
      node.history.push(entry);
      if (count % 3 === 0) history = follow(node, index.writer);
      await untilCaughtUp(node, history);
    }
    expect(await indexed(index)).toEqual(expectedEvents(past));
  });

  it('misses nothing that arrives while older pages are being read', async () => {
    const past = transactionsAt(Array.from({ length: 60 }, (_, at) => 10 + Math.floor(at / 2)));
    const node = scriptedNode(VAULT, past.slice(0, 30));
    let clock = 0;
    // Each reading of the clock advances it, so that a tick ends in the middle of its work.
    const history = follow(node, index.writer, { budgetMs: 4 }, () => {
      clock += 1;
      return clock;
    });
    for (const entry of past.slice(30)) {
      await tick(node, history);
      node.history.push(entry);
    }
    await untilCaughtUp(node, history);
    expect(await indexed(index)).toEqual(expectedEvents(past));
  });

  it('is complete if the node returns shorter pages than requested', async () => {
    const past = transactionsAt(Array.from({ length: 30 }, (_, at) => at));
    const node = scriptedNode(VAULT, past);
    node.maxPage = 4;
    await untilCaughtUp(node, follow(node, index.writer, { pageSize: 10 }));
    expect(await indexed(index)).toEqual(expectedEvents(past));
  });

  it('is complete if the node adds a transaction late within a listed page', async () => {
    const past = transactionsAt(Array.from({ length: 12 }, (_, at) => at));
    const node = scriptedNode(VAULT, [...past.slice(0, 4), ...past.slice(8)]);
    const isList = ([method]: readonly unknown[]) => method === 'getSignaturesForAddress';
    const late: ScriptedNode = {
      ...node,
      pool: {
        ...node.pool,
        batch: async (calls, signal) => {
          const replies = await node.pool.batch(calls, signal);
          // Three pages and the end of the list: each is listed once.
          if (node.pool.calls.filter(isList).length === 4) node.history = past;
          return replies;
        },
      },
    };
    await untilCaughtUp(late, follow(late, index.writer, { pageSize: 3, windowSize: 3 }));
    expect(await indexed(index)).toEqual(expectedEvents(past));
  });

  it('lists each page of a long history at most twice', async () => {
    const node = scriptedNode(VAULT, transactionsAt(Array.from({ length: 100 }, (_, at) => at)));
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

describe('a partly indexed page', () => {
  it('is indexed completely if the node returns less than the rest of it', async () => {
    const past = transactionsAt(Array.from({ length: 16 }, (_, at) => at));
    const node = scriptedNode(VAULT, past.slice(0, 2));
    const history = follow(node, index.writer, { windowSize: 2 });
    await untilCaughtUp(node, history);
    node.history = past;
    node.withheld.add('s4');
    expect(await tick(node, history)).toMatchObject({ blockedBy: { signature: 's4' } });
    node.withheld.clear();
    node.maxPage = 1;
    await tick(node, history);
    node.maxPage = 1_000;
    await untilCaughtUp(node, history);
    expect(await indexed(index)).toEqual(expectedEvents(past));
  });
});

describe('with a node that lacks older history', () => {
  const past = transactionsAt([1, 2, 3, 600, 601, 605, 606, 607]);
  const kept = past.slice(6);

  it.each([
    ['refuses', false],
    ['refuses', true],
    ['lists-everything', false],
    ['lists-everything', true],
  ] as const)(
    'the index has no gap if the node %s an unknown cursor (restarted: %s)',
    async (unknownCursor, restarts) => {
      const node = scriptedNode(VAULT, past.slice(0, 5));
      node.unknownCursor = unknownCursor;
      let history = follow(node, index.writer);
      await untilCaughtUp(node, history);
      await untilCaughtUp(node, history);
      node.history = kept;
      if (restarts) history = follow(node, index.writer);
      const failures: unknown[] = [];
      for (let ticks = 0; ticks < 6; ticks += 1) {
        await tick(node, history).catch((error: unknown) => failures.push(error));
      }
      expect(failures.at(-1)).toBeInstanceOf(HistoryGapError);
      expect(node.pool.distrusted).toEqual([]);
      expect(await indexed(index)).toEqual(expectedEvents(past.slice(0, 5)));
      node.history = past;
      await untilCaughtUp(node, history);
      expect(await indexed(index)).toEqual(expectedEvents(past));
    },
  );

  it('the node is distrusted if there is another endpoint', async () => {
    const node = scriptedNode(VAULT, past.slice(0, 5));
    node.unknownCursor = 'lists-everything';
    const other = { name: 'other.example', state: 'active' } as EndpointHealth;
    const pool = { ...node.pool, health: () => [other] };
    const history = follow({ ...node, pool }, index.writer);
    await untilCaughtUp(node, history);
    node.history = kept;
    await expect(tick(node, history)).rejects.toThrow(HistoryGapError);
    expect(node.pool.distrusted).toEqual([[SCRIPTED_ENDPOINT, expect.any(String)]]);
  });

  it('an empty list is rejected if the index holds events', async () => {
    const node = scriptedNode(VAULT, past.slice(0, 5));
    const history = follow(node, index.writer);
    await untilCaughtUp(node, history);
    node.history = [];
    history.relist(600);
    await expect(tick(node, history)).rejects.toThrow(HistoryGapError);
  });
});

describe('an account without any transaction', () => {
  it('is caught up once a node that reports its finalized slot lists nothing', async () => {
    const batches: EventBatch[] = [];
    const recording: Writer = {
      cursor: index.writer.cursor,
      eventSums: index.writer.eventSums,
      provisionalEvents: index.writer.provisionalEvents,
      commitEvents: async (batch) => {
        batches.push(batch);
        await index.writer.commitEvents(batch);
      },
    };
    const node = scriptedNode(VAULT, []);
    const history = follow(node, recording);
    const head = await headReply(node, history, 70_000);
    if (!head) throw new Error('no query was made');
    const elsewhere = { ...head.finalizedSlot, by: 'another node' };
    expect(await history.advance({ ...head, finalizedSlot: elsewhere }, never)).toMatchObject({
      readUpTo: null,
    });
    expect(batches).toEqual([]);
    expect(await history.advance(head, never)).toMatchObject({ state: 'caught-up', readUpTo: 0 });
    expect(batches).toEqual([{ account: VAULT, events: [], cursor: null, caughtUpAt: 70_000 }]);
  });
});

describe('the time up to which the history is known', () => {
  const PAST = transactionsAt([1, 2, 3, 4, 5]);
  /** @param ticks pairs of monotonic milliseconds and wall clock time */
  const caughtUpTo = async (
    windowSize: number,
    past: readonly PastTransaction[],
    ticks: readonly (readonly [number, number])[],
  ) => {
    const times: (number | null | undefined)[] = [];
    const node = scriptedNode(VAULT, past);
    const recording: Writer = {
      cursor: index.writer.cursor,
      eventSums: index.writer.eventSums,
      provisionalEvents: index.writer.provisionalEvents,
      commitEvents: async (batch) => {
        times.push(batch.caughtUpAt);
        await index.writer.commitEvents(batch);
      },
    };
    let clock = 0;
    const history = follow(node, recording, { pageSize: 100, windowSize }, () => clock);
    for (const [elapsed, requestedAt] of ticks) {
      clock = elapsed;
      await tick(node, history, requestedAt);
    }
    return times;
  };

  it('is stored only with the last window, and then at intervals while the account is quiet', async () => {
    const ticks = [
      [0, 50_000],
      [500, 50_500],
      [3_000, 53_000],
    ] as const;
    expect(await caughtUpTo(2, PAST, ticks)).toEqual([null, null, 50_000, 53_000]);
  });

  it('is stored if the system clock stepped back', async () => {
    const ticks = [
      [0, 50_000],
      [3_000, 20_000],
    ] as const;
    expect((await caughtUpTo(2, PAST, ticks)).at(-1)).toBe(20_000);
  });
});
