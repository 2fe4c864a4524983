import { describe, expect, it } from 'vitest';
import type { MarketQuote } from '../chain-rows.ts';
import { EMPTY_INDEX_SNAPSHOT } from '../ports.ts';
import { StoreIdentityError, StoreUnavailableError } from '../store-errors.ts';
import {
  IDENTITY,
  LARGEST_AMOUNT,
  sampleBatch,
  sampleEndpoint,
  sampleEntry,
  sampleEvent,
  sampleSnapshot,
} from '../testing/sample-rows.ts';
import { reader, stores, useIndex, writer } from '../testing/test-stores.ts';

const QUOTE: MarketQuote = {
  priceUsd: '0.000113700000000000001',
  priceChange24h: null,
  volume24h: '12345.60',
  liquidity: null,
  source: 'demo',
  readAt: 1_000,
};

describe('the index', () => {
  useIndex();

  describe('its identity', () => {
    it('can be claimed again for the same pool, but not for a different one', async () => {
      await writer.claim(IDENTITY);
      const claim = writer.claim({ ...IDENTITY, stakePool: 'other pool' });
      await expect(claim).rejects.toThrow(StoreIdentityError);
      await expect(claim).rejects.toMatchObject({ differing: ['stakePool'] });
      expect((await reader.latestSnapshot(0)).identity).toEqual(IDENTITY);
    });

    it('must be claimed before the first commit', async () => {
      await writer.close();
      await stores.discardIndex();
      const unclaimedWriter = await stores.openWriter();
      await expect(unclaimedWriter.commitEvents(sampleBatch([sampleEvent(1)]))).rejects.toThrow(
        StoreIdentityError,
      );
      await expect(unclaimedWriter.commitSnapshot(sampleSnapshot(1))).rejects.toThrow(StoreIdentityError);
      const holders = { slot: 1, wallets: 1, readAt: 1_000 };
      await expect(unclaimedWriter.commitHolders(holders)).rejects.toThrow(StoreIdentityError);
    });
  });

  describe('a chain snapshot', () => {
    it('replaces the previous snapshot, and counts each wallet with an open entry once', async () => {
      await writer.commitSnapshot(sampleSnapshot(1, { entries: [sampleEntry('gone'), sampleEntry('kept')] }));
      const entries = [
        sampleEntry('a', { wallet: 'w1', amount: LARGEST_AMOUNT, effectiveAmount: LARGEST_AMOUNT ** 2n }),
        sampleEntry('b', { wallet: 'w1', nonce: 1 }),
        sampleEntry('c', { wallet: 'w2', closedAt: 5_000 }),
        sampleEntry('kept', { amount: 2n }),
      ];
      const { entries: _, ...figures } = sampleSnapshot(2, { supply: LARGEST_AMOUNT });
      await writer.commitSnapshot({ ...figures, entries: entries.toReversed() });
      expect((await reader.latestSnapshot(0)).chain).toEqual({
        ...figures,
        stakerCount: 2,
        // Two entries were added; then one was removed, one changed and three were added.
        entryChanges: 7,
      });
      expect((await reader.stakes(0)).entries).toEqual(
        entries.map((entry) => ({ ...entry, openedBy: null })),
      );
    });

    it('counts the entries that were added, removed or changed', async () => {
      const readEntryChanges = async () => (await reader.latestSnapshot(0)).chain?.entryChanges;
      const commit = (slot: number, ...entries: readonly ReturnType<typeof sampleEntry>[]) =>
        writer.commitSnapshot(sampleSnapshot(slot, { entries }));
      const ended = sampleEntry('ended', { closedAt: 5_000 });
      await commit(1, sampleEntry('open'), ended);
      expect(await readEntryChanges()).toBe(2);
      await commit(2, sampleEntry('open'), ended);
      expect(await readEntryChanges()).toBe(2);
      await commit(3, sampleEntry('open'));
      expect(await readEntryChanges()).toBe(3);
      await commit(4, sampleEntry('open', { unlocksAt: 2_001 }));
      expect(await readEntryChanges()).toBe(4);
      await commit(3);
      expect(await readEntryChanges()).toBe(4);
      await commit(5);
      expect(await readEntryChanges()).toBe(5);
    });

    it('with unknown stakes has all figures except the staker count, and does not change the entries', async () => {
      await writer.commitSnapshot(sampleSnapshot(1, { entries: [sampleEntry('a')] }));
      const latestChain = async () => (await reader.latestSnapshot(0)).chain;
      const stakesProblem = 'one.example: HTTP 410';
      await writer.commitSnapshot(sampleSnapshot(2, { vaultBalance: 7n, stakesProblem }));
      expect(await latestChain()).toMatchObject({
        slot: 2,
        vaultBalance: 7n,
        stakerCount: null,
        stakesProblem,
      });
      expect((await reader.stakes(0)).entries.map(({ address }) => address)).toEqual(['a']);
      await writer.commitSnapshot(sampleSnapshot(3, { entries: [sampleEntry('a')] }));
      expect(await latestChain()).toMatchObject({ stakerCount: 1, entryChanges: 1, stakesProblem: null });
    });

    it('without a vault has all figures except those of the vault', async () => {
      const noVault = { vaultBalance: null, vaultLamports: null, vaultProblem: 'it was closed' };
      await writer.commitSnapshot(sampleSnapshot(1, noVault));
      expect((await reader.latestSnapshot(0)).chain).toMatchObject({
        ...noVault,
        totalStaked: sampleSnapshot(1).totalStaked,
      });
      expect(await reader.vaultBalanceAt([1])).toEqual([null]);
    });

    it('is ignored if its slot is older, but not if its slot is the same', async () => {
      await writer.commitSnapshot(sampleSnapshot(5));
      await writer.commitSnapshot(sampleSnapshot(4, { entries: [sampleEntry('a')] }));
      expect((await reader.latestSnapshot(0)).chain).toMatchObject({ slot: 5, stakerCount: 0 });
      await writer.commitSnapshot(sampleSnapshot(5, { readAt: 7_777 }));
      expect((await reader.latestSnapshot(0)).chain).toMatchObject({ slot: 5, readAt: 7_777 });
    });

    it('with two entries at one address is refused, and changes nothing', async () => {
      await writer.commitSnapshot(sampleSnapshot(1, { entries: [sampleEntry('a')] }));
      const twice = sampleSnapshot(2, { entries: [sampleEntry('b'), sampleEntry('b', { nonce: 1 })] });
      await expect(writer.commitSnapshot(twice)).rejects.toThrow(RangeError);
      expect((await reader.stakes(0)).entries.map(({ address }) => address)).toEqual(['a']);
    });
  });

  describe('the count of holders', () => {
    it('is unknown at first, and later the count at the newest slot', async () => {
      const latestHolders = async () => (await reader.latestSnapshot(0)).holders;
      expect(await latestHolders()).toBeNull();
      const first = { slot: 5, wallets: 7, readAt: 5_000 };
      await writer.commitHolders(first);
      await writer.commitHolders({ slot: 4, wallets: 9, readAt: 6_000 });
      expect(await latestHolders()).toEqual(first);
      const repeated = { slot: 5, wallets: 8, readAt: 7_000 };
      await writer.commitHolders(repeated);
      expect(await latestHolders()).toEqual(repeated);
    });

    it('is refused unless it is a non-negative integer', async () => {
      await writer.commitHolders({ slot: 1, wallets: 3, readAt: 1_000 });
      for (const wallets of [-1, 1.5, Number.NaN]) {
        await expect(writer.commitHolders({ slot: 2, wallets, readAt: 2_000 })).rejects.toThrow(RangeError);
      }
      expect((await reader.latestSnapshot(0)).holders).toMatchObject({ slot: 1, wallets: 3 });
    });
  });

  describe('a quote', () => {
    it('keeps every digit, and null for a figure that the feed does not provide', async () => {
      await writer.commitQuote({ ...QUOTE, priceUsd: '1' });
      await writer.commitQuote(QUOTE);
      expect((await reader.latestSnapshot(0)).quote).toEqual(QUOTE);
    });
  });

  describe('a report of the endpoints', () => {
    it('replaces the previous report, and keeps the order of its endpoints', async () => {
      await writer.reportEndpoints([sampleEndpoint('old.example.com')], 1_000);
      const endpoints = [
        sampleEndpoint('z.example.com', {
          active: true,
          state: 'active',
          latencyMs: 12.5,
          slot: 9,
          slotLag: 0,
        }),
        sampleEndpoint('a.example.com', {
          state: 'distrusted',
          requestCount: 7,
          errorCount: 3,
          creditsPerDay: null,
          lastError: 'timeout',
        }),
      ];
      await writer.reportEndpoints(endpoints, 2_000);
      expect(await reader.latestSnapshot(0)).toMatchObject({ endpoints, endpointsReportedAt: 2_000 });
      await writer.reportEndpoints([], 3_000);
      expect(await reader.latestSnapshot(0)).toMatchObject({ endpoints: [], endpointsReportedAt: 3_000 });
    });
  });

  it('shows the latest reconciliation, and the latest one without a difference', async () => {
    const readReconciliations = async () => {
      const { reconciliation, lastAgreement } = await reader.latestSnapshot(0);
      return { reconciliation, lastAgreement };
    };
    expect(await readReconciliations()).toEqual({ reconciliation: null, lastAgreement: null });
    const differences = [{ what: 'vault.balance', onChain: LARGEST_AMOUNT, indexed: -1n }];
    await writer.commitReconciliation({ slot: 3, at: 3_000, differences });
    expect((await readReconciliations()).lastAgreement).toBeNull();
    const agreeing = { slot: 4, at: 4_000, differences: [] };
    await writer.commitReconciliation(agreeing);
    const failing = { slot: 5, at: 5_000, differences };
    await writer.commitReconciliation(failing);
    expect(await readReconciliations()).toEqual({
      reconciliation: failing,
      lastAgreement: { slot: 4, at: 4_000 },
    });
  });

  describe('a reader', () => {
    it('gets a new data version after each commit, and only then', async () => {
      const commits: (() => Promise<void>)[] = [
        () => writer.commitEvents(sampleBatch([sampleEvent(1)])),
        () => writer.commitSnapshot(sampleSnapshot(1)),
        () => writer.commitHolders({ slot: 1, wallets: 1, readAt: 1_000 }),
        () => writer.commitQuote(QUOTE),
        () => writer.reportEndpoints([sampleEndpoint('a.example.com')], 1_000),
        () => writer.commitReconciliation({ slot: 1, at: 1_000, differences: [] }),
      ];
      let version = await reader.dataVersion();
      for (const commit of commits) {
        expect(await reader.dataVersion()).toBe(version);
        await commit();
        const next = await reader.dataVersion();
        expect(next).not.toBe(version);
        version = next;
      }
    });

    it('is empty while the index is missing, and reads the next index that is built', async () => {
      await writer.commitSnapshot(sampleSnapshot(1));
      const versions = [await reader.dataVersion()];
      expect((await reader.latestSnapshot(0)).chain).not.toBeNull();

      await writer.close();
      await stores.discardIndex();
      versions.push(await reader.dataVersion());
      expect(versions.at(-1)).toBe(0);
      expect(await reader.latestSnapshot(5)).toEqual(EMPTY_INDEX_SNAPSHOT);
      expect(await reader.stakes(5)).toEqual({ entries: [], ended: [], transactionCounts: new Map() });
      expect(await reader.history('vault', 'day', 0)).toEqual([]);
      expect(await reader.walletEvents('wallet', 9, null)).toEqual({ events: [], next: null });
      expect((await reader.statistics()).cursorSlot).toBeNull();
      expect(await reader.vaultBalanceAt([1, 2])).toEqual([null, null]);
      expect((await reader.vaultMovements(0)).until).toBeNull();

      const rebuilt = await stores.openWriter();
      await rebuilt.claim(IDENTITY);
      await rebuilt.commitSnapshot(sampleSnapshot(2));
      versions.push(await reader.dataVersion());
      expect((await reader.latestSnapshot(0)).chain?.slot).toBe(2);
      expect(new Set(versions).size).toBe(3);
    });
  });

  it('rejects every call once it is closed, and can be closed twice', async () => {
    for (const store of [writer, reader]) {
      await store.close();
      await store.close();
    }
    await expect(writer.cursor('vault')).rejects.toThrow(StoreUnavailableError);
    await expect(writer.commitQuote(QUOTE)).rejects.toThrow(StoreUnavailableError);
    await expect(reader.dataVersion()).rejects.toThrow(StoreUnavailableError);
  });
});
