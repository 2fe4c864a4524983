import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type {
  ActiveSession,
  AdminSession,
  AttemptCheck,
  AttemptRule,
  AttemptSubject,
  CodeFactor,
} from '../admin-port.ts';
import { SEEN_INTERVAL_MS } from '../rules/admin-rows.ts';
import { secretHash } from '../rules/secret-hash.ts';
import { countAttempt, withoutOneFailure } from '../rules/sign-in-failures.ts';
import { adminAddresses, adminRecoveryCodes, adminSessions, admins, signInFailures } from './app-schema.ts';
import {
  and,
  count,
  desc,
  eq,
  equalsPlaceholder,
  gt,
  isNotNull,
  isNull,
  lt,
  lte,
  ne,
  or,
  placeholder,
  placeholderSql,
  rowPlaceholders,
  sql,
} from './drizzle.ts';

function prepareSessionStatements(db: BetterSQLite3Database) {
  const { tokenHash, id, adminId, startedAt, lastSeenAt, expiresAt, endedAt, address, userAgent } =
    adminSessions;
  const isOpen = and(
    isNull(endedAt),
    gt(expiresAt, placeholder('now')),
    gt(lastSeenAt, placeholder('unusedSince')),
    isNull(admins.disabledAt),
  );
  const selectSessions = () =>
    db
      .select({ id, adminId, startedAt, lastSeenAt, expiresAt, address, userAgent })
      .from(adminSessions)
      .innerJoin(admins, eq(admins.id, adminId));
  return {
    open: db
      .insert(adminSessions)
      .values(rowPlaceholders(adminSessions, 'endedAt'))
      .onConflictDoNothing()
      .prepare(),
    // Every call to the admin API runs this query, so it reads only the columns that such a call needs.
    active: db
      .select({ sessionId: id, lastSeenAt, id: admins.id, username: admins.username, role: admins.role })
      .from(adminSessions)
      .innerJoin(admins, eq(admins.id, adminId))
      .where(and(equalsPlaceholder(tokenHash, 'tokenHash'), isOpen))
      .prepare(),
    markSeen: db
      .update(adminSessions)
      .set({ lastSeenAt: placeholderSql('now') })
      .where(equalsPlaceholder(tokenHash, 'tokenHash'))
      .prepare(),
    all: selectSessions().where(isOpen).orderBy(desc(lastSeenAt), desc(expiresAt)).prepare(),
    ofAdmin: selectSessions()
      .where(and(equalsPlaceholder(adminId, 'adminId'), isOpen))
      .orderBy(desc(lastSeenAt), desc(expiresAt))
      .prepare(),
    end: db
      .update(adminSessions)
      .set({ endedAt: placeholderSql('at') })
      .where(and(equalsPlaceholder(id, 'id'), isNull(endedAt)))
      .prepare(),
    endAllOf: db
      .update(adminSessions)
      .set({ endedAt: placeholderSql('at') })
      .where(and(equalsPlaceholder(adminId, 'adminId'), isNull(endedAt), ne(id, placeholder('except'))))
      .prepare(),
    sweep: db
      .delete(adminSessions)
      .where(or(lte(expiresAt, placeholder('before')), lte(endedAt, placeholder('before'))))
      .prepare(),
  };
}

/** Each method runs in the caller's transaction. A deactivated admin has no open sessions. */
export function prepareAdminSessions(db: BetterSQLite3Database) {
  const statements = prepareSessionStatements(db);
  return {
    open: (token: string, session: AdminSession): void => {
      const { changes } = statements.open.run({ ...session, tokenHash: secretHash(token) });
      if (changes === 0) throw new RangeError('That token is taken.');
    },
    touch: (token: string, now: number, unusedSince: number): ActiveSession | null => {
      const tokenHash = secretHash(token);
      const active = statements.active.get({ tokenHash, now, unusedSince });
      if (!active) return null;
      const { sessionId, lastSeenAt, ...admin } = active;
      if (now - lastSeenAt >= SEEN_INTERVAL_MS) statements.markSeen.run({ tokenHash, now });
      return { sessionId, admin };
    },
    list: (adminId: string | null, now: number, unusedSince: number): readonly AdminSession[] => {
      const bounds = { now, unusedSince };
      return adminId === null ? statements.all.all(bounds) : statements.ofAdmin.all({ adminId, ...bounds });
    },
    end: (id: string, at: number): number => statements.end.run({ id, at }).changes,
    endAllOf: (adminId: string, keptSessionId: string | null, at: number): number =>
      statements.endAllOf.run({ adminId, except: keptSessionId ?? '', at }).changes,
    sweep: (before: number): void => void statements.sweep.run({ before }),
  };
}

