// @module-tag slow
import { describe, expect, it } from 'vitest';
import type { QuarantinedTransaction } from '../chain-rows.ts';
import type { TransactionRows } from '../ports.ts';
import {
  IDENTITY,
  LARGEST_AMOUNT,
  sampleBatch,
  sampleEvent,
  sampleSnapshot,
} from '../testing/sample-rows.ts';
import { reader, useIndex, writer } from '../testing/test-stores.ts';

describe('events', () => {
  useIndex();

  const commitBalance = (slot: number, vaultBalance: bigint) =>
    writer.commitSnapshot(sampleSnapshot(slot, { vaultBalance }));
  const readSlots = async () => (await reader.latestSnapshot(100)).recentEvents.map((event) => event.slot);

  const quarantinedTransaction = (
    slot: number,
    changes: Partial<QuarantinedTransaction> = {},
  ): QuarantinedTransaction => ({
    signature: `signature-${slot}`,
    account: IDENTITY.vault,
    slot,
    position: 0,
    blockTime: slot * 1_000,
    reason: 'no endpoint has it',
    since: 77,
    ...changes,
  });

  describe('a batch', () => {
    it('distinguishes a missing cursor from a cursor at slot 0', async () => {
      expect(await writer.cursor('vault')).toBeNull();
      await writer.commitEvents(sampleBatch([sampleEvent(0)]));
      expect(await writer.cursor('vault')).toMatchObject({ signature: 'signature-0', slot: 0 });
      expect(await writer.cursor('poolVault')).toBeNull();
    });

    it('is stored with every field, even with the largest amount or without a time and a wallet', async () => {
      const events = [
        sampleEvent(1, { delta: LARGEST_AMOUNT, kind: 'other', position: 3 }),
        sampleEvent(2, { delta: -LARGEST_AMOUNT, blockTime: null, wallet: null }),
      ];
      await writer.commitEvents(sampleBatch(events));
      expect((await reader.latestSnapshot(10)).recentEvents).toEqual(events.reverse());
    });

    it('is stored with any text', async () => {
      const events = ['NULL', '', '"', '\\', 'a,b {c}', "'"].map((text, slot) =>
        sampleEvent(slot, { signature: `${text} ${slot}`, wallet: text, stakeEntry: text }),
      );
      await writer.commitEvents(sampleBatch(events));
      expect((await reader.latestSnapshot(10)).recentEvents).toEqual(events.toReversed());
    });

    it('updates the sums of a long history if its event precedes all others', async () => {
      const later = Array.from({ length: 5_000 }, (_, index) => sampleEvent(index + 2));
      const batch = sampleBatch(later);
      await writer.commitEvents(batch);
      await writer.commitEvents({ ...batch, events: [sampleEvent(1, { delta: 7n })] });
      const sums = await Promise.all([1, 2, 2_500, 5_001].map((slot) => writer.eventSums('vault', slot)));
      expect(sums.map(({ totalIn }) => totalIn)).toEqual([7n, 1_007n, 2_499_007n, 5_000_007n]);
    });

    it('is read newest event first, up to a limit', async () => {
      await writer.commitEvents(sampleBatch([1, 4, 7].map((slot) => sampleEvent(slot))));
      const stakes = [2, 4, 6].map((slot) =>
        sampleEvent(slot, { account: 'poolVault', position: 1, signature: `stake-${slot}` }),
      );
      await writer.commitEvents(sampleBatch(stakes));
      const { recentEvents } = await reader.latestSnapshot(4);
      expect(recentEvents.map(({ slot, account }) => `${slot} ${account}`)).toEqual([
        '7 vault',
        '6 poolVault',
        '4 poolVault',
        '4 vault',
      ]);
      expect((await reader.latestSnapshot(0)).recentEvents).toEqual([]);
    });

    it('is stored even if another account has an event from the same transaction', async () => {
      await writer.commitEvents(sampleBatch([sampleEvent(5, { signature: 'both' })]));
      await writer.commitEvents(sampleBatch([sampleEvent(5, { signature: 'both', account: 'poolVault' })]));
      expect(await readSlots()).toEqual([5, 5]);
    });

    it.each([
      [
        'an event from another account',
        [sampleEvent(1), sampleEvent(2, { account: 'poolVault' })],
        'vault',
        2,
      ],
      ['an event after the cursor', [sampleEvent(1), sampleEvent(3)], 'vault', 2],
      ['the cursor for a different account', [sampleEvent(1)], 'poolVault', 2],
      ['a provisional event among the final ones', [sampleEvent(1, { status: 'confirmed' })], 'vault', 2],
    ])('is refused and not stored if it contains %s', async (_, events, cursorAccount, slot) => {
      const cursor = { account: cursorAccount, signature: 'cursor', slot };
      await expect(writer.commitEvents({ account: 'vault', events, cursor })).rejects.toThrow(RangeError);
      expect(await readSlots()).toEqual([]);
      expect(await writer.cursor('vault')).toBeNull();
    });

    it('is not stored at all if it fails halfway', async () => {
      const broken = sampleBatch([sampleEvent(1), sampleEvent(2, { position: Number.NaN }), sampleEvent(3)]);
      await expect(writer.commitEvents(broken)).rejects.toThrow();
      expect(await readSlots()).toEqual([]);
      expect(await writer.cursor('vault')).toBeNull();
    });
  });

  describe('provisional rows', () => {
    const provisionalEvent = (slot: number, changes = {}) =>
      sampleEvent(slot, { status: 'confirmed', ...changes });
    const commitWithProvisional = (rows: TransactionRows, caughtUpAt = 9_000) =>
      writer.commitEvents({
        ...sampleBatch([sampleEvent(1), sampleEvent(2)], caughtUpAt),
        provisional: rows,
      });
    const alarmIn = (slot: number) => {
      const { signature, account, blockTime, status } = provisionalEvent(slot);
      const alarmFields = { kind: 'owner-changed', address: 'thief' } as const;
      return { signature, account, slot, blockTime, status, ...alarmFields };
    };

    it('count in every figure, but not in the sums of the final history', async () => {
      await commitWithProvisional({ events: [provisionalEvent(3), provisionalEvent(4)] });
      await commitBalance(4, 4_000n);
      expect(await readSlots()).toEqual([4, 3, 2, 1]);
      expect(await reader.vaultBalanceAt([2_000, 3_000, 4_000])).toEqual([2_000n, 3_000n, 4_000n]);
      expect(await reader.vaultMovements(1_500)).toMatchObject({ deposits: 3_000n, movements: 3 });
      expect(await writer.eventSums('vault', 9)).toMatchObject({ totalIn: 2_000n });
      expect(await reader.statistics()).toMatchObject({ events: { vault: 2 }, provisionalEvents: 2 });
    });

    it('are replaced as a whole, with their alarms and quarantined transactions', async () => {
      await commitWithProvisional({
        events: [provisionalEvent(3)],
        alarms: [alarmIn(3)],
        quarantined: [quarantinedTransaction(4)],
      });
      expect(await reader.latestSnapshot(0)).toMatchObject({ alarms: [alarmIn(3)], quarantinedCount: 1 });
      // Only final transactions are retried.
      expect(await writer.quarantined()).toEqual([]);
      await commitWithProvisional({ events: [provisionalEvent(5)] });
      expect(await readSlots()).toEqual([5, 2, 1]);
      expect(await reader.latestSnapshot(0)).toMatchObject({ alarms: [], quarantinedCount: 0 });
    });

    it('stay if a batch has none, except rows up to the newest final row', async () => {
      await commitWithProvisional({
        events: [provisionalEvent(3), provisionalEvent(5)],
        alarms: [alarmIn(3), alarmIn(5)],
      });
      await writer.commitEvents(sampleBatch([sampleEvent(4, { delta: 7n })]));
      await commitBalance(5, 3_007n);
      expect(await readSlots()).toEqual([5, 4, 2, 1]);
      expect((await reader.latestSnapshot(0)).alarms).toEqual([alarmIn(5)]);
      expect(await reader.vaultBalanceAt([4_000, 5_000])).toEqual([2_007n, 3_007n]);
    });

    it('are removed if one of them became final in an earlier slot, because their fork was dropped', async () => {
      await commitWithProvisional({
        events: [provisionalEvent(5), provisionalEvent(6)],
        alarms: [alarmIn(6)],
      });
      const { signature } = provisionalEvent(5);
      await writer.commitEvents(sampleBatch([sampleEvent(4, { signature })]));
      expect(await readSlots()).toEqual([4, 2, 1]);
      expect((await reader.latestSnapshot(0)).alarms).toEqual([]);
    });

    it('become final, without a second alarm', async () => {
      await commitWithProvisional({ events: [provisionalEvent(3)], alarms: [alarmIn(3)] });
      const final = { ...alarmIn(3), status: 'finalized' as const };
      await writer.commitEvents({ ...sampleBatch([sampleEvent(3)]), alarms: [final] });
      expect((await reader.latestSnapshot(9)).recentEvents[0]).toEqual(sampleEvent(3));
      expect((await reader.latestSnapshot(0)).alarms).toEqual([final]);
    });

    it('are refused in a slot up to the cursor', async () => {
      await expect(commitWithProvisional({ events: [provisionalEvent(2)] })).rejects.toThrow(RangeError);
      expect(await readSlots()).toEqual([]);
    });
  });

  describe('a history that is listed again', () => {
    it('gets the events that it lacks below its cursor, and stays caught up', async () => {
      await writer.commitEvents(sampleBatch([sampleEvent(2), sampleEvent(3)], 9_000));
      const cursor = await writer.cursor('vault');
      await writer.commitEvents(sampleBatch([sampleEvent(1), sampleEvent(2)]));
      expect(await writer.cursor('vault')).toEqual(cursor);
      expect((await reader.vaultMovements(0)).until).toBe(9_000);
      expect(await readSlots()).toEqual([3, 2, 1]);
      expect(await writer.eventSums('vault', 3)).toMatchObject({ totalIn: 3_000n });
    });

    it('is complete once the first transaction of each account is proved', async () => {
      const isComplete = async () => (await reader.latestSnapshot(0)).hasCompleteHistory;
      const beginning = { signature: 'signature-1', slot: 1, isProven: true };
      await writer.commitEvents({ ...sampleBatch([sampleEvent(1)]), beginning });
      expect(await writer.beginning('vault')).toEqual(beginning);
      expect(await isComplete()).toBe(false);
      const poolBatch = sampleBatch([sampleEvent(1, { account: 'poolVault' })]);
      await writer.commitEvents({ ...poolBatch, beginning: { ...beginning, isProven: false } });
      expect(await isComplete()).toBe(false);
      await writer.commitEvents({ ...poolBatch, beginning });
      await writer.commitEvents(poolBatch);
      expect(await isComplete()).toBe(true);
    });
  });

  describe('a quarantined transaction', () => {
    const commitWithGap = async (changes: Partial<QuarantinedTransaction> = {}) => {
      const events = [1, 2, 4, 5].map((slot) => sampleEvent(slot));
      const quarantined = [quarantinedTransaction(3, changes)];
      await writer.commitEvents({ ...sampleBatch(events, 9_000), quarantined });
      await writer.commitSnapshot(sampleSnapshot(6, { vaultBalance: 4_000n }));
    };
    const releasedRows = {
      events: [sampleEvent(3, { delta: -500n, kind: 'withdraw' })],
      alarms: [],
    } as const;

    it('makes the sums of its account unknown for periods that include it, and no others', async () => {
      const { poolVault: account } = IDENTITY;
      const cursor = { account, signature: 'signature-5', slot: 5 };
      const quarantined = [quarantinedTransaction(5, { account, blockTime: null })];
      await writer.commitEvents({ account, events: [], quarantined, cursor });
      await commitWithGap();
      const coversWindow = async (since: number) => (await reader.vaultMovements(since)).coversWindow;
      expect(await Promise.all([2_000, 3_000, 3_001, 4_000].map(coversWindow))).toEqual([
        false,
        false,
        true,
        true,
      ]);
      expect(await reader.vaultBalanceAt([2_000, 3_000, 4_000])).toEqual([null, null, 3_000n]);
      expect(await reader.latestSnapshot(0)).toMatchObject({ quarantinedCount: 2 });
    });

    it('makes every sum unknown if it has no time', async () => {
      await commitWithGap({ blockTime: null });
      expect((await reader.vaultMovements(5_000)).coversWindow).toBe(false);
      expect(await reader.vaultBalanceAt([5_000])).toEqual([null]);
    });

    it('counts at the time of the event before it, if that is later', async () => {
      const events = [sampleEvent(1), sampleEvent(2, { blockTime: 8_000 })];
      const cursor = { account: IDENTITY.vault, signature: 'signature-3', slot: 3 };
      await writer.commitEvents({
        account: IDENTITY.vault,
        events,
        cursor,
        quarantined: [quarantinedTransaction(3)],
      });
      expect((await reader.vaultMovements(8_000)).coversWindow).toBe(false);
      expect((await reader.vaultMovements(8_001)).coversWindow).toBe(true);
    });

    it('joins the history when it is released, and the sums after it are updated', async () => {
      await commitWithGap();
      await writer.releaseQuarantined(quarantinedTransaction(3), releasedRows);
      expect(await writer.quarantined()).toEqual([]);
      await writer.commitSnapshot(sampleSnapshot(6, { vaultBalance: 3_500n }));
      expect(await reader.vaultBalanceAt([2_000, 3_000, 4_000])).toEqual([2_000n, 1_500n, 2_500n]);
      expect(await writer.eventSums(IDENTITY.vault, 4)).toMatchObject({ totalIn: 3_000n, totalOut: 500n });
      expect((await writer.cursor(IDENTITY.vault))?.slot).toBe(5);
    });

    it('is released once', async () => {
      await commitWithGap();
      await writer.releaseQuarantined(quarantinedTransaction(3), { events: [], alarms: [] });
      await writer.releaseQuarantined(quarantinedTransaction(3), releasedRows);
      expect((await reader.latestSnapshot(9)).recentEvents.map(({ slot }) => slot)).toEqual([5, 4, 2, 1]);
    });

    it('cannot be released as a different transaction', async () => {
      await commitWithGap();
      const other = { events: [sampleEvent(7)], alarms: [] };
      await expect(writer.releaseQuarantined(quarantinedTransaction(3), other)).rejects.toThrow(RangeError);
      expect(await writer.quarantined()).toHaveLength(1);
    });

    it('is stored if the reason from the endpoint ends in a lone surrogate', async () => {
      await commitWithGap({ reason: 'node is busy \ud83d' });
      expect(await writer.quarantined()).toEqual([
        quarantinedTransaction(3, { reason: 'node is busy \ufffd' }),
      ]);
    });

    it('is released by a later batch with its event, and keeps the time at which it was quarantined', async () => {
      await commitWithGap();
      await commitWithGap({ reason: 'still not', since: 99 });
      expect(await writer.quarantined()).toEqual([quarantinedTransaction(3, { reason: 'still not' })]);
      await writer.commitEvents(sampleBatch([sampleEvent(3)]));
      await commitWithGap();
      expect(await writer.quarantined()).toEqual([]);
    });
  });

  describe('an account without transactions on the chain', () => {
    const emptyBatch = { account: IDENTITY.vault, events: [], cursor: null, caughtUpAt: 9_000 };

    it('is caught up without a cursor', async () => {
      await writer.commitEvents(emptyBatch);
      expect(await writer.cursor(IDENTITY.vault)).toBeNull();
      await writer.commitSnapshot(sampleSnapshot(9, { vaultBalance: 0n }));
      expect(await reader.vaultMovements(0)).toMatchObject({ until: 9_000, coversWindow: true });
    });

    it('cannot have a final event', async () => {
      const batch = { ...emptyBatch, events: [sampleEvent(1)] };
      await expect(writer.commitEvents(batch)).rejects.toThrow(RangeError);
    });
  });
});
