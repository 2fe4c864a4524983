import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import { and, asc, eq, sql } from './drizzle.ts';
import { accounts, quarantined } from './index-schema.ts';

const value = (name: string) => sql.placeholder(name);

/** The prepared statements by which the writer keeps transactions that could not be read. */
export function prepareQuarantineStatements(db: BetterSQLite3Database) {
  return {
    all: db
      .select({
        signature: quarantined.signature,
        account: accounts.address,
        slot: quarantined.slot,
        position: quarantined.position,
        blockTime: quarantined.blockTime,
        reason: quarantined.reason,
        since: quarantined.since,
      })
      .from(quarantined)
      .innerJoin(accounts, eq(accounts.id, quarantined.accountId))
      .orderBy(
        asc(quarantined.slot),
        asc(quarantined.position),
        asc(accounts.address),
        asc(quarantined.signature),
      )
      .prepare(),
    signaturesOf: db
      .select({ signature: quarantined.signature })
      .from(quarantined)
      .where(eq(quarantined.accountId, value('accountId')))
      .prepare(),
    /** Put aside again, it is told last why; it has been there since the first time. */
    putAside: db
      .insert(quarantined)
      .values({
        accountId: value('accountId'),
        signature: value('signature'),
        slot: value('slot'),
        position: value('position'),
        blockTime: value('blockTime'),
        reason: value('reason'),
        since: value('since'),
      })
      .onConflictDoUpdate({
        target: [quarantined.signature, quarantined.accountId],
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
      .where(
        and(eq(quarantined.signature, value('signature')), eq(quarantined.accountId, value('accountId'))),
      )
      .prepare(),
  };
}
export type QuarantineStatements = ReturnType<typeof prepareQuarantineStatements>;
