import { AUDIT_RECORDS_PER_PAGE, adminAuditTrail } from '../../data/contract/admin-audit-trail.ts';
import type { ResponseOf } from '../../data/contract/call.ts';
import type { AppStore } from '../../data/store/ports.ts';
import type { ApiRoute } from '../known-calls.ts';
import { readQuery } from '../request-input.ts';
import type { AdmitAdmin } from './admit-admin.ts';
import { adminRoute } from './admit-admin.ts';

/** `GET /api/admin/audit-trail`: one page of records, with the current names of the admins. */
export function auditTrailRoute(options: {
  readonly store: Pick<AppStore, 'auditTrail' | 'admins'>;
  readonly admit: AdmitAdmin;
}): ApiRoute {
  const { store, admit } = options;
  return adminRoute(adminAuditTrail, { admit }, async (_admin, request, response) => {
    const { before } = readQuery(adminAuditTrail.query, request.query);
    const records = await store.auditTrail(
      AUDIT_RECORDS_PER_PAGE,
      before === undefined ? before : Number(before),
    );
    const names = new Map((await store.admins.all()).map(({ id, username }) => [id, username]));
    const last = records.at(-1);
    const body: ResponseOf<typeof adminAuditTrail> = {
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
    response.json(body);
  });
}
