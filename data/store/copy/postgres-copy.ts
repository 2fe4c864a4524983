import { checkAuditTrail } from '../open-stores.ts';
import { type Deadlines, openDatabase } from '../postgres/connection.ts';
import type { Database, DatabaseSettings, Queries, Statement, Value } from '../postgres/database.ts';
import { isMigrated, migrate, requireMigrated } from '../postgres/migrate.ts';
import { searchCells } from '../postgres/record-search.ts';
import { storableJson } from '../postgres/storable-text.ts';
import { SUBMISSION_TABLES } from '../postgres/submission-rows.ts';
import { CHAIN_START } from '../rules/audit-chain.ts';
import { StoreUnavailableError } from '../store-errors.ts';
import type { CopyState, CopyTarget, ReadableStore } from './copied-stores.ts';
import {
  type Cell,
  COPIED_TABLES,
  type Column,
  type Columns,
  type CopiedRow,
  type CopiedTable,
  pageSql,
  rowsAtOnce,
  tableColumns,
} from './copied-tables.ts';

/** Counting and analyzing all rows may take minutes. */
const DEADLINES: Deadlines = { connectMs: 5_000, statementMs: 600_000 };

const SEARCH_COLUMNS = ['words', 'trigrams'];
/** `searchVersion` gets its default, 0, so that the portal later indexes the words of the copied records' conversations. */
const DERIVED_COLUMNS = [...SEARCH_COLUMNS, 'searchVersion'];

const KIND_BY_TABLE = new Map(Object.entries(SUBMISSION_TABLES).map(([kind, { name }]) => [name, kind]));

/**
 * For each kind: its table, the SQL expression by which to group the rows, and the condition that selects the rows to count.
 */
const COUNTED_KINDS = [
  ['card-application', 'card_applications', 'status', 'true'],
  ['verification-request', 'verification_requests', 'status', 'true'],
  ['contact-message', 'contact_messages', 'status', 'true'],
  ['loan-application', 'loan_applications', 'status', 'true'],
  ['delivery', 'deliveries', 'state', `state in ('sent', 'dead')`],
  [
    'delivery-attempt',
    'delivery_attempts',
    `case outcome when 'sent' then 'success' else 'failure' end`,
    'true',
  ],
] as const;

const typeOf = (dataType: string): Column['type'] => {
  if (dataType === 'boolean' || dataType === 'json') return dataType;
  return dataType === 'ARRAY' ? 'list' : 'plain';
};

/** A statement that is not prepared, because it runs only once, or because its text depends on the number of rows. */
const unnamedStatement = <Row extends object>(db: Database, text: string): Statement<Row> => ({
  ...db.statement<Row>(text),
  name: undefined,
});

/** The columns of the copied tables, except derived columns. */
async function readColumns(db: Database, schema: string): Promise<Columns> {
  const rows = await db.all(
    unnamedStatement<{ table: string; column: string; type: string }>(
      db,
      `select table_name::text as table, column_name::text as column, data_type::text as type
       from information_schema.columns where table_schema = $1 and is_generated = 'NEVER'`,
    ),
    schema,
  );
  return Object.fromEntries(
    COPIED_TABLES.map(({ name }) => {
      const columnsOfTable = rows.filter(
        ({ table, column }) => table === name && !DERIVED_COLUMNS.includes(column),
      );
      const columns = columnsOfTable.map(({ column, type }) => ({ name: column, type: typeOf(type) }));
      return [name, columns.toSorted((a, b) => (a.name < b.name ? -1 : 1))];
    }),
  );
}

const readCell = (value: unknown, { type }: Column): Cell =>
  type === 'list' ? JSON.stringify(value) : (value as Cell);

/** The cells of a row as parameters, followed by the search cells that are computed from them. */
function valuesOf({ name }: CopiedTable, columns: readonly Column[], row: CopiedRow): readonly Value[] {
  const values = row.map((cell, index) =>
    columns[index]?.type === 'list' ? JSON.parse(String(cell)) : cell,
  );
  const kind = KIND_BY_TABLE.get(name) as keyof typeof SUBMISSION_TABLES | undefined;
  if (kind === undefined) return values;
  const { words, trigrams } = searchCells(
    kind,
    Object.fromEntries(columns.map((column, index) => [column.name, row[index]])),
  );
  return [...values, words, trigrams];
}

async function addRows(
  transaction: Queries,
  db: Database,
  columns: Columns,
  table: CopiedTable,
  rows: readonly CopiedRow[],
): Promise<void> {
  const columnsOfTable = tableColumns(columns, table.name);
  const names = [
    ...columnsOfTable.map(({ name }) => name),
    ...(KIND_BY_TABLE.has(table.name) ? SEARCH_COLUMNS : []),
  ];
  const tuples = rows.map(
    (_, row) => `(${names.map((_name, index) => `$${row * names.length + index + 1}`).join(', ')})`,
  );
  const columnNames = names.map((name) => `"${name}"`).join(', ');
  const insertSql = `insert into $.${table.name} (${columnNames}) values ${tuples.join(', ')}`;
  await transaction.run(
    unnamedStatement(db, insertSql),
    ...rows.flatMap((row) => valuesOf(table, columnsOfTable, row)),
  );
}

