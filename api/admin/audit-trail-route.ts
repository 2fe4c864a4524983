import { AUDIT_RECORDS_PER_PAGE, adminAuditTrail } from '../../data/contract/admin-audit-trail.ts';
import type { ApiRoute } from '../known-calls.ts';
import type { PortalContext } from '../portal-context.ts';
import { adminCall } from './admit-admin.ts';

/** `GET /api/admin/audit-trail`: one page of records, with the current names of the admins. */
export function auditTrailRoute({ store, admit }: PortalContext): ApiRoute {
  return adminCall(adminAuditTrail, { admit }, async (_admin, { before }) => {
    const records = await store.auditTrail(
      AUDIT_RECORDS_PER_PAGE,
      before === undefined ? before : Number(before),
    );
    const names = new Map((await store.admins.all()).map(({ id, username }) => [id, username]));
    const last = records.at(-1);
    return {
      records: records.map(({ id, at, actor, action, address = null, details }) => ({
        id,
        at: new Date(at).toISOString(),
        actor: names.get(actor) ?? actor,
        action,
        address,
        details: { ...details },
      })),
      next: last && records.length === AUDIT_RECORDS_PER_PAGE ? String(last.sequence) : null,
    };
  });
}
