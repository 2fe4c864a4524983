import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';

/** What of one table of `index.db` comes from the chain. */
interface Part {
  readonly table: string;
  /** SQL beside the table's own columns, and the joins that it takes. */
  readonly more?: string;
  readonly joins?: string;
  /** Columns that number rows or tell when something was read by the wall clock. */
  readonly without: readonly string[];
  readonly order: string;
}

const OF_ACCOUNT = {
  more: 'accounts.address as account_address',
  joins: 'join accounts on accounts.id = account_id',
};
const PARTS: readonly Part[] = [
  { table: 'index_identity', without: ['id'], order: 'mint' },
  {
    table: 'accounts',
    more: 'caught_up_at is not null as is_caught_up',
    without: ['id', 'caught_up_at'],
    order: 'address',
  },
  {
    table: 'events',
    ...OF_ACCOUNT,
    without: ['id', 'account_id'],
    order: 'account_address, slot, position, signature, part',
  },
  { table: 'wallet_activity', without: [], order: 'wallet' },
  {
    table: 'alarms',
    ...OF_ACCOUNT,
    without: ['id', 'account_id'],
    order: 'account_address, slot, signature, kind, alarms.address',
  },
  {
    table: 'quarantined',
    ...OF_ACCOUNT,
    without: ['id', 'account_id', 'since'],
    order: 'account_address, slot, position, signature',
  },
  // How often entries changed depends on when they were looked at.
  { table: 'chain_snapshot', without: ['id', 'read_at', 'entry_changes'], order: 'slot' },
  { table: 'stake_entries', without: ['id'], order: 'address' },
];
/** Tables that tell of the market, the endpoints, the wall clock, or of a moment that is chosen by it. */
const NOT_OF_THE_CHAIN: ReadonlySet<string> = new Set([
  'endpoint_report',
  'endpoints',
  'history_beginnings',
  'history_points',
  'holder_counts',
  'market_quote',
  'reconciliations',
]);

/**
 * For tests: SHA-256 (hex) over everything in an `index.db` that comes from the chain: identity, accounts with their
 * cursors, events in the order of history with their running totals, alarms, quarantine, snapshot and stake entries.
 * Two indexes of one chain, read up to one slot, have one digest, however they came about.
 * @throws {Error} where the file has a table that is not known here, so that none is left out unseen
 */
export function indexDigest(file: string): string {
  const hash = createHash('sha256');
  for (const line of indexLines(file)) hash.update(`${line}\n`);
  return hash.digest('hex');
}

/** For tests: the first rows that one of two indexes has and the other has not, each told with its table. */
export function indexDifferences(
  file: string,
  other: string,
  atMost = 4,
): readonly { readonly onlyIn: string; readonly row: string }[] {
  const [lines, others] = [indexLines(file), indexLines(other)];
  const notIn = (held: readonly string[], where: string, lacking: readonly string[]) => {
    const known = new Set(lacking);
    return held.filter((line) => !known.has(line)).map((row) => ({ onlyIn: where, row }));
  };
  const missing = notIn(others, other, lines);
  return [...notIn(lines, file, others).slice(0, atMost), ...missing.slice(0, atMost)];
}

/** One line a row: the table's name and the row as JSON. */
function indexLines(file: string): readonly string[] {
  const client = new Database(file, { readonly: true, fileMustExist: true });
  try {
    return client.transaction(() => {
      assertEveryTableIsKnown(client);
      return PARTS.flatMap((part) => linesOf(client, part));
    })();
  } finally {
    client.close();
  }
}

function linesOf(client: Database.Database, { table, more, joins = '', without, order }: Part): string[] {
  const columns = client.prepare<[], string>(`select name from pragma_table_info('${table}')`).pluck().all();
  const kept = columns.filter((name) => !without.includes(name)).map((name) => `${table}.${name}`);
  const fields = [...(more === undefined ? [] : [more]), ...kept].join(', ');
  const rows = client.prepare(`select ${fields} from ${table} ${joins} order by ${order}`).all();
  return rows.map((row) => `${table} ${JSON.stringify(row)}`);
}

function assertEveryTableIsKnown(client: Database.Database): void {
  const known = new Set([...PARTS.map(({ table }) => table), ...NOT_OF_THE_CHAIN]);
  const tables = client
    .prepare<[], string>(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'",
    )
    .pluck()
    .all();
  const unknown = tables.filter((name) => !known.has(name) && !name.startsWith('__drizzle'));
  if (unknown.length > 0) {
    throw new Error(
      `Say of ${unknown.join(', ')} whether it comes from the chain: index-digest.ts lists tables.`,
    );
  }
}
