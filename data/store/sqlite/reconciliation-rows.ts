import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { Reconciliation } from '../ports.ts';
import { sql } from './drizzle.ts';
import { reconciliations } from './index-schema.ts';
import { ONLY_ROW } from './snapshot-rows.ts';

const value = (name: string) => sql.placeholder(name);

/** The prepared statements by which the writer keeps the latest reconciliation. */
export function prepareReconciliationStatements(db: BetterSQLite3Database) {
  return {
    latest: db.select().from(reconciliations).prepare(),
    remove: db.delete(reconciliations).prepare(),
    add: db
      .insert(reconciliations)
      .values({
        id: ONLY_ROW,
        slot: value('slot'),
        at: value('at'),
        differences: value('differences'),
        agreedSlot: value('agreedSlot'),
        agreedAt: value('agreedAt'),
      })
      .prepare(),
  };
}
export type ReconciliationStatements = ReturnType<typeof prepareReconciliationStatements>;

/** Replaces the latest reconciliation, and remembers when one agreed last; to be run in a transaction. */
export function replaceReconciliation(
  statements: ReconciliationStatements,
  { slot, at, differences }: Reconciliation,
): void {
  const before = statements.latest.get();
  const agreement =
    differences.length === 0
      ? { agreedSlot: slot, agreedAt: at }
      : { agreedSlot: before?.agreedSlot ?? null, agreedAt: before?.agreedAt ?? null };
  statements.remove.run();
  statements.add.run({ slot, at, differences, ...agreement });
}
