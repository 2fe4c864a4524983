import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { AdminSession, HeldSession } from '../admin-port.ts';
import { adminSessions, admins } from './admin-schema.ts';
import { and, desc, eq, gt, isNull, lte, ne, or, sql } from './drizzle.ts';
import { secretHash } from './secret-hash.ts';

const value = (name: string) => sql.placeholder(name);

/** Milliseconds between two marks of use: not every request costs a write, and none ends later than it should. */
const MARK_EVERY = 10_000;

type SessionRow = typeof adminSessions.$inferSelect;

function sessionOf(row: SessionRow): AdminSession {
  const { id, adminId, startedAt, lastSeenAt, expiresAt, address, userAgent } = row;
  return { id, adminId, startedAt, lastSeenAt, expiresAt, address, userAgent };
}

function prepareStatements(db: BetterSQLite3Database) {
  const { tokenHash, id, adminId, lastSeenAt, expiresAt, endedAt } = adminSessions;
  const isOpen = and(
    isNull(endedAt),
    gt(expiresAt, value('now')),
    gt(lastSeenAt, value('unusedSince')),
    isNull(admins.disabledAt),
  );
  const withAdmins = () =>
    db
      .select({ session: adminSessions, admin: admins })
      .from(adminSessions)
      .innerJoin(admins, eq(admins.id, adminId));
  return {
    open: db
      .insert(adminSessions)
      .values({
        tokenHash: value('tokenHash'),
        id: value('id'),
        adminId: value('adminId'),
        startedAt: value('startedAt'),
        lastSeenAt: value('lastSeenAt'),
        expiresAt: value('expiresAt'),
        address: value('address'),
        userAgent: value('userAgent'),
      })
      .onConflictDoNothing()
      .prepare(),
    // Every call asks for it, so no more is read than who it is.
    held: db
      .select({ sessionId: id, lastSeenAt, id: admins.id, username: admins.username, role: admins.role })
      .from(adminSessions)
      .innerJoin(admins, eq(admins.id, adminId))
      .where(and(eq(tokenHash, value('tokenHash')), isOpen))
      .prepare(),
    mark: db
      .update(adminSessions)
      .set({ lastSeenAt: sql`${value('now')}` })
      .where(eq(tokenHash, value('tokenHash')))
      .prepare(),
    all: withAdmins().where(isOpen).orderBy(desc(lastSeenAt), desc(expiresAt)).prepare(),
    ofAdmin: withAdmins()
      .where(and(eq(adminId, value('adminId')), isOpen))
      .orderBy(desc(lastSeenAt), desc(expiresAt))
      .prepare(),
    end: db
      .update(adminSessions)
      .set({ endedAt: sql`${value('at')}` })
      .where(and(eq(id, value('id')), isNull(endedAt)))
      .prepare(),
    endAllOf: db
      .update(adminSessions)
      .set({ endedAt: sql`${value('at')}` })
      .where(and(eq(adminId, value('adminId')), isNull(endedAt), ne(id, value('but'))))
      .prepare(),
    sweep: db
      .delete(adminSessions)
      .where(or(lte(expiresAt, value('before')), lte(endedAt, value('before'))))
      .prepare(),
  };
}

/** Sessions of the team, in the caller's transaction. Of an admin who was shut out none is open. */
export function prepareAdminSessions(db: BetterSQLite3Database) {
  const rows = prepareStatements(db);
  return {
    open: (token: string, session: AdminSession): void => {
      const { changes } = rows.open.run({ ...session, tokenHash: secretHash(token) });
      if (changes === 0) throw new RangeError('That token is taken.');
    },
    touch: (token: string, now: number, unusedSince: number): HeldSession | null => {
      const tokenHash = secretHash(token);
      const held = rows.held.get({ tokenHash, now, unusedSince });
      if (!held) return null;
      const { sessionId, lastSeenAt, ...admin } = held;
      if (now - lastSeenAt >= MARK_EVERY) rows.mark.run({ tokenHash, now });
      return { sessionId, admin };
    },
    list: (adminId: string | null, now: number, unusedSince: number): readonly AdminSession[] => {
      const bounds = { now, unusedSince };
      const found = adminId === null ? rows.all.all(bounds) : rows.ofAdmin.all({ adminId, ...bounds });
      return found.map(({ session }) => sessionOf(session));
    },
    end: (id: string, at: number): number => rows.end.run({ id, at }).changes,
    /** @param but the id of a session that stays; null where none does */
    endAllOf: (adminId: string, but: string | null, at: number): number =>
      rows.endAllOf.run({ adminId, but: but ?? '', at }).changes,
    sweep: (before: number): void => void rows.sweep.run({ before }),
  };
}
export type AdminSessionRows = ReturnType<typeof prepareAdminSessions>;
