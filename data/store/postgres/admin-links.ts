import type { AdminLink } from '../admin-link-port.ts';
import { type AdminLinkRow, toLink, toLinkRow } from '../rules/admin-links.ts';
import { secretHash } from '../rules/secret-hash.ts';
import type { Database, Queries } from './database.ts';

const COLUMNS = `id, kind, email, username, role, "adminId", "removeTotp", "createdBy", "createdAt", "expiresAt"`;

/** Each method runs in the caller's transaction. */
export function prepareAdminLinks({ statement }: Database) {
  const statements = {
    add: statement(`
      insert into $.admin_links (${COLUMNS}, "tokenHash") values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`),
    all: statement<AdminLinkRow>(`select ${COLUMNS} from $.admin_links order by "createdAt" desc, id desc`),
    byToken: statement<AdminLinkRow>(
      `select ${COLUMNS} from $.admin_links where "tokenHash" = $1 and "expiresAt" > $2`,
    ),
    remove: statement('delete from $.admin_links where id = $1'),
    removeInvitation: statement(
      `delete from $.admin_links where kind = 'invitation' and lower(email) = lower($1)`,
    ),
    removeReset: statement('delete from $.admin_links where "adminId" = $1'),
    removeBy: statement('delete from $.admin_links where "createdBy" = $1'),
    removeAllOf: statement('delete from $.admin_links where "createdBy" = $1 or "adminId" = $1'),
    sweep: statement('delete from $.admin_links where "expiresAt" <= $1'),
  };
  return {
    async put(queries: Queries, link: AdminLink, token: string): Promise<void> {
      if (link.kind === 'invitation') await queries.run(statements.removeInvitation, link.email);
      else await queries.run(statements.removeReset, link.adminId);
      const { id, kind, email, username, role, adminId, removeTotp, createdBy, createdAt, expiresAt } =
        toLinkRow(link);
      const values = [id, kind, email, username, role, adminId, removeTotp, createdBy, createdAt, expiresAt];
      await queries.run(statements.add, ...values, secretHash(token));
    },
    all: async (queries: Queries): Promise<readonly AdminLink[]> =>
      (await queries.all(statements.all)).map(toLink),
    async find(queries: Queries, token: string, now: number): Promise<AdminLink | null> {
      const row = await queries.get(statements.byToken, secretHash(token), now);
      return row && toLink(row);
    },
    /** @returns false if the link was already used or ended */
    end: async (queries: Queries, id: string) => (await queries.run(statements.remove, id)) > 0,
    endReset: (queries: Queries, adminId: string) => queries.run(statements.removeReset, adminId),
    endAllBy: (queries: Queries, ownerId: string) => queries.run(statements.removeBy, ownerId),
    endAllOf: (queries: Queries, adminId: string) => queries.run(statements.removeAllOf, adminId),
    sweep: (queries: Queries, before: number) => queries.run(statements.sweep, before),
  };
}
