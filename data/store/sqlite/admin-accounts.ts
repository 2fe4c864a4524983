import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import { usernameKey } from '../../model/admin-rules.ts';
import type { AdminAccount, AdminCredentials, NewAdmin, TeamChange } from '../admin-port.ts';
import type { AuditRecord } from '../audit-port.ts';
import type { AdminRecovery } from './admin-recovery.ts';
import { admins } from './admin-schema.ts';
import type { AdminSessionRows } from './admin-sessions.ts';
import { and, asc, count, eq, isNull, ne, sql } from './drizzle.ts';

const value = (name: string) => sql.placeholder(name);

type AdminRow = typeof admins.$inferSelect;

export function accountOf(row: AdminRow): AdminAccount {
  const { id, username, email, role, createdAt, disabledAt } = row;
  return { id, username, email, role, createdAt, disabledAt, hasTotp: row.totpConfirmedAt !== null };
}

function credentialsOf(row: AdminRow | undefined): AdminCredentials | null {
  if (!row) return null;
  const { passwordHash, totpSecret, totpConfirmedAt: confirmedAt, totpLastStep: lastStep } = row;
  const totp = totpSecret && { sealedSecret: totpSecret, confirmedAt, lastStep };
  return { ...accountOf(row), passwordHash, totp };
}

function prepareStatements(db: BetterSQLite3Database) {
  const ofId = eq(admins.id, value('id'));
  const changedAt = sql`${value('at')}`;
  return {
    any: db.select({ id: admins.id }).from(admins).limit(1).prepare(),
    add: db
      .insert(admins)
      .values({
        id: value('id'),
        username: value('username'),
        usernameKey: value('usernameKey'),
        email: value('email'),
        passwordHash: value('passwordHash'),
        role: value('role'),
        createdAt: value('createdAt'),
        changedAt: value('createdAt'),
      })
      .onConflictDoNothing({ target: admins.usernameKey })
      .prepare(),
    all: db.select().from(admins).orderBy(asc(admins.createdAt), asc(admins.usernameKey)).prepare(),
    byKey: db
      .select()
      .from(admins)
      .where(eq(admins.usernameKey, value('usernameKey')))
      .prepare(),
    byId: db.select().from(admins).where(ofId).prepare(),
    otherOwners: db
      .select({ owners: count() })
      .from(admins)
      .where(and(eq(admins.role, 'owner'), isNull(admins.disabledAt), ne(admins.id, value('id'))))
      .prepare(),
    setRole: db
      .update(admins)
      .set({ role: sql`${value('role')}`, changedAt })
      .where(ofId)
      .prepare(),
    setDisabled: db
      .update(admins)
      .set({ disabledAt: sql`${value('disabledAt')}`, changedAt })
      .where(ofId)
      .prepare(),
    setPassword: db
      .update(admins)
      .set({ passwordHash: sql`${value('passwordHash')}`, changedAt })
      .where(ofId)
      .prepare(),
  };
}

interface Beside {
  readonly sessions: AdminSessionRows;
  readonly recovery: AdminRecovery;
  readonly record: (added: AuditRecord) => void;
}

/** Accounts of the team, in the caller's transaction. */
export function prepareAdminAccounts(db: BetterSQLite3Database, { sessions, recovery, record }: Beside) {
  const rows = prepareStatements(db);

  const add = (admin: NewAdmin, audit: AuditRecord): boolean => {
    const isAdded = rows.add.run({ ...admin, usernameKey: usernameKey(admin.username) }).changes > 0;
    if (isAdded) record(audit);
    return isAdded;
  };

  /** Whether an account may stop being an owner who can sign in: another one is left, or it is none. */
  const mayStepDown = ({ id, role, disabledAt }: AdminRow): boolean =>
    role !== 'owner' || disabledAt !== null || (rows.otherOwners.get({ id })?.owners ?? 0) > 0;

  const change = (id: string, takesOwner: boolean, audit: AuditRecord, work: () => void): TeamChange => {
    const admin = rows.byId.get({ id });
    if (!admin) return 'unknown';
    if (takesOwner && !mayStepDown(admin)) return 'last-owner';
    work();
    record(audit);
    return 'changed';
  };

  return {
    hasAny: () => rows.any.get() !== undefined,
    all: () => rows.all.all().map(accountOf),
    byName: (name: string) => credentialsOf(rows.byKey.get({ usernameKey: usernameKey(name) })),
    byId: (id: string) => credentialsOf(rows.byId.get({ id })),
    createFirst: (admin: NewAdmin, audit: AuditRecord) =>
      rows.any.get() === undefined && add(admin, audit) ? ('created' as const) : ('closed' as const),
    add: (admin: NewAdmin, audit: AuditRecord) =>
      add(admin, audit) ? ('added' as const) : ('name-taken' as const),
    changeRole: (id: string, role: AdminRow['role'], audit: AuditRecord) =>
      change(id, role !== 'owner', audit, () => void rows.setRole.run({ id, role, at: audit.at })),
    disable: (id: string, audit: AuditRecord) =>
      change(id, true, audit, () => {
        rows.setDisabled.run({ id, disabledAt: audit.at, at: audit.at });
        sessions.endAllOf(id, null, audit.at);
      }),
    enable: (id: string, audit: AuditRecord) =>
      change(id, false, audit, () => void rows.setDisabled.run({ id, disabledAt: null, at: audit.at })),
    setPassword: (
      id: string,
      to: {
        readonly passwordHash: string;
        readonly keepSession: string | null;
        readonly removeTotp: boolean;
      },
      audit: AuditRecord,
    ) => {
      const { passwordHash, keepSession } = to;
      if (rows.setPassword.run({ id, passwordHash, at: audit.at }).changes === 0) return false;
      if (to.removeTotp) recovery.removeTotp(id, audit.at);
      sessions.endAllOf(id, keepSession, audit.at);
      record(audit);
      return true;
    },
  };
}
