import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { NewPasskey, Passkey, PasskeyChallenge } from '../passkey-port.ts';
import { secretHash } from '../rules/secret-hash.ts';
import { adminPasskeys, passkeyChallenges } from './app-schema.ts';
import { and, asc, eq, equals, gt, lt, lte, newValue, or, rowValues, sql, value } from './drizzle.ts';

/** Reads and writes passkeys and their challenges in the caller's transaction. */
export function preparePasskeys(db: BetterSQLite3Database) {
  const { id, adminId, counter, createdAt } = adminPasskeys;
  const { challengeHash, purpose, expiresAt } = passkeyChallenges;
  const ofAdmin = and(equals(id, 'id'), equals(adminId, 'adminId'));
  const statements = {
    addChallenge: db.insert(passkeyChallenges).values(rowValues(passkeyChallenges)).prepare(),
    consumeChallenge: db
      .delete(passkeyChallenges)
      .where(and(equals(challengeHash, 'challengeHash'), gt(expiresAt, value('now'))))
      .returning({ purpose, adminId: passkeyChallenges.adminId })
      .prepare(),
    sweep: db
      .delete(passkeyChallenges)
      .where(lte(expiresAt, value('before')))
      .prepare(),
    all: db
      .select()
      .from(adminPasskeys)
      .where(equals(adminId, 'adminId'))
      .orderBy(asc(createdAt), asc(id))
      .prepare(),
    byId: db.select().from(adminPasskeys).where(equals(id, 'id')).prepare(),
    add: db
      .insert(adminPasskeys)
      .values({ ...rowValues(adminPasskeys, 'lastUsedAt') })
      .onConflictDoNothing()
      .prepare(),
    use: db
      .update(adminPasskeys)
      .set({ counter: newValue('counter'), lastUsedAt: newValue('at') })
      .where(
        and(ofAdmin, or(lt(counter, value('counter')), and(eq(counter, 0), sql`${value('counter')} = 0`))),
      )
      .prepare(),
    remove: db.delete(adminPasskeys).where(ofAdmin).prepare(),
    removeAllOf: db.delete(adminPasskeys).where(equals(adminId, 'adminId')).prepare(),
  };
  return {
    addChallenge: (text: string, challenge: PasskeyChallenge, until: number): void =>
      void statements.addChallenge.run({ ...challenge, challengeHash: secretHash(text), expiresAt: until }),
    consumeChallenge: (text: string, now: number): PasskeyChallenge | null =>
      statements.consumeChallenge.get({ challengeHash: secretHash(text), now }) ?? null,
    sweep: (before: number): void => void statements.sweep.run({ before }),
    all: (ofId: string): readonly Passkey[] => statements.all.all({ adminId: ofId }),
    find: (passkeyId: string): Passkey | null => statements.byId.get({ id: passkeyId }) ?? null,
    add: (passkey: NewPasskey): boolean => statements.add.run({ ...passkey }).changes > 0,
    /** Stores the newest counter. @returns false if it is not newer, or the admin has no such passkey */
    use: (ofId: string, passkey: { readonly id: string; readonly counter: number }, at: number): boolean =>
      statements.use.run({ adminId: ofId, id: passkey.id, counter: passkey.counter, at }).changes > 0,
    remove: (ofId: string, passkeyId: string): boolean =>
      statements.remove.run({ adminId: ofId, id: passkeyId }).changes > 0,
    removeAllOf: (ofId: string): void => void statements.removeAllOf.run({ adminId: ofId }),
  };
}
