import Database from 'better-sqlite3';
import { type IndexReader, NOTHING_INDEXED } from '../ports.ts';
import { NO_MOVEMENTS } from '../rules/vault-history.ts';
import { StoreUnavailableError } from '../store-errors.ts';
import { type IndexQueries, prepareIndexQueries } from './index-queries.ts';
import { openForReading } from './open-database.ts';
import { INDEX_FILE, storeError } from './store-files.ts';
import { fileIdentity } from './watched-file.ts';

/** SQLite's data version has 32 bits. The bits above it count how often a file was opened. */
const VERSIONS_PER_OPENING = 2 ** 32;

interface Attached {
  readonly client: Database.Database;
  readonly queries: IndexQueries;
  readonly fileIdentity: string;
  readonly opening: number;
}

function isLocked(error: unknown): boolean {
  if (error instanceof Database.SqliteError) return error.code.startsWith('SQLITE_BUSY');
  return error instanceof StoreUnavailableError && isLocked(error.cause);
}

/**
 * Reads `index.db` while the indexer writes it. Until the file exists with its schema, the version is 0 and nothing is known.
 * When the index is rebuilt, another file takes its place and is opened instead.
 *
 * The version is SQLite's `data_version`, which changes with every commit of another connection, plus the number of openings,
 * so that it also changes with the file. Reading it takes a `stat` and a pragma, together some microseconds.
 *
 * While the file is not an index, is damaged or is newer than this program, every call throws `StoreUnavailableError`. Calls
 * work again once that is fixed.
 */
export function openIndexReader(file: string): IndexReader {
  let attached: Attached | null = null;
  let openings = 0;
  let isClosed = false;

  const detach = (): void => {
    attached?.client.close();
    attached = null;
  };
  const attach = (identity: string): Attached | null => {
    const { client, schema } = openForReading(file, INDEX_FILE);
    try {
      if (schema === 'current' && fileIdentity(file) === identity) {
        openings += 1;
        return { client, queries: prepareIndexQueries(client), fileIdentity: identity, opening: openings };
      }
    } catch (error) {
      client.close();
      throw error;
    }
    client.close();
    return null;
  };
  const current = (): Attached | null => {
    const identity = fileIdentity(file);
    if (attached !== null && attached.fileIdentity !== identity) detach();
    if (attached !== null || identity === null) return attached;
    try {
      attached = attach(identity);
    } catch (error) {
      // If the indexer is creating the file or has just removed it, the file counts as missing.
      if (!isLocked(error) && fileIdentity(file) === identity) throw error;
    }
    return attached;
  };
  /** @param fallback returned while there is no index */
  const read = async <T>(query: (index: Attached) => T, fallback: T): Promise<T> => {
    if (isClosed) throw new StoreUnavailableError(`${file} was closed by this program. Open it again.`);
    try {
      const index = current();
      return index === null ? fallback : query(index);
    } catch (error) {
      // The next call opens the file again. By then the cause may be fixed; otherwise opening reports it more exactly.
      detach();
      throw storeError(file, INDEX_FILE, error);
    }
  };

  return {
    dataVersion: () => read(({ queries, opening }) => opening * VERSIONS_PER_OPENING + queries.version(), 0),
    latestSnapshot: (recentEvents) => read(({ queries }) => queries.snapshot(recentEvents), NOTHING_INDEXED),
    vaultMovements: (since) => read(({ queries }) => queries.vaultMovements(since), NO_MOVEMENTS),
    vaultBalanceAt: (moments) =>
      read(
        ({ queries }) => queries.vaultBalances(moments),
        moments.map(() => null),
      ),
    stakes: (maxEnded) =>
      read(({ queries }) => queries.stakes(maxEnded), {
        entries: [],
        ended: [],
        transactionCounts: new Map(),
      }),
    walletEvents: (wallet, limit, before) =>
      read(({ queries }) => queries.walletEvents(wallet, limit, before), { events: [], next: null }),
    history: (series, resolution, since) =>
      read(({ queries }) => queries.history(series, resolution, since), []),
    statistics: () =>
      read(({ queries }) => queries.statistics(), {
        events: { vault: 0, 'stake-pool': 0 },
        provisionalEvents: 0,
        quarantined: 0,
        alarms: 0,
        cursorSlot: null,
      }),
    pool: null,
    writerFence: null,
    close: async () => {
      isClosed = true;
      detach();
    },
  };
}
