import { describe, expect, it } from 'vitest';
import type { ChainEvent } from '../chain-rows.ts';
import type { EventCursor } from '../ports.ts';
import { IDENTITY, sampleBatch, sampleEntry, sampleEvent, sampleSnapshot } from '../testing/sample-rows.ts';
import { reader, useIndex, writer } from '../testing/test-stores.ts';

describe('the wallets’', () => {
  useIndex();

  describe('stakes', () => {
    const poolEvent = (slot: number, kind: 'stake' | 'unstake', changes: Partial<ChainEvent> = {}) =>
      sampleEvent(slot, {
        account: IDENTITY.poolVault,
        kind,
        delta: kind === 'stake' ? 70n : -70n,
        stakeEntry: 'entry',
        ...changes,
      });
    const openers = async () => (await reader.stakes(0)).entries.map(({ openedBy }) => openedBy);

    it('have the transaction that opened each entry, once it is indexed', async () => {
      await writer.commitSnapshot(sampleSnapshot(9, { entries: [sampleEntry('entry')] }));
      expect(await openers()).toEqual([null]);
      await writer.commitEvents(sampleBatch([poolEvent(3, 'stake')]));
      expect(await openers()).toEqual(['signature-3']);
    });

    it('name the latest stake as the opener of an entry at a reused address', async () => {
      await writer.commitSnapshot(sampleSnapshot(9, { entries: [sampleEntry('entry')] }));
      await writer.commitEvents(sampleBatch([poolEvent(3, 'stake'), poolEvent(5, 'unstake')]));
      expect(await openers()).toEqual([null]);
      await writer.commitEvents(sampleBatch([poolEvent(7, 'stake')]));
      expect(await openers()).toEqual(['signature-7']);
    });

    it('are not affected by events after the snapshot', async () => {
      await writer.commitSnapshot(sampleSnapshot(4, { entries: [sampleEntry('entry')] }));
      await writer.commitEvents(
        sampleBatch([poolEvent(3, 'stake'), poolEvent(5, 'unstake'), poolEvent(7, 'stake')]),
      );
      expect(await openers()).toEqual(['signature-3']);
    });

    it('keep the transactions that opened and ended them, once they have ended', async () => {
      const events = [
        poolEvent(1, 'stake', { stakeEntry: 'other', blockTime: null }),
        poolEvent(3, 'stake'),
        poolEvent(5, 'unstake', { wallet: 'someone' }),
        poolEvent(6, 'unstake', { stakeEntry: 'other', delta: -9n }),
        poolEvent(7, 'unstake', { stakeEntry: null }),
        poolEvent(8, 'unstake', { stakeEntry: 'never seen' }),
      ];
      await writer.commitEvents(sampleBatch(events));
      const unknown = { openedAt: null, openedBy: null };
      const { ended, transactionCounts } = await reader.stakes(9);
      const end = (slot: number) => ({ endedAt: slot * 1_000, endedBy: `signature-${slot}` });
      const ofOther = { openedAt: null, openedBy: 'signature-1' };
      const ofEntry = { openedAt: 3_000, openedBy: 'signature-3' };
      expect(ended).toEqual([
        { entry: 'never seen', wallet: 'wallet', amount: 70n, ...unknown, ...end(8) },
        { entry: 'other', wallet: 'wallet', amount: 9n, ...ofOther, ...end(6) },
        { entry: 'entry', wallet: 'someone', amount: 70n, ...ofEntry, ...end(5) },
      ]);
      expect(Object.fromEntries(transactionCounts)).toEqual({ wallet: 5, someone: 1 });
      expect((await reader.stakes(1)).ended).toHaveLength(1);
    });

    it('name the last stake before the unstake as the opener of a closed entry', async () => {
      const entries = [sampleEntry('entry', { closedAt: 5_000 })];
      await writer.commitSnapshot(sampleSnapshot(9, { entries }));
      await writer.commitEvents(sampleBatch([poolEvent(3, 'stake'), poolEvent(5, 'unstake')]));
      expect(await openers()).toEqual(['signature-3']);
    });
  });

  describe('events', () => {
    async function pages(wallet: string, limit: number): Promise<string[][]> {
      const all: string[][] = [];
      let cursor: EventCursor | null = null;
      do {
        const { events, next } = await reader.walletEvents(wallet, limit, cursor);
        all.push(events.map(({ signature }) => signature));
        cursor = next;
      } while (cursor !== null);
      return all;
    }

    it('are listed newest first across both accounts, page by page, without repetition', async () => {
      const poolVault = { account: IDENTITY.poolVault, kind: 'stake', stakeEntry: 'entry' } as const;
      await writer.commitEvents(sampleBatch([1, 4, 6].map((slot) => sampleEvent(slot))));
      await writer.commitEvents(
        sampleBatch([
          sampleEvent(2, poolVault),
          sampleEvent(4, { ...poolVault, signature: 'same slot', position: 1 }),
          sampleEvent(5, poolVault),
        ]),
      );
      const newestFirst = [
        'signature-6',
        'signature-5',
        'same slot',
        'signature-4',
        'signature-2',
        'signature-1',
      ];
      expect(await pages('wallet', 9)).toEqual([newestFirst]);
      expect(await pages('wallet', 6)).toEqual([newestFirst]);
      expect((await pages('wallet', 4)).map((page) => page.length)).toEqual([4, 2]);
      expect((await pages('wallet', 1)).flat()).toEqual(newestFirst);
      const { events } = await reader.walletEvents('wallet', 1, null);
      expect(events).toMatchObject([{ ...sampleEvent(6), historyTime: 6_000 }]);
    });

    it('without a time get the time of the event before them', async () => {
      const events = [1, 2, 3].map((slot) => sampleEvent(slot, slot === 2 ? {} : { blockTime: null }));
      await writer.commitEvents({
        ...sampleBatch(events),
        provisional: { events: [sampleEvent(4, { blockTime: null, status: 'confirmed' })] },
      });
      const { events: read } = await reader.walletEvents('wallet', 9, null);
      expect(read.map(({ historyTime }) => historyTime)).toEqual([2_000, 2_000, 2_000, null]);
    });

    it('include one event per account when one transaction changes both, even across pages', async () => {
      await writer.commitEvents(sampleBatch([sampleEvent(3)]));
      await writer.commitEvents(
        sampleBatch([sampleEvent(3, { account: IDENTITY.poolVault, kind: 'stake' })]),
      );
      expect(await pages('wallet', 1)).toEqual([['signature-3'], ['signature-3']]);
    });

    it('continue after the previous page, even if newer events were added', async () => {
      await writer.commitEvents(sampleBatch([1, 2, 3].map((slot) => sampleEvent(slot))));
      const { next } = await reader.walletEvents('wallet', 1, null);
      await writer.commitEvents(sampleBatch([sampleEvent(4)]));
      const { events } = await reader.walletEvents('wallet', 9, next);
      expect(events.map(({ slot }) => slot)).toEqual([2, 1]);
    });

    it('do not include events of a wallet with a similar address', async () => {
      await writer.commitEvents(
        sampleBatch([
          sampleEvent(1, { wallet: 'sameBeginning-one' }),
          sampleEvent(2, { wallet: 'sameBeginning-two' }),
          sampleEvent(3, { wallet: null }),
        ]),
      );
      expect(await pages('sameBeginning-one', 9)).toEqual([['signature-1']]);
      expect(await pages('sameBeginning', 9)).toEqual([[]]);
    });
  });
});
