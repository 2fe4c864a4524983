import type { FilterStore, SavedFilter } from '../filter-port.ts';
import type { Database } from './database.ts';

export const DELETE_PRIVATE_FILTERS = 'delete from $.saved_filters where "adminId" = $1 and not "isShared"';

export function openFilters(db: Database): FilterStore {
  const MATCHES_AUTHOR = '(("adminId" = $2) or ($2::text is null and "isShared"))';
  const statements = {
    visible: db.statement<SavedFilter & { owner: string }>(`
      select f.id, f."adminId", f.list, f.name, f.view, f."isShared", f."createdAt",
        (select m.username from $.admins m where m.id = f."adminId") as owner
      from $.saved_filters f where f."adminId" = $1 or f."isShared" order by lower(f.name), f.id`),
    count: db.statement<{ filters: number }>(
      'select count(*) as filters from $.saved_filters where "adminId" = $1',
    ),
    add: db.statement(`
      insert into $.saved_filters (id, "adminId", list, name, view, "isShared", "createdAt")
      values ($1, $2, $3, $4, $5, $6, $7)`),
    change: db.statement(
      `update $.saved_filters set name = $3, view = $4, "isShared" = $5 where id = $1 and ${MATCHES_AUTHOR}`,
    ),
    remove: db.statement(`delete from $.saved_filters where id = $1 and ${MATCHES_AUTHOR}`),
  };
  return {
    visibleTo: (adminId) => db.all(statements.visible, adminId),
    add: ({ id, adminId, list, name, view, isShared, createdAt }, limit, audit) =>
      db.transaction([`filters ${adminId}`], async (transaction) => {
        const { filters = 0 } = (await transaction.get(statements.count, adminId)) ?? {};
        if (filters >= limit) return 'full';
        await transaction.run(statements.add, id, adminId, list, name, view, isShared, createdAt);
        transaction.record(audit);
        return 'added';
      }),
    change: ({ id, name, view, isShared }, authorId, audit) =>
      db.transaction([], async (transaction) => {
        const isChanged = (await transaction.run(statements.change, id, authorId, name, view, isShared)) > 0;
        if (isChanged) transaction.record(audit);
        return isChanged;
      }),
    remove: (id, authorId, audit) =>
      db.transaction([], async (transaction) => {
        const isRemoved = (await transaction.run(statements.remove, id, authorId)) > 0;
        if (isRemoved) transaction.record(audit);
        return isRemoved;
      }),
  };
}
