import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IndexReader, IndexWriter } from './ports.ts';
import { ADAPTERS, openClaimed, type StoreWorld } from './testing/adapters.ts';
import { batchOf, LARGEST_AMOUNT, sampleEvent, sampleSnapshot } from './testing/sample-rows.ts';

describe.each(ADAPTERS)('the history of events in $name', ({ open }) => {
  let world: StoreWorld;
  let writer: IndexWriter;
  let reader: IndexReader;

  const openWorld = async () => {
    ({ world, reader, writer } = await openClaimed(open));
  };
  beforeEach(openWorld);
  afterEach(() => world.dispose());

  /** The account snapshot of a vault with a balance, at a slot and the second of its number. */
  const stand = (slot: number, vaultBalance: bigint) =>
    writer.commitSnapshot(sampleSnapshot(slot, { vaultBalance }));
  const slotsRead = async () => (await reader.latestSnapshot(100)).recentEvents.map((event) => event.slot);

  describe('events and cursor', () => {
    it('tells a missing cursor from one at slot 0', async () => {
      expect(await writer.cursor('vault')).toBeNull();
      await writer.commitEvents(batchOf([sampleEvent(0)]));
      expect(await writer.cursor('vault')).toMatchObject({ signature: 'signature-0', slot: 0, position: 0 });
      expect(await writer.cursor('poolVault')).toBeNull();
    });

    it('advances the cursor of a batch without events', async () => {
      const cursor = { account: 'vault', signature: 'moved nothing', slot: 9, position: 2 };
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

    it('counts a history of any length anew where an event takes a place before all others', async () => {
      const later = Array.from({ length: 9_000 }, (_, index) => sampleEvent(index + 2));
      const batch = batchOf(later);
      await writer.commitEvents(batch);
      await writer.commitEvents({ ...batch, events: [sampleEvent(1, { delta: 7n })] });
      const sums = await Promise.all([1, 2, 4_500, 9_001].map((slot) => writer.eventSums('vault', slot)));
      expect(sums.map(({ totalIn }) => totalIn)).toEqual([7n, 1_007n, 4_499_007n, 9_000_007n]);
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

    it('never moves back within its slot over what moved nothing, and goes on after it was listed again', async () => {
      const at = (position: number, ...moved: readonly number[]) => ({
        account: 'vault',
        events: moved.map((one) => sampleEvent(5, { signature: `s${one}`, position: one })),
        cursor: { account: 'vault', signature: `s${position}`, slot: 5, position },
      });
      await writer.commitEvents(at(3, 0, 3));
      // Listed again in smaller parts: the first ends on a transaction that moved nothing, so it is not stored.
      for (const [batch, reached] of [
        [at(1, 0), 's3'],
        [at(2), 's3'],
        [at(3, 3), 's3'],
        [at(4), 's4'],
        [at(4), 's4'],
      ] as const) {
        await writer.commitEvents(batch);
        expect((await writer.cursor('vault'))?.signature).toBe(reached);
      }
    });

    it('goes back where what it had passed is listed once more to its end', async () => {
      await writer.commitEvents({
        ...batchOf([sampleEvent(5), sampleEvent(8, { status: 'confirmed' })]),
        caughtUpAt: 7_000,
      });
      const again = batchOf([sampleEvent(4), sampleEvent(5), sampleEvent(6, { signature: 'signature-8' })]);
      await writer.commitEvents({ ...again, caughtUpAt: 6_000 });
      expect(await writer.cursor('vault')).toMatchObject({ signature: 'signature-8', slot: 8 });
      await writer.commitEvents({ ...again, caughtUpAt: 6_000, endsRelisting: true });
      expect(await writer.cursor('vault')).toMatchObject({ signature: 'signature-8', slot: 6 });
      await writer.commitEvents(batchOf([sampleEvent(5)]));
      expect(await writer.cursor('vault')).toMatchObject({ signature: 'signature-8', slot: 6 });
    });

    it('has one end, whatever batches it was told in and whichever were told again', async () => {
      const places = fc.record({
        slot: fc.nat({ max: 2 }),
        position: fc.nat({ max: 4 }),
        moved: fc.boolean(),
      });
      const listed = fc
        .uniqueArray(places, { minLength: 1, selector: ({ slot, position }) => `${slot}/${position}` })
        .map((all) => all.toSorted((one, other) => one.slot - other.slot || one.position - other.position));
      const cuts = fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(listed, cuts, async (all, parts) => {
          await world.dispose();
          await openWorld();
          const told = [
            ...parts.map(([from, to]) => [from % all.length, to % all.length]),
            [0, all.length - 1],
          ];
          for (const [one = 0, other = 0] of told) {
            const rows = all.slice(Math.min(one, other), Math.max(one, other) + 1);
            const named = rows.map(({ slot, position, moved }) => ({
              ...sampleEvent(slot, { signature: `${slot}/${position}`, position }),
              moved,
            }));
            const last = named.at(-1);
            if (last === undefined) throw new Error('A part of nothing.');
            const { account, signature, slot, position } = last;
            const before = await writer.cursor(account);
            await writer.commitEvents({
              account,
              events: named.filter(({ moved }) => moved).map(({ moved: _, ...event }) => event),
              cursor: { account, signature, slot, position },
            });
            const after = await writer.cursor(account);
            const placeOf = (cursor: typeof after) => (cursor?.slot ?? -1) * 10 + (cursor?.position ?? 0);
            expect(placeOf(after)).toBe(Math.max(placeOf(before), slot * 10 + position));
          }
          const end = all.at(-1);
          expect((await writer.cursor('vault'))?.signature).toBe(`${end?.slot}/${end?.position}`);
        }),
        { numRuns: 40, interruptAfterTimeLimit: 20_000 },
      );
    });

    it.each([
      ['events of another account', [sampleEvent(1), sampleEvent(2, { account: 'poolVault' })], 'vault', 2],
      ['an event beyond the cursor', [sampleEvent(1), sampleEvent(3)], 'vault', 2],
      ['the cursor of another account', [sampleEvent(1)], 'poolVault', 2],
    ])('refuses %s and stores nothing of the batch', async (_, events, cursorAccount, slot) => {
      const cursor = { account: cursorAccount, signature: 'cursor', slot, position: 0 };
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

    it('are listed once a transaction, however many parts it has: parts take no room from others', async () => {
      const parts = [0, 1, 2].map((part) => provisional(1, { part }));
      await writer.commitEvents(batchOf([...parts, provisional(2)], 9_000));
      expect((await writer.provisionalEvents(9, 2)).map(({ slot }) => slot)).toEqual([1, 2]);
    });

    it('are passed over where the newest final event up to a slot is asked for', async () => {
      const final = (slot: number, changes = {}) => sampleEvent(slot, { position: 0, ...changes });
      await writer.commitEvents(
        batchOf([final(1), final(2), final(2, { signature: 'later in it', position: 1 }), provisional(3)]),
      );
      await writer.commitEvents(batchOf([final(4)]));
      expect(await writer.finalEvent('vault', 9)).toEqual({
        signature: 'signature-4',
        account: 'vault',
        slot: 4,
      });
      expect((await writer.finalEvent('vault', 3))?.signature).toBe('later in it');
      expect((await writer.finalEvent('vault', 1))?.signature).toBe('signature-1');
      expect(await writer.finalEvent('vault', 0)).toBeNull();
      expect(await writer.finalEvent('poolVault', 9)).toBeNull();
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
      expect(await writer.cursor('vault')).toMatchObject({ signature: 'signature-1', slot: 1, position: 0 });
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
      const cursor = { account: 'vault', signature: 'moved nothing', slot: 8, position: 0 };
      await writer.commitEvents({ account: 'vault', events: [], cursor });
      await writer.settleEvents({ finalized: [], vanished: ['moved nothing'] });
      expect((await writer.cursor('vault'))?.signature).toBe('signature-3');
    });

    it('take the cursor back where one that vanishes was an alarm alone', async () => {
      await writer.commitEvents(batchOf([sampleEvent(1), sampleEvent(2, { position: 4 })]));
      const { signature, account, slot, blockTime, status } = provisional(3);
      const place = { signature, account, slot, blockTime, status };
      const alarm = { ...place, kind: 'owner-changed', address: 'thief' } as const;
      const cursor = { account: 'vault', signature: 'moved nothing', slot: 5, position: 0 };
      await writer.commitEvents({ account: 'vault', events: [], alarms: [alarm], cursor, caughtUpAt: 9_000 });
      expect((await reader.latestSnapshot(0)).alarms).toEqual([alarm]);
      await writer.settleEvents({ finalized: [], vanished: [alarm.signature] });
      expect((await reader.latestSnapshot(0)).alarms).toEqual([]);
      expect(await writer.cursor('vault')).toMatchObject({ slot: 2, position: 4 });
      expect((await reader.vaultMovements(0)).until).toBe(2_000);
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
});
