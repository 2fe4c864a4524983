import type { DatabaseSettings } from '../model/database-settings.ts';
import { traceStore } from '../runtime/tracing.ts';
import type { LeaseStore } from './lease-port.ts';
import type { AppStore, IndexReader, IndexWriter } from './ports.ts';
import type { TrailCheck } from './rules/audit-chain.ts';
import type { WakeUpListeners, WakeUps } from './wake-up-port.ts';

/*
 * Opens the stores. Only this module and the tools for SQLite's files import an adapter; the lint rules reject other imports. An
 * adapter is loaded when it is first used, so that no program loads a driver that it does not need.
 */

const SQLITE = { 'db.system.name': 'sqlite' } as const;
const POSTGRES = { 'db.system.name': 'postgresql' } as const;

/** The location of a store: the path of its SQLite file, or a PostgreSQL database, which several programs may use. */
export type StoreLocation = string | DatabaseSettings;

/**
 * Opens the portal's own data, and creates the file or the tables if they are missing. Only one process at a time may write to
 * the file.
 * @throws {StoreUnavailableError} when another process has the file open for writing, or the location cannot be opened or
 * written, is not a database, belongs to another program, or is newer than this program.
 */
export async function openAppStore(location: StoreLocation): Promise<AppStore> {
  if (typeof location === 'string') {
    const sqlite = await import('./sqlite/app-store.ts');
    return traceStore(await sqlite.openAppStore(location), 'app', SQLITE);
  }
  const postgres = await import('./postgres/app-store.ts');
  return traceStore(await postgres.openAppStore(location), 'app', POSTGRES);
}

/**
 * Opens `index.db` for writing, and creates it if there is none.
 * @throws {StoreUnavailableError} like `openAppStore`.
 */
export async function openIndexWriter(file: string): Promise<IndexWriter> {
  const sqlite = await import('./sqlite/index-writer.ts');
  return traceStore(await sqlite.openIndexWriter(file), 'index', SQLITE);
}

/** Opens the leases in PostgreSQL. @throws {StoreUnavailableError} like `openAppStore`. */
export async function openLeases(
  settings: DatabaseSettings,
): Promise<LeaseStore & { close(): Promise<void> }> {
  const [{ openStorePart }, postgres] = await Promise.all([
    import('./postgres/open-store-part.ts'),
    import('./postgres/lease-store.ts'),
  ]);
  // Uses a separate connection, so that a busy pool does not delay a renewal.
  const db = await openStorePart({ ...settings, poolSize: 1 }, 'index');
  return { ...postgres.openLeases(db), close: () => db.close() };
}

/** Listens for commits to a PostgreSQL database. @param settings the settings of a direct connection */
export async function openWakeUps(settings: DatabaseSettings, listeners: WakeUpListeners): Promise<WakeUps> {
  const postgres = await import('./postgres/listen.ts');
  return postgres.listen(settings, listeners);
}

/** The index in PostgreSQL, which only the holder of the indexer's lease may write to. */
interface IndexDatabase {
  /** @param fence the fence of the lease @throws {LeaseLostError} when there is a writer with a higher fence */
  openWriter(fence: number): Promise<IndexWriter>;
  /** Empties the index. @param fence the lease's fence @throws {LeaseLostError} when there is a writer with a higher fence */
  discard(fence: number): Promise<void>;
}

export function indexDatabase(settings: DatabaseSettings): IndexDatabase {
  return {
    async openWriter(fence) {
      const postgres = await import('./postgres/index-writer.ts');
      return traceStore(await postgres.openIndexWriter(settings, fence), 'index', POSTGRES);
    },
    async discard(fence) {
      const postgres = await import('./postgres/discard-index.ts');
      return postgres.discardIndex(settings, fence);
    },
  };
}

/**
 * Reads the index while the indexer writes it. While the index cannot be used, the reader's calls throw
 * `StoreUnavailableError`.
 */
export async function openIndexReader(location: StoreLocation): Promise<IndexReader> {
  if (typeof location === 'string') {
    const sqlite = await import('./sqlite/index-reader.ts');
    return traceStore(await sqlite.openIndexReader(location), 'index', SQLITE);
  }
  const postgres = await import('./postgres/index-reader.ts');
  return traceStore(await postgres.openIndexReader(location), 'index', POSTGRES);
}

/**
 * Checks the audit trail, even while the portal writes to it.
 * @param expectedHead the head that an earlier check returned; without it, a truncated trail looks complete
 * @throws {StoreUnavailableError} when the store does not exist or cannot be read.
 */
export async function checkAuditTrail(location: StoreLocation, expectedHead?: string): Promise<TrailCheck> {
  if (typeof location === 'string') {
    const sqlite = await import('./sqlite/audit-trail.ts');
    return sqlite.checkAuditTrail(location, expectedHead);
  }
  const postgres = await import('./postgres/check-audit-trail.ts');
  return postgres.checkAuditTrail(location, expectedHead);
}
