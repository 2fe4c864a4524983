import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { AdminLink } from '../admin-link-port.ts';
import { toLink, toLinkRow } from '../rules/admin-links.ts';
import { secretHash } from '../rules/secret-hash.ts';
import { adminLinks } from './app-schema.ts';
import { and, desc, eq, equals, getTableColumns, gt, lte, or, rowValues, sql, value } from './drizzle.ts';

/** Reads and writes one-time links in the caller's transaction. */
export function prepareAdminLinks(db: BetterSQLite3Database) {
  const { id, kind, email, adminId, createdBy, createdAt, expiresAt } = adminLinks;
  const { tokenHash, ...columns } = getTableColumns(adminLinks);
  const ofToken = equals(tokenHash, 'tokenHash');
  const isOfAccount = equals(adminId, 'adminId');
  const rows = {
    add: db.insert(adminLinks).values(rowValues(adminLinks)).prepare(),
    all: db.select(columns).from(adminLinks).orderBy(desc(createdAt), desc(id)).prepare(),
    byToken: db
      .select(columns)
      .from(adminLinks)
      .where(and(ofToken, gt(expiresAt, value('now'))))
      .prepare(),
    remove: db.delete(adminLinks).where(equals(id, 'id')).prepare(),
    removeInvitation: db
      .delete(adminLinks)
      .where(and(eq(kind, 'invitation'), sql`lower(${email}) = lower(${value('email')})`))
      .prepare(),
    removeReset: db.delete(adminLinks).where(isOfAccount).prepare(),
    removeBy: db.delete(adminLinks).where(equals(createdBy, 'adminId')).prepare(),
    removeAllOf: db
      .delete(adminLinks)
      .where(or(isOfAccount, equals(createdBy, 'adminId')))
      .prepare(),
    sweep: db
      .delete(adminLinks)
      .where(lte(expiresAt, value('before')))
      .prepare(),
  };
  return {
    /** Adds a link in place of the earlier one for the same address or account. */
    put: (link: AdminLink, token: string): void => {
      if (link.kind === 'invitation') rows.removeInvitation.run({ email: link.email });
      else rows.removeReset.run({ adminId: link.adminId });
      rows.add.run({ ...toLinkRow(link), tokenHash: secretHash(token) });
    },
    all: (): readonly AdminLink[] => rows.all.all().map(toLink),
    find: (token: string, now: number): AdminLink | null => {
      const row = rows.byToken.get({ tokenHash: secretHash(token), now });
      return row ? toLink(row) : null;
    },
    /** @returns false if the link has ended */
    end: (linkId: string): boolean => rows.remove.run({ id: linkId }).changes > 0,
    endReset: (ofAdmin: string): void => void rows.removeReset.run({ adminId: ofAdmin }),
    endAllBy: (owner: string): void => void rows.removeBy.run({ adminId: owner }),
    endAllOf: (admin: string): void => void rows.removeAllOf.run({ adminId: admin }),
    sweep: (before: number): void => void rows.sweep.run({ before }),
  };
}
