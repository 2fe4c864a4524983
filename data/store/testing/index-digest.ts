import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';

/** The part of a table of `index.db` that comes from the chain. */
interface ChainTable {
  readonly table: string;
  readonly extraColumns?: string;
  readonly joins?: string;
  /** Columns to leave out, because they depend on row numbers, clocks or endpoints. */
  readonly excludedColumns: readonly string[];
  readonly order: string;
}

const WITH_ACCOUNT = {
  extraColumns: 'accounts.address as account_address',
  joins: 'join accounts on accounts.id = account_id',
};
const CHAIN_TABLES: readonly ChainTable[] = [
  { table: 'index_identity', excludedColumns: ['id'], order: 'mint' },
  {
    table: 'accounts',
    extraColumns: 'caught_up_at is not null as is_caught_up',
    // `has_beginning` depends on the endpoints that answered.
    excludedColumns: ['id', 'caught_up_at', 'oldest_signature', 'oldest_slot', 'has_beginning'],
    order: 'address',
  },
  {
    table: 'events',
    ...WITH_ACCOUNT,
    excludedColumns: ['id', 'account_id'],
    order: 'account_address, slot, position, signature, part',
  },
  {
    table: 'provisional_events',
    ...WITH_ACCOUNT,
    excludedColumns: ['id', 'account_id'],
    order: 'account_address, slot, position, signature, part',
  },
  { table: 'wallet_activity', excludedColumns: [], order: 'wallet' },
  {
    table: 'alarms',
    ...WITH_ACCOUNT,
    excludedColumns: ['id', 'account_id'],
    order: 'account_address, slot, signature, kind, alarms.address',
  },
  {
    table: 'quarantined',
    ...WITH_ACCOUNT,
    excludedColumns: ['id', 'account_id', 'since'],
    order: 'account_address, slot, position, signature',
  },
  // `entry_changes` depends on when the entries were read.
  {
    table: 'chain_snapshot',
    excludedColumns: ['id', 'read_at', 'clock_difference', 'entry_changes'],
    order: 'slot',
  },
  { table: 'stake_entries', excludedColumns: ['id'], order: 'address' },
];
/** Tables with data about the market or the endpoints, or with times that depend on the wall clock. */
const OFF_CHAIN_TABLES: ReadonlySet<string> = new Set([
  'endpoint_report',
  'endpoints',
  'history_beginnings',
  'history_points',
  'holder_counts',
  'market_quote',
  'reconciliations',
]);

/**
 * The SHA-256 (hex) of everything in an `index.db` that comes from the chain: identity, accounts with their
 * cursors, events in history order with their running totals, alarms, quarantine, snapshot and stake entries.
 * Two indexes of the same chain up to the same slot have the same digest.
 * @throws {Error} when the file has an unlisted table, so that no table is forgotten
 */
export function indexDigest(file: string): string {
  const hash = createHash('sha256');
  for (const line of indexLines(file)) hash.update(`${line}\n`);
  return hash.digest('hex');
}

/** Finds rows that are in only one of two indexes: the first `maxRows` of each index, with the names of their tables. */
export function indexDifferences(
  file: string,
  other: string,
  maxRows = 4,
): readonly { readonly onlyIn: string; readonly row: string }[] {
  const [lines, otherLines] = [indexLines(file), indexLines(other)];
  const notIn = (rows: readonly string[], onlyIn: string, otherRows: readonly string[]) => {
    const known = new Set(otherRows);
    return rows.filter((row) => !known.has(row)).map((row) => ({ onlyIn, row }));
  };
  const missing = notIn(otherLines, other, lines);
  return [...notIn(lines, file, otherLines).slice(0, maxRows), ...missing.slice(0, maxRows)];
}

/** One line per row: the table's name and the row as JSON. */
function indexLines(file: string): readonly string[] {
  const client = new Database(file, { readonly: true, fileMustExist: true });
  try {
    return client.transaction(() => {
      assertEveryTableIsKnown(client);
      return CHAIN_TABLES.flatMap((part) => tableLines(client, part));
    })();
  } finally {
    client.close();
  }
}

function tableLines(
  client: Database.Database,
  { table, extraColumns, joins = '', excludedColumns, order }: ChainTable,
): string[] {
  const columns = client.prepare<[], string>(`select name from pragma_table_info('${table}')`).pluck().all();
  const included = columns
    .filter((name) => !excludedColumns.includes(name))
    .map((name) => `${table}.${name}`);
  const fields = [...(extraColumns === undefined ? [] : [extraColumns]), ...included].join(', ');
  const rows = client.prepare(`select ${fields} from ${table} ${joins} order by ${order}`).all();
  return rows.map((row) => `${table} ${JSON.stringify(row)}`);
}

function assertEveryTableIsKnown(client: Database.Database): void {
  const known = new Set([...CHAIN_TABLES.map(({ table }) => table), ...OFF_CHAIN_TABLES]);
  const tables = client
    .prepare<[], string>(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'",
    )
    .pluck()
    .all();
  const unknown = tables.filter((name) => !known.has(name) && !name.startsWith('__drizzle'));
  if (unknown.length > 0) {
    throw new Error(`Add ${unknown.join(', ')} to the chain or off-chain tables in index-digest.ts.`);
  }
}
