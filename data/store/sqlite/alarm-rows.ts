import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { ChainAlarm, ChainEvent, QuarantinedTransaction } from '../chain-rows.ts';
import { transactionKey } from '../rules/signature-key.ts';
import {
  and,
  asc,
  eq,
  equalsLiteral,
  equalsPlaceholder,
  lte,
  placeholder,
  rowPlaceholders,
  sql,
} from './drizzle.ts';
import type { EventStatements } from './event-statements.ts';
import { accounts, alarms, quarantined } from './index-schema.ts';

export function prepareAlarmStatements(db: BetterSQLite3Database) {
  const isProvisional = and(
    equalsPlaceholder(alarms.accountId, 'accountId'),
    equalsLiteral(alarms.status, 'confirmed'),
  );
  return {
    /** A final alarm never changes. */
    put: db
      .insert(alarms)
      .values(rowPlaceholders(alarms, 'id'))
      .onConflictDoUpdate({
        target: [alarms.signature, alarms.accountId, alarms.kind, alarms.address],
        set: {
          slot: sql`excluded.slot`,
          blockTime: sql`excluded.block_time`,
          status: sql`excluded.status`,
        },
        setWhere: eq(alarms.status, 'confirmed'),
      })
      .prepare(),
    removeProvisionalUpTo: db
      .delete(alarms)
      .where(and(isProvisional, lte(alarms.slot, placeholder('slot'))))
      .prepare(),
  };
}
export type AlarmStatements = ReturnType<typeof prepareAlarmStatements>;

export function storeAlarms(
  statements: AlarmStatements,
  accountId: number,
  newAlarms: readonly ChainAlarm[],
): void {
  for (const alarm of newAlarms) statements.put.run({ ...alarm, address: alarm.address ?? '', accountId });
}

export function prepareQuarantineStatements(db: BetterSQLite3Database) {
  const { signature, slot, position, blockTime, reason, since, accountId, status } = quarantined;
  const isProvisional = and(equalsPlaceholder(accountId, 'accountId'), eq(status, 'confirmed'));
  return {
    final: db
      .select({ signature, account: accounts.address, slot, position, blockTime, reason, since })
      .from(quarantined)
      .innerJoin(accounts, eq(accounts.id, accountId))
      .where(eq(status, 'finalized'))
      .orderBy(asc(slot), asc(position), asc(accounts.address), asc(signature))
      .prepare(),
    signaturesOf: db
      .select({ signature })
      .from(quarantined)
      .where(equalsPlaceholder(accountId, 'accountId'))
      .prepare(),
    /** A transaction that is quarantined again gets the new reason and keeps its `since`. */
    put: db
      .insert(quarantined)
      .values(rowPlaceholders(quarantined, 'id'))
      .onConflictDoUpdate({
        target: [signature, accountId],
        set: {
          slot: sql`excluded.slot`,
          position: sql`excluded.position`,
          blockTime: sql`excluded.block_time`,
          reason: sql`excluded.reason`,
          status: sql`excluded.status`,
        },
        setWhere: sql`${status} = 'confirmed' or excluded.status = 'finalized'`,
      })
      .prepare(),
    remove: db
      .delete(quarantined)
      .where(and(equalsPlaceholder(signature, 'signature'), equalsPlaceholder(accountId, 'accountId')))
      .prepare(),
    removeProvisionalUpTo: db
      .delete(quarantined)
      .where(and(isProvisional, lte(slot, placeholder('slot'))))
      .prepare(),
  };
}
export type QuarantineStatements = ReturnType<typeof prepareQuarantineStatements>;

/** Releases the transactions in `readable`, and quarantines those in `unreadable` unless their events are already stored. */
export function storeQuarantined(
  { quarantine, events }: { readonly quarantine: QuarantineStatements; readonly events: EventStatements },
  accountId: number,
  readable: readonly ChainEvent[],
  unreadable: readonly QuarantinedTransaction[],
): void {
  const quarantinedSignatures = new Set(
    quarantine.signaturesOf.all({ accountId }).map(({ signature }) => signature),
  );
  for (const { signature } of readable) {
    if (quarantinedSignatures.has(signature)) quarantine.remove.run({ signature, accountId });
  }
  for (const transaction of unreadable) {
    if (!events.isStored(accountId, transactionKey(transaction.signature))) {
      quarantine.put.run({ ...transaction, accountId, status: 'finalized' });
    }
  }
}
