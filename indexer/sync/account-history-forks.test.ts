import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  expectedEvents,
  follow,
  headReply,
  IDENTITY,
  indexed,
  never,
  scriptedNode,
  tick,
  transactionsAt,
  untilCaughtUp,
  VAULT,
  type Writer,
} from '../testing/scripted-history.ts';
import { openTestIndex, type TestIndex } from '../testing/test-chain.ts';
import type { AccountHistory } from './account-history.ts';

let index: TestIndex;
beforeEach(async () => {
  index = await openTestIndex(IDENTITY);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await index.close();
});

describe('after a fork', () => {
  const before = transactionsAt([600, 601, 602]);

  it.each(['refuses', 'lists-everything'] as const)(
    'that moves the cursor to a later slot, every transaction before it is listed (the node %s)',
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
          expectedEvents(node.history).map((event) => ({ ...event, delta: expect.any(BigInt) })),
        );
        expect(await fresh.writer.cursor(VAULT)).toMatchObject({ signature: 'moved', slot: 614 });
        await fresh.close();
      }
    },
  );

  it.each([
    ['as the newest', [{ signature: 'moved', slot: 606, delta: 4n }]],
    [
      'with others before and after it',
      [
        { signature: 'between', slot: 605, delta: 5n },
        { signature: 'moved', slot: 606, delta: 4n },
        { signature: 'same slot', slot: 606, delta: null },
        { signature: 'behind', slot: 608, delta: 6n },
        { signature: 'failed', slot: 608, delta: null },
      ],
    ],
  ])('that moves the cursor to an earlier slot, the stored cursor moves too, %s', async (_, stays) => {
    const node = scriptedNode(VAULT, [...before, { signature: 'moved', slot: 610, delta: 4n }]);
    node.status = 'confirmed';
    node.finalizedSlot = 602;
    for (const restarts of [false, true]) {
      const fresh = await openTestIndex(IDENTITY);
      node.history = [...before, { signature: 'moved', slot: 610, delta: 4n }];
      let history = follow(node, fresh.writer);
      await untilCaughtUp(node, history);
      node.history = [...before, ...stays];
      if (restarts) history = follow(node, fresh.writer);
      await untilCaughtUp(node, history);
      const { signature, slot } = stays.at(-1) ?? {};
      expect(await fresh.writer.cursor(VAULT)).toMatchObject({ signature, slot });
      // Indexing continues from there, also after a restart.
      const restarted = follow(node, fresh.writer);
      expect(await tick(node, restarted)).toMatchObject({ state: 'caught-up', transactions: 0 });
      await fresh.close();
    }
  });

  it('that drops the failed transaction at the cursor, every transaction before it is listed', async () => {
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

  it('that drops the failed transaction at the cursor, a page below the newest shows that too', async () => {
    const node = scriptedNode(VAULT, [...before, { signature: 'failed', slot: 610, delta: null }]);
    node.unknownCursor = 'lists-everything';
    node.status = 'confirmed';
    node.finalizedSlot = 602;
    await untilCaughtUp(node, follow(node, index.writer));
    const later = Array.from({ length: 12 }, (_, at) => ({ signature: `l${at}`, slot: 609 + at, delta: 1n }));
    node.history = [...before, ...later];
    node.finalizedSlot = 620;
    const history = follow(node, index.writer);
    for (let ticks = 0; ticks < 20; ticks += 1) {
      if ((await tick(node, history)).state === 'caught-up') break;
    }
    expect((await indexed(index)).map(({ signature }) => signature)).toEqual(
      node.history.map(({ signature }) => signature),
    );
  });

  it.each(['failed commit', 'reload'])(
    'on which nodes disagree, with a %s in between, every transaction before their common one is listed',
    async (interruption) => {
      const shared = { signature: 'shared', slot: 610, delta: 4n };
      const given = [...before, { signature: 'failed', slot: 607, delta: null }, shared];
      const kept = [...before, { signature: 'new', slot: 605, delta: 5n }, { ...shared, slot: 608 }];
      const node = scriptedNode(VAULT, given);
      node.status = 'confirmed';
      node.finalizedSlot = 602;
      let isFull = false;
      const writer: Writer = {
        ...index.writer,
        commitEvents: async (batch) => {
          if (isFull && batch.cursor?.signature === 'shared') throw new Error('the disk is full');
          await index.writer.commitEvents(batch);
        },
      };
      const history = follow(node, writer, { windowSize: 1 });
      await untilCaughtUp(node, history);
      // One node knows the fork that stays; the next one does not know it yet.
      node.history = kept;
      expect(await tick(node, history)).toMatchObject({ state: 'waiting' });
      node.history = given;
      isFull = interruption === 'failed commit';
      if (!isFull) node.withheld.add('shared');
      await tick(node, history).catch(() => null);
      isFull = false;
      node.withheld.clear();
      if (interruption === 'reload') history.reload();

      node.history = kept;
      node.finalizedSlot = 650;
      for (let times = 0; times < 3; times += 1) await untilCaughtUp(node, history);
      expect((await indexed(index)).map(({ signature, slot }) => `${signature} ${slot}`)).toEqual(
        kept.map(({ signature, slot }) => `${signature} ${slot}`),
      );
      expect(await index.writer.cursor(VAULT)).toMatchObject({ signature: 'shared', slot: 608 });
    },
  );

  it('that moves the cursor, it is detected even if only its successors in the slot are known', async () => {
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
    const head = await headReply(node, history);
    if (!head) throw new Error('no query was made');
    expect(await history.advance({ ...head, cursorStatus: null }, never)).toMatchObject({ state: 'waiting' });
    await untilCaughtUp(node, history);
    const positions = (await indexed(index)).map(({ signature, position }) => [signature, position]);
    expect(positions.slice(-3)).toEqual([
      ['first', 0],
      ['moved', 1],
      ['after', 2],
    ]);
  });

  it('that moves the whole history of an account to later slots, there is no gap', async () => {
    const node = scriptedNode(VAULT, before);
    node.status = 'confirmed';
    const history = follow(node, index.writer);
    await untilCaughtUp(node, history);
    node.history = before.map((past) => ({ ...past, slot: past.slot + 9 }));
    await untilCaughtUp(node, history);
    expect(await indexed(index)).toEqual(expectedEvents(node.history));
  });

  it('of more than a page, the history is listed again to its end, also within a slot', async () => {
    const node = scriptedNode(VAULT, transactionsAt([1, 2, 3, 3, 3, 3, 3, 3, 3, 4, 5, 5]));
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

  it('of more than a page, the history is listed again to its end even if commits fail', async () => {
    const past = transactionsAt([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const node = scriptedNode(VAULT, past);
    node.status = 'confirmed';
    let commits = 0;
    const failing: Writer = {
      ...index.writer,
      commitEvents: async (batch) => {
        commits += 1;
        if (commits % 3 === 0) throw new Error('the disk is full');
        await index.writer.commitEvents(batch);
      },
    };
    const patient = async (history: AccountHistory) => {
      for (let ticks = 0; ticks < 100; ticks += 1) {
        const progress = await tick(node, history).catch(() => null);
        if (progress?.state === 'caught-up') return;
      }
      throw new Error('the history never caught up');
    };
    const history = follow(node, failing, { pageSize: 3, windowSize: 3 });
    await patient(history);
    const between = { signature: 'between', slot: 4, delta: 5n };
    node.history = [...past.slice(0, 4), between, ...past.slice(4)];
    history.relist(2);
    await patient(history);
    expect((await indexed(index)).map(({ signature }) => signature)).toContain('between');
  });

  it('that is reported repeatedly while the history is listed again, the history is listed to its end', async () => {
    const node = scriptedNode(VAULT, transactionsAt([1, 2, 3, 4, 5, 6, 7, 8, 9]));
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

  it('that turns out to begin earlier than reported, the history is listed from that slot', async () => {
    const tail = [610, 611, 612, 613].map((slot) => ({ signature: `at-${slot}`, slot, delta: 1n }));
    const dropped = { signature: 'dropped', slot: 605, delta: 4n };
    const node = scriptedNode(VAULT, [...before, dropped, ...tail]);
    node.status = 'confirmed';
    node.finalizedSlot = 602;
    let clock = 0;
    const history = follow(node, index.writer, { windowSize: 1, pageSize: 50 }, () => clock);
    await untilCaughtUp(node, history);
    history.relist(610);
    const head = await headReply(node, history);
    for (let windows = 0; windows < 4; windows += 1) {
      // The round's time is over after each commit.
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

  it('a long history is not listed from its beginning', async () => {
    const long = transactionsAt(Array.from({ length: 200 }, (_, at) => at * 100));
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
    'loses and duplicates nothing where the node %s',
    async (unknownCursor) => {
      const past = transactionsAt([1, 2, 2, 3, 3]);
      const node = scriptedNode(VAULT, past.slice(0, 4));
      node.unknownCursor = unknownCursor;
      await untilCaughtUp(node, follow(node, index.writer));
      // A fork dropped the cursor's transaction; its successors are in the same and later slots.
      const after = [
        ...past.slice(0, 3),
        { signature: 'new-3', slot: 3, delta: 7n },
        { signature: 'new-4', slot: 4, delta: 8n },
      ];
      node.history = after;
      const history = follow(node, index.writer);
      await untilCaughtUp(node, history);
      await untilCaughtUp(node, history);
      expect(await indexed(index)).toEqual(expectedEvents(after));
    },
  );

  it('moves back once the store has removed the events of a dropped transaction', async () => {
    const past = transactionsAt([1, 2, 3, 3]).slice(0, 3);
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
    expect(await indexed(index)).toEqual(expectedEvents(node.history));
  });

  it('moves nothing while the node is merely behind', async () => {
    const past = transactionsAt([1, 2, 3, 4, 5, 6]);
    const node = scriptedNode(VAULT, past);
    const history = follow(node, index.writer);
    await untilCaughtUp(node, history);
    node.history = past.slice(0, 2);
    for (let ticks = 0; ticks < 5; ticks += 1) await tick(node, history);
    expect(await index.writer.cursor(VAULT)).toMatchObject({ signature: 's5' });
    node.history = [...past, { signature: 'next', slot: 6, delta: 1n }];
    await untilCaughtUp(node, history);
    expect(await indexed(index)).toEqual(expectedEvents(node.history));
  });
});
