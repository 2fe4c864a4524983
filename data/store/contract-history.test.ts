import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IndexReader, IndexWriter } from './ports.ts';
import { ADAPTERS, type StoreWorld } from './testing/adapters.ts';
import { batchOf, IDENTITY, LARGEST_AMOUNT, sampleEvent, sampleSnapshot } from './testing/sample-rows.ts';

describe.each(ADAPTERS)('the history of events in $name', ({ open }) => {
  let world: StoreWorld;
  let writer: IndexWriter;
  let reader: IndexReader;

  beforeEach(async () => {
    world = await open();
    reader = world.openReader();
    writer = await world.openWriter();
    await writer.claim(IDENTITY);
  });
  afterEach(() => world.dispose());

  /** The account snapshot of a vault with a balance, at a slot and the second of its number. */
  const stand = (slot: number, vaultBalance: bigint) =>
    writer.commitSnapshot(sampleSnapshot(slot, { vaultBalance }));
  const slotsRead = async () => (await reader.latestSnapshot(100)).recentEvents.map((event) => event.slot);

  describe('events and cursor', () => {
    it('tells a missing cursor from one at slot 0', async () => {
      expect(await writer.cursor('vault')).toBeNull();
      await writer.commitEvents(batchOf([sampleEvent(0)]));
      expect(await writer.cursor('vault')).toEqual({ account: 'vault', signature: 'signature-0', slot: 0 });
      expect(await writer.cursor('poolVault')).toBeNull();
    });

    it('advances the cursor of a batch without events', async () => {
      const cursor = { account: 'vault', signature: 'moved nothing', slot: 9 };
      await writer.commitEvents({ account: 'vault', events: [], cursor });
      expect(await writer.cursor('vault')).toEqual(cursor);
    });

    it('keeps every field as it was told, up to the largest amount and without a time or a wallet', async () => {
      const events = [
        sampleEvent(1, { delta: LARGEST_AMOUNT, kind: 'other', position: 3, status: 'confirmed' }),
        sampleEvent(2, { delta: -LARGEST_AMOUNT, blockTime: null, wallet: null }),
      ];
      await writer.commitEvents(batchOf(events));
      expect((await reader.latestSnapshot(10)).recentEvents).toEqual(events.reverse());
    });

    it('answers the newest events first, as many as asked for', async () => {
      await writer.commitEvents(batchOf([1, 4, 7].map((slot) => sampleEvent(slot))));
      const stakes = [2, 4, 6].map((slot) =>
        sampleEvent(slot, { account: 'poolVault', position: 1, signature: `stake-${slot}` }),
      );
      await writer.commitEvents(batchOf(stakes));
      const { recentEvents } = await reader.latestSnapshot(4);
      expect(recentEvents.map(({ slot, account }) => `${slot} ${account}`)).toEqual([
        '7 vault',
        '6 poolVault',
        '4 poolVault',
        '4 vault',
      ]);
      expect((await reader.latestSnapshot(0)).recentEvents).toEqual([]);
    });

    it('keeps the events of one transaction that moved two watched accounts apart', async () => {
      await writer.commitEvents(batchOf([sampleEvent(5, { signature: 'both' })]));
      await writer.commitEvents(batchOf([sampleEvent(5, { signature: 'both', account: 'poolVault' })]));
      expect(await slotsRead()).toEqual([5, 5]);
    });

    it('changes nothing when a batch is repeated after later ones', async () => {
      const first = batchOf([sampleEvent(1), sampleEvent(2)], 2_500);
      await writer.commitEvents(first);
      await writer.commitEvents(batchOf([sampleEvent(3)]));
      const before = [
        await reader.latestSnapshot(10),
        await reader.vaultMovements(0),
        await writer.cursor('vault'),
      ];
      await writer.commitEvents(first);
      const after = [
        await reader.latestSnapshot(10),
        await reader.vaultMovements(0),
        await writer.cursor('vault'),
      ];
      expect(after).toEqual(before);
    });

    it('never moves the cursor back within its slot', async () => {
      const first = batchOf([sampleEvent(5, { signature: 'a' })]);
      await writer.commitEvents(first);
      await writer.commitEvents(batchOf([sampleEvent(5, { signature: 'b', position: 1 })]));
      await writer.commitEvents(first);
      expect((await writer.cursor('vault'))?.signature).toBe('b');
    });

    it.each([
      ['events of another account', [sampleEvent(1), sampleEvent(2, { account: 'poolVault' })], 'vault', 2],
      ['an event beyond the cursor', [sampleEvent(1), sampleEvent(3)], 'vault', 2],
      ['the cursor of another account', [sampleEvent(1)], 'poolVault', 2],
    ])('refuses %s and stores nothing of the batch', async (_, events, cursorAccount, slot) => {
      const cursor = { account: cursorAccount, signature: 'cursor', slot };
      await expect(writer.commitEvents({ account: 'vault', events, cursor })).rejects.toThrow(RangeError);
      expect(await slotsRead()).toEqual([]);
      expect(await writer.cursor('vault')).toBeNull();
    });

    it('stores nothing of a batch that fails half-way', async () => {
      const broken = batchOf([sampleEvent(1), sampleEvent(2, { position: Number.NaN }), sampleEvent(3)]);
      await expect(writer.commitEvents(broken)).rejects.toThrow();
      expect(await slotsRead()).toEqual([]);
      expect(await writer.cursor('vault')).toBeNull();
    });
  });

  describe('provisional events', () => {
    const provisional = (slot: number, changes = {}) =>
      sampleEvent(slot, { status: 'confirmed', ...changes });
    const open3 = () => writer.commitEvents(batchOf([provisional(1), provisional(2), provisional(3)], 9_000));

    it('are listed oldest first, up to a slot and a limit', async () => {
      await open3();
      await writer.commitEvents(batchOf([sampleEvent(4)]));
      const listed = async (upTo: number, limit: number) =>
        (await writer.provisionalEvents(upTo, limit)).map(({ slot }) => slot);
      expect(await listed(9, 9)).toEqual([1, 2, 3]);
      expect(await listed(2, 9)).toEqual([1, 2]);
      expect(await listed(9, 1)).toEqual([1]);
      expect(await listed(9, 0)).toEqual([]);
      expect(await writer.provisionalEvents(1, 1)).toEqual([
        { signature: 'signature-1', account: 'vault', slot: 1 },
      ]);
    });

    it('become final when settled, and are then final', async () => {
      await open3();
      await writer.settleEvents({ finalized: ['signature-1', 'signature-3'], vanished: ['signature-2'] });
      await writer.settleEvents({ finalized: [], vanished: ['signature-1', 'signature-3'] });
      await writer.commitEvents(batchOf([provisional(1), provisional(3)]));
      expect(await slotsRead()).toEqual([3, 1]);
      expect(await writer.provisionalEvents(9, 9)).toEqual([]);
    });

    it('become final when they are sent again as finalized', async () => {
      await open3();
      await writer.commitEvents(batchOf([sampleEvent(2)]));
      expect((await writer.provisionalEvents(9, 9)).map(({ slot }) => slot)).toEqual([1, 3]);
    });

    it('that vanish leave every figure as if they had never been', async () => {
      await open3();
      await writer.settleEvents({ finalized: [], vanished: ['signature-2', 'never seen'] });
      await writer.commitEvents(batchOf([provisional(3)], 9_000));
      await stand(3, 2_000n);
      expect(await reader.vaultBalanceAt([1_000, 2_000, 3_000])).toEqual([1_000n, 1_000n, 2_000n]);
      expect(await reader.vaultMovements(0)).toMatchObject({ deposits: 2_000n, movements: 2 });
    });

    it('that vanish take the cursor back before them, and the history is no longer known up to now', async () => {
      await open3();
      await writer.settleEvents({ finalized: [], vanished: ['signature-2'] });
      expect(await writer.cursor('vault')).toEqual({ account: 'vault', signature: 'signature-1', slot: 1 });
      expect((await reader.vaultMovements(0)).until).toBe(3_000);
      await writer.settleEvents({ finalized: [], vanished: ['signature-1', 'signature-3'] });
      expect(await writer.cursor('vault')).toBeNull();
      expect((await reader.vaultMovements(0)).until).toBeNull();
    });

    it('leave the cursor where it is when it stands on none of them and no event is lost', async () => {
      await open3();
      await writer.settleEvents({ finalized: ['signature-1'], vanished: ['never seen'] });
      expect((await writer.cursor('vault'))?.slot).toBe(3);
    });

    it('take back a cursor that stood on a vanished transaction without an event', async () => {
      await open3();
      const cursor = { account: 'vault', signature: 'moved nothing', slot: 8 };
      await writer.commitEvents({ account: 'vault', events: [], cursor });
      await writer.settleEvents({ finalized: [], vanished: ['moved nothing'] });
      expect((await writer.cursor('vault'))?.signature).toBe('signature-3');
    });

    it('move to the slot where their transaction landed again, among what landed in their place', async () => {
      await open3();
      const landedAgain = batchOf([
        provisional(2, { signature: 'newcomer', delta: 7n, position: 1 }),
        provisional(4, { signature: 'signature-2' }),
      ]);
      await writer.commitEvents(landedAgain);
      await stand(4, 3_007n);
      expect(await slotsRead()).toEqual([4, 3, 2, 1]);
      expect(await reader.vaultBalanceAt([1_000, 2_000, 3_000, 4_000])).toEqual([
        1_000n,
        1_007n,
        2_007n,
        3_007n,
      ]);
    });

    it('cannot be finalized and vanished at once', async () => {
      await open3();
      const outcome = { finalized: ['signature-1'], vanished: ['signature-1'] };
      await expect(writer.settleEvents(outcome)).rejects.toThrow(RangeError);
      expect(await slotsRead()).toEqual([3, 2, 1]);
    });
  });

  describe('vault history', () => {
    it('knows nothing before anything is indexed', async () => {
      expect(await reader.vaultMovements(0)).toMatchObject({ until: null });
      expect(await reader.vaultBalanceAt([0, 5_000])).toEqual([null, null]);
    });

    it('sums what came in and what went out after a moment, to the millisecond', async () => {
      await writer.commitEvents(
        batchOf([
          sampleEvent(1, { delta: 100n }),
          sampleEvent(2, { delta: -30n, kind: 'withdraw' }),
          sampleEvent(3, { delta: 0n, kind: 'other' }),
          sampleEvent(4, { delta: 5n }),
        ]),
      );
      const window = { deposits: 5n, withdrawals: 0n, movements: 1, until: 4_000, reachesBack: true };
      expect(await reader.vaultMovements(2_000)).toEqual(window);
      expect(await reader.vaultMovements(1_999)).toEqual({ ...window, withdrawals: 30n, movements: 2 });
      expect(await reader.vaultMovements(0)).toEqual({
        ...window,
        deposits: 105n,
        withdrawals: 30n,
        movements: 3,
        reachesBack: false,
      });
      expect(await reader.vaultMovements(4_000)).toEqual({ ...window, deposits: 0n, movements: 0 });
    });

    it('counts the vault alone', async () => {
      await writer.commitEvents(batchOf([sampleEvent(1, { account: 'poolVault' })]));
      expect((await reader.vaultMovements(0)).until).toBeNull();
      expect(await reader.vaultBalanceAt([1_000])).toEqual([null]);
    });

    it('tells a past balance as the present one less what moved since', async () => {
      await writer.commitEvents(batchOf([sampleEvent(2), sampleEvent(4, { delta: -400n })], 5_000));
      await stand(5, 600n);
      expect(await reader.vaultBalanceAt([5_001, 5_000, 4_000, 3_999, 2_000])).toEqual([
        null,
        600n,
        600n,
        1_000n,
        1_000n,
      ]);
    });

    it('of which the oldest part is missing gives right balances from its first event on, and none before', async () => {
      await writer.commitEvents(batchOf([sampleEvent(50), sampleEvent(60, { delta: -400n })], 70_000));
      await stand(70, 100_000_600n);
      expect(await reader.vaultBalanceAt([60_000, 59_999, 50_000, 49_999, 0])).toEqual([
        100_000_600n,
        100_001_000n,
        100_001_000n,
        null,
        null,
      ]);
      expect((await reader.vaultMovements(50_000)).reachesBack).toBe(true);
      expect((await reader.vaultMovements(49_999)).reachesBack).toBe(false);
    });

    it('that makes the whole balance has nothing missing before its first event', async () => {
      await writer.commitEvents(batchOf([sampleEvent(50), sampleEvent(60, { delta: -400n })], 70_000));
      await stand(70, 600n);
      expect(await reader.vaultMovements(0)).toMatchObject({ deposits: 1_000n, reachesBack: true });
      expect(await reader.vaultBalanceAt([0])).toEqual([null]);
    });

    it('tells no balance while an old history is still being read, though it reaches the moment', async () => {
      await writer.commitEvents(batchOf([sampleEvent(1), sampleEvent(2)]));
      await stand(100, 5_000n);
      expect(await reader.vaultBalanceAt([1_000])).toEqual([null]);
      await writer.commitEvents(batchOf([sampleEvent(90)], 80_000));
      expect(await reader.vaultBalanceAt([1_000])).toEqual([null]);
      await writer.commitEvents(batchOf([sampleEvent(95)], 90_000));
      expect(await reader.vaultBalanceAt([1_000, 90_000])).toEqual([2_000n, 4_000n]);
    });

    it('counts no event twice that is ahead of the snapshot', async () => {
      await writer.commitEvents(batchOf([sampleEvent(1), sampleEvent(2), sampleEvent(4)], 9_000));
      await stand(3, 2_000n);
      expect(await reader.vaultBalanceAt([1_000])).toEqual([1_000n]);
    });

    it('tells no balance without a snapshot', async () => {
      await writer.commitEvents(batchOf([sampleEvent(2)], 9_000));
      expect(await reader.vaultBalanceAt([9_000])).toEqual([null]);
      expect((await reader.vaultMovements(5_000)).until).toBe(9_000);
    });

    it('is read once both watched accounts were read up to their newest', async () => {
      const isRead = async () => (await reader.latestSnapshot(0)).isHistoryRead;
      await writer.commitEvents(batchOf([sampleEvent(1)]));
      await writer.commitEvents(batchOf([sampleEvent(1, { account: 'poolVault' })], 9_000));
      expect(await isRead()).toBe(false);
      await writer.commitEvents(batchOf([sampleEvent(2)], 9_000));
      expect(await isRead()).toBe(true);
      await writer.commitEvents(batchOf([sampleEvent(3)]));
      expect(await isRead()).toBe(true);
    });

    it('is not known less far once a later batch says nothing of it', async () => {
      await writer.commitEvents(batchOf([sampleEvent(2)], 9_000));
      await writer.commitEvents(batchOf([sampleEvent(3)]));
      expect((await reader.vaultMovements(0)).until).toBe(9_000);
    });

    it('counts an event without a time with the one before it, and leading ones before everything', async () => {
      await writer.commitEvents(
        batchOf(
          [
            sampleEvent(1, { blockTime: null, delta: 10n }),
            sampleEvent(2, { blockTime: 2_000, delta: 20n }),
            sampleEvent(3, { blockTime: null, delta: 40n }),
          ],
          3_000,
        ),
      );
      await stand(3, 70n);
      expect(await reader.vaultBalanceAt([1_999, 2_000])).toEqual([null, 70n]);
      expect(await reader.vaultMovements(0)).toMatchObject({ deposits: 60n, movements: 2 });
    });

    it('puts an event that was missing into its place', async () => {
      await writer.commitEvents(batchOf([sampleEvent(1), sampleEvent(5)]));
      await writer.commitEvents(batchOf([sampleEvent(3, { delta: -1n })], 5_000));
      await stand(5, 1_999n);
      expect(await reader.vaultBalanceAt([1_000, 3_000, 5_000])).toEqual([1_000n, 999n, 1_999n]);
      expect((await writer.cursor('vault'))?.slot).toBe(5);
    });
  });
});
