import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { AttemptRule, AttemptSubject } from '../admin-port.ts';
import { signInFailures } from './admin-schema.ts';
import { eq, lt, sql } from './drizzle.ts';
import { secretHash } from './secret-hash.ts';

const value = (name: string) => sql.placeholder(name);

function prepareStatements(db: BetterSQLite3Database) {
  const ofSubject = eq(signInFailures.subjectHash, value('subjectHash'));
  return {
    find: db.select().from(signInFailures).where(ofSubject).prepare(),
    put: db
      .insert(signInFailures)
      .values({
        subjectHash: value('subjectHash'),
        failures: value('failures'),
        lastAt: value('lastAt'),
        blockedUntil: value('blockedUntil'),
      })
      .onConflictDoUpdate({
        target: signInFailures.subjectHash,
        set: {
          failures: sql`excluded."failures"`,
          lastAt: sql`excluded."lastAt"`,
          blockedUntil: sql`excluded."blockedUntil"`,
        },
      })
      .prepare(),
    forget: db.delete(signInFailures).where(ofSubject).prepare(),
    sweep: db
      .delete(signInFailures)
      .where(lt(signInFailures.lastAt, value('before')))
      .prepare(),
  };
}

/** How often signing in failed, in the caller's transaction. */
export function prepareSignInFailures(db: BetterSQLite3Database) {
  const rows = prepareStatements(db);
  return {
    count: (rules: readonly AttemptRule[], now: number, forgetBefore: number): number | null => {
      const found = rules.map(({ subject, delayAfter }) => {
        const subjectHash = secretHash(subject);
        const row = rows.find.get({ subjectHash });
        return { subjectHash, delayAfter, row: row && row.lastAt >= forgetBefore ? row : undefined };
      });
      const blockedUntil = Math.max(...found.map(({ row }) => row?.blockedUntil ?? 0));
      if (blockedUntil > now) return blockedUntil;
      for (const { subjectHash, delayAfter, row } of found) {
        const failures = (row?.failures ?? 0) + 1;
        rows.put.run({ subjectHash, failures, lastAt: now, blockedUntil: now + delayAfter(failures) });
      }
      return null;
    },
    forgive: (rules: readonly AttemptRule[]): void => {
      for (const { subject, delayAfter } of rules) {
        const subjectHash = secretHash(subject);
        const row = rows.find.get({ subjectHash });
        if (!row) continue;
        const failures = row.failures - 1;
        if (failures <= 0) rows.forget.run({ subjectHash });
        else rows.put.run({ ...row, failures, blockedUntil: row.lastAt + delayAfter(failures) });
      }
    },
    forget: (subject: AttemptSubject): void => void rows.forget.run({ subjectHash: secretHash(subject) }),
    sweep: (before: number): void => void rows.sweep.run({ before }),
  };
}
