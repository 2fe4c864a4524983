import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { AdminLink } from '../admin-link-port.ts';
import { toLink, toLinkRow } from '../rules/admin-links.ts';
import { secretHash } from '../rules/secret-hash.ts';
import { adminLinks } from './app-schema.ts';
import {
  and,
  desc,
  eq,
  equalsPlaceholder,
  getTableColumns,
  gt,
  lte,
  or,
  placeholder,
  rowPlaceholders,
  sql,
} from './drizzle.ts';

/** Each method runs in the caller's transaction. */
export function prepareAdminLinks(db: BetterSQLite3Database) {
  const { id, kind, email, adminId, createdBy, createdAt, expiresAt } = adminLinks;
  const { tokenHash, ...columns } = getTableColumns(adminLinks);
  const ofToken = equalsPlaceholder(tokenHash, 'tokenHash');
  const isOfAccount = equalsPlaceholder(adminId, 'adminId');
  const statements = {
    add: db.insert(adminLinks).values(rowPlaceholders(adminLinks)).prepare(),
    all: db.select(columns).from(adminLinks).orderBy(desc(createdAt), desc(id)).prepare(),
    byToken: db
      .select(columns)
      .from(adminLinks)
      .where(and(ofToken, gt(expiresAt, placeholder('now'))))
      .prepare(),
    remove: db.delete(adminLinks).where(equalsPlaceholder(id, 'id')).prepare(),
    removeInvitation: db
      .delete(adminLinks)
      .where(and(eq(kind, 'invitation'), sql`lower(${email}) = lower(${placeholder('email')})`))
      .prepare(),
    removeReset: db.delete(adminLinks).where(isOfAccount).prepare(),
    removeBy: db.delete(adminLinks).where(equalsPlaceholder(createdBy, 'adminId')).prepare(),
    removeAllOf: db
      .delete(adminLinks)
      .where(or(isOfAccount, equalsPlaceholder(createdBy, 'adminId')))
      .prepare(),
    sweep: db
      .delete(adminLinks)
      .where(lte(expiresAt, placeholder('before')))
      .prepare(),
  };
  return {
    put: (link: AdminLink, token: string): void => {
      if (link.kind === 'invitation') statements.removeInvitation.run({ email: link.email });
      else statements.removeReset.run({ adminId: link.adminId });
      statements.add.run({ ...toLinkRow(link), tokenHash: secretHash(token) });
    },
    all: (): readonly AdminLink[] => statements.all.all().map(toLink),
    find: (token: string, now: number): AdminLink | null => {
      const row = statements.byToken.get({ tokenHash: secretHash(token), now });
      return row ? toLink(row) : null;
    },
    /** @returns false if the link had already ended */
    end: (linkId: string): boolean => statements.remove.run({ id: linkId }).changes > 0,
    endReset: (accountId: string): void => void statements.removeReset.run({ adminId: accountId }),
    endAllBy: (ownerId: string): void => void statements.removeBy.run({ adminId: ownerId }),
    endAllOf: (accountId: string): void => void statements.removeAllOf.run({ adminId: accountId }),
    sweep: (before: number): void => void statements.sweep.run({ before }),
  };
}
