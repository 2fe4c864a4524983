import type { PlacedTransaction } from '../chain-rows.ts';
import type { EventSums, IndexWriter } from '../ports.ts';
import type { EventStatements } from './event-statements.ts';
import { NO_HISTORY } from './running-totals.ts';

/** What an account's events add up to, up to a slot and with it. */
export function eventSums(statements: EventStatements, address: string, upToSlot: number): EventSums {
  const account = statements.accountByAddress.get({ address });
  const newest = account && statements.newestUpTo.get({ accountId: account.id, slot: upToSlot });
  const { totalIn, totalOut, staked, unstaked } = newest ?? NO_HISTORY;
  return { totalIn, totalOut, staked, unstaked };
}

/** The newest finalized event of an account in slots up to one. */
export function finalEvent(
  statements: EventStatements,
  address: string,
  upToSlot: number,
): PlacedTransaction | null {
  const account = statements.accountByAddress.get({ address });
  const newest = account && statements.newestFinalUpTo.get({ accountId: account.id, slot: upToSlot });
  return newest ? { ...newest, account: address } : null;
}

/** Transactions whose events or alarms are provisional, up to a slot, oldest first. */
export function provisionalTransactions(
  statements: EventStatements,
  ...[slot, limit]: Parameters<IndexWriter['provisionalEvents']>
): Awaited<ReturnType<IndexWriter['provisionalEvents']>> {
  const bounds = { slot, limit: Math.max(0, limit) };
  const found = new Map<string, PlacedTransaction>();
  const told = [...statements.provisionalEvents.all(bounds), ...statements.provisionalAlarms.all(bounds)];
  for (const { signature, account, slot: at } of told) {
    const key = `${signature} ${account}`;
    if (!found.has(key)) found.set(key, { signature, account, slot: at });
  }
  return [...found.values()].sort((one, other) => one.slot - other.slot).slice(0, bounds.limit);
}
