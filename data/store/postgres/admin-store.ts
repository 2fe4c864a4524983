import { usernameKey } from '../../model/admin-rules.ts';
import type { AdminLink, TeamStore } from '../admin-link-port.ts';
import type { CodeFactor, NewAdmin, PasswordChange, SecondFactor, TeamChangeOutcome } from '../admin-port.ts';
import type { AuditRecord } from '../audit-port.ts';
import { linkDelivery } from '../rules/admin-links.ts';
import { type AdminRow, isActiveOwner, maySignIn, toAccount, toCredentials } from '../rules/admin-rows.ts';
import type { QueueSignal } from '../rules/queue-signal.ts';
import { prepareAdminLinks } from './admin-links.ts';
import {
  openSignInFailures,
  prepareAdminSessions,
  prepareKnownAddresses,
  prepareSecondFactor,
} from './admin-sign-in.ts';
import type { Database, Queries, Transaction } from './database.ts';
import type { QueueDeliveries } from './delivery-queue.ts';
import { DELETE_PRIVATE_FILTERS } from './filter-store.ts';
import { preparePasskeys } from './passkeys.ts';
import { REMOVE_ADMIN_MENTIONS } from './record-notes.ts';
import { UNASSIGN_RECORDS } from './record-work.ts';

/** The lock that transactions take to add an account, or to change who may sign in as an owner. */
const TEAM_LOCK = 'team';
/** The lock that transactions take to sign an admin in, or to change an account. */
const accountLock = (id: string) => `admin ${id}`;

/** Listed by name, because a prepared `select *` fails once another program has added a column. */
const ADMIN_COLUMNS = `id, username, email, "passwordHash", role, "totpSecret", "totpConfirmedAt", "totpLastStep",
  "createdAt", "disabledAt",
  (select count(*) from $.admin_passkeys where "adminId" = admins.id) as passkeys`;

function prepareStatements({ statement }: Database) {
  return {
    any: statement('select from $.admins limit 1'),
    add: statement(`
      insert into $.admins (id, username, "usernameKey", email, "passwordHash", role, "createdAt", "addedBy", "changedAt")
      values ($1, $2, $3, $4, $5, $6, $7, $8, $7) on conflict ("usernameKey") do nothing`),
    all: statement<AdminRow>(`select ${ADMIN_COLUMNS} from $.admins order by "createdAt", "usernameKey"`),
    byKey: statement<AdminRow>(`select ${ADMIN_COLUMNS} from $.admins where "usernameKey" = $1`),
    byId: statement<AdminRow>(`select ${ADMIN_COLUMNS} from $.admins where id = $1`),
    otherOwner: statement(
      `select from $.admins where role = 'owner' and "disabledAt" is null and id <> $1 limit 1`,
    ),
    setRole: statement('update $.admins set role = $2, "changedAt" = $3 where id = $1'),
    setDisabled: statement('update $.admins set "disabledAt" = $2, "changedAt" = $3 where id = $1'),
    unsubscribe: statement('delete from $.report_subscriptions where "adminId" = $1'),
    unassign: UNASSIGN_RECORDS.map((text) => statement(text)),
    removeFilters: statement(DELETE_PRIVATE_FILTERS),
    removeMentions: REMOVE_ADMIN_MENTIONS.map((text) => statement(text)),
    setPassword: statement('update $.admins set "passwordHash" = $2, "changedAt" = $3 where id = $1'),
  };
}

