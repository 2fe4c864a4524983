import type Database from 'better-sqlite3';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import { usernameKey } from '../../model/admin-rules.ts';
import type { AdminLink, TeamStore } from '../admin-link-port.ts';
import type {
  CodeFactor,
  NewAdmin,
  PasswordChange,
  SecondFactor,
  SignIn,
  SignInOutcome,
  TeamChangeOutcome,
} from '../admin-port.ts';
import type { AuditRecord } from '../audit-port.ts';
import { linkDelivery } from '../rules/admin-links.ts';
import { type AdminRow, isActiveOwner, maySignIn, toAccount, toCredentials } from '../rules/admin-rows.ts';
import { prepareAdminLinks } from './admin-links.ts';
import {
  prepareAdminSessions,
  prepareKnownAddresses,
  prepareSecondFactor,
  prepareSignInFailures,
} from './admin-sign-in.ts';
import { admins, reportSubscriptions } from './app-schema.ts';
import type { QueueDelivery } from './delivery-store.ts';
import {
  and,
  asc,
  count,
  drizzle,
  eq,
  equalsPlaceholder,
  getTableColumns,
  isNull,
  ne,
  placeholder,
  placeholderSql,
  sql,
} from './drizzle.ts';
import { prepareFilterRemoval } from './filter-store.ts';
import { preparePasskeys } from './passkeys.ts';
import { prepareMentionRemoval } from './record-notes.ts';
import { prepareUnassigning } from './record-work.ts';
import { APP_FILE, runInStore } from './store-files.ts';

function prepareAccountStatements(db: BetterSQLite3Database) {
  const ofId = equalsPlaceholder(admins.id, 'id');
  const changedAt = placeholderSql('at');
  // Written as SQL, because Drizzle would write `id` without the table's name, and the subquery would use its own `id`.
  const passkeys = sql<number>`(select count(*) from admin_passkeys where "adminId" = admins.id)`;
  const selectAccounts = () => db.select({ ...getTableColumns(admins), passkeys }).from(admins);
  return {
    any: db.select({ id: admins.id }).from(admins).limit(1).prepare(),
    add: db
      .insert(admins)
      .values({
        id: placeholder('id'),
        username: placeholder('username'),
        usernameKey: placeholder('usernameKey'),
        email: placeholder('email'),
        passwordHash: placeholder('passwordHash'),
        role: placeholder('role'),
        createdAt: placeholder('createdAt'),
        addedBy: placeholder('addedBy'),
        changedAt: placeholder('createdAt'),
      })
      .onConflictDoNothing({ target: admins.usernameKey })
      .prepare(),
    all: selectAccounts().orderBy(asc(admins.createdAt), asc(admins.usernameKey)).prepare(),
    byKey: selectAccounts().where(equalsPlaceholder(admins.usernameKey, 'usernameKey')).prepare(),
    byId: selectAccounts().where(ofId).prepare(),
    otherOwners: db
      .select({ owners: count() })
      .from(admins)
      .where(and(eq(admins.role, 'owner'), isNull(admins.disabledAt), ne(admins.id, placeholder('id'))))
      .prepare(),
    setRole: db
      .update(admins)
      .set({ role: placeholderSql('role'), changedAt })
      .where(ofId)
      .prepare(),
    setDisabled: db
      .update(admins)
      .set({ disabledAt: placeholderSql('disabledAt'), changedAt })
      .where(ofId)
      .prepare(),
    unsubscribe: db
      .delete(reportSubscriptions)
      .where(equalsPlaceholder(reportSubscriptions.adminId, 'id'))
      .prepare(),
    setPassword: db
      .update(admins)
      .set({ passwordHash: placeholderSql('passwordHash'), changedAt })
      .where(ofId)
      .prepare(),
  };
}

