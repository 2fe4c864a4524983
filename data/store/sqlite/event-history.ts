import type { ChainAlarm, ChainEvent, QuarantinedTransaction } from '../chain-rows.ts';
import type { EventBatch, IndexWriter } from '../ports.ts';
import { Activity, type ActivityStatements } from './activity.ts';
import { type AlarmStatements, storeAlarms } from './alarm-rows.ts';
import { type EventStatements, ofSignature } from './event-statements.ts';
import type { QuarantineStatements } from './quarantine-rows.ts';
import { retotal, storeEvents } from './store-events.ts';

/** The statements that keep the histories of the watched accounts. */
export interface HistoryStatements {
  readonly events: EventStatements;
  readonly alarms: AlarmStatements;
  readonly quarantine: QuarantineStatements;
  readonly activity: ActivityStatements;
}

function assertCoherent({ account, events, alarms = [], quarantined = [], cursor }: EventBatch): void {
  const told = [...events, ...alarms, ...quarantined];
  if (cursor === null) {
    if (told.length === 0) return;
    throw new RangeError(`A batch of ${account} has transactions, but no cursor behind them.`);
  }
  if (cursor.account !== account)
    throw new RangeError(`A batch of ${account} has the cursor of ${cursor.account}.`);
  for (const one of told) {
    if (one.account !== account) {
      throw new RangeError(`A batch of ${account} holds ${one.signature} of ${one.account}.`);
    }
    if (one.slot > cursor.slot) {
      throw new RangeError(
        `${one.signature} is in slot ${one.slot}, beyond its batch's cursor ${cursor.slot}.`,
      );
    }
  }
}

/** Takes out of quarantine what is told as read, and puts in what could not be read and is not known either. */
function storeQuarantined(
  { events, quarantine }: HistoryStatements,
  accountId: number,
  told: readonly ChainEvent[],
  unread: readonly QuarantinedTransaction[],
): void {
  const held = new Set(quarantine.signaturesOf.all({ accountId }).map(({ signature }) => signature));
  for (const { signature } of told) {
    if (held.has(signature)) quarantine.remove.run({ signature, accountId });
  }
  for (const transaction of unread) {
    if (!events.isStored({ ...ofSignature(transaction.signature), accountId }))
      quarantine.putAside.run({ ...transaction, accountId });
  }
}

function latest(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}

/** Commits one batch; to be run in a transaction. @throws {RangeError} where the batch contradicts itself. */
export function commitBatch(statements: HistoryStatements, batch: EventBatch): void {
  assertCoherent(batch);
  const { account: address, cursor } = batch;
  const { events } = statements;
  const account = events.accountByAddress.get({ address }) ?? events.addAccount.get({ address });
  const { id: accountId, cursorSlot: stored } = account;
  const caughtUpAt = latest(account.caughtUpAt, batch.caughtUpAt ?? null);
  if (cursor === null) {
    if (stored !== null || account.eventCount > 0) {
      throw new RangeError(`The chain is said to list nothing of ${address}, whose history is indexed.`);
    }
    events.setCursor.run({ id: accountId, signature: null, slot: null, position: 0, caughtUpAt });
    return;
  }
  const activity = new Activity();
  storeEvents(events, activity, accountId, batch.events);
  storeAlarms(statements.alarms, accountId, { events: batch.events, alarms: batch.alarms ?? [] });
  storeQuarantined(statements, accountId, batch.events, batch.quarantined ?? []);
  activity.write(statements.activity);

  const isTaken =
    stored === null ||
    batch.endsRelisting === true ||
    cursor.slot > stored ||
    (cursor.slot === stored && cursor.position > account.cursorPosition);
  if (!isTaken && caughtUpAt === account.caughtUpAt) return;
  events.setCursor.run({
    id: accountId,
    signature: isTaken ? cursor.signature : account.cursorSignature,
    slot: isTaken ? cursor.slot : stored,
    position: isTaken ? cursor.position : account.cursorPosition,
    caughtUpAt,
  });
}

/**
 * Takes a transaction out of quarantine and stores what it did; to be run in a transaction. One that is not there any
 * more changes nothing. @throws {RangeError} where what was found belongs to another transaction or account.
 */
export function release(
  statements: HistoryStatements,
  { signature, account: address }: Pick<QuarantinedTransaction, 'signature' | 'account'>,
  found: { readonly events: readonly ChainEvent[]; readonly alarms: readonly ChainAlarm[] },
): void {
  const stranger = [...found.events, ...found.alarms].find(
    (one) => one.signature !== signature || one.account !== address,
  );
  if (stranger !== undefined) {
    throw new RangeError(
      `${signature} of ${address} cannot be released with ${stranger.signature} of ${stranger.account}.`,
    );
  }
  const account = statements.events.accountByAddress.get({ address });
  if (account === undefined) return;
  const accountId = account.id;
  if (statements.quarantine.remove.run({ signature, accountId }).changes === 0) return;
  const activity = new Activity();
  storeEvents(statements.events, activity, accountId, found.events);
  storeAlarms(statements.alarms, accountId, found);
  activity.write(statements.activity);
}

/**
 * Makes transactions final and takes vanished ones back; to be run in a transaction.
 * @throws {RangeError} where a signature is said to be both.
 */
export function settle(
  { events, alarms, activity: counts }: HistoryStatements,
  outcome: Parameters<IndexWriter['settleEvents']>[0],
): void {
  const vanished = new Set(outcome.vanished);
  const both = outcome.finalized.find((signature) => vanished.has(signature));
  if (both !== undefined) throw new RangeError(`${both} is said to be finalized and vanished at once.`);
  for (const signature of outcome.finalized) {
    events.finalize.run(ofSignature(signature));
    alarms.finalize.run({ signature });
  }

  const activity = new Activity();
  const firstLost = new Map<number, number>();
  const lose = ({ accountId, slot }: { readonly accountId: number; readonly slot: number }): void => {
    firstLost.set(accountId, Math.min(slot, firstLost.get(accountId) ?? slot));
  };
  for (const signature of vanished) {
    const gone = events.provisionalBySignature.all(ofSignature(signature));
    for (const event of gone) {
      events.removeEvent.run({ id: event.id });
      lose(event);
    }
    for (const [accountId, parts] of Map.groupBy(gone, (event) => event.accountId)) {
      activity.removed(accountId, parts);
    }
    for (const alarm of alarms.provisionalBySignature.all({ signature })) {
      alarms.remove.run({ id: alarm.id });
      lose(alarm);
    }
  }
  activity.write(counts);
  for (const account of events.allAccounts.all()) {
    const lostFrom = firstLost.get(account.id);
    if (lostFrom !== undefined) retotal(events, account.id, lostFrom);
    const cursorLost = account.cursorSignature !== null && vanished.has(account.cursorSignature);
    if (account.cursorSlot === null || (lostFrom === undefined && !cursorLost)) continue;
    const back = events.newestBefore.get({ accountId: account.id, slot: lostFrom ?? account.cursorSlot });
    events.setCursor.run({
      id: account.id,
      signature: back?.signature ?? null,
      slot: back?.slot ?? null,
      position: back?.position ?? 0,
      // What stands in place of the vanished is not listed yet, so the history is no longer known up to now.
      caughtUpAt: null,
    });
  }
}
