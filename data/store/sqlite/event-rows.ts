import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { ChainEvent } from '../chain-rows.ts';
import { eq, lte, sql, value } from './drizzle.ts';
import {
  type EventStatements,
  keyOf,
  NO_HISTORY,
  type RunningTotals,
  type TransactionKey,
} from './event-statements.ts';
import { accounts, walletActivity } from './index-schema.ts';

/** Totals after one more event. The time never falls; an event without a time counts at the time before it. */
function totalsAfter(
  totals: RunningTotals,
  { blockTime, kind, delta }: Pick<ChainEvent, 'blockTime' | 'kind' | 'delta'>,
): RunningTotals {
  const { historyTime } = totals;
  return {
    historyTime:
      blockTime === null || (historyTime !== null && historyTime > blockTime) ? historyTime : blockTime,
    totalIn: delta > 0n ? totals.totalIn + delta : totals.totalIn,
    totalOut: delta < 0n ? totals.totalOut - delta : totals.totalOut,
    movements: delta === 0n ? totals.movements : totals.movements + 1,
    staked: kind === 'stake' ? totals.staked + delta : totals.staked,
    unstaked: kind === 'unstake' ? totals.unstaked - delta : totals.unstaked,
  };
}

/** The prepared statements that count events. */
export function prepareActivityStatements(db: BetterSQLite3Database) {
  return {
    countEvents: db
      .update(accounts)
      .set({ eventCount: sql`${accounts.eventCount} + ${value('more')}` })
      .where(eq(accounts.id, value('id')))
      .prepare(),
    countOfWallet: db
      .insert(walletActivity)
      .values({ wallet: value('wallet'), transactions: value('more') })
      .onConflictDoUpdate({
        target: walletActivity.wallet,
        set: { transactions: sql`${walletActivity.transactions} + excluded.transactions` },
      })
      .prepare(),
    removeIdleWallet: db
      .delete(walletActivity)
      .where(sql`${eq(walletActivity.wallet, value('wallet'))} and ${lte(walletActivity.transactions, 0)}`)
      .prepare(),
  };
}
export type ActivityStatements = ReturnType<typeof prepareActivityStatements>;

type CountedEvent = Pick<ChainEvent, 'kind' | 'wallet'>;

const isStaking = (kind: ChainEvent['kind']): boolean => kind === 'stake' || kind === 'unstake';

/** Collects the changes that one transaction of the writer makes to the counts of events. */
export class ActivityChanges {
  readonly #events = new Map<number, number>();
  readonly #wallets = new Map<string, number>();

  /** A wallet that staked and unstaked in one transaction counts once. */
  #count(accountId: number, parts: readonly CountedEvent[], sign: 1 | -1): void {
    this.#events.set(accountId, (this.#events.get(accountId) ?? 0) + sign * parts.length);
    for (const one of parts) {
      const { kind, wallet } = one;
      if (wallet === null || !isStaking(kind)) continue;
      const first = parts.find((other) => other.wallet === wallet && isStaking(other.kind));
      if (first === one) this.#wallets.set(wallet, (this.#wallets.get(wallet) ?? 0) + sign);
    }
  }

  /** @param parts the events of one transaction */
  add(accountId: number, parts: readonly CountedEvent[]): void {
    this.#count(accountId, parts, 1);
  }

  /** @param parts the events of one transaction */
  remove(accountId: number, parts: readonly CountedEvent[]): void {
    this.#count(accountId, parts, -1);
  }

  /** Writes the counts. Call it once, at the end of the transaction. */
  write(statements: ActivityStatements): void {
    for (const [id, more] of this.#events) if (more !== 0) statements.countEvents.run({ id, more });
    for (const [wallet, more] of this.#wallets) {
      if (more === 0) continue;
      statements.countOfWallet.run({ wallet, more });
      if (more < 0) statements.removeIdleWallet.run({ wallet });
    }
  }
}

/** Rows read per query, so that a long history is never in memory as a whole. */
const ROWS_PER_READ = 4_000;

/** Recomputes an account's running totals from a slot on. */
export function recomputeTotals(statements: EventStatements, accountId: number, fromSlot: number): void {
  let totals: RunningTotals = statements.newestBefore.get({ accountId, slot: fromSlot }) ?? NO_HISTORY;
  let after = { slot: fromSlot, position: -1, id: -1 };
  const bounds = { accountId, upToSlot: Number.MAX_SAFE_INTEGER, limit: ROWS_PER_READ };
  for (;;) {
    const rows = statements.historyAfter.all({ ...after, ...bounds });
    for (const stored of rows) {
      totals = totalsAfter(totals, stored);
      const isUnchanged =
        totals.historyTime === stored.historyTime &&
        totals.totalIn === stored.totalIn &&
        totals.totalOut === stored.totalOut &&
        totals.movements === stored.movements &&
        totals.staked === stored.staked &&
        totals.unstaked === stored.unstaked;
      if (!isUnchanged) statements.setTotals.run({ id: stored.id, ...totals });
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_PER_READ) return;
    after = last;
  }
}