export function openAdmins(
  db: Database,
  queueDeliveries: QueueDeliveries,
  { announce }: Pick<QueueSignal, 'announce'>,
): TeamStore {
  const statements = prepareStatements(db);
  const sessions = prepareAdminSessions(db);
  const factors = prepareSecondFactor(db);
  const addresses = prepareKnownAddresses(db);
  const failures = openSignInFailures(db);
  const links = prepareAdminLinks(db);
  const passkeys = preparePasskeys(db);

  const hasAny = async (queries: Queries) => (await queries.get(statements.any)) !== null;

  async function add(transaction: Transaction, admin: NewAdmin, audit: AuditRecord): Promise<boolean> {
    const { id, username, email, passwordHash, role, createdAt, addedBy } = admin;
    const values = [id, username, usernameKey(username), email, passwordHash, role, createdAt, addedBy];
    const isAdded = (await transaction.run(statements.add, ...values)) > 0;
    if (isAdded) transaction.record(audit);
    return isAdded;
  }

  /**
   * Returns a function that checks whether a name, or one that looks like it, is already taken. Call that function only while
   * `TEAM_LOCK` is held.
   */
  const prepareNameCheck = async () => {
    // Loaded when needed, because its table of characters would slow down startup.
    const { looksLike } = await import('../../model/look-alikes.ts');
    return async (queries: Queries, name: string) =>
      (await queries.all(statements.all)).some(({ username }) => looksLike(username, name));
  };

  /** Sets a password, and ends the reset link and all sessions but `keep`. Call it only while the account is locked. */
  async function setPassword(
    transaction: Transaction,
    id: string,
    { passwordHash, keep, removeSecondFactors }: PasswordChange,
    at: number,
  ): Promise<boolean> {
    if ((await transaction.run(statements.setPassword, id, passwordHash, at)) === 0) return false;
    if (removeSecondFactors) {
      await factors.remove(transaction, id, at);
      await passkeys.removeAllOf(transaction, id);
    }
    await sessions.endAllOf(transaction, id, keep?.session ?? null, at);
    await addresses.forgetAllOf(transaction, id);
    if (keep) await addresses.remember(transaction, id, keep.address, at);
    await links.endReset(transaction, id);
    return true;
  }

  const isForUnknownAccount = async (queries: Queries, link: AdminLink) =>
    link.kind === 'password-reset' && (await queries.get(statements.byId, link.adminId)) === null;

  /** Changes an account, unless `removesOwner` is set and the account is the last owner who may sign in. */
  const changeUnlessLastOwner = (
    id: string,
    removesOwner: boolean,
    audit: AuditRecord,
    work: (transaction: Transaction) => Promise<unknown>,
  ): Promise<TeamChangeOutcome> =>
    db.transaction([TEAM_LOCK, accountLock(id)], async (transaction) => {
      const admin = await transaction.get(statements.byId, id);
      if (!admin) return 'unknown';
      if (removesOwner && isActiveOwner(admin) && !(await transaction.get(statements.otherOwner, id))) {
        return 'last-owner';
      }
      await work(transaction);
      transaction.record(audit);
      return 'changed';
    });

  const changeAccount = (
    id: string,
    audit: AuditRecord,
    work: (transaction: Transaction) => Promise<boolean>,
  ): Promise<boolean> =>
    db.transaction([accountLock(id)], async (transaction) => {
      const hasChanged = await work(transaction);
      if (hasChanged) transaction.record(audit);
      return hasChanged;
    });

  async function unassignRecords(transaction: Transaction, id: string): Promise<void> {
    for (const unassign of statements.unassign) await transaction.run(unassign, id);
  }

  /** @returns false if the code was already used, or the passkey's counter is neither higher nor always 0 */
  const consume = (queries: Queries, id: string, factor: SecondFactor, at: number): Promise<boolean> =>
    factor.kind === 'passkey'
      ? passkeys.saveCounter(queries, id, factor, at)
      : factors.use(queries, id, factor, at);

  /** Uses up a code, and does the work only if the code was not used before. */
  const withCode = (
    id: string,
    factor: CodeFactor,
    audit: AuditRecord,
    work: (transaction: Transaction) => Promise<void>,
  ): Promise<boolean> =>
    changeAccount(id, audit, async (transaction) => {
      const isConsumed = await factors.use(transaction, id, factor, audit.at);
      if (isConsumed) await work(transaction);
      return isConsumed;
    });

  return {
    hasAdmins: () => hasAny(db),
    all: async () => (await db.all(statements.all)).map(toAccount),
    byName: async (name) => toCredentials(await db.get(statements.byKey, usernameKey(name))),
    byId: async (id) => toCredentials(await db.get(statements.byId, id)),
    createFirst: (admin, audit) =>
      db.transaction([TEAM_LOCK], async (transaction) =>
        !(await hasAny(transaction)) && (await add(transaction, admin, audit)) ? 'created' : 'closed',
      ),
    add: async (admin, audit) => {
      const isTaken = await prepareNameCheck();
      return db.transaction([TEAM_LOCK], async (transaction) =>
        !(await isTaken(transaction, admin.username)) && (await add(transaction, admin, audit))
          ? 'added'
          : 'name-taken',
      );
    },
    changeRole: (id, role, audit) =>
      changeUnlessLastOwner(id, role !== 'owner', audit, async (transaction) => {
        await transaction.run(statements.setRole, id, role, audit.at);
        if (role === 'viewer') await unassignRecords(transaction, id);
        if (role !== 'owner') await links.endAllBy(transaction, id);
      }),
    disable: (id, audit) =>
      changeUnlessLastOwner(id, true, audit, async (transaction) => {
        await transaction.run(statements.setDisabled, id, audit.at, audit.at);
        await sessions.endAllOf(transaction, id, null, audit.at);
        await unassignRecords(transaction, id);
        await transaction.run(statements.removeFilters, id);
        for (const remove of statements.removeMentions) await transaction.run(remove, id);
        await links.endAllOf(transaction, id);
        await transaction.run(statements.unsubscribe, id);
      }),
    enable: (id, audit) =>
      changeUnlessLastOwner(id, false, audit, (transaction) =>
        transaction.run(statements.setDisabled, id, null, audit.at),
      ),
    setPassword: (id, change, audit) =>
      changeAccount(id, audit, (transaction) => setPassword(transaction, id, change, audit.at)),

    async offerLink(link, token, isMailed, audit) {
      const isTaken = await prepareNameCheck();
      const outcome = await db.transaction([TEAM_LOCK], async (transaction) => {
        if (link.kind === 'invitation' && link.username !== null) {
          if (await isTaken(transaction, link.username)) return 'name-taken';
        }
        if (await isForUnknownAccount(transaction, link)) return 'unknown';
        await links.put(transaction, link, token);
        const dueDeliveries = isMailed ? [{ delivery: linkDelivery(link), at: link.createdAt }] : [];
        await queueDeliveries(transaction, dueDeliveries);
        transaction.record(audit);
        return 'offered';
      });
      if (outcome === 'offered' && isMailed) announce();
      return outcome;
    },
    links: () => links.all(db),
    linkOf: (token, now) => links.find(db, token, now),
    withdrawLink: (id, audit) =>
      db.transaction([TEAM_LOCK], async (transaction) => {
        const isEnded = await links.end(transaction, id);
        if (isEnded) transaction.record(audit);
        return isEnded;
      }),
    async joinByLink(token, admin, audit) {
      const isTaken = await prepareNameCheck();
      return db.transaction([TEAM_LOCK], async (transaction) => {
        const link = await links.find(transaction, token, audit.at);
        if (link?.kind !== 'invitation') return 'ended';
        if (await isTaken(transaction, admin.username)) return 'name-taken';
        if (!(await add(transaction, admin, audit))) return 'name-taken';
        await links.end(transaction, link.id);
        return 'added';
      });
    },
    async resetByLink(token, passwordHash, audit) {
      const link = await links.find(db, token, audit.at);
      if (link?.kind !== 'password-reset') return false;
      const { adminId, removeSecondFactors } = link;
      return db.transaction([TEAM_LOCK, accountLock(adminId)], async (transaction) => {
        // Another program may have used or ended the link in the meantime.
        if ((await links.find(transaction, token, audit.at)) === null) return false;
        const change = { passwordHash, keep: null, removeSecondFactors };
        if (!(await setPassword(transaction, adminId, change, audit.at))) return false;
        transaction.record(audit);
        return true;
      });
    },

    offerTotp: (id, sealedSecret, audit) =>
      changeAccount(id, audit, (transaction) => factors.offer(transaction, id, sealedSecret, audit.at)),
    confirmTotp: (id, { sealedSecret, step, recoveryCodes, keptSessionId }, audit) =>
      changeAccount(id, audit, async (transaction) => {
        if (!(await factors.confirm(transaction, id, sealedSecret, step, audit.at))) return false;
        await factors.replaceCodes(transaction, id, recoveryCodes, audit.at);
        await sessions.endAllOf(transaction, id, keptSessionId, audit.at);
        return true;
      }),
    removeTotp: (id, factor, keptSessionId, audit) =>
      withCode(id, factor, audit, async (transaction) => {
        await factors.remove(transaction, id, audit.at);
        await sessions.endAllOf(transaction, id, keptSessionId, audit.at);
      }),
    renewRecoveryCodes: (id, factor, codes, audit) =>
      withCode(id, factor, audit, (transaction) => factors.replaceCodes(transaction, id, codes, audit.at)),
    recoveryCodesLeft: (id) => factors.codesLeft(db, id),
    isRecoveryCode: (id, code) => factors.isUnusedCode(db, id, code),

    addChallenge: (text, challenge, now, expiresAt) =>
      passkeys.addChallenge(db, text, challenge, now, expiresAt),
    consumeChallenge: (text, now) => passkeys.consumeChallenge(db, text, now),
    passkeysOf: (adminId) => passkeys.allOfAdmin(db, adminId),
    passkey: (id) => passkeys.find(db, id),
    addPasskey: (passkey, limit, keptSessionId, audit) =>
      db.transaction([accountLock(passkey.adminId)], async (transaction) => {
        const { adminId } = passkey;
        if ((await passkeys.allOfAdmin(transaction, adminId)).length >= limit) return 'full';
        if (!(await passkeys.add(transaction, passkey))) return 'taken';
        await sessions.endAllOf(transaction, adminId, keptSessionId, audit.at);
        transaction.record(audit);
        return 'added';
      }),
    removePasskey: (adminId, id, keptSessionId, audit) =>
      changeAccount(adminId, audit, async (transaction) => {
        if (!(await passkeys.remove(transaction, adminId, id))) return false;
        await sessions.endAllOf(transaction, adminId, keptSessionId, audit.at);
        return true;
      }),

    async signIn({ token, session, address, ...credentials }, audit) {
      const isOpened = await changeAccount(session.adminId, audit, async (transaction) => {
        const account = toCredentials(await transaction.get(statements.byId, session.adminId));
        if (!maySignIn(account, credentials)) return false;
        const { secondFactor } = credentials;
        if (secondFactor && !(await consume(transaction, account.id, secondFactor, audit.at))) return false;
        await sessions.open(transaction, token, session);
        await addresses.remember(transaction, account.id, address, audit.at);
        return true;
      });
      return isOpened ? 'opened' : 'refused';
    },
    touchSession: (token, now, unusedSince) => sessions.touch(db, token, now, unusedSince),
    sessions: (adminId, now, unusedSince) => sessions.list(db, adminId, now, unusedSince),
    endSessions: (which, audit) =>
      db.transaction([], async (transaction) => {
        const endedCount =
          'id' in which
            ? await sessions.end(transaction, which.id, audit.at)
            : await sessions.endAllOf(transaction, which.adminId, which.exceptId, audit.at);
        if (endedCount > 0) transaction.record(audit);
        return endedCount;
      }),

    countAttempt: failures.count,
    forgiveAttempt: failures.forgive,
    forgetFailures: failures.forget,
    flagAttack: (subject, minFailures, audit) =>
      db.transaction([subject], async (transaction) => {
        const row = (await failures.find(transaction, [subject]))(subject);
        if (!row || row.failures < minFailures || row.alertedAt !== null) return false;
        await failures.put(transaction, { ...row, alertedAt: audit.at });
        transaction.record(audit);
        return true;
      }),
    isKnownAddress: (id, address, since) => addresses.isKnown(db, id, address, since),
    sweepAdminData: (before, addressesBefore) =>
      db.transaction([], async (transaction) => {
        await sessions.sweep(transaction, before);
        await failures.sweep(transaction, before);
        await addresses.sweep(transaction, addressesBefore);
        await links.sweep(transaction, before);
      }),
  };
}
