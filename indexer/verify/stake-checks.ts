import { z } from 'zod';
import * as PATHS from '../../data/contract/paths.ts';
import type { OpenEntry } from './chain-accounts.ts';
import type { ChainReading } from './chain-reading.ts';
import { type Check, decimalText, expectedFrom, historySource } from './checks.ts';

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

function rankName(ranks: Ranks, staked: bigint, decimals: number): string | null {
  return ranks.find(([wholeBd]) => staked >= wholeBd * 10n ** BigInt(decimals))?.[1] ?? null;
}

/** The badge for a stake in base units; null if the stake is too small for one. */
export const badgeName = (staked: bigint, decimals: number): string | null =>
  rankName(BADGES, staked, decimals);
export const cardName = (staked: bigint, decimals: number): string | null =>
  rankName(CARDS, staked, decimals);

/** Lowest card first. */
export const CARD_NAMES: readonly string[] = CARDS.map(([, name]) => name).toReversed();

/** The next card and how many whole BD it requires; null if the wallet has the highest card. */
export function nextCard(
  staked: bigint,
  decimals: number,
): { readonly name: string; readonly wholeBd: bigint } | null {
  const next = CARDS.findLast(([wholeBd]) => staked < wholeBd * 10n ** BigInt(decimals));
  return next ? { name: next[1], wholeBd: next[0] } : null;
}

/** The signature of the stake that opened an entry. A new entry can reuse an old address, so only the last event counts. */
export function openingSignature({ accounts, poolEvents }: ChainReading, entry: string): string | null {
  const last = poolEvents.find(({ slot, stakeEntry }) => stakeEntry === entry && slot <= accounts.slot);
  return last?.type === 'stake' ? last.signature : null;
}

/** Compares entries for sorting, oldest first. If two were opened at the same time, the one with the higher nonce is newer. */
export function byAge(one: OpenEntry, other: OpenEntry): number {
  if (one.startsAt === other.startsAt) return one.nonce - other.nonce;
  return one.startsAt > other.startsAt ? 1 : -1;
}

export interface StakingWallet {
  readonly wallet: string;
  readonly staked: bigint;
  readonly newest: OpenEntry;
  readonly unlocksAt: bigint;
  readonly entryCount: number;
}

/**
 * The wallets with open entries. A wallet's lock begins with its newest entry, and ends once all its entries are unlocked.
 */
export function stakingWallets({ accounts }: ChainReading): readonly StakingWallet[] {
  const groups = Map.groupBy(accounts.openEntries, ({ wallet }) => wallet);
  return [...groups].map(([wallet, entries]) => {
    const newest = entries.toSorted(byAge).at(-1);
    const lastToUnlock = entries.toSorted((one, other) => (one.unlocksAt < other.unlocksAt ? -1 : 1)).at(-1);
    if (!newest || !lastToUnlock) throw new Error('A group has no entry');
    return {
      wallet,
      newest,
      entryCount: entries.length,
      staked: entries.reduce((sum, { amount }) => sum + amount, 0n),
      unlocksAt: lastToUnlock.unlocksAt,
    };
  });
}

/** The maximum number of ended stakes that the portal lists. It lists the newest ones. */
const MAX_LISTED_ENDED_STAKES = 100;

const endedStakesSchema = z.object({
  ended: z.array(
    z.object({
      wallet: z.string().nullable(),
      amount: z.string(),
      startDate: z.string().nullable(),
      endDate: z.string().nullable(),
      openedBy: z.string().nullable(),
      endedBy: z.string(),
    }),
  ),
});
type EndedRow = z.infer<typeof endedStakesSchema>['ended'][number];

const endedRow = (row: EndedRow) =>
  `${row.wallet ?? 'no wallet'} ${row.amount}, from ${row.startDate} (${row.openedBy}) to ${row.endDate} (${row.endedBy})`;

const isoTime = (seconds: number | null | undefined) =>
  seconds == null ? null : new Date(seconds * 1_000).toISOString();

/** The ended stakes, newest first. Each one was opened by the preceding event of its stake entry. */
function endedStakes({ accounts, poolEvents }: ChainReading): readonly EndedRow[] {
  return poolEvents.flatMap((unstakeEvent, index) => {
    if (unstakeEvent.type !== 'unstake' || unstakeEvent.stakeEntry === null) return [];
    const before = poolEvents
      .slice(index + 1)
      .find(({ stakeEntry }) => stakeEntry === unstakeEvent.stakeEntry);
    const stakeEvent = before?.type === 'stake' ? before : undefined;
    return {
      wallet: unstakeEvent.wallet,
      amount: decimalText(-unstakeEvent.change, accounts.decimals),
      startDate: isoTime(stakeEvent?.blockTime),
      endDate: isoTime(unstakeEvent.blockTime),
      openedBy: stakeEvent?.signature ?? null,
      endedBy: unstakeEvent.signature,
    };
  });
}

/** Finds the transactions that a list contains completely. A full list may end between two stakes of one transaction. */
function findCompleteSignatures(reported: readonly EndedRow[]): ReadonlySet<string> {
  const truncated = reported.length < MAX_LISTED_ENDED_STAKES ? undefined : reported.at(-1)?.endedBy;
  return new Set(reported.map(({ endedBy }) => endedBy).filter((signature) => signature !== truncated));
}

export const STAKE_CHECKS: readonly Check[] = [
  {
    figure: `newest ${MAX_LISTED_ENDED_STAKES} ended stakes`,
    ...historySource(
      PATHS.stakingTransfers,
      endedStakesSchema,
      ({ ended }) => ended.length < MAX_LISTED_ENDED_STAKES,
      ({ ended }) => {
        const complete = findCompleteSignatures(ended);
        return ended
          .filter(({ endedBy }) => complete.has(endedBy))
          .map(endedRow)
          .toSorted();
      },
    ),
    expected: expectedFrom(PATHS.stakingTransfers, endedStakesSchema, ({ ended }, chain) => {
      const complete = findCompleteSignatures(ended);
      // A full list lacks older stakes, so only its complete transactions are compared.
      const isFull = ended.length >= MAX_LISTED_ENDED_STAKES;
      const stakes = endedStakes(chain).filter(({ endedBy }) => !isFull || complete.has(endedBy));
      return [stakes.map(endedRow).toSorted()];
    }),
  },
];