/** @param record adds an audit record in the current transaction */
export function createAdminStore(
  client: Database.Database,
  record: (added: AuditRecord) => void,
  queueDelivery: QueueDelivery,
): TeamStore {
  const db = drizzle({ client });
  const statements = prepareAccountStatements(db);
  const sessions = prepareAdminSessions(db);
  const factors = prepareSecondFactor(db);
  const failures = prepareSignInFailures(db);
  const addresses = prepareKnownAddresses(db);
  const unassignRecords = prepareUnassigning(client);
  const removeFilters = prepareFilterRemoval(client);
  const removeMentions = prepareMentionRemoval(client);
  const links = prepareAdminLinks(db);
  const passkeys = preparePasskeys(db);

  const run = <T>(work: () => T): Promise<T> =>
    runInStore(client, APP_FILE, () => client.transaction(work).immediate());
  const recordIfChanged = <T>(outcome: T, hasChanged: boolean, audit: AuditRecord): T => {
    if (hasChanged) record(audit);
    return outcome;
  };

  const add = (admin: NewAdmin, audit: AuditRecord): boolean => {
    const isAdded = statements.add.run({ ...admin, usernameKey: usernameKey(admin.username) }).changes > 0;
    return recordIfChanged(isAdded, isAdded, audit);
  };

  /**
   * Returns a function that checks whether an account already has a given name, or one that looks like it. Call the returned
   * function in a transaction.
   */
  const prepareNameCheck = async () => {
    // Loaded only when needed, because its table of characters would slow down startup.
    const { looksLike } = await import('../../model/look-alikes.ts');
    return (name: string) => statements.all.all().some(({ username }) => looksLike(username, name));
  };

  const setPassword = (
    id: string,
    { passwordHash, keep, removeSecondFactors }: PasswordChange,
    audit: AuditRecord,
  ): boolean => {
    if (statements.setPassword.run({ id, passwordHash, at: audit.at }).changes === 0) return false;
    if (removeSecondFactors) {
      factors.remove(id, audit.at);
      passkeys.removeAllOf(id);
    }
    sessions.endAllOf(id, keep?.session ?? null, audit.at);
    addresses.forgetAllOf(id);
    if (keep) addresses.remember(id, keep.address, audit.at);
    links.endReset(id);
    return recordIfChanged(true, true, audit);
  };

  const isForUnknownAccount = (link: AdminLink) =>
    link.kind === 'password-reset' && statements.byId.get({ id: link.adminId }) === undefined;

  /** Whether at least one active owner would remain without this account. */
  const isDispensable = (admin: AdminRow): boolean =>
    !isActiveOwner(admin) || (statements.otherOwners.get({ id: admin.id })?.owners ?? 0) > 0;

  const changeUnlessLastOwner = (
    id: string,
    removesOwner: boolean,
    audit: AuditRecord,
    work: () => void,
  ): TeamChangeOutcome => {
    const admin = statements.byId.get({ id });
    if (!admin) return 'unknown';
    if (removesOwner && !isDispensable(admin)) return 'last-owner';
    work();
    return recordIfChanged('changed', true, audit);
  };

  /** @returns false if the code was already used, or the passkey's counter has not increased. A counter may stay 0. */
  const consume = (id: string, factor: SecondFactor, at: number): boolean =>
    factor.kind === 'passkey' ? passkeys.saveCounter(id, factor, at) : factors.use(id, factor, at);

  const signIn = ({ token, session, address, ...credentials }: SignIn, audit: AuditRecord): SignInOutcome => {
    const account = toCredentials(statements.byId.get({ id: session.adminId }));
    if (!maySignIn(account, credentials)) return 'refused';
    const { secondFactor } = credentials;
    if (secondFactor && !consume(account.id, secondFactor, audit.at)) return 'refused';
    sessions.open(token, session);
    addresses.remember(account.id, address, audit.at);
    return recordIfChanged('opened', true, audit);
  };

  const withCode = (id: string, factor: CodeFactor, audit: AuditRecord, work: () => void): boolean => {
    if (!factors.use(id, factor, audit.at)) return false;
    work();
    return recordIfChanged(true, true, audit);
  };

  return {
    hasAdmins: () => run(() => statements.any.get() !== undefined),
    all: () => run(() => statements.all.all().map(toAccount)),
    byName: (name) => run(() => toCredentials(statements.byKey.get({ usernameKey: usernameKey(name) }))),
    byId: (id) => run(() => toCredentials(statements.byId.get({ id }))),
    createFirst: (admin, audit) =>
      run(() => (statements.any.get() === undefined && add(admin, audit) ? 'created' : 'closed')),
    add: async (admin, audit) => {
      const isTaken = await prepareNameCheck();
      return run(() => (!isTaken(admin.username) && add(admin, audit) ? 'added' : 'name-taken'));
    },
    changeRole: (id, role, audit) =>
      run(() =>
        changeUnlessLastOwner(id, role !== 'owner', audit, () => {
          statements.setRole.run({ id, role, at: audit.at });
          if (role === 'viewer') unassignRecords(id);
          if (role !== 'owner') links.endAllBy(id);
        }),
      ),
    disable: (id, audit) =>
      run(() =>
        changeUnlessLastOwner(id, true, audit, () => {
          statements.setDisabled.run({ id, disabledAt: audit.at, at: audit.at });
          sessions.endAllOf(id, null, audit.at);
          unassignRecords(id);
          removeFilters(id);
          removeMentions(id);
          links.endAllOf(id);
          statements.unsubscribe.run({ id });
        }),
      ),
    enable: (id, audit) =>
      run(() =>
        changeUnlessLastOwner(
          id,
          false,
          audit,
          () => void statements.setDisabled.run({ id, disabledAt: null, at: audit.at }),
        ),
      ),
    setPassword: (id, change, audit) => run(() => setPassword(id, change, audit)),

    offerLink: async (link, token, isMailed, audit) => {
      const isTaken = await prepareNameCheck();
      return run(() => {
        if (link.kind === 'invitation' && link.username !== null && isTaken(link.username))
          return 'name-taken';
        if (isForUnknownAccount(link)) return 'unknown';
        links.put(link, token);
        if (isMailed) queueDelivery(linkDelivery(link), link.createdAt);
        return recordIfChanged('offered', true, audit);
      });
    },
    links: () => run(() => links.all()),
    linkOf: (token, now) => run(() => links.find(token, now)),
    withdrawLink: (id, audit) =>
      run(() => {
        const isEnded = links.end(id);
        return recordIfChanged(isEnded, isEnded, audit);
      }),
    joinByLink: async (token, admin, audit) => {
      const isTaken = await prepareNameCheck();
      return run(() => {
        const link = links.find(token, audit.at);
        if (link?.kind !== 'invitation') return 'ended';
        if (isTaken(admin.username) || !add(admin, audit)) return 'name-taken';
        links.end(link.id);
        return 'added';
      });
    },
    resetByLink: (token, passwordHash, audit) =>
      run(() => {
        const link = links.find(token, audit.at);
        if (link?.kind !== 'password-reset') return false;
        const { adminId, removeSecondFactors } = link;
        return setPassword(adminId, { passwordHash, keep: null, removeSecondFactors }, audit);
      }),

    offerTotp: (id, sealedSecret, audit) =>
      run(() => {
        const isOffered = factors.offer(id, sealedSecret, audit.at);
        return recordIfChanged(isOffered, isOffered, audit);
      }),
    confirmTotp: (id, { sealedSecret, step, recoveryCodes, keptSessionId }, audit) =>
      run(() => {
        if (!factors.confirm(id, sealedSecret, step, audit.at)) return false;
        factors.replaceCodes(id, recoveryCodes, audit.at);
        sessions.endAllOf(id, keptSessionId, audit.at);
        return recordIfChanged(true, true, audit);
      }),
    removeTotp: (id, factor, keptSessionId, audit) =>
      run(() =>
        withCode(id, factor, audit, () => {
          factors.remove(id, audit.at);
          sessions.endAllOf(id, keptSessionId, audit.at);
        }),
      ),
    renewRecoveryCodes: (id, factor, codes, audit) =>
      run(() => withCode(id, factor, audit, () => factors.replaceCodes(id, codes, audit.at))),
    recoveryCodesLeft: (id) => run(() => factors.codesLeft(id)),
    isRecoveryCode: (id, code) => run(() => factors.isUnusedCode(id, code)),

    addChallenge: (text, challenge, now, expiresAt) =>
      run(() => passkeys.addChallenge(text, challenge, now, expiresAt)),
    consumeChallenge: (text, now) => run(() => passkeys.consumeChallenge(text, now)),
    passkeysOf: (adminId) => run(() => passkeys.allOfAdmin(adminId)),
    passkey: (id) => run(() => passkeys.find(id)),
    addPasskey: (passkey, limit, keptSessionId, audit) =>
      run(() => {
        const { adminId } = passkey;
        if (passkeys.allOfAdmin(adminId).length >= limit) return 'full';
        if (!passkeys.add(passkey)) return 'taken';
        sessions.endAllOf(adminId, keptSessionId, audit.at);
        return recordIfChanged('added', true, audit);
      }),
    removePasskey: (adminId, id, keptSessionId, audit) =>
      run(() => {
        if (!passkeys.remove(adminId, id)) return false;
        sessions.endAllOf(adminId, keptSessionId, audit.at);
        return recordIfChanged(true, true, audit);
      }),

    signIn: (attempt, audit) => run(() => signIn(attempt, audit)),
    // Runs without a transaction, because every call to the admin API runs it, and it rarely writes.
    touchSession: (token, now, unusedSince) =>
      runInStore(client, APP_FILE, () => sessions.touch(token, now, unusedSince)),
    sessions: (adminId, now, unusedSince) => run(() => sessions.list(adminId, now, unusedSince)),
    endSessions: (which, audit) =>
      run(() => {
        const endedCount =
          'id' in which
            ? sessions.end(which.id, audit.at)
            : sessions.endAllOf(which.adminId, which.exceptId, audit.at);
        return recordIfChanged(endedCount, endedCount > 0, audit);
      }),

    countAttempt: (rules, now, forgetBefore) => run(() => failures.count(rules, now, forgetBefore)),
    forgiveAttempt: (rules) => run(() => failures.forgive(rules)),
    forgetFailures: (subject) => run(() => failures.forget(subject)),
    flagAttack: (subject, minFailures, audit) =>
      run(() => {
        const isFlagged = failures.flagAttack(subject, minFailures, audit.at);
        return recordIfChanged(isFlagged, isFlagged, audit);
      }),
    isKnownAddress: (id, address, since) => run(() => addresses.isKnown(id, address, since)),
    sweepAdminData: (before, addressesBefore) =>
      run(() => {
        sessions.sweep(before);
        failures.sweep(before);
        addresses.sweep(addressesBefore);
        links.sweep(before);
      }),
  };
}
