import { MAX_ENDED_STAKES } from '../../data/contract/stakes.ts';
import { groupStakers, type Staker } from '../../data/model/stakers.ts';
import type {
  EndedStake,
  IndexReader,
  IndexSnapshot,
  IndexStatistics,
  OpenedStake,
  Stakes,
} from '../../data/store/ports.ts';

/** The pool's stakes, grouped by wallet. The object is immutable, so that derived data can be cached for it. */
export interface StakesContent {
  /** Largest stake first. */
  readonly stakers: readonly Staker[];
  readonly byWallet: ReadonlyMap<string, Staker>;
  /** Each staker's open entries, newest first. */
  readonly openByWallet: ReadonlyMap<string, readonly OpenedStake[]>;
  /** Open and closed entries by address. */
  readonly byEntry: ReadonlyMap<string, OpenedStake>;
  /** Base units in all open entries. */
  readonly staked: bigint;
  /** The number of open entries. */
  readonly entries: number;
  /** Newest first. */
  readonly ended: readonly EndedStake[];
  /** The number of stakes and unstakes by wallet; null while the history is being read or has a gap. */
  readonly transactionCounts: ReadonlyMap<string, number> | null;
  /** The mint's decimals. */
  readonly decimals: number;
}

/** Stakes with the slot and time of their account snapshot. */
export interface CurrentStakes {
  readonly content: StakesContent;
  readonly slot: number;
  /** Unix ms. */
  readonly readAt: number;
}

/** A text that changes whenever the stakes have to be read again. */
export function stakesMark(index: IndexSnapshot, { events, provisionalEvents }: IndexStatistics): string {
  const { chain, identity } = index;
  const newest = index.recentEvents.find((event) => event.account === identity?.poolVault);
  return [
    identity?.genesisHash,
    identity?.stakePool,
    chain?.entryChanges,
    events['stake-pool'],
    provisionalEvents,
    newest?.signature,
    // The account snapshot may be older than the newest event. Once it has caught up, the stakes are read again.
    newest !== undefined && chain !== null && chain.slot >= newest.slot,
    index.isHistoryRead,
    index.hasCompleteHistory,
    index.quarantinedCount,
  ].join(' ');
}

function openByWallet(entries: readonly OpenedStake[]): ReadonlyMap<string, readonly OpenedStake[]> {
  const grouped = Map.groupBy(
    entries.filter(({ closedAt }) => closedAt === null),
    ({ wallet }) => wallet,
  );
  for (const open of grouped.values()) {
    open.sort((one, other) => other.createdAt - one.createdAt || other.nonce - one.nonce);
  }
  return grouped;
}

export function stakesContent(
  { entries, ended, transactionCounts }: Stakes,
  decimals: number,
): StakesContent {
  const stakers = groupStakers(entries);
  return {
    stakers,
    byWallet: new Map(stakers.map((staker) => [staker.wallet, staker])),
    openByWallet: openByWallet(entries),
    byEntry: new Map(entries.map((entry) => [entry.address, entry])),
    staked: stakers.reduce((total, { staked }) => total + staked, 0n),
    entries: stakers.reduce((total, staker) => total + staker.entries, 0),
    ended,
    transactionCounts,
    decimals,
  };
}

export async function readStakes(
  reader: Pick<IndexReader, 'stakes'>,
  index: IndexSnapshot,
  decimals: number,
): Promise<StakesContent> {
  const content = stakesContent(await reader.stakes(MAX_ENDED_STAKES), decimals);
  const isCounted = index.isHistoryRead && index.hasCompleteHistory && index.quarantinedCount === 0;
  return isCounted ? content : { ...content, transactionCounts: null };
}
