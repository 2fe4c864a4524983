import type Database from 'better-sqlite3';
import type { AuditRecord } from '../audit-port.ts';
import type { FilterStore, SavedFilter } from '../filter-port.ts';
import { APP_FILE, runInStore } from './store-files.ts';

type Row = Omit<SavedFilter, 'isShared'> & { readonly owner: string; readonly isShared: number };

export function prepareFilterRemoval(client: Database.Database): (adminId: string) => void {
  const remove = client.prepare<[string]>('delete from saved_filters where adminId = ? and isShared = 0');
  return (adminId) => void remove.run(adminId);
}

export function openFilters(client: Database.Database, record: (record: AuditRecord) => void): FilterStore {
  const visible = client.prepare<[string], Row>(
    `select f.*, (select m.username from admins m where m.id = f.adminId) as owner from saved_filters f
     where f.adminId = ? or f.isShared = 1 order by f.name collate nocase, f.id`,
  );
  const count = client
    .prepare<[string], number>('select count(*) from saved_filters where adminId = ?')
    .pluck();
  const add = client.prepare(
    `insert into saved_filters (id, adminId, list, name, view, isShared, createdAt)
     values (:id, :adminId, :list, :name, :view, :isShared, :createdAt)`,
  );
  const MATCHES_AUTHOR = '(adminId = :authorId or (:authorId is null and isShared = 1))';
  const change = client.prepare(
    `update saved_filters set name = :name, view = :view, isShared = :isShared where id = :id and ${MATCHES_AUTHOR}`,
  );
  const remove = client.prepare(`delete from saved_filters where id = :id and ${MATCHES_AUTHOR}`);
  const run = <T>(work: () => T): Promise<T> =>
    runInStore(client, APP_FILE, () => client.transaction(work).immediate());
  const recordIfChanged = (changes: number, audit: AuditRecord): boolean => {
    if (changes > 0) record(audit);
    return changes > 0;
  };
  return {
    visibleTo: (adminId) =>
      runInStore(client, APP_FILE, () =>
        visible.all(adminId).map((row) => ({ ...row, isShared: row.isShared === 1 })),
      ),
    add: (filter, limit, audit) =>
      run(() => {
        if ((count.get(filter.adminId) ?? 0) >= limit) return 'full';
        add.run({ ...filter, isShared: Number(filter.isShared) });
        record(audit);
        return 'added';
      }),
    change: ({ id, name, view, isShared }, authorId, audit) =>
      run(() =>
        recordIfChanged(change.run({ id, name, view, isShared: Number(isShared), authorId }).changes, audit),
      ),
    remove: (id, authorId, audit) => run(() => recordIfChanged(remove.run({ id, authorId }).changes, audit)),
  };
}
