import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { QuarantinedTransaction } from './chain-rows.ts';
import type { IndexReader, IndexWriter } from './ports.ts';
import { ADAPTERS, openClaimed, type StoreWorld } from './testing/adapters.ts';
import { batchOf, IDENTITY, sampleEvent, sampleSnapshot } from './testing/sample-rows.ts';

describe.each(ADAPTERS)('what could not be read, in $name', ({ open }) => {
  let world: StoreWorld;
  let writer: IndexWriter;
  let reader: IndexReader;

  beforeEach(async () => {
    ({ world, reader, writer } = await openClaimed(open));
  });
  afterEach(() => world.dispose());

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
  /** Deposits in the slots 1, 2, 4 and 5, and a transaction of slot 3 that could not be read. */
  const passOver = async (changes: Partial<QuarantinedTransaction> = {}) => {
    const events = [1, 2, 4, 5].map((slot) => sampleEvent(slot));
    const quarantined = [unread(3, changes)];
    await writer.commitEvents({ ...batchOf(events, 9_000), quarantined });
    await writer.commitSnapshot(sampleSnapshot(6, { vaultBalance: 4_000n }));
  };
  const found = { events: [sampleEvent(3, { delta: -500n, kind: 'withdraw' })], alarms: [] } as const;

  it('makes every sum over its time unknown, and no other', async () => {
    await passOver();
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

  it('lies in every window where its time is unknown', async () => {
    await passOver({ blockTime: null });
    expect((await reader.vaultMovements(5_000)).reachesBack).toBe(false);
    expect(await reader.vaultBalanceAt([5_000])).toEqual([null]);
  });

  it('counts no earlier than what came before it', async () => {
    const events = [sampleEvent(1), sampleEvent(2, { blockTime: 8_000 })];
    const cursor = { account: IDENTITY.vault, signature: 'signature-3', slot: 3, position: 0 };
    await writer.commitEvents({ account: IDENTITY.vault, events, cursor, quarantined: [unread(3)] });
    expect((await reader.vaultMovements(8_000)).reachesBack).toBe(false);
    expect((await reader.vaultMovements(8_001)).reachesBack).toBe(true);
  });

  it('of one account says nothing of the other', async () => {
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

  it('takes its place in history once it is released, and every sum after it is made anew', async () => {
    await passOver();
    await writer.releaseQuarantined(unread(3), found);
    expect(await writer.quarantined()).toEqual([]);
    await writer.commitSnapshot(sampleSnapshot(6, { vaultBalance: 3_500n }));
    expect(await reader.vaultBalanceAt([2_000, 3_000, 4_000])).toEqual([2_000n, 1_500n, 2_500n]);
    expect(await writer.eventSums(IDENTITY.vault, 4)).toMatchObject({ totalIn: 3_000n, totalOut: 500n });
    expect((await writer.cursor(IDENTITY.vault))?.slot).toBe(5);
  });

  it('is released once: what is told again of it changes nothing', async () => {
    await passOver();
    await writer.releaseQuarantined(unread(3), { events: [], alarms: [] });
    await writer.releaseQuarantined(unread(3), found);
    expect((await reader.latestSnapshot(9)).recentEvents.map(({ slot }) => slot)).toEqual([5, 4, 2, 1]);
  });

  it('cannot be released as another transaction', async () => {
    await passOver();
    const other = { events: [sampleEvent(7)], alarms: [] };
    await expect(writer.releaseQuarantined(unread(3), other)).rejects.toThrow(RangeError);
    expect(await writer.quarantined()).toHaveLength(1);
  });

  it('is read where a later batch tells it, and remembers since when it was not', async () => {
    await passOver();
    await passOver({ reason: 'still not', since: 99 });
    expect(await writer.quarantined()).toEqual([unread(3, { reason: 'still not' })]);
    await writer.commitEvents(batchOf([sampleEvent(3)]));
    await passOver();
    expect(await writer.quarantined()).toEqual([]);
  });

  describe('an account of which the chain lists nothing', () => {
    const nothing = { account: IDENTITY.vault, events: [], cursor: null, caughtUpAt: 9_000 };

    it('is known up to now, without a cursor', async () => {
      await writer.commitEvents(nothing);
      expect(await writer.cursor(IDENTITY.vault)).toBeNull();
      await writer.commitSnapshot(sampleSnapshot(9, { vaultBalance: 0n }));
      expect(await reader.vaultMovements(0)).toMatchObject({ until: 9_000, reachesBack: true });
    });

    it('cannot be one whose cursor moved over what moved nothing', async () => {
      const { vault: account } = IDENTITY;
      const cursor = { account, signature: 'moved nothing', slot: 5, position: 0 };
      await writer.commitEvents({ account, events: [], cursor });
      await expect(writer.commitEvents(nothing)).rejects.toThrow(RangeError);
    });

    it('cannot be one that has an event left where the cursor was taken back', async () => {
      const vanishing = sampleEvent(1, { signature: 'vanishing', position: 1, status: 'confirmed' });
      await writer.commitEvents(batchOf([sampleEvent(1), vanishing]));
      await writer.settleEvents({ finalized: [], vanished: ['vanishing'] });
      expect(await writer.cursor(IDENTITY.vault)).toBeNull();
      await expect(writer.commitEvents(nothing)).rejects.toThrow(RangeError);
    });

    it('cannot be one whose history is indexed, or of which something is told', async () => {
      await expect(writer.commitEvents({ ...nothing, events: [sampleEvent(1)] })).rejects.toThrow(RangeError);
      await writer.commitEvents(batchOf([sampleEvent(1)]));
      await expect(writer.commitEvents(nothing)).rejects.toThrow(RangeError);
      expect((await reader.vaultMovements(0)).until).toBe(1_000);
    });
  });
});
