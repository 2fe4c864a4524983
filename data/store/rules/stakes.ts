import type { ChainEvent, StakeEntryRow } from '../chain-rows.ts';
import type { EndedStake, SnapshotStake } from '../ports.ts';

export type StakeEntryEvent = Pick<ChainEvent, 'kind' | 'signature' | 'blockTime'>;

/**
 * Adds the signature of the transaction that opened an entry. An entry's address can be reused after its stake ends, so only the
 * last two events count. If the entry is closed and its last event ended the stake, the event before that one opened it.
 * Otherwise, the last event did.
 * @param lastEvents the entry's last two events up to the snapshot, newest first
 */
export function withOpeningTransaction(
  entry: StakeEntryRow,
  lastEvents: readonly StakeEntryEvent[],
): SnapshotStake {
  const [last, before] = lastEvents;
  const opener = last?.kind === 'unstake' && entry.closedAt !== null ? before : last;
  return { ...entry, openedBy: opener?.kind === 'stake' ? opener.signature : null };
}

/**
 * @param ending the event that ended the stake
 * @param before the entry's previous event
 */
export function endedStake(
  ending: Pick<ChainEvent, 'wallet' | 'delta' | 'blockTime' | 'signature'> & { readonly stakeEntry: string },
  before: StakeEntryEvent | null,
): EndedStake {
  const { stakeEntry: entry, wallet, delta, blockTime, signature } = ending;
  const opener = before?.kind === 'stake' ? before : null;
  return {
    entry,
    wallet,
    amount: -delta,
    openedAt: opener?.blockTime ?? null,
    endedAt: blockTime,
    openedBy: opener?.signature ?? null,
    endedBy: signature,
  };
}

/**
 * The number of final and provisional transactions in which each wallet staked or unstaked.
 * @param final the counts of the final transactions
 * @param provisional the wallet of each provisional transaction
 */
export function countTransactions(
  final: readonly { readonly wallet: string; readonly transactions: number }[],
  provisional: readonly string[],
): ReadonlyMap<string, number> {
  const counts = new Map(final.map(({ wallet, transactions }) => [wallet, transactions]));
  for (const wallet of provisional) counts.set(wallet, (counts.get(wallet) ?? 0) + 1);
  return counts;
}