function prepareSecondFactorStatements(db: BetterSQLite3Database) {
  const { adminId, codeHash, usedAt } = adminRecoveryCodes;
  const ofId = equalsPlaceholder(admins.id, 'id');
  const changedAt = placeholderSql('at');
  const isUnused = and(equalsPlaceholder(adminId, 'id'), isNull(usedAt));
  const isCode = equalsPlaceholder(codeHash, 'codeHash');
  return {
    offer: db
      .update(admins)
      .set({ totpSecret: placeholderSql('sealedSecret'), totpLastStep: null, changedAt })
      .where(and(ofId, isNull(admins.totpConfirmedAt)))
      .prepare(),
    confirm: db
      .update(admins)
      .set({ totpConfirmedAt: changedAt, totpLastStep: placeholderSql('step'), changedAt })
      .where(
        and(ofId, isNull(admins.totpConfirmedAt), sql`${admins.totpSecret} = ${placeholder('sealedSecret')}`),
      )
      .prepare(),
    useStep: db
      .update(admins)
      .set({ totpLastStep: placeholderSql('step') })
      .where(
        and(
          ofId,
          isNotNull(admins.totpConfirmedAt),
          or(isNull(admins.totpLastStep), lt(admins.totpLastStep, placeholder('step'))),
        ),
      )
      .prepare(),
    remove: db
      .update(admins)
      .set({ totpSecret: null, totpConfirmedAt: null, totpLastStep: null, changedAt })
      .where(ofId)
      .prepare(),
    removeCodes: db.delete(adminRecoveryCodes).where(equalsPlaceholder(adminId, 'id')).prepare(),
    addCode: db
      .insert(adminRecoveryCodes)
      .values({ codeHash: placeholder('codeHash'), adminId: placeholder('id'), createdAt: placeholder('at') })
      .prepare(),
    useCode: db.update(adminRecoveryCodes).set({ usedAt: changedAt }).where(and(isUnused, isCode)).prepare(),
    unusedCodes: db.select({ codes: count() }).from(adminRecoveryCodes).where(isUnused).prepare(),
    unusedCode: db.select({ id: adminId }).from(adminRecoveryCodes).where(and(isUnused, isCode)).prepare(),
  };
}

/** Each method runs in the caller's transaction. */
export function prepareSecondFactor(db: BetterSQLite3Database) {
  const statements = prepareSecondFactorStatements(db);
  return {
    offer: (id: string, sealedSecret: Uint8Array, at: number): boolean =>
      statements.offer.run({ id, sealedSecret: Buffer.from(sealedSecret), at }).changes > 0,
    confirm: (id: string, sealedSecret: Uint8Array, step: number, at: number): boolean =>
      statements.confirm.run({ id, sealedSecret: Buffer.from(sealedSecret), step, at }).changes > 0,
    replaceCodes: (id: string, codes: readonly string[], at: number): void => {
      statements.removeCodes.run({ id });
      for (const code of codes) statements.addCode.run({ id, codeHash: secretHash(code), at });
    },
    remove: (id: string, at: number): void => {
      statements.remove.run({ id, at });
      statements.removeCodes.run({ id });
    },
    /** @returns false if the code was already used, or is not a code of this admin */
    use: (id: string, factor: CodeFactor, at: number): boolean =>
      factor.kind === 'totp'
        ? statements.useStep.run({ id, step: factor.step }).changes > 0
        : statements.useCode.run({ id, codeHash: secretHash(factor.code), at }).changes > 0,
    codesLeft: (id: string): number => statements.unusedCodes.get({ id })?.codes ?? 0,
    isUnusedCode: (id: string, code: string): boolean =>
      statements.unusedCode.get({ id, codeHash: secretHash(code) }) !== undefined,
  };
}

