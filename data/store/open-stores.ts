import type { AppStore, IndexReader, IndexWriter } from './ports.ts';
import type { TrailCheck } from './rules/audit-chain.ts';

/*
 * Opens the stores. Only this module and the tools for SQLite's files import an adapter; the lint rules reject other imports. An
 * adapter is loaded when it is first used, so that no program loads a driver that it does not need.
 */

/**
 * Opens `app.db` as its only writer, and creates it if there is none.
 * @throws {StoreUnavailableError} when another process writes it, or the file cannot be opened or written, is not a
 * database, belongs to another program, or is newer than this program.
 */
export async function openAppStore(file: string): Promise<AppStore> {
  const sqlite = await import('./sqlite/app-store.ts');
  return sqlite.openAppStore(file);
}

/**
 * Opens `index.db` for writing, and creates it if there is none.
 * @throws {StoreUnavailableError} like `openAppStore`.
 */
export async function openIndexWriter(file: string): Promise<IndexWriter> {
  const sqlite = await import('./sqlite/index-writer.ts');
  return sqlite.openIndexWriter(file);
}

/** Reads `index.db` while the indexer writes it. While the file cannot be used, its calls throw `StoreUnavailableError`. */
export async function openIndexReader(file: string): Promise<IndexReader> {
  const sqlite = await import('./sqlite/index-reader.ts');
  return sqlite.openIndexReader(file);
}

/**
 * Checks the audit trail of an `app.db`, even while the portal writes to it. @param expectedHead as in `checkTrail`
 * @throws {StoreUnavailableError} when there is no such file, or it cannot be read.
 */
export async function checkAuditTrail(file: string, expectedHead?: string): Promise<TrailCheck> {
  const sqlite = await import('./sqlite/audit-trail.ts');
  return sqlite.checkAuditTrail(file, expectedHead);
}
