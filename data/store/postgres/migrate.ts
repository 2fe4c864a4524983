import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { notifyMigrating } from '../../runtime/shutdown.ts';
import { StoreUnavailableError } from '../store-errors.ts';
import { quoteIdentifier } from './connection.ts';
import type { Database, Statement } from './database.ts';
import { errorCode, isConflict, isLockTimeout } from './database-errors.ts';

/** The parts of the portal's data. Each has its own migrations. */
export type StorePart = 'app' | 'index';

export interface Migration {
  readonly statements: readonly string[];
  /** The version of the oldest program that can use the schema after this migration. */
  readonly oldestProgram: number;
}

/** Marks a migration that removes or changes something that older programs use. */
const OLDEST_PROGRAM = /^-- oldest-program: (\d+)$/m;

/** The migrations of a part, oldest first. The version of a schema or a program is the number of its migrations. */
export function migrationsOf(part: StorePart): readonly Migration[] {
  const folder = new URL(`./migrations/${part}/`, import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  return files.toSorted().map((name) => {
    const text = readFileSync(new URL(name, folder), 'utf8');
    return {
      statements: text.split(/;$/m).filter((statement) => statement.trim() !== ''),
      oldestProgram: Number(OLDEST_PROGRAM.exec(text)?.[1] ?? 0),
    };
  });
}

/** A statement that is not prepared, because it runs only once. */
const unnamedStatement = (db: Database, text: string): Statement<object> => ({
  ...db.statement(text),
  name: undefined,
});

/**
 * Creates the schema and table that `migrate` needs, unless they exist. Checks first, because the database user may not be
 * allowed to create a schema.
 */
async function createVersionTable(db: Database, schema: string): Promise<void> {
  const createUnless = async (condition: string, text: string): Promise<void> => {
    const exists = async () => (await db.get(unnamedStatement(db, condition), schema)) !== null;
    if (await exists()) return;
    try {
      await db.run(unnamedStatement(db, text));
    } catch (error) {
      // If another program created it at the same time, the server reports one of several error codes.
      if (!(await exists())) throw error;
    }
  };
  await createUnless(
    'select from pg_catalog.pg_namespace where nspname = $1',
    `create schema ${quoteIdentifier(schema)}`,
  );
  await createUnless(
    "select from pg_catalog.pg_tables where schemaname = $1 and tablename = 'schema_versions'",
    'create table $.schema_versions (part text primary key, version integer not null, "oldestProgram" integer not null)',
  );
}

interface StoredVersion {
  readonly version: number;
  readonly oldestProgram: number;
}

/** @throws {StoreUnavailableError} if the schema is too new for a program of this version */
function refuseNewer(stored: StoredVersion, programVersion: number, schema: string): void {
  if (stored.oldestProgram <= programVersion) return;
  throw new StoreUnavailableError(
    `The schema "${schema}" is at version ${stored.version}, but this program was built for version ${programVersion} and ` +
      'cannot use it. Start the newer program, or set DATABASE_SCHEMA to another schema.',
  );
}

const NO_TABLE_CODE = '42P01';

/**
 * Whether the schema of a part has every migration of this program. It may also have later migrations, if programs of this
 * version can still use the schema.
 * @param options.mayBeNewer false to reject every later migration
 * @throws {StoreUnavailableError} when the schema is too new for this program, or the database cannot be used.
 */
export async function isMigrated(
  db: Database,
  schema: string,
  part: StorePart,
  { mayBeNewer = true } = {},
): Promise<boolean> {
  const select = db.statement<StoredVersion>(
    'select version, "oldestProgram" from $.schema_versions where part = $1',
  );
  const programVersion = migrationsOf(part).length;
  try {
    const stored = await db.get(select, part);
    if (stored === null) return false;
    refuseNewer(mayBeNewer ? stored : { ...stored, oldestProgram: stored.version }, programVersion, schema);
    return stored.version >= programVersion;
  } catch (error) {
    if (errorCode(error) === NO_TABLE_CODE) return false;
    throw error;
  }
}

/** @throws {StoreUnavailableError} when `isMigrated` is false or throws */
export async function requireMigrated(
  ...[db, schema, ...more]: Parameters<typeof isMigrated>
): Promise<void> {
  if (await isMigrated(db, schema, ...more)) return;
  throw new StoreUnavailableError(
    `The schema "${schema}" does not exist or has not been migrated to this version. Start the portal once to create or migrate it, or correct DATABASE_SCHEMA.`,
  );
}

/** How long (ms) one attempt at a migration waits for a lock. Meanwhile, every other use of the table waits, too. */
const LOCK_DEADLINE_MS = 1_000;
/** The pause (ms) between two attempts while programs such as pg_dump use the tables. */
const LOCK_PAUSE_MS = 1_000;
/** How long (ms) a migration keeps trying to lock the tables. It takes longer if an attempt waits for more than one lock. */
export const LOCK_WAIT_MS = 40_000;
const LOCK_TRIES = LOCK_WAIT_MS / (LOCK_DEADLINE_MS + LOCK_PAUSE_MS);

/**
 * Creates the schema of a part, or applies the missing migrations in one transaction. If several programs start at the same time,
 * one migrates and the others wait.
 * @throws {StoreUnavailableError} when the schema is too new for this program, or the database cannot be used.
 */
export async function migrate(
  db: Database,
  schema: string,
  part: StorePart,
  migrations: readonly Migration[] = migrationsOf(part),
): Promise<void> {
  await createVersionTable(db, schema);
  await db.run(
    unnamedStatement(db, 'insert into $.schema_versions values ($1, 0, 0) on conflict do nothing'),
    part,
  );
  const selectVersion = 'select version, "oldestProgram" from $.schema_versions where part = $1';
  const before = await db.get(db.statement<StoredVersion>(selectVersion), part);
  // Creating a new schema takes hardly any time, so only a migration of existing tables is reported.
  if (before && before.version > 0 && before.version < migrations.length) notifyMigrating();
  const lockVersion = db.statement<StoredVersion>(`${selectVersion} for update`);
  const setVersion = db.statement(
    'update $.schema_versions set version = $2, "oldestProgram" = $3 where part = $1',
  );
  const attempt = () =>
    db.transaction([], async (transaction) => {
      const stored = (await transaction.get(lockVersion, part)) ?? { version: 0, oldestProgram: 0 };
      refuseNewer(stored, migrations.length, schema);
      const missingMigrations = migrations.slice(stored.version);
      if (missingMigrations.length === 0) return;
      await transaction.run(unnamedStatement(db, `set local lock_timeout = ${LOCK_DEADLINE_MS}`));
      for (const text of missingMigrations.flatMap(({ statements }) => statements)) {
        await transaction.run(unnamedStatement(db, text));
      }
      const oldestPrograms = missingMigrations.map(({ oldestProgram }) => oldestProgram);
      await transaction.run(
        setVersion,
        part,
        migrations.length,
        Math.max(stored.oldestProgram, ...oldestPrograms),
      );
    });
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (tries >= LOCK_TRIES || !(isLockTimeout(error) || isConflict(error))) throw error;
      await setTimeout(LOCK_PAUSE_MS);
    }
  }
}
