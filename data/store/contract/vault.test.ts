import { beforeEach, describe, expect, it } from 'vitest';
import { sampleBatch, sampleEvent, sampleSnapshot } from '../testing/sample-rows.ts';
import { reader, useIndex, writer } from '../testing/test-stores.ts';

describe('the vault’s history', () => {
  useIndex();

  const commitBalance = (slot: number, vaultBalance: bigint) =>
    writer.commitSnapshot(sampleSnapshot(slot, { vaultBalance }));
  /** Commits a reconciliation: the events add up to `indexed`, and the balance is higher by `excess`. */
  const commitDifference = (slot: number, excess: bigint, indexed: bigint) =>
    writer.commitReconciliation({
      slot,
      at: slot * 1_000,
      differences: [{ what: 'vault.balance', onChain: indexed + excess, indexed }],
    });

  it('sums deposits and withdrawals after a given time, to the millisecond', async () => {
    await writer.commitEvents(
      sampleBatch([
        sampleEvent(1, { delta: 100n }),
        sampleEvent(2, { delta: -30n, kind: 'withdraw' }),
        sampleEvent(3, { delta: 0n, kind: 'other' }),
        sampleEvent(4, { delta: 5n }),
      ]),
    );
    const window = { deposits: 5n, withdrawals: 0n, movements: 1, until: 4_000, coversWindow: true };
    expect(await reader.vaultMovements(2_000)).toEqual(window);
    expect(await reader.vaultMovements(1_999)).toEqual({ ...window, withdrawals: 30n, movements: 2 });
    expect(await reader.vaultMovements(0)).toEqual({
      ...window,
      deposits: 105n,
      withdrawals: 30n,
      movements: 3,
      coversWindow: false,
    });
    expect(await reader.vaultMovements(4_000)).toEqual({ ...window, deposits: 0n, movements: 0 });
  });

  it('gives the balance at any past time', async () => {
    await writer.commitEvents(sampleBatch([sampleEvent(2), sampleEvent(4, { delta: -400n })], 5_000));
    await commitBalance(5, 600n);
    expect(await reader.vaultBalanceAt([5_001, 5_000, 4_000, 3_999, 2_000])).toEqual([
      null,
      600n,
      600n,
      1_000n,
      1_000n,
    ]);
  });

  it('gives balances from its first event on if its oldest part is missing', async () => {
    await writer.commitEvents(sampleBatch([sampleEvent(50), sampleEvent(60, { delta: -400n })], 70_000));
    await commitBalance(70, 100_000_600n);
    await commitDifference(70, 100_000_000n, 600n);
    expect(await reader.vaultBalanceAt([60_000, 59_999, 50_000, 49_999, 0])).toEqual([
      100_000_600n,
      100_001_000n,
      100_001_000n,
      null,
      null,
    ]);
    expect((await reader.vaultMovements(50_000)).coversWindow).toBe(true);
    expect((await reader.vaultMovements(49_999)).coversWindow).toBe(false);
  });

  it('is complete if it adds up to the balance', async () => {
    await writer.commitEvents(sampleBatch([sampleEvent(50), sampleEvent(60, { delta: -400n })], 70_000));
    await commitBalance(70, 600n);
    expect(await reader.vaultMovements(0)).toMatchObject({ deposits: 1_000n, coversWindow: true });
    expect(await reader.vaultBalanceAt([0])).toEqual([null]);
  });

  it('gives no balance before it is caught up', async () => {
    await writer.commitEvents(sampleBatch([sampleEvent(1), sampleEvent(2)]));
    await commitBalance(100, 2_000n);
    expect(await reader.vaultBalanceAt([1_000])).toEqual([null]);
    await writer.commitEvents(sampleBatch([sampleEvent(90, { delta: 0n })], 95_000));
    expect(await reader.vaultBalanceAt([1_000, 95_000, 95_001])).toEqual([1_000n, 2_000n, null]);
  });

  it('gives no balance while the snapshot is ahead of the events', async () => {
    await writer.commitEvents(sampleBatch([sampleEvent(1), sampleEvent(2)], 9_000));
    await commitBalance(5, 2_000n);
    const balancesBefore = await reader.vaultBalanceAt([1_000, 2_000]);
    expect(balancesBefore).toEqual([1_000n, 2_000n]);
    await commitBalance(6, 1_300n);
    expect(await reader.vaultBalanceAt([1_000, 2_000])).toEqual([null, null]);
    // A lagging endpoint does not list the withdrawal in slot 6 yet, although the snapshot of that slot is stored.
    await writer.commitEvents({ ...sampleBatch([sampleEvent(2)], 90_000), events: [] });
    expect(await reader.vaultBalanceAt([1_000, 2_000])).toEqual([null, null]);
    await writer.commitEvents(sampleBatch([sampleEvent(6, { delta: -700n, kind: 'withdraw' })], 91_000));
    expect(await reader.vaultBalanceAt([1_000, 2_000])).toEqual(balancesBefore);
  });

  describe('without its oldest part', () => {
    beforeEach(async () => {
      await writer.commitEvents(sampleBatch([sampleEvent(50), sampleEvent(60)], 70_000));
      await commitBalance(70, 7_000n);
    });
    const balances = () => reader.vaultBalanceAt([50_000, 60_000]);

    it('gives no balance before a reconciliation found the difference', async () => {
      expect(await balances()).toEqual([null, null]);
      await commitDifference(70, 5_000n, 2_000n);
      expect(await balances()).toEqual([6_000n, 7_000n]);
    });

    it('gives no balance once the difference has changed', async () => {
      await commitDifference(70, 5_000n, 2_000n);
      await commitBalance(75, 7_001n);
      expect(await balances()).toEqual([null, null]);
      await writer.commitEvents(sampleBatch([sampleEvent(72, { delta: 1n })], 90_000));
      expect(await balances()).toEqual([6_000n, 7_000n]);
      await writer.commitEvents(
        sampleBatch([sampleEvent(55, { delta: 5n }), sampleEvent(80, { delta: -5n })]),
      );
      await commitBalance(81, 7_001n);
      expect(await balances()).toEqual([null, null]);
    });

    it('gives no balance if accounts and events agreed earlier', async () => {
      await writer.commitReconciliation({ slot: 60, at: 1, differences: [] });
      await commitDifference(70, 5_000n, 2_000n);
      expect(await balances()).toEqual([null, null]);
    });
  });

  it('stays complete once it has agreed with the accounts', async () => {
    await writer.commitEvents(sampleBatch([sampleEvent(50)], 60_000));
    await commitBalance(50, 1_000n);
    await commitBalance(51, 1_001n);
    expect((await reader.vaultMovements(0)).coversWindow).toBe(false);
    await writer.commitReconciliation({ slot: 50, at: 1, differences: [] });
    expect((await reader.vaultMovements(0)).coversWindow).toBe(true);
  });

  it('ignores events after the snapshot', async () => {
    await writer.commitEvents(sampleBatch([sampleEvent(1), sampleEvent(2), sampleEvent(4)], 9_000));
    await commitBalance(3, 2_000n);
    expect(await reader.vaultBalanceAt([1_000])).toEqual([1_000n]);
  });

  it('gives no balance without a snapshot', async () => {
    await writer.commitEvents(sampleBatch([sampleEvent(2)], 9_000));
    expect(await reader.vaultBalanceAt([9_000])).toEqual([null]);
    expect((await reader.vaultMovements(5_000)).until).toBe(9_000);
  });

  it('counts as read once both accounts are caught up', async () => {
    const isRead = async () => (await reader.latestSnapshot(0)).isHistoryCaughtUp;
    await writer.commitEvents(sampleBatch([sampleEvent(1)]));
    await writer.commitEvents(sampleBatch([sampleEvent(1, { account: 'poolVault' })], 9_000));
    expect(await isRead()).toBe(false);
    await writer.commitEvents(sampleBatch([sampleEvent(2)], 9_000));
    expect(await isRead()).toBe(true);
    await writer.commitEvents(sampleBatch([sampleEvent(3)]));
    expect(await isRead()).toBe(true);
  });

  it('is read up to the time when both accounts were last caught up, even if a clock was ahead', async () => {
    const readAt = async () => (await reader.latestSnapshot(0)).historyReadAt;
    expect(await readAt()).toBeNull();
    await writer.commitEvents(sampleBatch([sampleEvent(1, { account: 'poolVault' })], 9_000));
    expect(await readAt()).toBeNull();
    await writer.commitEvents(sampleBatch([sampleEvent(1)], 99_000));
    expect(await readAt()).toBe(9_000);
    await writer.commitEvents(sampleBatch([sampleEvent(2)], 8_000));
    await writer.commitEvents(sampleBatch([sampleEvent(3)]));
    expect(await readAt()).toBe(8_000);
  });

  it('counts an event without a time together with the event before it, or else before all others', async () => {
    await writer.commitEvents(
      sampleBatch(
        [
          sampleEvent(1, { blockTime: null, delta: 10n }),
          sampleEvent(2, { blockTime: 2_000, delta: 20n }),
          sampleEvent(3, { blockTime: null, delta: 40n }),
        ],
        3_000,
      ),
    );
    await commitBalance(3, 70n);
    expect(await reader.vaultBalanceAt([1_999, 2_000])).toEqual([null, 70n]);
    expect(await reader.vaultMovements(0)).toMatchObject({ deposits: 60n, movements: 2 });
  });
});
