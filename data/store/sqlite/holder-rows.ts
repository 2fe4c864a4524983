import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { HolderCount } from '../ports.ts';
import { sql } from './drizzle.ts';
import { holderCounts } from './index-schema.ts';
import { ONLY_ROW } from './snapshot-rows.ts';

const value = (name: string) => sql.placeholder(name);

/** The prepared statements by which the writer keeps the latest count of the wallets that hold BD. */
export function prepareHolderStatements(db: BetterSQLite3Database) {
  return {
    held: db.select({ slot: holderCounts.slot }).from(holderCounts).prepare(),
    remove: db.delete(holderCounts).prepare(),
    add: db
      .insert(holderCounts)
      .values({ id: ONLY_ROW, slot: value('slot'), wallets: value('wallets'), readAt: value('readAt') })
      .prepare(),
  };
}
export type HolderStatements = ReturnType<typeof prepareHolderStatements>;

/** Replaces the count unless one of a newer slot is stored; to be run in a transaction. */
export function replaceHolders(statements: HolderStatements, holders: HolderCount): void {
  if (!Number.isSafeInteger(holders.wallets) || holders.wallets < 0) {
    throw new RangeError(`${holders.wallets} is no number of wallets.`);
  }
  const stored = statements.held.get();
  if (stored !== undefined && stored.slot > holders.slot) return;
  statements.remove.run();
  statements.add.run({ ...holders });
}
