import Database from 'better-sqlite3';
import { EMPTY_INDEX_SNAPSHOT, type IndexReader } from '../ports.ts';
import { NO_MOVEMENTS } from '../rules/vault-history.ts';
import { StoreUnavailableError } from '../store-errors.ts';
import { type IndexQueries, prepareIndexQueries } from './index-queries.ts';
import { openForReading } from './open-database.ts';
import { INDEX_FILE, storeError } from './store-files.ts';
import { fileIdentity } from './watched-file.ts';

/** SQLite's data version has 32 bits. The bits above these count how often a file was opened. */
const VERSIONS_PER_OPENING = 2 ** 32;

interface AttachedIndex {
  readonly client: Database.Database;
  readonly queries: IndexQueries;
  readonly fileIdentity: string;
  readonly openingNumber: number;
}

function isLocked(error: unknown): boolean {
  if (error instanceof Database.SqliteError) return error.code.startsWith('SQLITE_BUSY');
  return error instanceof StoreUnavailableError && isLocked(error.cause);
}

/**
 * Reads `index.db` while the indexer writes it. Until the file exists with its schema, the version is 0 and reads return
 * empty results. When the index is rebuilt, a new file replaces the old one, and the reader opens the new file.
 *
 * The version combines two numbers: SQLite's `data_version`, which changes with every commit by another connection, and the
 * number of times a file was opened, so that the version also changes when the file is replaced. Reading the version takes a
 * `stat` and a pragma, a few microseconds in total.
 *
 * While the file is not an index, is damaged or is newer than this program, every call throws `StoreUnavailableError`. Once
 * that is fixed, calls work again.
 */
export function openIndexReader(file: string): IndexReader {
  let attachedIndex: AttachedIndex | null = null;
  let openings = 0;
  let isClosed = false;

  const detach = (): void => {
    attachedIndex?.client.close();
    attachedIndex = null;
  };
  const attach = (identity: string): AttachedIndex | null => {
    const { client, schema } = openForReading(file, INDEX_FILE);
    try {
      if (schema === 'current' && fileIdentity(file) === identity) {
        openings += 1;
        return {
          client,
          queries: prepareIndexQueries(client),
          fileIdentity: identity,
          openingNumber: openings,
        };
      }
    } catch (error) {
      client.close();
      throw error;
    }
    client.close();
    return null;
  };
  const currentIndex = (): AttachedIndex | null => {
    const identity = fileIdentity(file);
    if (attachedIndex !== null && attachedIndex.fileIdentity !== identity) detach();
    if (attachedIndex !== null || identity === null) return attachedIndex;
    try {
      attachedIndex = attach(identity);
    } catch (error) {
      // If the indexer is creating the file or has just removed it, the file counts as missing.
      if (!isLocked(error) && fileIdentity(file) === identity) throw error;
    }
    return attachedIndex;
  };
  /** @param fallback returned while there is no index */
  const read = async <T>(query: (index: AttachedIndex) => T, fallback: T): Promise<T> => {
    if (isClosed) throw new StoreUnavailableError(`${file} was closed by this program. Open it again.`);
    try {
      const index = currentIndex();
      return index === null ? fallback : query(index);
    } catch (error) {
      // The next call opens the file again. If the cause is not fixed by then, opening the file reports it more precisely.
      detach();
      throw storeError(file, INDEX_FILE, error);
    }
  };

  return {
    dataVersion: () =>
      read(({ queries, openingNumber }) => openingNumber * VERSIONS_PER_OPENING + queries.version(), 0),
    latestSnapshot: (recentEventCount) =>
      read(({ queries }) => queries.snapshot(recentEventCount), EMPTY_INDEX_SNAPSHOT),
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
