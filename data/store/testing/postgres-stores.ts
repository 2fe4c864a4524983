import pg from 'pg';
import { inject } from 'vitest';
import type { AppStore, IndexReader } from '../ports.ts';
import { openAppStore } from '../postgres/app-store.ts';
import { openDatabase } from '../postgres/connection.ts';
import type { DatabaseSettings } from '../postgres/database.ts';
import { discardIndex } from '../postgres/discard-index.ts';
import { openIndexReader } from '../postgres/index-reader.ts';
import { openIndexWriter } from '../postgres/index-writer.ts';
import type { TestStores } from './test-stores-port.ts';

/** Tables that a migration fills. Each value is the statement that resets the table, or null to keep the table's rows. */
const SEEDED_TABLES: Readonly<Record<string, string | null>> = {
  schema_versions: null,
  named_locks: null,
  audit_head: "update $.audit_head set sequence = 0, hash = repeat('0', 64)",
  index_state: 'update $.index_state set version = 0, "emptyVersion" = 0, fence = 0',
};

/** Schemas of this process that no test is using. Creating a schema takes ten times as long as emptying one. */
const unusedSchemas: ReturnType<typeof openSchema>[] = [];
let schemaCount = 0;

export function testSettings(schema: string, changes: Partial<DatabaseSettings> = {}): DatabaseSettings {
  return {
    host: inject('postgresSocketFolder'),
    port: null,
    user: 'postgres',
    password: null,
    database: 'postgres',
    schema,
    poolSize: 4,
    tls: null,
    preparesStatements: true,
    ...changes,
  };
}

export function newSchema(): string {
  schemaCount += 1;
  return `test_${process.pid}_${schemaCount}`;
}

/** Runs `work` on a schema. In the SQL of `work`, table names start with `$.`, which stands for the schema. */
export async function withDatabase<T>(
  schema: string,
  work: (db: ReturnType<typeof openDatabase>) => Promise<T>,
  changes: Partial<DatabaseSettings> = {},
): Promise<T> {
  const db = openDatabase(testSettings(schema, { poolSize: 1, ...changes }));
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

/** Opens a schema. Its stores stay open after a test, because each new connection plans every statement again. */
function openSchema() {
  const settings = testSettings(newSchema());
  const db = openDatabase({ ...settings, poolSize: 1 });
  // Foreign keys are off, so that the order of the tables does not matter.
  const emptier = new pg.Pool({
    host: settings.host,
    user: settings.user,
    database: settings.database,
    max: 1,
    options: '-c session_replication_role=replica',
  });
  // The server may stop before this process does.
  emptier.on('error', () => {});
  const [apps, readers]: [AppStore[], IndexReader[]] = [[], []];
  const readTables = async () =>
    (
      await db.all(
        db.statement<{ name: string }>(
          'select tablename as name from pg_catalog.pg_tables where schemaname = $1 order by tablename',
        ),
        settings.schema,
      )
    ).map(({ name }) => name);
  return { settings, db, emptier, apps, readers, readTables };
}

export async function openPostgresStores(): Promise<TestStores> {
  const schema = unusedSchemas.pop() ?? openSchema();
  const { settings, db, emptier, readTables } = schema;
  const closings: (() => Promise<unknown>)[] = [];
  /** After a test has closed a store, its later stores are newly opened, as after a restart. */
  let hasClosed = false;
  /** Opens a store, or takes one of a previous test. Keeps it for the next test, unless the test closes it. */
  const keep = async <T extends { close(): Promise<void> }>(
    kept: T[],
    open: () => Promise<T>,
  ): Promise<T> => {
    const store = (hasClosed ? undefined : kept.pop()) ?? (await open());
    let isClosed = false;
    closings.push(async () => isClosed || kept.push(store));
    return {
      ...store,
      close: () => {
        isClosed = true;
        hasClosed = true;
        return store.close();
      },
    };
  };
  let fence = 0;
  const nextFence = () => {
    fence += 1;
    return fence;
  };
  return {
    isShared: true,
    openWriter: async () => {
      const writer = await openIndexWriter(settings, nextFence());
      closings.push(() => writer.close());
      return writer;
    },
    openReader: () => keep(schema.readers, () => openIndexReader(settings)),
    discardIndex: () => discardIndex(settings, nextFence()),
    openApp: () => keep(schema.apps, () => openAppStore(settings)),
    readAppBytes: async () => {
      const parts: Buffer[] = [];
      for (const name of await readTables()) {
        for (const row of await db.all(db.statement<object>(`select * from $.${name}`))) {
          for (const value of Object.values(row)) {
            const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
            parts.push(Buffer.isBuffer(value) ? value : Buffer.from(text));
          }
        }
      }
      return Buffer.concat(parts);
    },
    dispose: async () => {
      for (const close of closings) await close();
      const tables = await readTables();
      const filled = db.statement<{ name: string }>(
        tables
          .map((name) => `select '${name}' as name where exists (select from $.${name})`)
          .join(' union all '),
      );
      const emptyingStatements = (await emptier.query<{ name: string }>(filled)).rows.map(({ name }) =>
        Object.hasOwn(SEEDED_TABLES, name) ? SEEDED_TABLES[name] : `delete from $.${name}`,
      );
      await emptier.query(db.statement(emptyingStatements.filter((one) => one !== null).join(';')).text);
      unusedSchemas.push(schema);
    },
  };
}
