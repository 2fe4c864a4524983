import type { DatabaseSettings } from '../../data/model/database-settings.ts';
import { holdLease } from '../../data/runtime/hold-lease.ts';
import { openLeases } from '../../data/store/open-stores.ts';
import { StoreUnavailableError } from '../../data/store/store-errors.ts';

/** The leases that portals hold while they use PostgreSQL. */
const LEASE_NAMES = ['jobs', 'indexer'];

/**
 * Holds these leases while the work runs, so that no portal uses the PostgreSQL database. The signal aborts if a lease is
 * lost, because a portal may then take that lease.
 * @throws {StoreUnavailableError} when a portal is running, a lease is lost, or the database cannot be used
 */
export async function whileStopped<T>(
  settings: DatabaseSettings,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const leases = await openLeases(settings);
  const controller = new AbortController();
  const { signal } = controller;
  const abortWork = () =>
    controller.abort(
      new StoreUnavailableError(
        'A portal is using the database. Stop every replica and every indexer. After a crash, wait ten seconds.',
      ),
    );
  const heldLeases: { release(): Promise<void> }[] = [];
  try {
    for (const name of LEASE_NAMES) {
      heldLeases.push(await holdLease({ leases, name, signal, onStandby: abortWork, onLost: abortWork }));
    }
    return await work(signal);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    for (const lease of heldLeases) await lease.release().catch(() => {});
    await leases.close();
  }
}
