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

/** The stakes of the pool, one staker per wallet. Immutable, so derived data can be cached by it. */
export interface StakesContent {
  /** Largest stake first. */
  readonly stakers: readonly Staker[];
  readonly byWallet: ReadonlyMap<string, Staker>;
  /** The open entries of each staker, newest first. */
  readonly openByWallet: ReadonlyMap<string, readonly OpenedStake[]>;
  /** Base units in all open entries. */
  readonly staked: bigint;
  /** Open entries. */
  readonly entries: number;
  /** Newest first. */
  readonly ended: readonly EndedStake[];
  /** Stakes and unstakes by wallet; null while the history is being read or has a gap. */
  readonly transactionCounts: ReadonlyMap<string, number> | null;
  /** Decimals of the mint. */
  readonly decimals: number;
}

/** The stakes, with the slot and time of their account snapshot. */
export interface CurrentStakes {
  readonly content: StakesContent;
  readonly slot: number;
  /** Unix ms. */
  readonly readAt: number;
}

/** Identifies a state of the stakes. While it is the same, they need not be read again. */
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
    // Accounts and events are read in turn, so a snapshot older than the newest event will change soon.
    newest !== undefined && chain !== null && chain.slot >= newest.slot,
    index.isHistoryRead,
    index.hasWholeHistory,
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

/** Groups the stakes of the index by wallet. */
export function contentOf({ entries, ended, transactionCounts }: Stakes, decimals: number): StakesContent {
  const stakers = groupStakers(entries);
  return {
    stakers,
    byWallet: new Map(stakers.map((staker) => [staker.wallet, staker])),
    openByWallet: openByWallet(entries),
    staked: stakers.reduce((total, { staked }) => total + staked, 0n),
    entries: stakers.reduce((total, staker) => total + staker.entries, 0),
    ended,
    transactionCounts,
    decimals,
  };
}

/** Reads the current stakes. */
export async function readStakes(
  reader: Pick<IndexReader, 'stakes'>,
  index: IndexSnapshot,
  decimals: number,
): Promise<StakesContent> {
  const content = contentOf(await reader.stakes(MAX_ENDED_STAKES), decimals);
  const isCounted = index.isHistoryRead && index.hasWholeHistory && index.quarantinedCount === 0;
  return isCounted ? content : { ...content, transactionCounts: null };
}