/** Sets the head of the audit trail, the counts, and the next value of each identity column. */
async function rebuildDerivedData(db: Database, schema: string): Promise<void> {
  const identityColumns = await db.all(
    unnamedStatement<{ table: string; column: string }>(
      db,
      `select table_name::text as table, column_name::text as column
       from information_schema.columns where table_schema = $1 and is_identity = 'YES'`,
    ),
    schema,
  );
  const copiedColumns = identityColumns.filter(({ table }) =>
    COPIED_TABLES.some(({ name }) => name === table),
  );
  await db.transaction([], async (transaction) => {
    const run = (text: string, ...values: readonly Value[]) =>
      transaction.run(unnamedStatement(db, text), ...values);
    await run(
      `update $.audit_head set
         sequence = coalesce((select max(sequence) from $.audit_records), 0),
         hash = coalesce((select hash from $.audit_records where hash is not null order by sequence desc limit 1), $1)`,
      CHAIN_START,
    );
    await run('delete from $.count_changes');
    for (const [kind, table, status, countedCondition] of COUNTED_KINDS) {
      await run(
        `insert into $.count_changes (kind, status, rows)
         select '${kind}', ${status}, count(*) from $.${table} where ${countedCondition} group by 2`,
      );
    }
    for (const { table, column } of copiedColumns) {
      await run(
        `select setval(pg_get_serial_sequence($1, $2), coalesce(max("${column}"), 0) + 1, false) from $.${table}`,
        db.statement(`$.${table}`).text,
        column,
      );
    }
  });
}

const stateOf = (db: Database) =>
  db.get(unnamedStatement<{ state: CopyState }>(db, 'select state from $.copy_state'));

/** The types in `columns` are PostgreSQL's. A copy uses them for both stores, because SQLite's own types are less strict. */
async function createReadableStore(
  db: Database,
  settings: DatabaseSettings,
): Promise<ReadableStore & { readonly columns: Columns }> {
  const columns = await readColumns(db, settings.schema);
  return {
    name: `the schema "${settings.schema}" in PostgreSQL`,
    columns,
    async page(table, after, size) {
      const columnsOfTable = tableColumns(columns, table.name);
      const selected = columnsOfTable.map(({ name, type }) =>
        type === 'json' ? `"${name}"::text as "${name}"` : `"${name}"`,
      );
      const values = [...(after ?? []), rowsAtOnce(table, size)];
      const parameters = values.map((_, index) => `$${index + 1}`);
      const text = pageSql({ ...table, name: `$.${table.name}` }, selected, parameters);
      const rows = await db.all(db.statement<Record<string, unknown>>(text), ...values);
      return rows.map((row) => columnsOfTable.map((column) => readCell(row[column.name], column)));
    },
    checkTrail: () => checkAuditTrail(settings),
    close: () => db.close(),
  };
}

/**
 * Opens a complete store in PostgreSQL for reading.
 * @throws {StoreUnavailableError} when it cannot be used, is incomplete, or has another version
 */
export async function openPostgresSource(settings: DatabaseSettings) {
  const db = openDatabase(settings, DEADLINES);
  try {
    await requireMigrated(db, settings.schema, 'app', { mayBeNewer: false });
    if ((await stateOf(db)) !== null) {
      throw new StoreUnavailableError(
        `The schema "${settings.schema}" of the database holds an interrupted copy. Finish it first: npm run store -- copy --from sqlite`,
      );
    }
    return await createReadableStore(db, settings);
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** Opens a schema to copy into, and creates its tables. @throws {StoreUnavailableError} when it cannot be used */
export async function openPostgresTarget(
  settings: DatabaseSettings,
): Promise<CopyTarget & { readonly columns: Columns }> {
  const db = openDatabase(settings, DEADLINES);
  const { schema } = settings;
  try {
    if (!(await isMigrated(db, schema, 'app', { mayBeNewer: false }))) await migrate(db, schema, 'app');
    const store = await createReadableStore(db, settings);
    return {
      ...store,
      async readState() {
        const stored = await stateOf(db);
        if (stored !== null) return stored.state;
        for (const { name } of COPIED_TABLES) {
          if ((await db.get(unnamedStatement(db, `select from $.${name} limit 1`))) === null) continue;
          throw new StoreUnavailableError(
            `The schema "${schema}" of the database is not empty: the table ${name} has rows. Nothing was copied. Set DATABASE_SCHEMA to another schema, or drop this one if it is no longer needed.`,
          );
        }
        return null;
      },
      async begin(state) {
        await db.run(
          unnamedStatement(db, 'insert into $.copy_state (state) values ($1)'),
          storableJson(state),
        );
      },
      add: (table, rows, state) =>
        db.transaction([], async (transaction) => {
          await addRows(transaction, db, store.columns, table, rows);
          await transaction.run(db.statement('update $.copy_state set state = $1'), storableJson(state));
        }),
      rebuildDerivedData: () => rebuildDerivedData(db, schema),
      async complete() {
        await db.run(
          unnamedStatement(db, `analyze ${COPIED_TABLES.map(({ name }) => `$.${name}`).join(', ')}`),
        );
        await db.run(unnamedStatement(db, 'delete from $.copy_state'));
      },
    };
  } catch (error) {
    await db.close();
    throw error;
  }
}
