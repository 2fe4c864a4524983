import { createHash } from 'node:crypto';
import type { TrailCheck } from '../rules/audit-chain.ts';
import type { ReadableStore } from './copied-stores.ts';
import {
  COPIED_TABLES,
  type Columns,
  type CopiedTable,
  type CopyPageSize,
  PAGE_SIZE,
  type RowKey,
  rowKey,
  rowsAtOnce,
} from './copied-tables.ts';

interface TableDigest {
  readonly rowCount: number;
  /** Hex SHA-256 of all rows, serialized the same way for both stores. */
  readonly digest: string;
}

export interface TableComparison {
  readonly table: string;
  readonly rowCounts: readonly [number, number];
  readonly isEqual: boolean;
}

export interface StoreComparison {
  readonly tables: readonly TableComparison[];
  readonly trails: readonly [TrailCheck, TrailCheck];
  /** Whether all tables are equal, and the audit trail is valid in both. */
  readonly isEqual: boolean;
}

async function digestOf(
  store: ReadableStore,
  columns: Columns,
  table: CopiedTable,
  size: CopyPageSize,
): Promise<TableDigest> {
  const hash = createHash('sha256');
  let rowCount = 0;
  for (let after: RowKey | null = null; ; ) {
    const page = await store.page(table, after, size);
    for (const row of page) {
      const cells = row.map((cell) => (Buffer.isBuffer(cell) ? [cell.toString('base64')] : cell));
      hash.update(`${JSON.stringify(cells)}\n`);
    }
    rowCount += page.length;
    const last = page.at(-1);
    if (last === undefined || page.length < rowsAtOnce(table, size)) break;
    after = rowKey(table, columns, last);
  }
  return { rowCount, digest: hash.digest('hex') };
}

/** Compares every table of two stores, without writing. @param onTable called after each table */
export async function compareStores(
  stores: readonly [ReadableStore, ReadableStore],
  columns: Columns,
  onTable: (table: TableComparison) => void = () => {},
  size = PAGE_SIZE,
): Promise<StoreComparison> {
  const tables: TableComparison[] = [];
  for (const table of COPIED_TABLES) {
    const first = await digestOf(stores[0], columns, table, size);
    const second = await digestOf(stores[1], columns, table, size);
    const isEqual = first.digest === second.digest;
    const comparison = { table: table.name, rowCounts: [first.rowCount, second.rowCount], isEqual } as const;
    tables.push(comparison);
    onTable(comparison);
  }
  const trails = [await stores[0].checkTrail(), await stores[1].checkTrail()] as const;
  const areValid = trails.every(({ broken, head }) => broken === null && head === trails[0].head);
  return { tables, trails, isEqual: areValid && tables.every(({ isEqual }) => isEqual) };
}