/** The IP addresses from which admins have signed in. Each method runs in the caller's transaction. */
export function prepareKnownAddresses(db: BetterSQLite3Database) {
  const { addressHash, adminId, signedInAt } = adminAddresses;
  const statements = {
    put: db
      .insert(adminAddresses)
      .values(rowPlaceholders(adminAddresses))
      .onConflictDoUpdate({ target: addressHash, set: { signedInAt: sql`excluded."signedInAt"` } })
      .prepare(),
    find: db
      .select({ signedInAt })
      .from(adminAddresses)
      .where(and(equalsPlaceholder(addressHash, 'addressHash'), gt(signedInAt, placeholder('since'))))
      .prepare(),
    removeAllOf: db.delete(adminAddresses).where(equalsPlaceholder(adminId, 'adminId')).prepare(),
    sweep: db
      .delete(adminAddresses)
      .where(lte(signedInAt, placeholder('before')))
      .prepare(),
  };
  const hashOf = (id: string, address: string) => secretHash(`${id} ${address}`);
  return {
    remember: (id: string, address: string, at: number): void =>
      void statements.put.run({ addressHash: hashOf(id, address), adminId: id, signedInAt: at }),
    isKnown: (id: string, address: string, since: number): boolean =>
      statements.find.get({ addressHash: hashOf(id, address), since }) !== undefined,
    forgetAllOf: (id: string): void => void statements.removeAllOf.run({ adminId: id }),
    sweep: (before: number): void => void statements.sweep.run({ before }),
  };
}

/** Each method runs in the caller's transaction. */
export function prepareSignInFailures(db: BetterSQLite3Database) {
  const ofSubject = equalsPlaceholder(signInFailures.subjectHash, 'subjectHash');
  const statements = {
    find: db.select().from(signInFailures).where(ofSubject).prepare(),
    put: db
      .insert(signInFailures)
      .values(rowPlaceholders(signInFailures))
      .onConflictDoUpdate({
        target: signInFailures.subjectHash,
        set: {
          failures: sql`excluded."failures"`,
          lastAt: sql`excluded."lastAt"`,
          blockedUntil: sql`excluded."blockedUntil"`,
          alertedAt: sql`excluded."alertedAt"`,
        },
      })
      .prepare(),
    remove: db.delete(signInFailures).where(ofSubject).prepare(),
    sweep: db
      .delete(signInFailures)
      .where(lt(signInFailures.lastAt, placeholder('before')))
      .prepare(),
  };
  const find = (subject: AttemptSubject) => statements.find.get({ subjectHash: secretHash(subject) }) ?? null;
  return {
    count: (rules: readonly AttemptRule[], now: number, forgetBefore: number): AttemptCheck => {
      const { outcome, rows: changedRows } = countAttempt(
        rules,
        ({ subject }) => find(subject),
        now,
        forgetBefore,
      );
      for (const row of changedRows) statements.put.run({ ...row });
      return outcome;
    },
    flagAttack: (subject: AttemptSubject, minFailures: number, at: number): boolean => {
      const row = find(subject);
      if (!row || row.failures < minFailures || row.alertedAt !== null) return false;
      statements.put.run({ ...row, alertedAt: at });
      return true;
    },
    forgive: (rules: readonly AttemptRule[]): void => {
      for (const rule of rules) {
        const row = find(rule.subject);
        const reducedRow = row && withoutOneFailure(row, rule);
        if (reducedRow) statements.put.run({ ...reducedRow });
        else if (row) statements.remove.run({ subjectHash: row.subjectHash });
      }
    },
    forget: (subject: AttemptSubject): void =>
      void statements.remove.run({ subjectHash: secretHash(subject) }),
    sweep: (before: number): void => void statements.sweep.run({ before }),
  };
}
