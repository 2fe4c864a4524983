import { LeaseLostError } from '../store-errors.ts';
import type { DatabaseSettings } from './database.ts';
import { openStorePart } from './open-store-part.ts';

const TABLES = [
  ...[
    'index_identity',
    'chain_snapshot',
    'stake_entries',
    'holder_counts',
    'market_quote',
    'endpoint_report',
  ],
  ...[
    'reconciliations',
    'events',
    'provisional_events',
    'wallet_activity',
    'alarms',
    'quarantined',
    'accounts',
  ],
  ...['history_points', 'history_beginnings'],
];

/**
 * Empties the index, so that the indexer rebuilds it from the chain. Writers with a lower fence can no longer commit. Readers may
 * stay open. A read that is already in progress may find the index empty.
 * @param fence the fence of the program's lease
 * @throws {LeaseLostError} when there is a writer with a higher fence. In that case nothing is removed.
 */
export async function discardIndex(settings: DatabaseSettings, fence: number): Promise<void> {
  const db = await openStorePart({ ...settings, poolSize: 1 }, 'index');
  try {
    const empty = db.statement(`truncate ${TABLES.map((table) => `$.${table}`).join(', ')} restart identity`);
    const markEmpty = db.statement(`
      update $.index_state set version = version + 1, "emptyVersion" = version + 1, fence = $1 where fence <= $1`);
    await db.transaction([], async (transaction) => {
      await transaction.run(empty);
      if ((await transaction.run(markEmpty, fence)) === 0)
        throw new LeaseLostError('Another program now writes the index.');
    });
  } finally {
    await db.close();
  }
}
