import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { QuarantinedTransaction } from './chain-rows.ts';
import type { IndexReader, IndexWriter } from './ports.ts';
import { ADAPTERS, openClaimed, PROPERTY_RUNS, type StoreWorld } from './testing/adapters.ts';
import { batchOf, IDENTITY, LARGEST_AMOUNT, sampleEvent, sampleSnapshot } from './testing/sample-rows.ts';

describe.each(ADAPTERS)('events in $name', ({ open }) => {
  let world: StoreWorld;
  let writer: IndexWriter;
  let reader: IndexReader;

  const openWorld = async () => {
    ({ world, reader, writer } = await openClaimed(open));
  };
  beforeEach(openWorld);
  afterEach(() => world.dispose());

  const commitBalance = (slot: number, vaultBalance: bigint) =>
    writer.commitSnapshot(sampleSnapshot(slot, { vaultBalance }));
  const slotsRead = async () => (await reader.latestSnapshot(100)).recentEvents.map((event) => event.slot);

  describe('a batch', () => {
    it('distinguishes a missing cursor from one at slot 0', async () => {
      expect(await writer.cursor('vault')).toBeNull();
      await writer.commitEvents(batchOf([sampleEvent(0)]));
      expect(await writer.cursor('vault')).toMatchObject({ signature: 'signature-0', slot: 0, position: 0 });
      expect(await writer.cursor('poolVault')).toBeNull();
    });

    it('without events advances the cursor', async () => {
      const cursor = { account: 'vault', signature: 'moved nothing', slot: 9, position: 2 };
      await writer.commitEvents({ account: 'vault', events: [], cursor });
      expect(await writer.cursor('vault')).toEqual(cursor);
    });

    it('is stored with every field, up to the largest amount and without a time or wallet', async () => {
      const events = [
        sampleEvent(1, { delta: LARGEST_AMOUNT, kind: 'other', position: 3, status: 'confirmed' }),
        sampleEvent(2, { delta: -LARGEST_AMOUNT, blockTime: null, wallet: null }),
      ];
      await writer.commitEvents(batchOf(events));
      expect((await reader.latestSnapshot(10)).recentEvents).toEqual(events.reverse());
    });

    it('with an event before all others updates the sums of a long history', async () => {
      const later = Array.from({ length: 9_000 }, (_, index) => sampleEvent(index + 2));
      const batch = batchOf(later);
      await writer.commitEvents(batch);
      await writer.commitEvents({ ...batch, events: [sampleEvent(1, { delta: 7n })] });
      const sums = await Promise.all([1, 2, 4_500, 9_001].map((slot) => writer.eventSums('vault', slot)));
      expect(sums.map(({ totalIn }) => totalIn)).toEqual([7n, 1_007n, 4_499_007n, 9_000_007n]);
    });

    it('is read newest event first, up to a limit', async () => {
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

    it('has an event for each account that a transaction moved', async () => {
      await writer.commitEvents(batchOf([sampleEvent(5, { signature: 'both' })]));
      await writer.commitEvents(batchOf([sampleEvent(5, { signature: 'both', account: 'poolVault' })]));
      expect(await slotsRead()).toEqual([5, 5]);
    });

    it('changes nothing when it is repeated after later ones', async () => {
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

    it('never moves the cursor back within a slot', async () => {
      const first = batchOf([sampleEvent(5, { signature: 'a' })]);
      await writer.commitEvents(first);
      await writer.commitEvents(batchOf([sampleEvent(5, { signature: 'b', position: 1 })]));
      await writer.commitEvents(first);
      expect((await writer.cursor('vault'))?.signature).toBe('b');
    });

    it('never moves the cursor back within a slot of transactions without events, and advances it afterwards', async () => {
      const at = (position: number, ...moved: readonly number[]) => ({
        account: 'vault',
        events: moved.map((one) => sampleEvent(5, { signature: `s${one}`, position: one })),
        cursor: { account: 'vault', signature: `s${position}`, slot: 5, position },
      });
      await writer.commitEvents(at(3, 0, 3));
      // Listed again in smaller batches. The first ends with a transaction without events, so it is not stored.
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

    it('that ends a relisting may move the cursor back', async () => {
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

    it('leads to the same cursor for any split and any repeats of a history', async () => {
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
          const ranges = [
            ...parts.map(([from, to]) => [from % all.length, to % all.length]),
            [0, all.length - 1],
          ];
          for (const [one = 0, other = 0] of ranges) {
            const rows = all.slice(Math.min(one, other), Math.max(one, other) + 1);
            const named = rows.map(({ slot, position, moved }) => ({
              ...sampleEvent(slot, { signature: `${slot}/${position}`, position }),
              moved,
            }));
            const last = named.at(-1);
            if (last === undefined) throw new Error('The part is empty.');
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
        PROPERTY_RUNS,
      );
    });

    it.each([
      ['an event of another account', [sampleEvent(1), sampleEvent(2, { account: 'poolVault' })], 'vault', 2],
      ['an event after the cursor', [sampleEvent(1), sampleEvent(3)], 'vault', 2],
      ['the cursor of another account', [sampleEvent(1)], 'poolVault', 2],
    ])('with %s is refused and not stored', async (_, events, cursorAccount, slot) => {
      const cursor = { account: cursorAccount, signature: 'cursor', slot, position: 0 };
      await expect(writer.commitEvents({ account: 'vault', events, cursor })).rejects.toThrow(RangeError);
      expect(await slotsRead()).toEqual([]);
      expect(await writer.cursor('vault')).toBeNull();
    });

    it('that fails half-way is not stored', async () => {
      const broken = batchOf([sampleEvent(1), sampleEvent(2, { position: Number.NaN }), sampleEvent(3)]);
      await expect(writer.commitEvents(broken)).rejects.toThrow();
      expect(await slotsRead()).toEqual([]);
      expect(await writer.cursor('vault')).toBeNull();
    });
  });

  describe('provisional events', () => {
    const provisional = (slot: number, changes = {}) =>
      sampleEvent(slot, { status: 'confirmed', ...changes });
    const commitThree = () =>
      writer.commitEvents(batchOf([provisional(1), provisional(2), provisional(3)], 9_000));

    it('are listed oldest first, up to a slot and a limit', async () => {
      await commitThree();
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

    it('are listed once per transaction: its parts do not use up the limit', async () => {
      const parts = [0, 1, 2].map((part) => provisional(1, { part }));
      await writer.commitEvents(batchOf([...parts, provisional(2)], 9_000));
      expect((await writer.provisionalEvents(9, 2)).map(({ slot }) => slot)).toEqual([1, 2]);
    });

    it('are skipped by the newest final event up to a slot', async () => {
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

    it('become final when settled, and stay final', async () => {
      await commitThree();
      await writer.settleEvents({ finalized: ['signature-1', 'signature-3'], vanished: ['signature-2'] });
      await writer.settleEvents({ finalized: [], vanished: ['signature-1', 'signature-3'] });
      await writer.commitEvents(batchOf([provisional(1), provisional(3)]));
      expect(await slotsRead()).toEqual([3, 1]);
      expect(await writer.provisionalEvents(9, 9)).toEqual([]);
    });

    it('become final when committed again as finalized', async () => {
      await commitThree();
      await writer.commitEvents(batchOf([sampleEvent(2)]));
      expect((await writer.provisionalEvents(9, 9)).map(({ slot }) => slot)).toEqual([1, 3]);
    });

    it('that vanish are removed from every figure', async () => {
      await commitThree();
      await writer.settleEvents({ finalized: [], vanished: ['signature-2', 'never seen'] });
      await writer.commitEvents(batchOf([provisional(3)], 9_000));
      await commitBalance(3, 2_000n);
      expect(await reader.vaultBalanceAt([1_000, 2_000, 3_000])).toEqual([1_000n, 1_000n, 2_000n]);
      expect(await reader.vaultMovements(0)).toMatchObject({ deposits: 2_000n, movements: 2 });
    });

    it('that vanish move the cursor back before them, and the history is no longer caught up', async () => {
      await commitThree();
      await writer.settleEvents({ finalized: [], vanished: ['signature-2'] });
      expect(await writer.cursor('vault')).toMatchObject({ signature: 'signature-1', slot: 1, position: 0 });
      expect((await reader.vaultMovements(0)).until).toBe(3_000);
      await writer.settleEvents({ finalized: [], vanished: ['signature-1', 'signature-3'] });
      expect(await writer.cursor('vault')).toBeNull();
      expect((await reader.vaultMovements(0)).until).toBeNull();
    });

    it('leave the cursor when no event is lost and it is not a vanished transaction', async () => {
      await commitThree();
      await writer.settleEvents({ finalized: ['signature-1'], vanished: ['never seen'] });
      expect((await writer.cursor('vault'))?.slot).toBe(3);
    });

    it('move back a cursor that is a vanished transaction without an event', async () => {
      await commitThree();
      const cursor = { account: 'vault', signature: 'moved nothing', slot: 8, position: 0 };
      await writer.commitEvents({ account: 'vault', events: [], cursor });
      await writer.settleEvents({ finalized: [], vanished: ['moved nothing'] });
      expect((await writer.cursor('vault'))?.signature).toBe('signature-3');
    });

    it('move the cursor back when a transaction with only an alarm vanishes', async () => {
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

    it('move to the slot where their transaction landed again', async () => {
      await commitThree();
      const landedAgain = batchOf([
        provisional(2, { signature: 'newcomer', delta: 7n, position: 1 }),
        provisional(4, { signature: 'signature-2' }),
      ]);
      await writer.commitEvents(landedAgain);
      await commitBalance(4, 3_007n);
      expect(await slotsRead()).toEqual([4, 3, 2, 1]);
      expect(await reader.vaultBalanceAt([1_000, 2_000, 3_000, 4_000])).toEqual([
        1_000n,
        1_007n,
        2_007n,
        3_007n,
      ]);
    });

    it('cannot be both finalized and vanished', async () => {
      await commitThree();
      const outcome = { finalized: ['signature-1'], vanished: ['signature-1'] };
      await expect(writer.settleEvents(outcome)).rejects.toThrow(RangeError);
      expect(await slotsRead()).toEqual([3, 2, 1]);
    });
  });

  describe('a quarantined transaction', () => {
    const unread = (slot: number, changes: Partial<QuarantinedTransaction> = {}): QuarantinedTransaction => ({
      signature: `signature-${slot}`,
      account: IDENTITY.vault,
      slot,
      position: 0,
      blockTime: slot * 1_000,
      reason: 'no endpoint has it',
      since: 77,
      ...changes,
    });
    /** Commits deposits in the slots 1, 2, 4 and 5, and an unreadable transaction in slot 3. */
    const commitWithGap = async (changes: Partial<QuarantinedTransaction> = {}) => {
      const events = [1, 2, 4, 5].map((slot) => sampleEvent(slot));
      const quarantined = [unread(3, changes)];
      await writer.commitEvents({ ...batchOf(events, 9_000), quarantined });
      await writer.commitSnapshot(sampleSnapshot(6, { vaultBalance: 4_000n }));
    };
    const found = { events: [sampleEvent(3, { delta: -500n, kind: 'withdraw' })], alarms: [] } as const;

    it('makes every sum over its time unknown, and no other', async () => {
      await commitWithGap();
      const reachesBack = async (since: number) => (await reader.vaultMovements(since)).reachesBack;
      expect(await Promise.all([2_000, 3_000, 3_001, 4_000].map(reachesBack))).toEqual([
        false,
        false,
        true,
        true,
      ]);
      expect(await reader.vaultBalanceAt([2_000, 3_000, 4_000])).toEqual([null, null, 3_000n]);
      expect(await reader.latestSnapshot(0)).toMatchObject({ quarantinedCount: 1 });
    });

    it('without a time makes every sum unknown', async () => {
      await commitWithGap({ blockTime: null });
      expect((await reader.vaultMovements(5_000)).reachesBack).toBe(false);
      expect(await reader.vaultBalanceAt([5_000])).toEqual([null]);
    });

    it('counts no earlier than the event before it', async () => {
      const events = [sampleEvent(1), sampleEvent(2, { blockTime: 8_000 })];
      const cursor = { account: IDENTITY.vault, signature: 'signature-3', slot: 3, position: 0 };
      await writer.commitEvents({ account: IDENTITY.vault, events, cursor, quarantined: [unread(3)] });
      expect((await reader.vaultMovements(8_000)).reachesBack).toBe(false);
      expect((await reader.vaultMovements(8_001)).reachesBack).toBe(true);
    });

    it('of one account does not affect the other', async () => {
      await writer.commitEvents(batchOf([sampleEvent(1), sampleEvent(2)], 9_000));
      const { poolVault: account } = IDENTITY;
      await writer.commitEvents({
        account,
        events: [],
        quarantined: [unread(2, { account })],
        cursor: { account, signature: 'signature-2', slot: 2, position: 0 },
      });
      expect((await reader.vaultMovements(1_000)).reachesBack).toBe(true);
    });

    it('joins the history when it is released, and the sums after it are updated', async () => {
      await commitWithGap();
      await writer.releaseQuarantined(unread(3), found);
      expect(await writer.quarantined()).toEqual([]);
      await writer.commitSnapshot(sampleSnapshot(6, { vaultBalance: 3_500n }));
      expect(await reader.vaultBalanceAt([2_000, 3_000, 4_000])).toEqual([2_000n, 1_500n, 2_500n]);
      expect(await writer.eventSums(IDENTITY.vault, 4)).toMatchObject({ totalIn: 3_000n, totalOut: 500n });
      expect((await writer.cursor(IDENTITY.vault))?.slot).toBe(5);
    });

    it('is released once', async () => {
      await commitWithGap();
      await writer.releaseQuarantined(unread(3), { events: [], alarms: [] });
      await writer.releaseQuarantined(unread(3), found);
      expect((await reader.latestSnapshot(9)).recentEvents.map(({ slot }) => slot)).toEqual([5, 4, 2, 1]);
    });

    it('cannot be released as another transaction', async () => {
      await commitWithGap();
      const other = { events: [sampleEvent(7)], alarms: [] };
      await expect(writer.releaseQuarantined(unread(3), other)).rejects.toThrow(RangeError);
      expect(await writer.quarantined()).toHaveLength(1);
    });

    it('is released by a later batch with its event, and keeps the time at which it was quarantined', async () => {
      await commitWithGap();
      await commitWithGap({ reason: 'still not', since: 99 });
      expect(await writer.quarantined()).toEqual([unread(3, { reason: 'still not' })]);
      await writer.commitEvents(batchOf([sampleEvent(3)]));
      await commitWithGap();
      expect(await writer.quarantined()).toEqual([]);
    });

    describe('an account without transactions on the chain', () => {
      const nothing = { account: IDENTITY.vault, events: [], cursor: null, caughtUpAt: 9_000 };

      it('is caught up without a cursor', async () => {
        await writer.commitEvents(nothing);
        expect(await writer.cursor(IDENTITY.vault)).toBeNull();
        await writer.commitSnapshot(sampleSnapshot(9, { vaultBalance: 0n }));
        expect(await reader.vaultMovements(0)).toMatchObject({ until: 9_000, reachesBack: true });
      });

      it('cannot have a cursor', async () => {
        const { vault: account } = IDENTITY;
        const cursor = { account, signature: 'moved nothing', slot: 5, position: 0 };
        await writer.commitEvents({ account, events: [], cursor });
        await expect(writer.commitEvents(nothing)).rejects.toThrow(RangeError);
      });

      it('cannot have an event, even after its cursor was moved back', async () => {
        const vanishing = sampleEvent(1, { signature: 'vanishing', position: 1, status: 'confirmed' });
        await writer.commitEvents(batchOf([sampleEvent(1), vanishing]));
        await writer.settleEvents({ finalized: [], vanished: ['vanishing'] });
        expect(await writer.cursor(IDENTITY.vault)).toBeNull();
        await expect(writer.commitEvents(nothing)).rejects.toThrow(RangeError);
      });

      it('cannot have an indexed history or a batch with events', async () => {
        await expect(writer.commitEvents({ ...nothing, events: [sampleEvent(1)] })).rejects.toThrow(
          RangeError,
        );
        await writer.commitEvents(batchOf([sampleEvent(1)]));
        await expect(writer.commitEvents(nothing)).rejects.toThrow(RangeError);
        expect((await reader.vaultMovements(0)).until).toBe(1_000);
      });
    });
  });
});
