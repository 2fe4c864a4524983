import { randomUUID } from 'node:crypto';
import { removeFilter, savedFilters, saveFilter } from '../../../data/contract/admin-filters.ts';
import { LIST_IDS } from '../../../data/model/admin-lists.ts';
import { mayActAs } from '../../../data/model/admin-rules.ts';
import { MAX_FILTERS } from '../../../data/model/saved-filters.ts';
import { ApiError } from '../../errors.ts';
import type { ApiRoute } from '../../known-calls.ts';
import type { PortalContext } from '../../portal-context.ts';
import { adminRecord } from '../admin-audit.ts';
import { adminCall, type SignedInAdmin } from '../authorize-admin.ts';

/** The calls for saved filters. The audit trail records neither their names nor their search terms. */
export function filterRoutes({ store: { filters }, authorize, now }: PortalContext): readonly ApiRoute[] {
  const options = { authorize, limit: 'admin-changes' } as const;
  const auditOf = (admin: SignedInAdmin, action: string, details: Readonly<Record<string, string>>) =>
    adminRecord(admin, { action, at: now(), details });

  return [
    adminCall(savedFilters, { authorize }, async ({ id }) => {
      const visible = await filters.visibleTo(id);
      return {
        // A saved filter of a list that no longer exists cannot be shown.
        filters: visible.flatMap(({ list: stored, view, createdAt: _createdAt, ...filter }) => {
          const list = LIST_IDS.find((one) => one === stored);
          return list === undefined ? [] : [{ ...filter, list, view: JSON.parse(view) }];
        }),
      };
    }),
    adminCall(saveFilter, options, async (admin, { id: saved, list, name, view, isShared }) => {
      if (isShared && !mayActAs(admin.role, 'reviewer')) throw new ApiError('not-allowed');
      const id = saved ?? randomUUID();
      const audit = auditOf(admin, 'filter.saved', { filter: id, list, shared: isShared ? 'yes' : 'no' });
      const filter = { id, name, view: JSON.stringify(view), isShared };
      if (saved === null) {
        const added = { ...filter, list, adminId: admin.id, createdAt: now() };
        if ((await filters.add(added, MAX_FILTERS, audit)) === 'full') throw new ApiError('filters-full');
        return { success: true, id };
      }
      const isChanged =
        (await filters.change(filter, admin.id, audit)) ||
        (admin.role === 'owner' && (await filters.change(filter, null, audit)));
      if (!isChanged) throw new ApiError('unknown-filter');
      return { success: true, id };
    }),
    adminCall(removeFilter, options, async (admin, { id }) => {
      const audit = auditOf(admin, 'filter.removed', { filter: id });
      const isRemoved =
        (await filters.remove(id, admin.id, audit)) ||
        (admin.role === 'owner' && (await filters.remove(id, null, audit)));
      if (!isRemoved) throw new ApiError('unknown-filter');
      return { success: true };
    }),
  ];
}
