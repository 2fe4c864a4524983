import type Database from 'better-sqlite3';
import type { AdminStore, SecondFactor, SignIn, SignInOutcome } from '../admin-port.ts';
import type { AuditRecord } from '../audit-port.ts';
import { prepareAdminAccounts } from './admin-accounts.ts';
import { prepareAdminRecovery } from './admin-recovery.ts';
import { prepareAdminSessions } from './admin-sessions.ts';
import { drizzle } from './drizzle.ts';
import { prepareSignInFailures } from './sign-in-failures.ts';
import { inStore } from './store-faults.ts';
import { APP_FILE } from './store-files.ts';

/** The part of `app.db` about the team, on a connection that writes. */
export function createAdminStore(
  client: Database.Database,
  record: (added: AuditRecord) => void,
): AdminStore {
  const db = drizzle({ client });
  const sessions = prepareAdminSessions(db);
  const recovery = prepareAdminRecovery(db);
  const accounts = prepareAdminAccounts(db, { sessions, recovery, record });
  const failures = prepareSignInFailures(db);

  /** Does it in a transaction of its own, and puts its faults into an operator's words. */
  const run = <T>(work: () => T): Promise<T> =>
    inStore(client, APP_FILE, () => client.transaction(work).immediate());
  /** Keeps the record where something changed. */
  const recorded = <T>(outcome: T, hasChanged: boolean, audit: AuditRecord): T => {
    if (hasChanged) record(audit);
    return outcome;
  };

  const signIn = (
    { token, session, passwordHash, secondFactor }: SignIn,
    audit: AuditRecord,
  ): SignInOutcome => {
    const account = accounts.byId(session.adminId);
    const isAsChecked =
      account !== null &&
      account.disabledAt === null &&
      account.passwordHash === passwordHash &&
      account.hasTotp === (secondFactor !== null);
    if (!isAsChecked) return 'refused';
    if (secondFactor && !recovery.use(account.id, secondFactor, audit.at)) return 'refused';
    sessions.open(token, session);
    record(audit);
    return 'opened';
  };

  const using = (id: string, factor: SecondFactor, audit: AuditRecord, work: () => void): boolean => {
    if (!recovery.use(id, factor, audit.at)) return false;
    work();
    record(audit);
    return true;
  };

  return {
    hasAdmins: () => run(() => accounts.hasAny()),
    all: () => run(() => accounts.all()),
    byName: (name) => run(() => accounts.byName(name)),
    byId: (id) => run(() => accounts.byId(id)),
    createFirst: (admin, audit) => run(() => accounts.createFirst(admin, audit)),
    add: (admin, audit) => run(() => accounts.add(admin, audit)),
    changeRole: (id, role, audit) => run(() => accounts.changeRole(id, role, audit)),
    disable: (id, audit) => run(() => accounts.disable(id, audit)),
    enable: (id, audit) => run(() => accounts.enable(id, audit)),
    setPassword: (id, to, audit) => run(() => accounts.setPassword(id, to, audit)),

    offerTotp: (id, sealed, audit) =>
      run(() => {
        const isOffered = recovery.offer(id, sealed, audit.at);
        return recorded(isOffered, isOffered, audit);
      }),
    confirmTotp: (id, { sealedSecret, step, recoveryCodes, keepSession }, audit) =>
      run(() => {
        if (!recovery.confirm(id, sealedSecret, step, audit.at)) return false;
        recovery.replaceCodes(id, recoveryCodes, audit.at);
        sessions.endAllOf(id, keepSession, audit.at);
        return recorded(true, true, audit);
      }),
    removeTotp: (id, factor, audit) =>
      run(() => using(id, factor, audit, () => recovery.removeTotp(id, audit.at))),
    renewRecoveryCodes: (id, factor, codes, audit) =>
      run(() => using(id, factor, audit, () => recovery.replaceCodes(id, codes, audit.at))),
    recoveryCodesLeft: (id) => run(() => recovery.codesLeft(id)),
    isRecoveryCode: (id, code) => run(() => recovery.isUnused(id, code)),

    signIn: (attempt, audit) => run(() => signIn(attempt, audit)),
    touchSession: (token, now, unusedSince) =>
      inStore(client, APP_FILE, () => sessions.touch(token, now, unusedSince)),
    sessions: (adminId, now, unusedSince) => run(() => sessions.list(adminId, now, unusedSince)),
    endSessions: (which, audit) =>
      run(() => {
        const ended =
          'id' in which
            ? sessions.end(which.id, audit.at)
            : sessions.endAllOf(which.adminId, which.but, audit.at);
        return recorded(ended, ended > 0, audit);
      }),

    countAttempt: (rules, now, forgetBefore) => run(() => failures.count(rules, now, forgetBefore)),
    forgiveAttempt: (rules) => run(() => failures.forgive(rules)),
    forgetFailures: (subject) => run(() => failures.forget(subject)),
    sweepAdmins: (before) =>
      run(() => {
        sessions.sweep(before);
        failures.sweep(before);
      }),
  };
}
