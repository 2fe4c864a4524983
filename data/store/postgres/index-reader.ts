import type { IndexReader } from '../ports.ts';
import type { DatabaseSettings } from './database.ts';
import { preparePointReads } from './history-points.ts';
import { prepareSnapshotReads } from './index-snapshot.ts';
import { openStorePart } from './open-store-part.ts';
import { prepareVaultReads } from './vault-queries.ts';
import { prepareWalletReads } from './wallet-queries.ts';

/**
 * Opens the index in a schema of the database for reading, and creates or migrates its tables. Each call is one statement, which
 * sees the index at one moment. The data version grows with each commit and is 0 while the index is empty. Every program sees the
 * same version.
 * @throws {StoreUnavailableError} when the database cannot be used, or the schema is newer than this program.
 */
export async function openIndexReader(settings: DatabaseSettings): Promise<IndexReader> {
  const db = await openStorePart(settings, 'index');
  const version = db.statement<{ version: number }>(
    'select case when version = "emptyVersion" then 0 else version end as version from $.index_state',
  );
  const fence = db.statement<{ fence: number }>('select fence from $.index_state');
  return {
    dataVersion: async () => (await db.get(version))?.version ?? 0,
    ...prepareSnapshotReads(db),
    ...prepareVaultReads(db),
    ...prepareWalletReads(db),
    ...preparePointReads(db),
    pool: () => db.pool(),
    writerFence: async () => (await db.get(fence))?.fence ?? 0,
    close: () => db.close(),
  };
}
