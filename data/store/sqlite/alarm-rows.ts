import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { ChainAlarm, ChainEvent, QuarantinedTransaction } from '../chain-rows.ts';
import { and, asc, eq, rowValues, sql, value } from './drizzle.ts';
import { type EventStatements, keyOf } from './event-statements.ts';
import { accounts, alarms, quarantined } from './index-schema.ts';

/** The prepared statements that write alarms. */
export function prepareAlarmStatements(db: BetterSQLite3Database) {
  const isProvisional = sql`${alarms.status} = 'confirmed'`;
  const isProvisionalOfSignature = and(eq(alarms.signature, value('signature')), sql`+${isProvisional}`);
  return {
    /** A provisional alarm is replaced; a finalized one never changes. */
    put: db
      .insert(alarms)
      .values(rowValues(alarms, 'id'))
      .onConflictDoUpdate({
        target: [alarms.signature, alarms.accountId, alarms.kind, alarms.address],
        set: {
          slot: sql`excluded.slot`,
          blockTime: sql`excluded.block_time`,
          status: sql`excluded.status`,
        },
        setWhere: isProvisional,
      })
      .prepare(),
    provisionalOf: db
      .select({ id: alarms.id, signature: alarms.signature, slot: alarms.slot })
      .from(alarms)
      .where(and(isProvisional, eq(alarms.accountId, value('accountId'))))
      .prepare(),
    provisionalBySignature: db
      .select({ id: alarms.id, accountId: alarms.accountId, slot: alarms.slot })
      .from(alarms)
      .where(isProvisionalOfSignature)
      .prepare(),
    remove: db
      .delete(alarms)
      .where(eq(alarms.id, value('id')))
      .prepare(),
    finalize: db.update(alarms).set({ status: 'finalized' }).where(isProvisionalOfSignature).prepare(),
  };
}
export type AlarmStatements = ReturnType<typeof prepareAlarmStatements>;

/**
 * Stores the alarms of a batch of an account. A transaction in another slot than before landed again after a fork, so its
 * earlier provisional alarms are removed.
 */
export function storeAlarms(
  statements: AlarmStatements,
  accountId: number,
  batch: { readonly events: readonly ChainEvent[]; readonly alarms: readonly ChainAlarm[] },
): void {
  const provisional = statements.provisionalOf.all({ accountId });
  if (provisional.length > 0) {
    const slots = new Map([...batch.events, ...batch.alarms].map(({ signature, slot }) => [signature, slot]));
    for (const { id, signature, slot } of provisional) {
      if ((slots.get(signature) ?? slot) !== slot) statements.remove.run({ id });
    }
  }
  for (const alarm of batch.alarms) statements.put.run({ ...alarm, address: alarm.address ?? '', accountId });
}

/** The prepared statements that write quarantined transactions. */
export function prepareQuarantineStatements(db: BetterSQLite3Database) {
  const { signature, slot, position, blockTime, reason, since, accountId } = quarantined;
  return {
    all: db
      .select({ signature, account: accounts.address, slot, position, blockTime, reason, since })
      .from(quarantined)
      .innerJoin(accounts, eq(accounts.id, accountId))
      .orderBy(asc(slot), asc(position), asc(accounts.address), asc(signature))
      .prepare(),
    signaturesOf: db
      .select({ signature })
      .from(quarantined)
      .where(eq(accountId, value('accountId')))
      .prepare(),
    /** A transaction that is quarantined again gets the newest reason and keeps its `since`. */
    put: db
      .insert(quarantined)
      .values(rowValues(quarantined, 'id'))
      .onConflictDoUpdate({
        target: [signature, accountId],
        set: {
          slot: sql`excluded.slot`,
          position: sql`excluded.position`,
          blockTime: sql`excluded.block_time`,
          reason: sql`excluded.reason`,
        },
      })
      .prepare(),
    remove: db
      .delete(quarantined)
      .where(and(eq(signature, value('signature')), eq(accountId, value('accountId'))))
      .prepare(),
  };
}
export type QuarantineStatements = ReturnType<typeof prepareQuarantineStatements>;

/** Releases transactions that were read, and quarantines unreadable ones that are not stored as events. */
export function storeQuarantined(
  { quarantine, events }: { readonly quarantine: QuarantineStatements; readonly events: EventStatements },
  accountId: number,
  read: readonly ChainEvent[],
  unread: readonly QuarantinedTransaction[],
): void {
  const stored = new Set(quarantine.signaturesOf.all({ accountId }).map(({ signature }) => signature));
  for (const { signature } of read) {
    if (stored.has(signature)) quarantine.remove.run({ signature, accountId });
  }
  for (const transaction of unread) {
    if (!events.isStored(accountId, keyOf(transaction.signature))) {
      quarantine.put.run({ ...transaction, accountId });
    }
  }
}
