import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EndpointHealth, EventBatch, IndexIdentity, IndexWriter } from '../../data/store/ports.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import { RetryableRpcError } from '../rpc/rpc-errors.ts';
import type { SignatureStatus } from '../rpc/solana-calls.ts';
import {
  type PastTransaction,
  SCRIPTED_MINT,
  type ScriptedNode,
  scriptedNode,
} from '../testing/scripted-history.ts';
import { SCRIPTED_ENDPOINT } from '../testing/scripted-pool.ts';
import { openTestIndex, type TestIndex } from '../testing/test-chain.ts';
import { type AccountHistory, createAccountHistory, type HistoryProgress } from './account-history.ts';
import type { HeadAnswer } from './head-page.ts';
import { HistoryGapError } from './history-gap.ts';
import { createWindowReader } from './transaction-window.ts';
import type { Patience } from './unreadable.ts';

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
  readonly windowsAhead: number;
  readonly batchSize: number;
  readonly budgetMs: number;
  readonly patience: Patience;
}
const SMALL: Sizes = {
  pageSize: 5,
  windowSize: 3,
  windowsAhead: 2,
  batchSize: 2,
  budgetMs: 10_000,
  patience: { tries: 10, milliseconds: 300_000, pauseMs: () => 0 },
};

type Writer = Pick<IndexWriter, 'cursor' | 'commitEvents' | 'eventSums' | 'provisionalEvents'>;

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
  const mint = SCRIPTED_MINT;
  return createAccountHistory({ address: VAULT, pool, writer, reader, mint, ...all, elapsed });
}

/** The node says that all it has is final, unless the test tells it otherwise. */
async function tick(node: ScriptedNode, history: AccountHistory, askedAt = 0): Promise<HistoryProgress> {
  return history.advance(await ask(node, history, askedAt), never);
}

