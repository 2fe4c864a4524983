import { MAX_ENDED_STAKES } from '../../data/contract/stakes.ts';
import { groupStakers, type Staker } from '../../data/model/stakers.ts';
import type {
  EndedStake,
  IndexReader,
  IndexSnapshot,
  IndexStatistics,
  SnapshotStake,
  Stakes,
} from '../../data/store/ports.ts';
import { isHistoryComplete } from '../metrics/event-history.ts';

/** The pool's stakes, grouped by wallet. The object is immutable, so that derived data can be cached for it. */
export interface StakesContent {
  /** Largest stake first. */
  readonly stakers: readonly Staker[];
  readonly stakerByWallet: ReadonlyMap<string, Staker>;
  /** Each staker's open entries, newest first. */
  readonly openStakesByWallet: ReadonlyMap<string, readonly SnapshotStake[]>;
  /** Open and closed entries by address. */
  readonly entryByAddress: ReadonlyMap<string, SnapshotStake>;
  /** Base units in all open entries. */
  readonly staked: bigint;
  /** Open entries only. */
  readonly entryCount: number;
  /** Newest first. */
  readonly endedStakes: readonly EndedStake[];
  /** The number of stakes and unstakes by wallet; null while the history is being read or has a gap. */
  readonly transactionCounts: ReadonlyMap<string, number> | null;
  readonly decimals: number;
}

export interface CurrentStakes {
  readonly content: StakesContent;
  readonly slot: number;
  /** Unix ms. */
  readonly readAt: number;
}

/** A text that changes whenever the stakes have to be read again. */
export function stakesFingerprint(
  index: IndexSnapshot,
  { events, provisionalEvents }: IndexStatistics,
): string {
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
    isHistoryComplete(index),
  ].join(' ');
}

function groupOpenStakes(entries: readonly SnapshotStake[]): ReadonlyMap<string, readonly SnapshotStake[]> {
  const grouped = Map.groupBy(
    entries.filter(({ closedAt }) => closedAt === null),
    ({ wallet }) => wallet,
  );
  for (const walletEntries of grouped.values()) {
    walletEntries.sort((one, other) => other.createdAt - one.createdAt || other.nonce - one.nonce);
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
    stakerByWallet: new Map(stakers.map((staker) => [staker.wallet, staker])),
    openStakesByWallet: groupOpenStakes(entries),
    entryByAddress: new Map(entries.map((entry) => [entry.address, entry])),
    staked: stakers.reduce((total, { staked }) => total + staked, 0n),
    entryCount: stakers.reduce((total, staker) => total + staker.entryCount, 0),
    endedStakes: ended,
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
  return isHistoryComplete(index) ? content : { ...content, transactionCounts: null };
}
