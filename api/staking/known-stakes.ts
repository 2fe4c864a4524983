import { ENDED_STAKES_TOLD } from '../../data/contract/stakes.ts';
import { groupStakers, type Staker } from '../../data/model/stakers.ts';
import type {
  EndedStake,
  IndexReader,
  IndexSnapshot,
  IndexStatistics,
  OpenedStake,
  Stakes,
} from '../../data/store/ports.ts';

/** The stakes of the pool, one staker a wallet. Never changed once made: what is derived from it can be kept by it. */
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

/** The stakes, and the account snapshot they hold at. */
export interface KnownStakes {
  readonly content: StakesContent;
  readonly slot: number;
  /** Unix ms. */
  readonly readAt: number;
}

/** Tells the state of the stakes from another, at the cost of two look-ups: while it stays, reading them is of no use. */
export function stakesMark(index: IndexSnapshot, { events }: IndexStatistics): string {
  const { chain, identity } = index;
  const newest = index.recentEvents.find((event) => event.account === identity?.poolVault);
  return [
    identity?.genesisHash,
    identity?.stakePool,
    chain?.entryChanges,
    events['stake-pool'],
    newest?.signature,
    // Accounts and events are read in turns: a snapshot from before the newest event changes with the next one.
    newest !== undefined && chain !== null && chain.slot >= newest.slot,
    index.isHistoryRead,
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

/** Stakes as the index holds them, grouped. */
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

/** Reads the stakes as they stand. */
export async function readStakes(
  reader: Pick<IndexReader, 'stakes'>,
  index: IndexSnapshot,
  decimals: number,
): Promise<StakesContent> {
  const content = contentOf(await reader.stakes(ENDED_STAKES_TOLD), decimals);
  const isCounted = index.isHistoryRead && index.quarantinedCount === 0;
  return isCounted ? content : { ...content, transactionCounts: null };
}
