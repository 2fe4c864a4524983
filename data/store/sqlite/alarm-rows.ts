import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { ChainAlarm, ChainEvent } from '../chain-rows.ts';
import { and, eq, sql } from './drizzle.ts';
import { alarms } from './index-schema.ts';

const value = (name: string) => sql.placeholder(name);

/** The prepared statements by which the writer keeps alarms. */
export function prepareAlarmStatements(db: BetterSQLite3Database) {
  const isOpen = sql`${alarms.status} = 'confirmed'`;
  return {
    /** A finalized alarm stays as it is; a provisional one becomes what is told of it last. */
    tell: db
      .insert(alarms)
      .values({
        accountId: value('accountId'),
        signature: value('signature'),
        slot: value('slot'),
        blockTime: value('blockTime'),
        kind: value('kind'),
        address: value('address'),
        status: value('status'),
      })
      .onConflictDoUpdate({
        target: [alarms.signature, alarms.accountId, alarms.kind, alarms.address],
        set: {
          slot: sql`excluded.slot`,
          blockTime: sql`excluded.block_time`,
          status: sql`excluded.status`,
        },
        setWhere: isOpen,
      })
      .prepare(),
    provisionalOf: db
      .select({ id: alarms.id, signature: alarms.signature, slot: alarms.slot })
      .from(alarms)
      .where(and(isOpen, eq(alarms.accountId, value('accountId'))))
      .prepare(),
    provisionalBySignature: db
      .select({ id: alarms.id, accountId: alarms.accountId, slot: alarms.slot })
      .from(alarms)
      .where(and(eq(alarms.signature, value('signature')), sql`+${isOpen}`))
      .prepare(),
    remove: db
      .delete(alarms)
      .where(eq(alarms.id, value('id')))
      .prepare(),
    finalize: db
      .update(alarms)
      .set({ status: 'finalized' })
      .where(and(eq(alarms.signature, value('signature')), sql`+${isOpen}`))
      .prepare(),
  };
}
export type AlarmStatements = ReturnType<typeof prepareAlarmStatements>;

/**
 * Stores what a batch tells of an account's alarms. A transaction that is told in another slot than before landed again
 * after a fork: what it did there alone counts, so what it did provisionally before goes.
 */
export function storeAlarms(
  statements: AlarmStatements,
  accountId: number,
  told: { readonly events: readonly ChainEvent[]; readonly alarms: readonly ChainAlarm[] },
): void {
  const open = statements.provisionalOf.all({ accountId });
  if (open.length > 0) {
    const slots = new Map([...told.events, ...told.alarms].map(({ signature, slot }) => [signature, slot]));
    for (const { id, signature, slot } of open) {
      if ((slots.get(signature) ?? slot) !== slot) statements.remove.run({ id });
    }
  }
  for (const alarm of told.alarms) statements.tell.run({ ...alarm, address: alarm.address ?? '', accountId });
}
