import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChainEvent } from './chain-rows.ts';
import type { IndexReader, IndexWriter } from './ports.ts';
import { ADAPTERS, openClaimed, type StoreWorld } from './testing/adapters.ts';
import { batchOf, IDENTITY, sampleEntry, sampleEvent, sampleSnapshot } from './testing/sample-rows.ts';

describe.each(ADAPTERS)('the stakes in $name', ({ open }) => {
  let world: StoreWorld;
  let writer: IndexWriter;
  let reader: IndexReader;

  beforeEach(async () => {
    ({ world, reader, writer } = await openClaimed(open));
  });
  afterEach(() => world.dispose());

  const pool = (slot: number, kind: 'stake' | 'unstake', changes: Partial<ChainEvent> = {}) =>
    sampleEvent(slot, {
      account: IDENTITY.poolVault,
      kind,
      delta: kind === 'stake' ? 70n : -70n,
      stakeEntry: 'entry',
      ...changes,
    });
  const openers = async () => (await reader.stakes(0)).entries.map(({ openedBy }) => openedBy);

  it('name the transaction that opened each entry, once history reaches it', async () => {
    await writer.commitSnapshot(sampleSnapshot(9, { entries: [sampleEntry('entry')] }));
    expect(await openers()).toEqual([null]);
    await writer.commitEvents(batchOf([pool(3, 'stake')]));
    expect(await openers()).toEqual(['signature-3']);
  });

  it('at an address that was used before are opened by the last stake, and by none while it is not read', async () => {
    await writer.commitSnapshot(sampleSnapshot(9, { entries: [sampleEntry('entry')] }));
    await writer.commitEvents(batchOf([pool(3, 'stake'), pool(5, 'unstake')]));
    expect(await openers()).toEqual([null]);
    await writer.commitEvents(batchOf([pool(7, 'stake')]));
    expect(await openers()).toEqual(['signature-7']);
  });

  it('of the snapshot are not those that came after it', async () => {
    await writer.commitSnapshot(sampleSnapshot(4, { entries: [sampleEntry('entry')] }));
    await writer.commitEvents(batchOf([pool(3, 'stake'), pool(5, 'unstake'), pool(7, 'stake')]));
    expect(await openers()).toEqual(['signature-3']);
  });

  it('that have ended keep who opened and ended them, though their entry is gone from the chain', async () => {
    const events = [
      pool(1, 'stake', { stakeEntry: 'other', blockTime: null }),
      pool(3, 'stake'),
      pool(5, 'unstake', { wallet: 'someone' }),
      pool(6, 'unstake', { stakeEntry: 'other', delta: -9n }),
      pool(7, 'unstake', { stakeEntry: null }),
      pool(8, 'unstake', { stakeEntry: 'never seen' }),
    ];
    await writer.commitEvents(batchOf(events));
    const unknown = { openedAt: null, openedBy: null };
    const { ended, transactionCounts } = await reader.stakes(9);
    expect(ended).toEqual([
      {
        entry: 'never seen',
        wallet: 'wallet',
        amount: 70n,
        endedAt: 8_000,
        endedBy: 'signature-8',
        ...unknown,
      },
      {
        entry: 'other',
        wallet: 'wallet',
        amount: 9n,
        openedAt: null,
        endedAt: 6_000,
        openedBy: 'signature-1',
        endedBy: 'signature-6',
      },
      {
        entry: 'entry',
        wallet: 'someone',
        amount: 70n,
        openedAt: 3_000,
        endedAt: 5_000,
        openedBy: 'signature-3',
        endedBy: 'signature-5',
      },
    ]);
    expect(transactionCounts).toEqual(
      new Map([
        ['wallet', 5],
        ['someone', 1],
      ]),
    );
    expect((await reader.stakes(1)).ended).toHaveLength(1);
  });

  it('of an entry that is closed but still there are opened by the stake before its end', async () => {
    const entries = [sampleEntry('entry', { closedAt: 5_000 })];
    await writer.commitSnapshot(sampleSnapshot(9, { entries }));
    await writer.commitEvents(batchOf([pool(3, 'stake'), pool(5, 'unstake')]));
    expect(await openers()).toEqual(['signature-3']);
  });
});
