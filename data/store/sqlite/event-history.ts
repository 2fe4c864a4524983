import type { EventStatus } from '../../model/chain-events.ts';
import type { ChainAlarm, ChainEvent, QuarantinedTransaction } from '../chain-rows.ts';
import type { EventBatch, TransactionRows } from '../ports.ts';
import {
  type AlarmStatements,
  type QuarantineStatements,
  storeAlarms,
  storeQuarantined,
} from './alarm-rows.ts';
import { ActivityCounts, type ActivityStatements, replaceProvisional, storeEvents } from './event-rows.ts';
import type { EventStatements } from './event-statements.ts';

/** The statements that write the histories of the watched accounts. */
interface HistoryStatements {
  readonly events: EventStatements;
  readonly alarms: AlarmStatements;
  readonly quarantine: QuarantineStatements;
  readonly activity: ActivityStatements;
}

const rowsIn = ({ events, alarms = [], quarantined = [] }: TransactionRows) => [
  ...events,
  ...alarms,
  ...quarantined,
];

function assertConsistent(batch: EventBatch): void {
  const { account, cursor, provisional = { events: [] } } = batch;
  if (cursor !== null && cursor.account !== account)
    throw new RangeError(`A batch for ${account} has the cursor of ${cursor.account}.`);
  const reached = cursor?.slot ?? -1;
  const check = (rows: TransactionRows, isInPlace: (slot: number) => boolean, status: EventStatus): void => {
    for (const one of rowsIn(rows)) {
      const { signature, slot } = one;
      if (one.account !== account)
        throw new RangeError(`A batch for ${account} contains ${signature} of ${one.account}.`);
      if (!isInPlace(slot) || ('status' in one && one.status !== status)) {
        throw new RangeError(
          `${signature} in slot ${slot} cannot be ${status}: the cursor is at ${reached}.`,
        );
      }
    }
  };
  check(batch, (slot) => slot <= reached, 'finalized');
  check(provisional, (slot) => slot > reached, 'confirmed');
}

function latest(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}

/** Commits one batch. Call it in a transaction. @throws {RangeError} when the batch contradicts itself. */
export function commitBatch(statements: HistoryStatements, batch: EventBatch): void {
  assertConsistent(batch);
  const { account: address, cursor } = batch;
  const { events } = statements;
  const account = events.accountByAddress.get({ address }) ?? events.addAccount.get({ address });
  const { id: accountId, cursorSlot: stored } = account;
  const activity = new ActivityCounts();
  storeEvents(events, activity, accountId, batch.events);
  storeAlarms(statements.alarms, accountId, batch.alarms ?? []);
  storeQuarantined(statements, accountId, batch.events, batch.quarantined ?? []);
  activity.write(statements.activity);
  const isAdvanced = cursor !== null && (stored === null || cursor.slot > stored);
  const slot = isAdvanced ? cursor.slot : stored;
  storeProvisional(statements, accountId, slot ?? -1, batch);
  events.setCursor.run({
    id: accountId,
    signature: isAdvanced ? cursor.signature : account.cursorSignature,
    slot,
    caughtUpAt: latest(account.caughtUpAt, batch.caughtUpAt ?? null),
  });
  if (batch.beginning) {
    const { signature, slot: oldestSlot, isProved } = batch.beginning;
    events.setBeginning.run({ id: accountId, signature, slot: oldestSlot, isProved: Number(isProved) });
  }
}

/**
 * Replaces an account's provisional rows. If the batch has none, the stored rows stay, except those up to the newest final row.
 * If a stored row became final in an earlier slot, all stored rows are removed, because their fork was dropped.
 * @param reached the slot of the cursor
 */
function storeProvisional(
  { events, alarms, quarantine }: HistoryStatements,
  accountId: number,
  reached: number,
  batch: Pick<EventBatch, 'events' | 'provisional'>,
): void {
  const slot = Math.max(reached, events.newestOf.get({ accountId })?.slot ?? -1);
  const isAfter = (row: { readonly slot: number }): boolean => row.slot > slot;
  const stored = events.provisionalOf.all({ accountId });
  const final = new Set(batch.events.map(({ signature }) => signature));
  const isDropped = stored.some((row) => isAfter(row) && final.has(row.signature));
  const provisional = batch.provisional ?? (isDropped ? { events: [] } : undefined);
  const rows = provisional?.events ?? stored;
  replaceProvisional(events, accountId, rows.filter(isAfter));
  alarms.removeProvisionalUpTo.run({ accountId, slot: provisional ? Number.MAX_SAFE_INTEGER : slot });
  quarantine.removeProvisionalUpTo.run({ accountId, slot: provisional ? Number.MAX_SAFE_INTEGER : slot });
  storeAlarms(alarms, accountId, provisional?.alarms?.filter(isAfter) ?? []);
  for (const one of provisional?.quarantined?.filter(isAfter) ?? []) {
    quarantine.put.run({ ...one, accountId, status: 'confirmed' });
  }
}

/** @see IndexWriter.restartHistory */
export function restart({ events }: HistoryStatements, address: string): void {
  const account = events.accountByAddress.get({ address });
  if (!account) return;
  events.setCursor.run({ id: account.id, signature: null, slot: null, caughtUpAt: null });
}

/** @see IndexWriter.releaseQuarantined */
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
  const activity = new ActivityCounts();
  storeEvents(statements.events, activity, accountId, found.events);
  storeAlarms(statements.alarms, accountId, found.alarms);
  activity.write(statements.activity);
  storeProvisional(statements, accountId, account.cursorSlot ?? -1, { events: [] });
}
