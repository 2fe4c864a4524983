import type { ChainAlarm, ChainEvent, QuarantinedTransaction } from '../chain-rows.ts';
import type { EventBatch, IndexWriter } from '../ports.ts';
import {
  type AlarmStatements,
  type QuarantineStatements,
  storeAlarms,
  storeQuarantined,
} from './alarm-rows.ts';
import { ActivityChanges, type ActivityStatements, recomputeTotals, storeEvents } from './event-rows.ts';
import { type EventStatements, keyOf } from './event-statements.ts';

/** The statements that write the histories of the watched accounts. */
interface HistoryStatements {
  readonly events: EventStatements;
  readonly alarms: AlarmStatements;
  readonly quarantine: QuarantineStatements;
  readonly activity: ActivityStatements;
}

function assertConsistent({ account, events, alarms = [], quarantined = [], cursor }: EventBatch): void {
  const transactions = [...events, ...alarms, ...quarantined];
  if (cursor === null) {
    if (transactions.length === 0) return;
    throw new RangeError(`A batch of ${account} has transactions but no cursor.`);
  }
  if (cursor.account !== account)
    throw new RangeError(`A batch of ${account} has the cursor of ${cursor.account}.`);
  for (const one of transactions) {
    if (one.account !== account) {
      throw new RangeError(`A batch of ${account} holds ${one.signature} of ${one.account}.`);
    }
    if (one.slot > cursor.slot) {
      throw new RangeError(
        `${one.signature} is in slot ${one.slot}, after its batch's cursor ${cursor.slot}.`,
      );
    }
  }
}

function latest(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}

/** Commits one batch. Run it in a transaction. @throws {RangeError} when the batch is inconsistent. */
export function commitBatch(statements: HistoryStatements, batch: EventBatch): void {
  assertConsistent(batch);
  const { account: address, cursor } = batch;
  const { events } = statements;
  const account = events.accountByAddress.get({ address }) ?? events.addAccount.get({ address });
  const { id: accountId, cursorSlot: stored } = account;
  const caughtUpAt = latest(account.caughtUpAt, batch.caughtUpAt ?? null);
  if (cursor === null) {
    if (stored !== null || account.eventCount > 0) {
      throw new RangeError(
        `A batch states that the chain lists no transaction of ${address}, but its history is indexed.`,
      );
    }
    events.setCursor.run({ id: accountId, signature: null, slot: null, position: 0, caughtUpAt });
    return;
  }
  const activity = new ActivityChanges();
  storeEvents(events, activity, accountId, batch.events);
  storeAlarms(statements.alarms, accountId, { events: batch.events, alarms: batch.alarms ?? [] });
  storeQuarantined(statements, accountId, batch.events, batch.quarantined ?? []);
  activity.write(statements.activity);

  const isAdvanced =
    stored === null ||
    batch.endsRelisting === true ||
    cursor.slot > stored ||
    (cursor.slot === stored && cursor.position > account.cursorPosition);
  if (!isAdvanced && caughtUpAt === account.caughtUpAt) return;
  events.setCursor.run({
    id: accountId,
    signature: isAdvanced ? cursor.signature : account.cursorSignature,
    slot: isAdvanced ? cursor.slot : stored,
    position: isAdvanced ? cursor.position : account.cursorPosition,
    caughtUpAt,
  });
}

/**
 * Releases a transaction from quarantine and stores what it did. Run it in a transaction. Nothing changes when the
 * transaction is not quarantined. @throws {RangeError} when `found` belongs to another transaction or account.
 */
export function release(
  statements: HistoryStatements,
  { signature, account: address }: Pick<QuarantinedTransaction, 'signature' | 'account'>,
  found: { readonly events: readonly ChainEvent[]; readonly alarms: readonly ChainAlarm[] },
): void {
  const other = [...found.events, ...found.alarms].find(
    (one) => one.signature !== signature || one.account !== address,
  );
  if (other !== undefined) {
    throw new RangeError(
      `${signature} of ${address} cannot be released with ${other.signature} of ${other.account}.`,
    );
  }
  const account = statements.events.accountByAddress.get({ address });
  if (account === undefined) return;
  const accountId = account.id;
  if (statements.quarantine.remove.run({ signature, accountId }).changes === 0) return;
  const activity = new ActivityChanges();
  storeEvents(statements.events, activity, accountId, found.events);
  storeAlarms(statements.alarms, accountId, found);
  activity.write(statements.activity);
}

/**
 * Finalizes transactions and removes vanished ones. Run it in a transaction.
 * @throws {RangeError} when a signature is in both lists.
 */
export function settle(
  { events, alarms, activity: counts }: HistoryStatements,
  outcome: Parameters<IndexWriter['settleEvents']>[0],
): void {
  const vanished = new Set(outcome.vanished);
  const both = outcome.finalized.find((signature) => vanished.has(signature));
  if (both !== undefined) throw new RangeError(`${both} cannot be both finalized and vanished.`);
  for (const signature of outcome.finalized) {
    events.finalize.run(keyOf(signature));
    alarms.finalize.run({ signature });
  }

  const activity = new ActivityChanges();
  const firstLost = new Map<number, number>();
  const lose = ({ accountId, slot }: { readonly accountId: number; readonly slot: number }): void => {
    firstLost.set(accountId, Math.min(slot, firstLost.get(accountId) ?? slot));
  };
  for (const signature of vanished) {
    const removed = events.provisionalBySignature.all(keyOf(signature));
    for (const event of removed) {
      events.removeEvent.run({ id: event.id });
      lose(event);
    }
    for (const [accountId, parts] of Map.groupBy(removed, (event) => event.accountId)) {
      activity.remove(accountId, parts);
    }
    for (const alarm of alarms.provisionalBySignature.all({ signature })) {
      alarms.remove.run({ id: alarm.id });
      lose(alarm);
    }
  }
  activity.write(counts);
  for (const account of events.allAccounts.all()) {
    const lostFrom = firstLost.get(account.id);
    if (lostFrom !== undefined) recomputeTotals(events, account.id, lostFrom);
    const isCursorLost = account.cursorSignature !== null && vanished.has(account.cursorSignature);
    if (account.cursorSlot === null || (lostFrom === undefined && !isCursorLost)) continue;
    const before = events.newestBefore.get({ accountId: account.id, slot: lostFrom ?? account.cursorSlot });
    events.setCursor.run({
      id: account.id,
      signature: before?.signature ?? null,
      slot: before?.slot ?? null,
      position: before?.position ?? 0,
      // The transactions that replaced the vanished ones are not listed yet, so the history is not caught up.
      caughtUpAt: null,
    });
  }
}
