import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { NewPasskey, Passkey, PasskeyChallenge } from '../passkey-port.ts';
import { secretHash } from '../rules/secret-hash.ts';
import { adminPasskeys, passkeyChallenges } from './app-schema.ts';
import {
  and,
  asc,
  eq,
  equalsPlaceholder,
  gt,
  lt,
  lte,
  or,
  placeholder,
  placeholderSql,
  rowPlaceholders,
  sql,
} from './drizzle.ts';

/** Each method runs in the caller's transaction. */
export function preparePasskeys(db: BetterSQLite3Database) {
  const { id, adminId, counter, createdAt } = adminPasskeys;
  const { challengeHash, purpose, expiresAt } = passkeyChallenges;
  const ofAdmin = and(equalsPlaceholder(id, 'id'), equalsPlaceholder(adminId, 'adminId'));
  const statements = {
    addChallenge: db.insert(passkeyChallenges).values(rowPlaceholders(passkeyChallenges)).prepare(),
    consumeChallenge: db
      .delete(passkeyChallenges)
      .where(and(equalsPlaceholder(challengeHash, 'challengeHash'), gt(expiresAt, placeholder('now'))))
      .returning({ purpose, adminId: passkeyChallenges.adminId })
      .prepare(),
    deleteExpiredChallenges: db
      .delete(passkeyChallenges)
      .where(lte(expiresAt, placeholder('now')))
      .prepare(),
    allOfAdmin: db
      .select()
      .from(adminPasskeys)
      .where(equalsPlaceholder(adminId, 'adminId'))
      .orderBy(asc(createdAt), asc(id))
      .prepare(),
    byId: db.select().from(adminPasskeys).where(equalsPlaceholder(id, 'id')).prepare(),
    add: db
      .insert(adminPasskeys)
      .values({ ...rowPlaceholders(adminPasskeys, 'lastUsedAt') })
      .onConflictDoNothing()
      .prepare(),
    saveCounter: db
      .update(adminPasskeys)
      .set({ counter: placeholderSql('counter'), lastUsedAt: placeholderSql('at') })
      .where(
        and(
          ofAdmin,
          or(lt(counter, placeholder('counter')), and(eq(counter, 0), sql`${placeholder('counter')} = 0`)),
        ),
      )
      .prepare(),
    remove: db.delete(adminPasskeys).where(ofAdmin).prepare(),
    removeAllOf: db.delete(adminPasskeys).where(equalsPlaceholder(adminId, 'adminId')).prepare(),
  };
  return {
    addChallenge: (text: string, challenge: PasskeyChallenge, now: number, until: number): void => {
      statements.deleteExpiredChallenges.run({ now });
      statements.addChallenge.run({ ...challenge, challengeHash: secretHash(text), expiresAt: until });
    },
    consumeChallenge: (text: string, now: number): PasskeyChallenge | null =>
      statements.consumeChallenge.get({ challengeHash: secretHash(text), now }) ?? null,
    allOfAdmin: (ownerId: string): readonly Passkey[] => statements.allOfAdmin.all({ adminId: ownerId }),
    find: (passkeyId: string): Passkey | null => statements.byId.get({ id: passkeyId }) ?? null,
    add: (passkey: NewPasskey): boolean => statements.add.run({ ...passkey }).changes > 0,
    /** @returns false if the counter has not increased, or the admin has no such passkey. A counter may stay at 0. */
    saveCounter: (
      ownerId: string,
      passkey: { readonly id: string; readonly counter: number },
      at: number,
    ): boolean =>
      statements.saveCounter.run({ adminId: ownerId, id: passkey.id, counter: passkey.counter, at }).changes >
      0,
    remove: (ownerId: string, passkeyId: string): boolean =>
      statements.remove.run({ adminId: ownerId, id: passkeyId }).changes > 0,
    removeAllOf: (ownerId: string): void => void statements.removeAllOf.run({ adminId: ownerId }),
  };
}
