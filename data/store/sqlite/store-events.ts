import type { ChainEvent } from '../chain-rows.ts';
import type { Activity } from './activity.ts';
import { type EventStatements, ofSignature } from './event-statements.ts';
import { NO_HISTORY, type RunningTotals, totalsAfter } from './running-totals.ts';

type Stored = ReturnType<EventStatements['storedEvents']['all']>[number];

function isToldOtherwise(stored: readonly Stored[], parts: readonly ChainEvent[]): boolean {
  return stored.length !== parts.length || parts.some((event, place) => differs(stored[place], event));
}

function differs(stored: Stored | undefined, event: ChainEvent): boolean {
  return (
    stored === undefined ||
    stored.slot !== event.slot ||
    stored.position !== event.position ||
    stored.part !== event.part ||
    stored.blockTime !== event.blockTime ||
    stored.kind !== event.kind ||
    stored.wallet !== event.wallet ||
    stored.delta !== event.delta ||
    stored.stakeEntry !== event.stakeEntry ||
    stored.status !== event.status
  );
}

/** Rows read at once where totals are computed anew: a long history is never in memory as a whole. */
const ROWS_AT_ONCE = 4_000;

/** Computes an account's running totals anew from a slot on. */
export function retotal(statements: EventStatements, accountId: number, fromSlot: number): void {
  let totals: RunningTotals = statements.newestBefore.get({ accountId, slot: fromSlot }) ?? NO_HISTORY;
  let after = { slot: fromSlot, position: -1, id: -1 };
  for (;;) {
    const rows = statements.historyFrom.all({ accountId, ...after, limit: ROWS_AT_ONCE });
    for (const stored of rows) {
      totals = totalsAfter(totals, stored);
      const stands =
        totals.historyTime === stored.historyTime &&
        totals.totalIn === stored.totalIn &&
        totals.totalOut === stored.totalOut &&
        totals.movements === stored.movements &&
        totals.staked === stored.staked &&
        totals.unstaked === stored.unstaked;
      if (!stands) statements.setTotals.run({ id: stored.id, ...totals });
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_AT_ONCE) return;
    after = last;
  }
}

/**
 * Puts transactions into an account's history, one after another. One method a transaction, not one loop over all of them:
 * the compiler would make that anew again and again.
 */
class History {
  readonly #statements: EventStatements;
  readonly #activity: Activity;
  readonly #accountId: number;
  #totals: RunningTotals;
  /** The place of the newest. */
  #end: { readonly slot: number; readonly position: number };
  /** The slot from which the totals do not hold any more. */
  #brokenFrom = Number.POSITIVE_INFINITY;

  constructor(statements: EventStatements, activity: Activity, accountId: number) {
    this.#statements = statements;
    this.#activity = activity;
    this.#accountId = accountId;
    const newest = statements.newestOf.get({ accountId });
    this.#totals = newest ?? NO_HISTORY;
    this.#end = newest ?? { slot: -1, position: -1 };
  }

  /** @param parts the events of one transaction, at least one, in their order */
  add(parts: readonly ChainEvent[]): void {
    const [event] = parts;
    if (!event) return;
    const statements = this.#statements;
    const place = { ...ofSignature(event.signature), accountId: this.#accountId };
    if (statements.isStored(place) && !this.#takeBack(place, parts)) return;
    for (const part of parts) {
      this.#totals = totalsAfter(this.#totals, part);
      statements.addEvent(part, place, this.#totals);
    }
    this.#activity.added(this.#accountId, parts);
    const { slot, position } = event;
    const end = this.#end;
    if (slot > end.slot || (slot === end.slot && position >= end.position)) this.#end = event;
    else this.#brokenFrom = Math.min(this.#brokenFrom, slot);
  }

  /** Removes what was told before of a transaction. @returns whether it is told otherwise now, and is not final */
  #takeBack(
    place: { readonly accountId: number; readonly signature: string; readonly signatureKey: number },
    parts: readonly ChainEvent[],
  ): boolean {
    const stored = this.#statements.storedEvents.all(place);
    const isFinal = stored.some(({ status }) => status === 'finalized');
    if (isFinal || !isToldOtherwise(stored, parts)) return false;
    for (const { id, slot } of stored) {
      this.#statements.removeEvent.run({ id });
      this.#brokenFrom = Math.min(this.#brokenFrom, slot, ...parts.map((part) => part.slot));
    }
    this.#activity.removed(this.#accountId, stored);
    return true;
  }

  /** To be called once, when all are added. */
  mendTotals(): void {
    if (this.#brokenFrom === Number.POSITIVE_INFINITY) return;
    retotal(this.#statements, this.#accountId, this.#brokenFrom);
  }
}

/** Where the events of a transaction end that begin at a place: its parts are told together, in their order. */
function endOfTransaction(told: readonly ChainEvent[], begin: number): number {
  const signature = told[begin]?.signature;
  let end = begin + 1;
  for (; end < told.length; end += 1) {
    const next = told[end];
    if (!next || next.part === 0 || next.signature !== signature) break;
  }
  return end;
}

/**
 * Stores an account's events with their running totals. Events that follow the stored ones, which is nearly always all of
 * them, cost one insert each; where one takes a place before others, the totals after it are computed anew. What a
 * transaction did stands or falls as a whole: told otherwise, it takes the place of what was told before.
 */
export function storeEvents(
  statements: EventStatements,
  activity: Activity,
  accountId: number,
  told: readonly ChainEvent[],
): void {
  if (told.length === 0) return;
  const history = new History(statements, activity, accountId);
  for (let begin = 0; begin < told.length; ) {
    const end = endOfTransaction(told, begin);
    history.add(told.slice(begin, end));
    begin = end;
  }
  history.mendTotals();
}
