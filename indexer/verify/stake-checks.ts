import { z } from 'zod';
import * as PATHS from '../../data/contract/paths.ts';
import type { OpenEntry } from './chain-accounts.ts';
import type { ChainReading } from './chain-reading.ts';
import {
  type Check,
  decimals,
  HISTORY_CALLS,
  isHistoryComplete,
  partOf,
  portalRows,
  type Rows,
} from './checks.ts';

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

/** The badge of a stake (base units); null below the lowest. */
export const badge = (staked: bigint, places: number): string | null => rank(BADGES, staked, places);
export const cardName = (staked: bigint, places: number): string | null => rank(CARDS, staked, places);

/** The cards' names, lowest first. */
export const CARD_NAMES: readonly string[] = CARDS.map(([, name]) => name).toReversed();

/** The next higher card and the whole BD that it requires; null at the highest. */
export function nextCard(
  staked: bigint,
  places: number,
): { readonly name: string; readonly wholeBd: bigint } | null {
  const next = CARDS.findLast(([wholeBd]) => staked < wholeBd * 10n ** BigInt(places));
  return next ? { name: next[1], wholeBd: next[0] } : null;
}

/** The transaction that opened a stake entry. An address may be used again, so the last event that names it must be a stake. */
export function openedBy({ accounts, poolEvents }: ChainReading, entry: string): string | null {
  const last = poolEvents.find(({ slot, stakeEntry }) => stakeEntry === entry && slot <= accounts.slot);
  return last?.type === 'stake' ? last.signature : null;
}

/** Oldest first; of two opened at the same time, the one with the higher nonce is newer. */
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

/** The wallets with open entries. The newest entry starts the lock, and the last one to unlock ends it. */
export function stakingWallets({ accounts }: ChainReading): readonly StakingWallet[] {
  const groups = Map.groupBy(accounts.openEntries, ({ wallet }) => wallet);
  return [...groups].map(([wallet, entries]) => {
    const newest = entries.toSorted(byAge).at(-1);
    if (!newest) throw new Error('a group without an entry');
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

/** Ended stakes in the list. */
const ENDED_LISTED = 100;

const endedList = z.object({
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
type EndedRow = z.infer<typeof endedList>['ended'][number];

const endedRow = (row: EndedRow) =>
  `${row.wallet ?? 'no wallet'} ${row.amount}, from ${row.startDate} (${row.openedBy}) to ${row.endDate} (${row.endedBy})`;

const isoTime = (seconds: number | null | undefined) =>
  seconds == null ? null : new Date(seconds * 1_000).toISOString();

/** Ended stakes, newest first. The event before that names the same entry opened it. */
function endedStakes({ accounts, poolEvents }: ChainReading): readonly EndedRow[] {
  return poolEvents.flatMap((ending, index) => {
    if (ending.type !== 'unstake' || ending.stakeEntry === null) return [];
    const before = poolEvents.slice(index + 1).find(({ stakeEntry }) => stakeEntry === ending.stakeEntry);
    const opener = before?.type === 'stake' ? before : undefined;
    return {
      wallet: ending.wallet,
      amount: decimals(-ending.change, accounts.decimals),
      startDate: isoTime(opener?.blockTime),
      endDate: isoTime(ending.blockTime),
      openedBy: opener?.signature ?? null,
      endedBy: ending.signature,
    };
  });
}

/** The transactions that are complete in a list: a full list may end between two stakes of one transaction. */
function completeTransactions(reported: readonly EndedRow[]): ReadonlySet<string> {
  const truncated = reported.length < ENDED_LISTED ? undefined : reported.at(-1)?.endedBy;
  return new Set(reported.map(({ endedBy }) => endedBy).filter((signature) => signature !== truncated));
}

export const STAKE_CHECKS: readonly Check[] = [
  {
    figure: `newest ${ENDED_LISTED} ended stakes`,
    ...portalRows(PATHS.stakingTransfers, endedList, ({ ended }, _slot, api) => {
      if (ended.length < ENDED_LISTED && !isHistoryComplete(api)) return null;
      const isComplete = completeTransactions(ended);
      return ended
        .filter(({ endedBy }) => isComplete.has(endedBy))
        .map(endedRow)
        .toSorted();
    }),
    calls: [PATHS.stakingTransfers, ...HISTORY_CALLS],
    expected: (chain, api) => {
      const reported = partOf(api.answer(PATHS.stakingTransfers), endedList)?.ended;
      if (reported === undefined) return [];
      const all = endedStakes(chain);
      const isComplete = completeTransactions(reported);
      const isFull = reported.length >= ENDED_LISTED;
      // A full list may omit any of the stakes that ended in its oldest slot.
      const rows: Rows = (isFull ? all.filter(({ endedBy }) => isComplete.has(endedBy)) : all).map(endedRow);
      return [rows.toSorted()];
    },
  },
];
