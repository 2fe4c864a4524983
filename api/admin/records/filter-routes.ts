import { randomUUID } from 'node:crypto';
import { removeFilter, savedFilters, saveFilter } from '../../../data/contract/admin-filters.ts';
import { LIST_IDS } from '../../../data/model/admin-lists.ts';
import { mayActAs } from '../../../data/model/admin-rules.ts';
import { MAX_FILTERS } from '../../../data/model/saved-filters.ts';
import type { ApiRoute } from '../../call-router.ts';
import { ApiError } from '../../errors.ts';
import type { PortalContext } from '../../portal-context.ts';
import { adminAuditRecord } from '../admin-audit.ts';
import { adminJsonRoute, type SignedInAdmin } from '../authorize-admin.ts';

/** The audit trail records neither the names of saved filters nor their search terms. */
export function filterRoutes({ store: { filters }, authorize, now }: PortalContext): readonly ApiRoute[] {
  const options = { authorize, limit: 'admin-changes' } as const;
  const auditRecord = (admin: SignedInAdmin, action: string, details: Readonly<Record<string, string>>) =>
    adminAuditRecord(admin, { action, at: now(), details });

  return [
    adminJsonRoute(savedFilters, { authorize }, async ({ id }) => {
      const visibleFilters = await filters.visibleTo(id);
      return {
        // A saved filter for a list that no longer exists cannot be shown.
        filters: visibleFilters.flatMap(({ list: storedList, view, createdAt: _createdAt, ...filter }) => {
          const list = LIST_IDS.find((one) => one === storedList);
          return list === undefined ? [] : [{ ...filter, list, view: JSON.parse(view) }];
        }),
      };
    }),
    adminJsonRoute(saveFilter, options, async (admin, { id: savedId, list, name, view, isShared }) => {
      if (isShared && !mayActAs(admin.role, 'reviewer')) throw new ApiError('not-allowed');
      const id = savedId ?? randomUUID();
      const audit = auditRecord(admin, 'filter.saved', { filter: id, list, shared: isShared ? 'yes' : 'no' });
      const filter = { id, name, view: JSON.stringify(view), isShared };
      if (savedId === null) {
        const newFilter = { ...filter, list, adminId: admin.id, createdAt: now() };
        if ((await filters.add(newFilter, MAX_FILTERS, audit)) === 'full') throw new ApiError('filters-full');
        return { success: true, id };
      }
      const isChanged =
        (await filters.change(filter, admin.id, audit)) ||
        (admin.role === 'owner' && (await filters.change(filter, null, audit)));
      if (!isChanged) throw new ApiError('unknown-filter');
      return { success: true, id };
    }),
    adminJsonRoute(removeFilter, options, async (admin, { id }) => {
      const audit = auditRecord(admin, 'filter.removed', { filter: id });
      const isRemoved =
        (await filters.remove(id, admin.id, audit)) ||
        (admin.role === 'owner' && (await filters.remove(id, null, audit)));
      if (!isRemoved) throw new ApiError('unknown-filter');
      return { success: true };
    }),
  ];
}
