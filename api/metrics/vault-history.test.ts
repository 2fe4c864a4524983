import { describe, expect, it } from 'vitest';
import { FakeIndex, SAMPLE_INDEX, TEST_START, vaultEvent } from '../testing/fake-index.ts';
import { GROWTH_HOURS, isComplete, readVaultHistory, stillServes, vaultMark } from './vault-history.ts';

const HOUR = 3_600_000;

describe('the history of the vault', () => {
  it('counts every window back from the moment it is asked for', async () => {
    const asked: number[] = [];
    const index = new FakeIndex();
    const reader = Object.assign(index, {
      vaultBalanceAt: async (moments: readonly number[]) => {
        asked.push(...moments);
        return moments.map((moment) => BigInt(moment));
      },
      vaultMovements: async (since: number) => {
        asked.push(since);
        return index.movements;
      },
    });
    const history = await readVaultHistory(reader, TEST_START, null);
    const moments = [6, 12, 18, 24].map((hours) => TEST_START - hours * HOUR);
    expect(asked.sort()).toEqual([...moments, TEST_START - 24 * HOUR].sort());
    expect(history.earlier).toEqual(
      GROWTH_HOURS.map((hours) => ({
        hours,
        balance: BigInt(TEST_START - hours * HOUR),
        asOf: TEST_START,
      })),
    );
  });

  it('tells an earlier balance on for a minute where the next readings do not know it, each by itself', async () => {
    const index = new FakeIndex();
    const known = [4n, 3n, 2n, null];
    const balances = { told: known };
    const reader = Object.assign(index, { vaultBalanceAt: async () => balances.told });
    const read = async (after: number, before: Awaited<ReturnType<typeof readVaultHistory>> | null) =>
      readVaultHistory(reader, TEST_START + after, before);
    const toldBy = ({ earlier }: Awaited<ReturnType<typeof read>>) => earlier.map(({ balance }) => balance);
    const first = await read(0, null);
    balances.told = [null, null, 9n, null];
    const second = await read(30_000, first);
    expect(toldBy(second)).toEqual([4n, 3n, 9n, null]);
    const third = await read(59_999, second);
    expect(toldBy(third)).toEqual([4n, 3n, 9n, null]);
    // What is told on grows no younger by it.
    expect(toldBy(await read(60_000, third))).toEqual([null, null, 9n, null]);
    expect(toldBy(await read(0, null))).toEqual([null, null, 9n, null]);
  });

  it('is complete only where it reaches up to the moment itself', async () => {
    const at = async (until: number | null) => {
      const index = new FakeIndex();
      index.movements = { ...index.movements, until };
      return isComplete(await readVaultHistory(index, TEST_START, null));
    };
    expect(await at(TEST_START - 2_000)).toBe(true);
    expect(await at(TEST_START - 60_001)).toBe(false);
    expect(await at(null)).toBe(false);
  });

  it('serves on for five seconds, unless the vault moved', async () => {
    const history = await readVaultHistory(new FakeIndex(), TEST_START, null);
    const still = { before: 'a', now: 'a' };
    expect(stillServes(history, still, TEST_START + 4_999)).toBe(true);
    expect(stillServes(history, still, TEST_START + 5_000)).toBe(false);
    expect(stillServes(history, { before: 'a', now: 'b' }, TEST_START)).toBe(false);
    expect(stillServes(null, still, TEST_START)).toBe(false);
  });

  it('knows a moved vault by its balance or its newest event, and by no event of the pool', () => {
    const mark = vaultMark(SAMPLE_INDEX);
    const withEvent = (event: ReturnType<typeof vaultEvent>) =>
      vaultMark({ ...SAMPLE_INDEX, recentEvents: [event, ...SAMPLE_INDEX.recentEvents] });
    expect(withEvent(vaultEvent(3))).not.toBe(mark);
    expect(withEvent(vaultEvent(3, { account: SAMPLE_INDEX.identity?.poolVault ?? '' }))).toBe(mark);
    expect(
      vaultMark({
        ...SAMPLE_INDEX,
        chain: SAMPLE_INDEX.chain && { ...SAMPLE_INDEX.chain, vaultBalance: 1n },
      }),
    ).not.toBe(mark);
  });
});
