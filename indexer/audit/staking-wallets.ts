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

function rank(ranks: Ranks, staked: bigint, places: number): string | null {
  return ranks.find(([wholeBd]) => staked >= wholeBd * 10n ** BigInt(places))?.[1] ?? null;
}

/** What a stake (base units) earns by its rank; null below the lowest. */
export const badge = (staked: bigint, places: number): string | null => rank(BADGES, staked, places);
export const cardName = (staked: bigint, places: number): string | null => rank(CARDS, staked, places);

/** The cards' names by rising rank. */
export const CARD_NAMES: readonly string[] = CARDS.map(([, name]) => name).toReversed();

/** The next higher card and the whole BD that it asks for; null at the highest. */
export function nextCard(
  staked: bigint,
  places: number,
): { readonly name: string; readonly wholeBd: bigint } | null {
  const next = CARDS.findLast(([wholeBd]) => staked < wholeBd * 10n ** BigInt(places));
  return next ? { name: next[1], wholeBd: next[0] } : null;
}

/** The transaction that opened a stake entry: an address may be used again, so what names it last has to be a stake. */
export function openedBy({ accounts, poolEvents }: ChainReading, entry: string): string | null {
  const last = poolEvents.find(({ slot, stakeEntry }) => stakeEntry === entry && slot <= accounts.slot);
  return last?.type === 'stake' ? last.signature : null;
}

/** Oldest first; of two that were opened at one moment, the one of the higher number is the newer. */
export function byAge(one: OpenEntry, other: OpenEntry): number {
  return one.startsAt === other.startsAt ? one.nonce - other.nonce : byValue(one.startsAt, other.startsAt);
}

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
    const newest = entries.toSorted(byAge).at(-1);
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
