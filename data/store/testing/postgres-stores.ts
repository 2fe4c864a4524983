import { inject } from 'vitest';
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
const unusedSchemas: string[] = [];
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

export async function openPostgresStores(): Promise<TestStores> {
  const schema = unusedSchemas.pop() ?? newSchema();
  const opened: { close(): Promise<void> }[] = [];
  const tables = (db: ReturnType<typeof openDatabase>) =>
    db.all(
      db.statement<{ name: string }>(
        'select tablename as name from pg_catalog.pg_tables where schemaname = $1 order by tablename',
      ),
      schema,
    );
  const track = async <T extends { close(): Promise<void> }>(opening: Promise<T>): Promise<T> => {
    const store = await opening;
    opened.push(store);
    return store;
  };
  let fence = 0;
  const nextFence = () => {
    fence += 1;
    return fence;
  };
  return {
    isShared: true,
    openWriter: () => track(openIndexWriter(testSettings(schema), nextFence())),
    openReader: () => track(openIndexReader(testSettings(schema))),
    discardIndex: () => discardIndex(testSettings(schema), nextFence()),
    openApp: () => track(openAppStore(testSettings(schema))),
    readAppBytes: () =>
      withDatabase(schema, async (db) => {
        const parts: Buffer[] = [];
        for (const { name } of await tables(db)) {
          for (const row of await db.all(db.statement<object>(`select * from $.${name}`))) {
            for (const value of Object.values(row)) {
              const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
              parts.push(Buffer.isBuffer(value) ? value : Buffer.from(text));
            }
          }
        }
        return Buffer.concat(parts);
      }),
    dispose: async () => {
      for (const one of opened) await one.close();
      await withDatabase(schema, async (db) => {
        const emptyingStatements = (await tables(db)).map(({ name }) =>
          Object.hasOwn(SEEDED_TABLES, name) ? SEEDED_TABLES[name] : `delete from $.${name}`,
        );
        // Sent as one message. Foreign keys are off, so that the order of the tables does not matter.
        const text = [
          'begin; set local session_replication_role = replica',
          ...emptyingStatements.filter((statement) => statement !== null),
          'commit',
        ].join(';');
        await db.run({ ...db.statement(text), name: undefined });
      });
      unusedSchemas.push(schema);
    },
  };
}
