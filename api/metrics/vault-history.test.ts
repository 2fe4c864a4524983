import { describe, expect, it } from 'vitest';
import { FakeIndex, SAMPLE_INDEX, TEST_START, vaultEvent } from '../testing/fake-index.ts';
import { GROWTH_HOURS, readVaultHistory, vaultFingerprint } from './vault-history.ts';

const HOUR_MS = 3_600_000;

describe('the history of the vault', () => {
  it('begins the growth windows 6, 12, 18 and 24 hours before the time of the read', async () => {
    const requestedTimes: number[] = [];
    const index = new FakeIndex();
    const reader = Object.assign(index, {
      vaultBalanceAt: async (moments: readonly number[]) => {
        requestedTimes.push(...moments);
        return moments.map((moment) => BigInt(moment));
      },
      vaultMovements: async (since: number) => {
        requestedTimes.push(since);
        return index.movements;
      },
    });
    const history = await readVaultHistory(reader, TEST_START, null);
    const moments = [6, 12, 18, 24].map((hours) => TEST_START - hours * HOUR_MS);
    expect(requestedTimes.sort()).toEqual([...moments, TEST_START - 24 * HOUR_MS].sort());
    expect(history.earlierBalances).toEqual(
      GROWTH_HOURS.map((hours) => ({
        hours,
        balance: BigInt(TEST_START - hours * HOUR_MS),
        asOf: TEST_START,
      })),
    );
  });

  it('reuses an earlier balance for a minute after its read if later reads do not find it', async () => {
    const index = new FakeIndex();
    const knownBalances = [4n, 3n, 2n, null];
    const balances = { current: knownBalances };
    const reader = Object.assign(index, { vaultBalanceAt: async () => balances.current });
    const read = async (
      afterMs: number,
      earlierHistory: Awaited<ReturnType<typeof readVaultHistory>> | null,
    ) => readVaultHistory(reader, TEST_START + afterMs, earlierHistory);
    const balancesOf = ({ earlierBalances }: Awaited<ReturnType<typeof read>>) =>
      earlierBalances.map(({ balance }) => balance);
    const first = await read(0, null);
    balances.current = [null, null, 9n, null];
    const second = await read(30_000, first);
    expect(balancesOf(second)).toEqual([4n, 3n, 9n, null]);
    const third = await read(59_999, second);
    expect(balancesOf(third)).toEqual([4n, 3n, 9n, null]);
    // A balance is reused for a minute after its original read. A reuse does not extend this minute.
    expect(balancesOf(await read(60_000, third))).toEqual([null, null, 9n, null]);
    expect(balancesOf(await read(0, null))).toEqual([null, null, 9n, null]);
  });

  it('has a fingerprint that changes with the vault’s balance or newest event, but not with pool events', () => {
    const mark = vaultFingerprint(SAMPLE_INDEX);
    const withEvent = (event: ReturnType<typeof vaultEvent>) =>
      vaultFingerprint({ ...SAMPLE_INDEX, recentEvents: [event, ...SAMPLE_INDEX.recentEvents] });
    expect(withEvent(vaultEvent(3))).not.toBe(mark);
    expect(withEvent(vaultEvent(3, { account: SAMPLE_INDEX.identity?.poolVault ?? '' }))).toBe(mark);
    expect(
      vaultFingerprint({
        ...SAMPLE_INDEX,
        chain: SAMPLE_INDEX.chain && { ...SAMPLE_INDEX.chain, vaultBalance: 1n },
      }),
    ).not.toBe(mark);
  });
});
