import type { QuarantinedTransaction } from '../chain-rows.ts';
import type { EventBatch } from '../ports.ts';
import {
  assertConsistent,
  assertReleasable,
  progressAfter,
  provisionalAfter,
  type ReleasedRows,
} from '../rules/event-batch.ts';
import {
  type AlarmStatements,
  type QuarantineStatements,
  storeAlarms,
  storeQuarantined,
} from './alarm-rows.ts';
import { ActivityCounts, type ActivityStatements, replaceProvisional, storeEvents } from './event-rows.ts';
import type { EventStatements } from './event-statements.ts';

interface HistoryStatements {
  readonly events: EventStatements;
  readonly alarms: AlarmStatements;
  readonly quarantine: QuarantineStatements;
  readonly activity: ActivityStatements;
}

/** Call it in a transaction. @throws {RangeError} when the batch contradicts itself. */
export function storeBatch(statements: HistoryStatements, batch: EventBatch): void {
  assertConsistent(batch);
  const { account: address } = batch;
  const { events } = statements;
  const account = events.accountByAddress.get({ address }) ?? events.addAccount.get({ address });
  const { id: accountId } = account;
  const activity = new ActivityCounts();
  storeEvents(events, activity, accountId, batch.events);
  storeAlarms(statements.alarms, accountId, batch.alarms ?? []);
  storeQuarantined(statements, accountId, batch.events, batch.quarantined ?? []);
  activity.write(statements.activity);
  const { cursorSignature: signature, cursorSlot: slot, caughtUpAt } = progressAfter(account, batch);
  storeProvisional(statements, accountId, slot ?? -1, batch);
  events.setCursor.run({ id: accountId, signature, slot, caughtUpAt });
  if (batch.beginning) {
    const { signature: oldestSignature, slot: oldestSlot, isProven } = batch.beginning;
    events.setBeginning.run({
      id: accountId,
      signature: oldestSignature,
      slot: oldestSlot,
      isProven: Number(isProven),
    });
  }
}

function storeProvisional(
  { events, alarms, quarantine }: HistoryStatements,
  accountId: number,
  cursorSlot: number,
  batch: Pick<EventBatch, 'events' | 'provisional'>,
): void {
  const slot = Math.max(cursorSlot, events.newestOf.get({ accountId })?.slot ?? -1);
  const provisionalRows = provisionalAfter(batch, events.provisionalOf.all({ accountId }), slot);
  replaceProvisional(events, accountId, provisionalRows.events);
  alarms.removeProvisionalUpTo.run({ accountId, slot: provisionalRows.removedUpToSlot });
  quarantine.removeProvisionalUpTo.run({ accountId, slot: provisionalRows.removedUpToSlot });
  storeAlarms(alarms, accountId, provisionalRows.alarms);
  for (const transaction of provisionalRows.quarantined)
    quarantine.put.run({ ...transaction, accountId, status: 'confirmed' });
}

export function releaseQuarantined(
  statements: HistoryStatements,
  transaction: Pick<QuarantinedTransaction, 'signature' | 'account'>,
  rows: ReleasedRows,
): void {
  assertReleasable(transaction, rows);
  const { signature, account: address } = transaction;
  const account = statements.events.accountByAddress.get({ address });
  if (account === undefined) return;
  const accountId = account.id;
  if (statements.quarantine.remove.run({ signature, accountId }).changes === 0) return;
  const activity = new ActivityCounts();
  storeEvents(statements.events, activity, accountId, rows.events);
  storeAlarms(statements.alarms, accountId, rows.alarms);
  activity.write(statements.activity);
  storeProvisional(statements, accountId, account.cursorSlot ?? -1, { events: [] });
}
