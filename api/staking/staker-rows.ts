import type { ResponseOf } from '../../data/contract/call.ts';
import type { enhancedStakers, stakingTransfers } from '../../data/contract/stakes.ts';
import { toDecimalText } from '../../data/model/amounts.ts';
import { nextStakingDay, type Staker, stakingDays } from '../../data/model/stakers.ts';
import { cardTier, stakerBadge } from '../../data/model/tiers.ts';
import { strongTag } from '../etag.ts';
import type { StakesContent } from './current-stakes.ts';

/** A serialized JSON array with its ETag and its length in UTF-8 bytes. */
export interface SerializedList {
  readonly json: string;
  readonly tag: string;
  readonly bytes: number;
}

type Transfers = ResponseOf<typeof stakingTransfers>;
type EnhancedRow = ResponseOf<typeof enhancedStakers>[number];

function serializedList(json: string): SerializedList {
  return { json, tag: strongTag(json), bytes: Buffer.byteLength(json) };
}

const iso = (at: number) => new Date(at).toISOString();
const isoOrNull = (at: number | null) => (at === null ? null : iso(at));

/** The rows of `/api/staking/transfers`, newest lock first. */
export function transferRows({ stakers, decimals }: StakesContent): SerializedList {
  const newestFirst = stakers.toSorted((one, other) => other.lockedAt - one.lockedAt);
  const rows: Transfers['stakers'] = newestFirst.map((staker) => ({
    amount: toDecimalText(staker.staked, decimals),
    wallet: staker.wallet,
    signature: staker.openedBy,
    startDate: iso(staker.lockedAt),
    unlockDate: iso(staker.unlocksAt),
  }));
  return serializedList(JSON.stringify(rows));
}

export function endedRows({ endedStakes, decimals }: StakesContent): SerializedList {
  const rows: Transfers['ended'] = endedStakes.map((stake) => ({
    wallet: stake.wallet,
    amount: toDecimalText(stake.amount, decimals),
    startDate: isoOrNull(stake.openedAt),
    endDate: isoOrNull(stake.endedAt),
    openedBy: stake.openedBy,
    endedBy: stake.endedBy,
  }));
  return serializedList(JSON.stringify(rows));
}

/** The rows of `/api/stakers/enhanced`, largest stake first. They lack the days staked, which depend on the current time. */
export interface EnhancedRows {
  /** The JSON of each row without its closing brace, and the start of its lock. */
  readonly rows: readonly { readonly json: string; readonly lockedAt: number }[];
  /** A tag that changes whenever the rows change. */
  readonly tag: string;
}

export function enhancedRows(content: StakesContent, provenWallets: ReadonlySet<string>): EnhancedRows {
  const { stakers, transactionCounts, decimals } = content;
  const rows = stakers.map((staker) => {
    const row: Omit<EnhancedRow, 'stakingDuration'> = {
      walletAddress: staker.wallet,
      stakedAmount: toDecimalText(staker.staked, decimals),
      tier: stakerBadge(staker.staked, decimals),
      cardTier: cardTier(staker.staked, decimals),
      isAuthenticated: provenWallets.has(staker.wallet),
      transactionCount: transactionCounts?.get(staker.wallet) ?? null,
      startDate: iso(staker.lockedAt),
      unlockDate: iso(staker.unlocksAt),
      entries: staker.entryCount,
    };
    return { json: JSON.stringify(row).slice(0, -1), lockedAt: staker.lockedAt };
  });
  return { rows, tag: strongTag(rows.map(({ json }) => json).join('')) };
}

export function withDurations({ rows }: EnhancedRows, now: number): SerializedList {
  const parts = rows.map(({ json, lockedAt }) => `${json},"stakingDuration":${stakingDays(lockedAt, now)}}`);
  return serializedList(`[${parts.join(',')}]`);
}

/** When (Unix ms) the number of days staked next changes for any staker; null if there are no stakers. */
export function nextDurationChange(stakers: readonly Pick<Staker, 'lockedAt'>[], now: number): number | null {
  let next = Number.POSITIVE_INFINITY;
  for (const { lockedAt } of stakers) next = Math.min(next, nextStakingDay(lockedAt, now));
  return Number.isFinite(next) ? next : null;
}
