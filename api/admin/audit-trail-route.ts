import {
  AUDIT_CURSOR_PATTERN,
  AUDIT_RECORDS_PER_PAGE,
  adminAuditTrail,
} from '../../data/contract/admin-audit-trail.ts';
import type { AuditPosition } from '../../data/store/audit-port.ts';
import type { ApiRoute } from '../call-router.ts';
import type { PortalContext } from '../portal-context.ts';
import { adminJsonRoute } from './authorize-admin.ts';

const NON_ADMIN_ACTORS = ['system', 'visitor', 'operator', 'wallet-owner', 'issuer'];

function positionOf(cursor: string | undefined): AuditPosition | null {
  const [, at, sequence] = AUDIT_CURSOR_PATTERN.exec(cursor ?? '') ?? [];
  return at === undefined || sequence === undefined ? null : { at: Number(at), sequence: Number(sequence) };
}

export function auditTrailRoute({ store, authorize }: PortalContext): ApiRoute {
  return adminJsonRoute(adminAuditTrail, { authorize }, async (_admin, query) => {
    const { before: cursor, from, to, ...filter } = query;
    const range = {
      from: from === undefined ? from : Date.parse(from),
      before: to === undefined ? to : Date.parse(to),
    };
    const records = await store.findAudit(
      { ...filter, ...range },
      AUDIT_RECORDS_PER_PAGE,
      positionOf(cursor),
    );
    const admins = (await store.admins.all()).map(({ id, username }) => ({ id, name: username }));
    const names = new Map(admins.map(({ id, name }) => [id, name]));
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
      actors: [
        ...admins.toSorted((a, b) => a.name.localeCompare(b.name)),
        ...NON_ADMIN_ACTORS.map((id) => ({ id, name: id })),
      ],
      actions: [...(await store.auditActions())],
      next: last && records.length === AUDIT_RECORDS_PER_PAGE ? `${last.at}.${last.sequence}` : null,
    };
  });
}
