import Database from 'better-sqlite3';
import { type IndexReader, NOTHING_INDEXED } from '../ports.ts';
import { StoreUnavailableError } from '../store-errors.ts';
import { fileIdentity } from './file-place.ts';
import { type IndexQueries, prepareIndexQueries } from './index-queries.ts';
import { openForReading } from './open-database.ts';
import { storeFault } from './store-faults.ts';
import { INDEX_FILE } from './store-files.ts';

/** SQLite's data version is an unsigned 32-bit number; the openings of the file count above it. */
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
 * Reads `index.db` beside the indexer that writes it. The file need not be there yet: until it is and has its schema,
 * the version is 0 and nothing is known. A file that took its place (the index was built again) is opened instead.
 *
 * The version costs one `stat` and one `PRAGMA data_version`, some microseconds together: SQLite's own counter changes
 * with every commit of another connection, and the number of openings is added above it, so that it also changes when
 * the file does.
 *
 * Every call throws `StoreUnavailableError` while the file is no index, damaged, or newer than this program, and answers
 * again once it was mended.
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
      // The indexer is just making the file, or took it away between two looks: as good as not there yet.
      if (!isLocked(error) && fileIdentity(file) === identity) throw error;
    }
    return attached;
  };
  const ask = async <T>(question: (index: Attached) => T, unknown: T): Promise<T> => {
    if (isClosed) throw new StoreUnavailableError(`${file} was closed by this program; open it again.`);
    try {
      const index = current();
      return index === null ? unknown : question(index);
    } catch (error) {
      // Opened afresh next time: what was wrong may be mended by then, or told more exactly.
      detach();
      throw storeFault(file, INDEX_FILE, error);
    }
  };

  return {
    dataVersion: () => ask(({ queries, opening }) => opening * VERSIONS_PER_OPENING + queries.version(), 0),
    latestSnapshot: (recentEvents) => ask(({ queries }) => queries.snapshot(recentEvents), NOTHING_INDEXED),
    vaultMovements: (since) =>
      ask(({ queries }) => queries.vaultMovements(since), {
        deposits: 0n,
        withdrawals: 0n,
        movements: 0,
        until: null,
        reachesBack: false,
      }),
    vaultBalanceAt: (moments) =>
      ask(
        ({ queries }) => queries.vaultBalances(moments),
        moments.map(() => null),
      ),
    stakes: (endedAtMost) =>
      ask(({ queries }) => queries.stakes(endedAtMost), {
        entries: [],
        ended: [],
        transactionCounts: new Map(),
      }),
    walletEvents: (wallet, limit, before) =>
      ask(({ queries }) => queries.walletEvents(wallet, limit, before), { events: [], next: null }),
    history: (series, resolution, since) =>
      ask(({ queries }) => queries.history(series, resolution, since), []),
    statistics: () =>
      ask(({ queries }) => queries.statistics(), {
        events: { vault: 0, 'stake-pool': 0 },
        provisionalEvents: 0,
        quarantined: 0,
        alarms: 0,
        cursorSlot: null,
      }),
    close: async () => {
      isClosed = true;
      detach();
    },
  };
}
