import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type Database from 'better-sqlite3';
import { checkAuditTrail } from '../open-stores.ts';
import { storableJson, storableValue } from '../postgres/storable-text.ts';
import { syncToDisk } from '../sqlite/backup-file.ts';
import { openForReading, openForWriting } from '../sqlite/open-database.ts';
import { APP_FILE, storeError } from '../sqlite/store-files.ts';
import { acquireWriterLock } from '../sqlite/writer-lock.ts';
import { StoreUnavailableError } from '../store-errors.ts';
import type { CopyState, CopyTarget, ReadableStore } from './copied-stores.ts';
import {
  type Cell,
  type Column,
  type Columns,
  type CopiedTable,
  pageSql,
  rowsAtOnce,
  tableColumns,
} from './copied-tables.ts';

/** A value in a form that PostgreSQL can store. Audit records are not changed, because their hashes would no longer match. */
function readCell(value: Cell, { type }: Column, { name }: CopiedTable): Cell {
  if (type === 'boolean' && value !== null) return value === 1;
  if (typeof value !== 'string' || name === 'audit_records') return value;
  if (type !== 'plain' && value.includes('\\u0000')) return storableJson(JSON.parse(value));
  return storableValue(value) as Cell;
}

const toSqliteCell = (cell: Cell): Exclude<Cell, boolean> =>
  typeof cell === 'boolean' ? Number(cell) : cell;

/**
 * Builds the counts of sent and dead deliveries. The triggers count a delivery only when its state changes, not when it is
 * inserted.
 */
const DERIVED_DATA_SQL = `
  insert into record_counts (kind, status, rows)
  select 'delivery', state, count(*) from deliveries where state in ('sent', 'dead') group by state
  on conflict do update set rows = excluded.rows`;

/** Runs work on a file. @throws {StoreUnavailableError} when it fails for a reason outside the program, such as a full disk */
function translateErrors<T>(client: Database.Database, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw storeError(client.name, APP_FILE, error);
  }
}

function createReadableStore(
  client: Database.Database,
  columns: Columns,
  release: () => void,
): ReadableStore {
  return {
    name: client.name,
    page: async (table, after, size) => {
      const columnsOfTable = tableColumns(columns, table.name);
      const values = [...(after ?? []), rowsAtOnce(table, size)];
      const text = pageSql(
        table,
        columnsOfTable.map(({ name }) => `"${name}"`),
        values.map(() => '?'),
      );
      const rows = translateErrors(client, () => client.prepare(text).raw().all(values) as Cell[][]);
      return rows.map((row) =>
        columnsOfTable.map((column, index) => readCell(row[index] ?? null, column, table)),
      );
    },
    checkTrail: () => checkAuditTrail(client.name),
    async close() {
      client.close();
      release();
    },
  };
}

/**
 * Opens a complete `app.db` for reading.
 * @param options.mustLock whether to prevent other programs from writing to the file while it is open
 * @throws {StoreUnavailableError} when it cannot be used, has another version, or is locked by another program
 */
export function openSqliteSource(
  file: string,
  columns: Columns,
  { mustLock }: { readonly mustLock: boolean },
): ReadableStore {
  const release = mustLock ? acquireWriterLock(file) : () => {};
  try {
    const { client, schema } = openForReading(file, APP_FILE);
    if (schema === 'current') return createReadableStore(client, columns, release);
    client.close();
    throw new StoreUnavailableError(
      `${file} was written by an older version of the portal. Start the portal once without DATABASE_URL, then stop it.`,
    );
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * Opens a new file to copy into. The file is renamed to `app.db` once it is complete.
 * @throws {StoreUnavailableError} when `app.db` already exists, or the file cannot be used
 */
export function openSqliteTarget(file: string, columns: Columns): CopyTarget {
  const release = acquireWriterLock(file);
  try {
    // Readers may leave an empty write-ahead log, which is harmless. SQLite would apply any other log to the new file.
    const logBytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    if (existsSync(file) || logBytes > 0) {
      const existing = logBytes > 0 ? `${file} or its log ${file}-wal` : file;
      throw new StoreUnavailableError(
        `${existing} exists. Nothing was copied. Move it away, or set DATA_DIR to another folder.`,
      );
    }
    return createTarget(file, columns, release);
  } catch (error) {
    release();
    throw error;
  }
}

function createTarget(file: string, columns: Columns, release: () => void): CopyTarget {
  // The portal deletes a file with this name a day after it was written, because it contains personal data.
  const client = openForWriting(`${file}.copy.partial`, APP_FILE);
  const store = createReadableStore(client, columns, release);
  client.exec(
    'create table if not exists copy_state (id integer primary key check (id = 1), state text not null)',
  );
  const saveState = client.prepare('insert or replace into copy_state (id, state) values (1, ?)');
  return {
    ...store,
    async readState() {
      const text = client.prepare('select state from copy_state').pluck().get();
      return text === undefined ? null : (JSON.parse(String(text)) as CopyState);
    },
    begin: async (state) => void saveState.run(JSON.stringify(state)),
    async add(table, rows, state) {
      const names = tableColumns(columns, table.name).map(({ name }) => `"${name}"`);
      const insert = client.prepare(
        `insert into ${table.name} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`,
      );
      const addAll = client.transaction(() => {
        for (const row of rows) insert.run(row.map(toSqliteCell));
        saveState.run(JSON.stringify(state));
      });
      translateErrors(client, () => addAll.immediate());
    },
    rebuildDerivedData: async () => translateErrors(client, () => void client.exec(DERIVED_DATA_SQL)),
    async complete() {
      const partial = client.name;
      client.close();
      syncToDisk(partial);
      for (const suffix of ['-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
      renameSync(partial, file);
      syncToDisk(dirname(file));
      // The state is removed last, so that the copy can continue if it is interrupted before the file has its name.
      const complete = openForWriting(file, APP_FILE);
      translateErrors(complete, () => complete.exec('drop table copy_state'));
      complete.close();
    },
  };
}
