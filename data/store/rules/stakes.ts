import type { ChainEvent, StakeEntryRow } from '../chain-rows.ts';
import type { EndedStake, OpenedStake } from '../ports.ts';

/** An event that names a stake entry. */
export type NamingEvent = Pick<ChainEvent, 'kind' | 'signature' | 'blockTime'>;

/**
 * Adds the transaction that opened an entry. An address can be used again once its stake has ended. So the opener is the entry's
 * last event up to the snapshot. If that event ended the entry, the opener is the previous event.
 * @param naming the last two events that name the entry, newest first
 */
export function withOpener(entry: StakeEntryRow, naming: readonly NamingEvent[]): OpenedStake {
  const [last, before] = naming;
  const opener = last?.kind === 'unstake' && entry.closedAt !== null ? before : last;
  return { ...entry, openedBy: opener?.kind === 'stake' ? opener.signature : null };
}

/**
 * @param ending the event that ended the stake
 * @param before the previous event that names the entry
 */
export function endedStake(
  ending: Pick<ChainEvent, 'wallet' | 'delta' | 'blockTime' | 'signature'> & { readonly stakeEntry: string },
  before: NamingEvent | null,
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