type StoredEvent = ReturnType<EventStatements['storedEvents']['all']>[number];

function isSameEvent(stored: StoredEvent | undefined, event: ChainEvent): boolean {
  return (
    stored !== undefined &&
    stored.slot === event.slot &&
    stored.position === event.position &&
    stored.part === event.part &&
    stored.blockTime === event.blockTime &&
    stored.kind === event.kind &&
    stored.wallet === event.wallet &&
    stored.delta === event.delta &&
    stored.stakeEntry === event.stakeEntry &&
    stored.status === event.status
  );
}

/**
 * Adds transactions to an account's history. One method call per transaction, not one loop over all of them: the compiler
 * would recompile such a loop repeatedly.
 */
class AccountHistory {
  readonly #statements: EventStatements;
  readonly #activity: ActivityChanges;
  readonly #accountId: number;
  #totals: RunningTotals;
  /** The place of the newest event. */
  #end: { readonly slot: number; readonly position: number };
  /** The slot from which the stored totals are wrong. */
  #wrongFrom = Number.POSITIVE_INFINITY;

  constructor(statements: EventStatements, activity: ActivityChanges, accountId: number) {
    this.#statements = statements;
    this.#activity = activity;
    this.#accountId = accountId;
    const newest = statements.newestOf.get({ accountId });
    this.#totals = newest ?? NO_HISTORY;
    this.#end = newest ?? { slot: -1, position: -1 };
  }

  /** @param parts the events of one transaction, at least one, in order */
  add(parts: readonly ChainEvent[]): void {
    const [event] = parts;
    if (!event) return;
    const key = keyOf(event.signature);
    if (this.#statements.isStored(this.#accountId, key) && !this.#removeStored(key, parts)) return;
    for (const part of parts) {
      this.#totals = totalsAfter(this.#totals, part);
      this.#statements.addEvent(this.#accountId, key, part, this.#totals);
    }
    this.#activity.add(this.#accountId, parts);
    const { slot, position } = event;
    const end = this.#end;
    if (slot > end.slot || (slot === end.slot && position >= end.position)) this.#end = event;
    else this.#wrongFrom = Math.min(this.#wrongFrom, slot);
  }

  /** Removes a transaction's stored events, unless they are final or unchanged. @returns whether it removed them */
  #removeStored(key: TransactionKey, parts: readonly ChainEvent[]): boolean {
    const stored = this.#statements.storedEvents.all({ ...key, accountId: this.#accountId });
    const isFinal = stored.some(({ status }) => status === 'finalized');
    const isUnchanged =
      stored.length === parts.length && parts.every((event, place) => isSameEvent(stored[place], event));
    if (isFinal || isUnchanged) return false;
    for (const { id, slot } of stored) {
      this.#statements.removeEvent.run({ id });
      this.#wrongFrom = Math.min(this.#wrongFrom, slot, ...parts.map((part) => part.slot));
    }
    this.#activity.remove(this.#accountId, stored);
    return true;
  }

  /** Call it once, after all transactions are added. */
  correctTotals(): void {
    if (this.#wrongFrom === Number.POSITIVE_INFINITY) return;
    recomputeTotals(this.#statements, this.#accountId, this.#wrongFrom);
  }
}

/** The index after the last event of the transaction that starts at `start`: its events are consecutive. */
function endOfTransaction(events: readonly ChainEvent[], start: number): number {
  const signature = events[start]?.signature;
  let end = start + 1;
  for (; end < events.length; end += 1) {
    const next = events[end];
    if (!next || next.part === 0 || next.signature !== signature) break;
  }
  return end;
}

/**
 * Stores an account's events with their running totals. Events that follow the stored ones, as nearly all do, cost one
 * insert each. When an event precedes stored ones, the totals after it are recomputed. The events of a transaction are
 * stored as a whole: if they differ from the stored ones, they replace them.
 */
export function storeEvents(
  statements: EventStatements,
  activity: ActivityChanges,
  accountId: number,
  events: readonly ChainEvent[],
): void {
  if (events.length === 0) return;
  const history = new AccountHistory(statements, activity, accountId);
  for (let start = 0; start < events.length; ) {
    const end = endOfTransaction(events, start);
    history.add(events.slice(start, end));
    start = end;
  }
  history.correctTotals();
}
