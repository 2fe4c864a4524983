import type { DatabaseSettings } from '../../model/database-settings.ts';
import { StoreUnavailableError } from '../store-errors.ts';
import { compareStores, type StoreComparison, type TableComparison } from './compare-stores.ts';
import type { CopyState, CopyTarget, ReadableStore } from './copied-stores.ts';
import { COPIED_TABLES, type Columns, PAGE_SIZE, rowKey } from './copied-tables.ts';
import { openPostgresSource, openPostgresTarget } from './postgres-copy.ts';
import { openSqliteSource, openSqliteTarget } from './sqlite-copy.ts';

export const STORE_KINDS = ['sqlite', 'postgres'] as const;
export type StoreKind = (typeof STORE_KINDS)[number];

interface StoreLocations {
  readonly file: string;
  readonly settings: DatabaseSettings;
}

interface CopyOptions {
  /** Called after each page of rows. It can throw to interrupt the copy. */
  readonly onRows?: (table: string, rows: number) => void;
  readonly onTable?: (table: TableComparison) => void;
  readonly pageSize?: typeof PAGE_SIZE;
}

async function withClosing<Store extends ReadableStore, T>(
  storeOrPromise: Store | Promise<Store>,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await storeOrPromise;
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function copyRows(
  source: ReadableStore,
  target: CopyTarget,
  columns: Columns,
  { onRows = () => {}, pageSize = PAGE_SIZE }: CopyOptions,
): Promise<void> {
  const { records, head, broken } = await source.checkTrail();
  if (broken !== null) {
    throw new StoreUnavailableError(
      `The audit trail in ${source.name} was changed at record ${broken.sequence}. Nothing was copied. Check it with: npm run audit:trail`,
    );
  }
  const [firstTable] = COPIED_TABLES;
  const earlierState = await target.readState();
  if (earlierState !== null && (earlierState.records !== records || earlierState.head !== head)) {
    throw new StoreUnavailableError(
      `${target.name} holds an interrupted copy of another store, or the source has changed since the copy began. Nothing was copied. Delete the interrupted copy, then start again.`,
    );
  }
  const start: CopyState = earlierState ?? { records, head, table: firstTable?.name ?? '', after: null };
  if (earlierState === null) await target.begin(start);
  const startIndex = COPIED_TABLES.findIndex(({ name }) => name === start.table);
  for (const table of COPIED_TABLES.slice(startIndex)) {
    let after = table.name === start.table ? start.after : null;
    for (;;) {
      const rows = await source.page(table, after, pageSize);
      const last = rows.at(-1);
      if (last === undefined) break;
      after = rowKey(table, columns, last);
      await target.add(table, rows, { records, head, table: table.name, after });
      onRows(table.name, rows.length);
    }
  }
}

async function copyBetween(
  source: ReadableStore,
  target: CopyTarget,
  columns: Columns,
  options: CopyOptions,
): Promise<StoreComparison> {
  await copyRows(source, target, columns, options);
  await target.rebuildDerivedData();
  const comparison = await compareStores([source, target], columns, options.onTable, options.pageSize);
  if (comparison.isEqual) await target.complete();
  return comparison;
}

/**
 * Copies the portal's own data to the other kind of store, or continues an interrupted copy. Then compares both stores: the
 * portal can use the target only if they are equal. The portal must be stopped.
 * @throws {StoreUnavailableError} when a store cannot be used, the audit trail was changed, or the target is not empty. In these
 * cases, existing data does not change.
 */
export function copyStore(
  from: StoreKind,
  { file, settings }: StoreLocations,
  options: CopyOptions = {},
): Promise<StoreComparison> {
  if (from === 'sqlite') {
    return withClosing(openPostgresTarget(settings), (target) =>
      withClosing(openSqliteSource(file, target.columns, { mustLock: true }), (source) =>
        copyBetween(source, target, target.columns, options),
      ),
    );
  }
  return withClosing(openPostgresSource(settings), (source) =>
    withClosing(openSqliteTarget(file, source.columns), (target) =>
      copyBetween(source, target, source.columns, options),
    ),
  );
}

/** Compares both stores without writing. @throws {StoreUnavailableError} when one of them cannot be used */
export function checkStores(
  { file, settings }: StoreLocations,
  onTable?: (table: TableComparison) => void,
): Promise<StoreComparison> {
  return withClosing(openPostgresSource(settings), (database) =>
    withClosing(openSqliteSource(file, database.columns, { mustLock: false }), (sqlite) =>
      compareStores([sqlite, database], database.columns, onTable),
    ),
  );
}