async function ask(
  { pool, history: past, finalizedSlot }: ScriptedNode,
  history: AccountHistory,
  askedAt = 0,
): Promise<HeadAnswer | null> {
  const question = await history.question();
  if (!question) return null;
  const [page] = await pool.batch([question.page], never);
  const by = page.by;
  const cursor = past.find(({ signature }) => signature === question.cursorSignature);
  const cursorStatus: SignatureStatus = cursor
    ? { kind: 'known', slot: cursor.slot, hasFailed: cursor.delta === null, isFinalized: true }
    : { kind: 'unknown' };
  return {
    page,
    cursorStatus: question.cursorSignature === null ? null : { ok: true, value: cursorStatus, by },
    finalizedSlot: { ok: true, value: finalizedSlot || (past.at(-1)?.slot ?? 0), by },
    askedAt,
  };
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
    const isList = ([method]: readonly unknown[]) => method === 'getSignaturesForAddress';
    const late: ScriptedNode = {
      ...node,
      pool: {
        ...node.pool,
        batch: async (calls, signal) => {
          const replies = await node.pool.batch(calls, signal);
          // Three pages and their end: each is listed once.
          if (node.pool.calls.filter(isList).length === 4) node.history = past;
          return replies;
        },
      },
    };
    await untilCaughtUp(late, follow(late, index.writer, { pageSize: 3, windowSize: 3 }));
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

describe('a page that was worked through in part', () => {
  it('is read whole where the node gives less of it than there is left', async () => {
    const past = pastOf(Array.from({ length: 16 }, (_, at) => at));
    const node = scriptedNode(VAULT, past.slice(0, 2));
    const history = follow(node, index.writer, { windowSize: 2 });
    await untilCaughtUp(node, history);
    node.history = past;
    node.withheld.add('s4');
    expect(await tick(node, history)).toMatchObject({ stuckOn: { signature: 's4' } });
    node.withheld.clear();
    node.longestPage = 1;
    await tick(node, history);
    node.longestPage = 1_000;
    await untilCaughtUp(node, history);
    expect(await indexed(index)).toEqual(expectedOf(past));
  });
});

describe('a transaction that another endpoint told on a fork', () => {
  it('is read again once it is listed in another slot', async () => {
    const past = pastOf([1, 2, 3]);
    const node = scriptedNode(VAULT, past);
    node.withheld.add('s2');
    const onFork = scriptedNode(VAULT, past);
    const pool = { ...node.pool, askEach: onFork.pool.askEach };
    const history = follow({ ...node, pool }, index.writer);
    expect(await tick(node, history)).toMatchObject({ state: 'behind' });
    node.history = past.map((one) => (one.signature === 's2' ? { ...one, slot: 9 } : one));
    expect(await tick(node, history)).toMatchObject({ stuckOn: { signature: 's2' } });
    node.withheld.clear();
    await untilCaughtUp(node, history);
    expect(await indexed(index)).toEqual(expectedOf(node.history));
  });

  it('is read again once it is listed as final', async () => {
    const past = pastOf([1, 2, 3]);
    const node = scriptedNode(VAULT, past);
    node.status = 'confirmed';
    node.withheld.add('s2');
    const onFork = scriptedNode(
      VAULT,
      past.map((one) => (one.signature === 's2' ? { ...one, delta: 99n } : one)),
    );
    const pool = { ...node.pool, askEach: onFork.pool.askEach };
    const history = follow({ ...node, pool }, index.writer);
    await tick(node, history);
    node.status = 'finalized';
    node.withheld.clear();
    await untilCaughtUp(node, history);
    expect(await indexed(index)).toEqual(expectedOf(past));
  });
});

describe('a node that lost the older part of its history', () => {
  const past = pastOf([1, 2, 3, 600, 601, 605, 606, 607]);
  const kept = past.slice(6);

  it.each([
    ['refuses what it does not know', 'refuses', false],
    ['refuses what it does not know, after a restart', 'refuses', true],
    ['lists everything where it does not know', 'lists-everything', false],
    ['lists everything where it does not know, after a restart', 'lists-everything', true],
  ] as const)('leaves no hole: it %s', async (_how, unknownCursor, restarts) => {
    const node = scriptedNode(VAULT, past.slice(0, 5));
    node.unknownCursor = unknownCursor;
    let history = follow(node, index.writer);
    await untilCaughtUp(node, history);
    await untilCaughtUp(node, history);
    node.history = kept;
    if (restarts) history = follow(node, index.writer);
    const told: string[] = [];
    for (let ticks = 0; ticks < 6; ticks += 1) {
      await tick(node, history).catch((error: Error) => told.push(error.message));
    }
    expect(told.at(-1)).toMatch(/scripted\.example does not keep the history of vault/);
    expect(node.pool.distrusted).toEqual([]);
    expect(await indexed(index)).toEqual(expectedOf(past.slice(0, 5)));
    node.history = past;
    await untilCaughtUp(node, history);
    expect(await indexed(index)).toEqual(expectedOf(past));
  });

  it('is put aside where there is another to ask', async () => {
    const node = scriptedNode(VAULT, past.slice(0, 5));
    node.unknownCursor = 'lists-everything';
    const other = { name: 'other.example', state: 'active' } as EndpointHealth;
    const pool = { ...node.pool, health: () => [other] };
    const history = follow({ ...node, pool }, index.writer);
    await untilCaughtUp(node, history);
    node.history = kept;
    await expect(tick(node, history)).rejects.toThrow(HistoryGapError);
    expect(node.pool.distrusted).toEqual([[SCRIPTED_ENDPOINT, expect.stringContaining('does not keep')]]);
  });

  it('is no node that lists nothing of an index that holds events', async () => {
    const node = scriptedNode(VAULT, past.slice(0, 5));
    const history = follow(node, index.writer);
    await untilCaughtUp(node, history);
    node.history = [];
    history.relist(600);
    await expect(tick(node, history)).rejects.toThrow(HistoryGapError);
  });
});

describe('a transaction that cannot be read for long', () => {
  const patience: Patience = { tries: 3, milliseconds: 1_000, pauseMs: (tries) => tries * 100 };
  const sizes = { pageSize: 100, windowSize: 4, patience };
  const past = pastOf([1, 2, 3, 5, 5, 6]);
  let clock: number;
  beforeEach(() => {
    clock = 0;
  });
  const quarantined = async () =>
    (await index.writer.quarantined()).map(({ signature, position, reason }) => [
      signature,
      position,
      reason,
    ]);
  /** Ticks until the history is caught up, or as often as told. */
  const ticks = async (node: ScriptedNode, history: AccountHistory, most: number, msBetween: number) => {
    for (let count = 0; count < most; count += 1) {
      if ((await tick(node, history)).state === 'caught-up') return;
      clock += msBetween;
    }
  };

  it('is put aside, and what follows it is indexed', async () => {
    const node = scriptedNode(VAULT, past);
    node.withheld.add('s4');
    const history = follow(node, index.writer, sizes, () => clock);
    await ticks(node, history, 20, 200);
    expect(await quarantined()).toEqual([['s4', 1, expect.stringContaining('does not have it')]]);
    expect(await indexed(index)).toEqual(expectedOf(past).filter(({ signature }) => signature !== 's4'));
    expect(await index.writer.cursor(VAULT)).toMatchObject({ signature: 's5' });
  });

  it('is put aside together with others that were tried for as long', async () => {
    const node = scriptedNode(VAULT, past);
    for (const signature of ['s1', 's2', 's4']) node.withheld.add(signature);
    const history = follow(node, index.writer, { ...sizes, windowSize: 10 }, () => clock);
    await ticks(node, history, 8, 200);
    expect((await quarantined()).map(([signature]) => signature)).toEqual(['s1', 's2', 's4']);
  });

  it.each([
    ['often but not long', 30, 10],
    ['long but not often', 2, 5_000],
  ])('holds the cursor while it was tried %s', async (_how, times, msBetween) => {
    const node = scriptedNode(VAULT, past);
    node.withheld.add('s2');
    const history = follow(
      node,
      index.writer,
      { ...sizes, patience: { ...patience, pauseMs: () => 0 } },
      () => clock,
    );
    await ticks(node, history, times, msBetween);
    expect(await quarantined()).toEqual([]);
    expect(await index.writer.cursor(VAULT)).toMatchObject({ signature: 's1' });
  });

  it('is tried again after pauses that grow', async () => {
    const node = scriptedNode(VAULT, past);
    node.withheld.add('s0');
    const history = follow(
      node,
      index.writer,
      { ...sizes, patience: { ...patience, milliseconds: 1e9 } },
      () => clock,
    );
    const triedAt: number[] = [];
    for (; clock < 1_000; clock += 50) {
      const before = node.pool.calls.length;
      await tick(node, history);
      if (node.pool.calls.length > before) triedAt.push(clock);
    }
    expect(triedAt).toEqual([0, 100, 300, 600]);
  });

  it('stays where the endpoint cannot tell the others either', async () => {
    const node = scriptedNode(VAULT, past.slice(0, 2));
    const history = follow(node, index.writer, sizes, () => clock);
    await untilCaughtUp(node, history);
    node.history = past;
    for (const { signature } of past) node.withheld.add(signature);
    await ticks(node, history, 50, 1_000);
    expect(await quarantined()).toEqual([]);
    node.withheld.clear();
    clock += 100_000;
    await untilCaughtUp(node, history);
    expect(await indexed(index)).toEqual(expectedOf(past));
  });

  it('stays where no endpoint answers at all', async () => {
    const node = scriptedNode(VAULT, past);
    const error = new RetryableRpcError('unreachable', 'connection failed');
    const silent = async (calls: readonly { method: string }[]) =>
      calls.map(() => ({ ok: false, error, by: SCRIPTED_ENDPOINT }));
    const isDown = (calls: readonly { method: string }[]) =>
      calls.some(({ method }) => method === 'getTransaction');
    const pool: EndpointPool = {
      ...node.pool,
      batch: (calls, signal) =>
        isDown(calls as never) ? (silent(calls as never) as never) : node.pool.batch(calls, signal),
      askEach: async (calls) => [
        { endpoint: SCRIPTED_ENDPOINT, replies: (await silent(calls as never)) as never },
      ],
    };
    const history = follow({ ...node, pool: { ...node.pool, ...pool } }, index.writer, sizes, () => clock);
    await ticks(node, history, 50, 1_000);
    expect(await quarantined()).toEqual([]);
    expect(await index.writer.cursor(VAULT)).toBeNull();
  });

  it('is read at once where another endpoint can tell it', async () => {
    const node = scriptedNode(VAULT, past);
    node.withheld.add('s2');
    const other = scriptedNode(VAULT, past);
    const pool = { ...node.pool, askEach: other.pool.askEach };
    const history = follow({ ...node, pool }, index.writer, sizes, () => clock);
    await ticks(node, history, 5, 0);
    expect(await indexed(index)).toEqual(expectedOf(past));
  });
});

describe('an account without any transaction', () => {
  it('counts as read once a node that says how far it is lists nothing', async () => {
    const told: EventBatch[] = [];
    const recording: Writer = {
      cursor: index.writer.cursor,
      eventSums: index.writer.eventSums,
      provisionalEvents: index.writer.provisionalEvents,
      commitEvents: async (batch) => {
        told.push(batch);
        await index.writer.commitEvents(batch);
      },
    };
    const node = scriptedNode(VAULT, []);
    const history = follow(node, recording);
    const head = await ask(node, history, 70_000);
    if (!head) throw new Error('The history asked nothing.');
    const elsewhere = { ...head.finalizedSlot, by: 'another node' };
    expect(await history.advance({ ...head, finalizedSlot: elsewhere }, never)).toMatchObject({
      readUpTo: null,
    });
    expect(told).toEqual([]);
    expect(await history.advance(head, never)).toMatchObject({ state: 'caught-up', readUpTo: 0 });
    expect(told).toEqual([{ account: VAULT, events: [], cursor: null, caughtUpAt: 70_000 }]);
  });
});

describe('a fork', () => {
  const before = pastOf([600, 601, 602]);

  it.each(['refuses', 'lists-everything'] as const)(
    'that puts the cursor into a later slot leaves nothing unlisted before it (the node %s)',
    async (unknownCursor) => {
      const moved = { signature: 'moved', slot: 610, delta: 4n };
      const node = scriptedNode(VAULT, [...before, moved]);
      node.unknownCursor = unknownCursor;
      node.status = 'confirmed';
      node.finalizedSlot = 602;
      for (const restarts of [false, true]) {
        const fresh = await openTestIndex(IDENTITY);
        node.history = [...before, moved];
        let history = follow(node, fresh.writer);
        await untilCaughtUp(node, history);
        node.history = [...before, { signature: 'between', slot: 609, delta: 5n }, { ...moved, slot: 614 }];
        if (restarts) history = follow(node, fresh.writer);
        await untilCaughtUp(node, history);
        expect(await indexed(fresh)).toEqual(
          expectedOf(node.history).map((event) => ({ ...event, delta: expect.any(BigInt) })),
        );
        expect(await fresh.writer.cursor(VAULT)).toMatchObject({ signature: 'moved', slot: 614 });
        await fresh.close();
      }
    },
  );

  it('that drops a failed transaction from under the cursor leaves nothing unlisted before it', async () => {
    const failed = { signature: 'failed', slot: 610, delta: null };
    const node = scriptedNode(VAULT, [...before, failed]);
    node.status = 'confirmed';
    node.finalizedSlot = 602;
    const history = follow(node, index.writer);
    await untilCaughtUp(node, history);
    node.finalizedSlot = 612;
    node.history = [
      ...before,
      { signature: 'between', slot: 609, delta: 5n },
      { signature: 'after', slot: 612, delta: 6n },
    ];
    await untilCaughtUp(node, history);
    expect((await indexed(index)).map(({ signature }) => signature)).toEqual([
      's0',
      's1',
      's2',
      'between',
      'after',
    ]);
  });

  it('that puts the cursor into a slot is noticed where nothing but what follows it there is told', async () => {
    const node = scriptedNode(VAULT, [...before, { signature: 'moved', slot: 610, delta: 4n }]);
    node.status = 'confirmed';
    node.finalizedSlot = 602;
    const history = follow(node, index.writer);
    await untilCaughtUp(node, history);
    node.history = [
      ...before,
      { signature: 'first', slot: 614, delta: 5n },
      { signature: 'moved', slot: 614, delta: 4n },
      { signature: 'after', slot: 614, delta: 6n },
    ];
    const head = await ask(node, history);
    if (!head) throw new Error('The history asked nothing.');
    expect(await history.advance({ ...head, cursorStatus: null }, never)).toMatchObject({ state: 'waiting' });
    await untilCaughtUp(node, history);
    const positions = (await indexed(index)).map(({ signature, position }) => [signature, position]);
    expect(positions.slice(-3)).toEqual([
      ['first', 0],
      ['moved', 1],
      ['after', 2],
    ]);
  });

  it('that puts all there is of an account into later slots is no hole in its history', async () => {
    const node = scriptedNode(VAULT, before);
    node.status = 'confirmed';
    const history = follow(node, index.writer);
    await untilCaughtUp(node, history);
    node.history = before.map((past) => ({ ...past, slot: past.slot + 9 }));
    await untilCaughtUp(node, history);
    expect(await indexed(index)).toEqual(expectedOf(node.history));
  });

  it('that concerns more than a page is listed again to its end, within a slot too', async () => {
    const node = scriptedNode(VAULT, pastOf([1, 2, 3, 3, 3, 3, 3, 3, 3, 4, 5, 5]));
    const history = follow(node, index.writer, { pageSize: 2, windowSize: 3 });
    await untilCaughtUp(node, history);
    const moved = node.history.map((past, at) => (at < 2 ? past : { ...past, slot: past.slot + 2 }));
    node.history = moved;
    history.relist(3);
    for (let ticks = 0; ticks < 60; ticks += 1) {
      if ((await tick(node, history)).state === 'caught-up') break;
    }
    expect(await index.writer.cursor(VAULT)).toMatchObject({ signature: 's11', slot: 7 });
    node.history = [...moved, { signature: 'next', slot: 7, delta: 1n }];
    await untilCaughtUp(node, history);
    expect((await index.events()).at(-1)).toMatchObject({ signature: 'next', slot: 7, position: 2 });
  });

  it('that concerns more than a page is listed again to its end where commits fail', async () => {
    const past = pastOf([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const node = scriptedNode(VAULT, past);
    node.status = 'confirmed';
    let commits = 0;
    const failing: Writer = {
      ...index.writer,
      commitEvents: async (batch) => {
        commits += 1;
        if (commits % 3 === 0) throw new Error('The disk is full.');
        await index.writer.commitEvents(batch);
      },
    };
    const patient = async (history: AccountHistory) => {
      for (let ticks = 0; ticks < 100; ticks += 1) {
        const progress = await tick(node, history).catch(() => null);
        if (progress?.state === 'caught-up') return;
      }
      throw new Error('The history never caught up.');
    };
    const history = follow(node, failing, { pageSize: 3, windowSize: 3 });
    await patient(history);
    const between = { signature: 'between', slot: 4, delta: 5n };
    node.history = [...past.slice(0, 4), between, ...past.slice(4)];
    history.relist(2);
    await patient(history);
    expect((await indexed(index)).map(({ signature }) => signature)).toContain('between');
  });

  it('that is told again and again while it is worked through is listed to its end', async () => {
    const node = scriptedNode(VAULT, pastOf([1, 2, 3, 4, 5, 6, 7, 8, 9]));
    let clock = 0;
    const sizes = { pageSize: 2, windowSize: 1, budgetMs: 3 };
    const history = follow(node, index.writer, sizes, () => {
      clock += 1;
      return clock;
    });
    await untilCaughtUp(node, history);
    const states: string[] = [];
    for (let ticks = 0; ticks < 60 && states.at(-1) !== 'caught-up'; ticks += 1) {
      history.relist(2);
      states.push((await tick(node, history)).state);
    }
    expect(states.length).toBeGreaterThan(2);
    expect(states.at(-1)).toBe('caught-up');
  });

  it('that is found to begin earlier, while it is worked through, is listed from there', async () => {
    const tail = [610, 611, 612, 613].map((slot) => ({ signature: `at-${slot}`, slot, delta: 1n }));
    const dropped = { signature: 'dropped', slot: 605, delta: 4n };
    const node = scriptedNode(VAULT, [...before, dropped, ...tail]);
    node.status = 'confirmed';
    node.finalizedSlot = 602;
    let clock = 0;
    const history = follow(node, index.writer, { windowSize: 1, pageSize: 50 }, () => clock);
    await untilCaughtUp(node, history);
    history.relist(610);
    const head = await ask(node, history);
    for (let windows = 0; windows < 4; windows += 1) {
      // Each commit ends the time that there is.
      const working = history.advance(head, never);
      clock += 20_000;
      expect((await working).state).toBe('behind');
    }
    node.history = [...before, { signature: 'instead', slot: 605, delta: 5n }, ...tail];
    await index.writer.settleEvents({ finalized: [], vanished: ['dropped'] });
    history.reload();
    await untilCaughtUp(node, history);
    expect((await indexed(index)).map(({ signature }) => signature)).toContain('instead');
  });

  it('is not listed from the beginning of a long history', async () => {
    const long = pastOf(Array.from({ length: 200 }, (_, at) => at * 100));
    const node = scriptedNode(VAULT, [...long, { signature: 'dropped', slot: 30_000, delta: 1n }]);
    await untilCaughtUp(node, follow(node, index.writer, { pageSize: 20, windowSize: 20 }));
    node.history = [...long, { signature: 'instead', slot: 30_001, delta: 1n }];
    const already = node.pool.calls.length;
    await untilCaughtUp(node, follow(node, index.writer, { pageSize: 20, windowSize: 20 }));
    const fetched = node.pool.calls.slice(already).filter(([method]) => method === 'getTransaction');
    expect(fetched.length).toBeLessThan(10);
    expect((await indexed(index)).map(({ signature }) => signature)).toContain('instead');
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
      eventSums: index.writer.eventSums,
      provisionalEvents: index.writer.provisionalEvents,
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
