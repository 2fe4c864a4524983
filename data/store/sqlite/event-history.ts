import type { ChainEvent, EventBatch } from '../ports.ts';
import type { EventStatements } from './event-statements.ts';
import { NO_HISTORY, type RunningTotals, totalsAfter } from './running-totals.ts';

function assertCoherent({ account, events, cursor }: EventBatch): void {
  if (cursor.account !== account)
    throw new RangeError(`A batch of ${account} has the cursor of ${cursor.account}.`);
  for (const event of events) {
    if (event.account !== account) {
      throw new RangeError(`A batch of ${account} holds ${event.signature} of ${event.account}.`);
    }
    if (event.slot > cursor.slot) {
      throw new RangeError(
        `${event.signature} is in slot ${event.slot}, beyond its batch's cursor ${cursor.slot}.`,
      );
    }
  }
}

type Stored = NonNullable<ReturnType<EventStatements['storedEvent']['get']>>;

function isToldOtherwise(stored: Stored, event: ChainEvent): boolean {
  return (
    stored.slot !== event.slot ||
    stored.position !== event.position ||
    stored.blockTime !== event.blockTime ||
    stored.kind !== event.kind ||
    stored.wallet !== event.wallet ||
    stored.delta !== event.delta ||
    stored.status !== event.status
  );
}

/** Computes an account's running totals anew from a slot on. */
function retotal(statements: EventStatements, accountId: number, fromSlot: number): void {
  let totals: RunningTotals = statements.newestBefore.get({ accountId, slot: fromSlot }) ?? NO_HISTORY;
  for (const { id, blockTime, delta, ...stored } of statements.historyFrom.all({
    accountId,
    slot: fromSlot,
  })) {
    totals = totalsAfter(totals, { blockTime, delta });
    const stands =
      totals.historyTime === stored.historyTime &&
      totals.totalIn === stored.totalIn &&
      totals.totalOut === stored.totalOut &&
      totals.movements === stored.movements;
    if (!stands) statements.setTotals.run({ id, ...totals });
  }
}

/**
 * Stores a batch's events with their running totals. Events that follow the stored ones, which is nearly always all of
 * them, cost one insert each; where one takes a place before others, the totals after it are computed anew.
 */
function storeEvents(statements: EventStatements, accountId: number, batch: readonly ChainEvent[]): void {
  const newest = statements.newestOf.get({ accountId });
  let totals: RunningTotals = newest ?? NO_HISTORY;
  let end = newest ?? { slot: -1, position: -1 };
  let retotalFrom = Number.POSITIVE_INFINITY;
  const store = (event: ChainEvent): boolean => {
    const next = totalsAfter(totals, event);
    if (statements.addEvent.run({ ...event, accountId, ...next }).changes === 0) return false;
    if (event.slot < end.slot || (event.slot === end.slot && event.position < end.position)) {
      retotalFrom = Math.min(retotalFrom, event.slot);
    } else {
      end = event;
    }
    totals = next;
    return true;
  };
  for (const event of batch) {
    if (store(event)) continue;
    const stored = statements.storedEvent.get({ signature: event.signature, accountId });
    if (stored === undefined || stored.status === 'finalized' || !isToldOtherwise(stored, event)) continue;
    statements.removeEvent.run({ id: stored.id });
    retotalFrom = Math.min(retotalFrom, stored.slot, event.slot);
    store(event);
  }
  if (retotalFrom !== Number.POSITIVE_INFINITY) retotal(statements, accountId, retotalFrom);
}

function latest(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}

/** Commits one batch; to be run in a transaction. @throws {RangeError} where the batch contradicts itself. */
export function commitBatch(statements: EventStatements, batch: EventBatch): void {
  assertCoherent(batch);
  const { account: address, cursor } = batch;
  const account = statements.accountByAddress.get({ address }) ?? statements.addAccount.get({ address });
  // A cursor on a transaction that is stored already belongs to a batch sent again, within the slot it stands in.
  const sentAgain =
    statements.storedEvent.get({ signature: cursor.signature, accountId: account.id }) !== undefined;
  storeEvents(statements, account.id, batch.events);

  const stored = account.cursorSlot;
  const goesForward = stored === null || cursor.slot > stored || (cursor.slot === stored && !sentAgain);
  const caughtUpAt = latest(account.caughtUpAt, batch.caughtUpAt ?? null);
  if (!goesForward && caughtUpAt === account.caughtUpAt) return;
  statements.setCursor.run({
    id: account.id,
    signature: goesForward ? cursor.signature : account.cursorSignature,
    slot: goesForward ? cursor.slot : stored,
    caughtUpAt,
  });
}

/**
 * Makes transactions final and takes vanished ones back; to be run in a transaction.
 * @throws {RangeError} where a signature is said to be both.
 */
export function settle(
  statements: EventStatements,
  outcome: { readonly finalized: readonly string[]; readonly vanished: readonly string[] },
): void {
  const vanished = new Set(outcome.vanished);
  const both = outcome.finalized.find((signature) => vanished.has(signature));
  if (both !== undefined) throw new RangeError(`${both} is said to be finalized and vanished at once.`);
  for (const signature of outcome.finalized) statements.finalize.run({ signature });

  const firstLost = new Map<number, number>();
  for (const signature of vanished) {
    for (const event of statements.provisionalBySignature.all({ signature })) {
      statements.removeEvent.run({ id: event.id });
      firstLost.set(event.accountId, Math.min(event.slot, firstLost.get(event.accountId) ?? event.slot));
    }
  }
  for (const account of statements.allAccounts.all()) {
    const lostFrom = firstLost.get(account.id);
    if (lostFrom !== undefined) retotal(statements, account.id, lostFrom);
    const cursorLost = account.cursorSignature !== null && vanished.has(account.cursorSignature);
    if (account.cursorSlot === null || (lostFrom === undefined && !cursorLost)) continue;
    const back = statements.newestBefore.get({ accountId: account.id, slot: lostFrom ?? account.cursorSlot });
    statements.setCursor.run({
      id: account.id,
      signature: back?.signature ?? null,
      slot: back?.slot ?? null,
      // What stands in place of the vanished is not listed yet, so the history is no longer known up to now.
      caughtUpAt: null,
    });
  }
}
