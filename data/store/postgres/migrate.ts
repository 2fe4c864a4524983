import { readdirSync, readFileSync } from 'node:fs';
import { StoreUnavailableError } from '../store-errors.ts';
import { quoted } from './connection.ts';
import type { Database, Statement } from './database.ts';
import { codeOf } from './database-errors.ts';

/** The parts of the portal's data. Each has its own migrations. */
export type StorePart = 'app' | 'index';

/** The statements of each migration, oldest first. A part's version is the number of migrations that were applied. */
function migrationsOf(part: StorePart): readonly (readonly string[])[] {
  const folder = new URL(`./migrations/${part}/`, import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  return files.toSorted().map((name) => {
    const statements = readFileSync(new URL(name, folder), 'utf8').split(/;$/m);
    return statements.filter((text) => text.trim() !== '');
  });
}

/** Not prepared, because it runs once. */
const once = (db: Database, text: string): Statement<object> => ({ ...db.statement(text), name: undefined });

/** Creates what `migrate` needs, unless it exists. Looks first, since a user may have no right to create a schema. */
async function createVersions(db: Database, schema: string): Promise<void> {
  const createUnless = async (condition: string, text: string): Promise<void> => {
    const exists = async () => (await db.get(once(db, condition), schema)) !== null;
    if (await exists()) return;
    try {
      await db.run(once(db, text));
    } catch (error) {
      // If another program created it at the same time, the server's error has one of several codes.
      if (!(await exists())) throw error;
    }
  };
  await createUnless(
    'select from pg_catalog.pg_namespace where nspname = $1',
    `create schema ${quoted(schema)}`,
  );
  await createUnless(
    "select from pg_catalog.pg_tables where schemaname = $1 and tablename = 'schema_versions'",
    'create table $.schema_versions (part text primary key, version integer not null)',
  );
}

/**
 * The statements that a schema of a version lacks.
 * @throws {StoreUnavailableError} when the schema is newer than this program.
 */
function missing(part: StorePart, version: number, schema: string): readonly string[] {
  const migrations = migrationsOf(part);
  if (version > migrations.length) {
    throw new StoreUnavailableError(
      `The schema "${schema}" of the database was written by a newer version of this program (its version is ${version}, ` +
        `this program knows ${migrations.length}). Start the newer version, or set DATABASE_SCHEMA to another schema.`,
    );
  }
  return migrations.slice(version).flat();
}

/** The code of an error about a table that does not exist. */
const NO_TABLE = '42P01';

/**
 * Whether the schema of a part has the version of this program.
 * @throws {StoreUnavailableError} when it is newer than this program, or the database cannot be used.
 */
export async function isMigrated(db: Database, schema: string, part: StorePart): Promise<boolean> {
  const version = db.statement<{ version: number }>('select version from $.schema_versions where part = $1');
  try {
    const stored = await db.get(version, part);
    return stored !== null && missing(part, stored.version, schema).length === 0;
  } catch (error) {
    if (codeOf(error) === NO_TABLE) return false;
    throw error;
  }
}

/**
 * Creates the schema of a part, or migrates it to this program's version in one transaction. Of several programs that start at
 * once, one migrates while the others wait.
 * @throws {StoreUnavailableError} when the schema is newer than this program, or the database cannot be used.
 */
export async function migrate(db: Database, schema: string, part: StorePart): Promise<void> {
  await createVersions(db, schema);
  await db.run(once(db, 'insert into $.schema_versions values ($1, 0) on conflict do nothing'), part);
  await db.transaction([], async (transaction) => {
    const lockedVersion = db.statement<{ version: number }>(
      'select version from $.schema_versions where part = $1 for update',
    );
    const locked = await transaction.get(lockedVersion, part);
    for (const text of missing(part, locked?.version ?? 0, schema)) await transaction.run(once(db, text));
    const setVersion = db.statement('update $.schema_versions set version = $2 where part = $1');
    await transaction.run(setVersion, part, migrationsOf(part).length);
  });
}
