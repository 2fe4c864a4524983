import type { OpenEntry } from './chain-accounts.ts';
import type { ChainReading } from './chain-reading.ts';

type Ranks = readonly (readonly [wholeBd: bigint, name: string])[];

const BADGES: Ranks = [
  [10_000_000n, 'Diamond'],
  [7_500_000n, 'Platinum'],
  [5_000_000n, 'Gold'],
  [1_500_000n, 'Silver'],
];
const CARDS: Ranks = [
  [7_500_000n, 'Raven'],
  [5_000_000n, 'Banker'],
  [1_500_000n, 'Duckling'],
];

function rank(ranks: Ranks, staked: bigint, places: number): string {
  return ranks.find(([wholeBd]) => staked >= wholeBd * 10n ** BigInt(places))?.[1] ?? 'none';
}

export const badge = (staked: bigint, places: number): string => rank(BADGES, staked, places);
export const cardName = (staked: bigint, places: number): string => rank(CARDS, staked, places);

export interface StakingWallet {
  readonly wallet: string;
  readonly staked: bigint;
  readonly newest: OpenEntry;
  readonly unlocksAt: bigint;
  readonly entries: number;
}

function byValue(one: bigint, other: bigint): number {
  return one === other ? 0 : one > other ? 1 : -1;
}

/** The wallets with open entries: staking again restarts the lock, and the last entry to unlock ends it. */
export function stakingWallets({ accounts }: ChainReading): readonly StakingWallet[] {
  const groups = Map.groupBy(accounts.openEntries, ({ wallet }) => wallet);
  return [...groups].map(([wallet, entries]) => {
    const byAge = entries.toSorted((one, other) =>
      one.startsAt === other.startsAt ? one.nonce - other.nonce : byValue(one.startsAt, other.startsAt),
    );
    const newest = byAge.at(-1);
    if (!newest) throw new Error('A group without an entry.');
    return {
      wallet,
      newest,
      entries: entries.length,
      staked: entries.reduce((sum, { amount }) => sum + amount, 0n),
      unlocksAt:
        entries
          .map(({ unlocksAt }) => unlocksAt)
          .toSorted(byValue)
          .at(-1) ?? 0n,
    };
  });
}
