import { setTimeout } from 'node:timers/promises';
import { Gauge, type Registry } from '@prometheus-io/client';
import type { AppStore, IndexReader, PoolState } from '../../data/store/ports.ts';

/** How many milliseconds to wait for PostgreSQL. If it does not answer in time, the values read from it are null. */
const ANSWER_TIMEOUT_MS = 1_000;

/** Contains nothing secret, because anyone can read `/readyz`. */
export interface ReplicaStatus {
  readonly runsJobs: boolean;
  /** Whether PostgreSQL notifies this replica of changes. If not, the replica polls. */
  readonly isNotified: boolean;
  /** Increases whenever another indexer becomes the writer. */
  readonly indexerFence: number | null;
  /** The number of the indexer's commits that this replica has not read yet. */
  readonly versionLag: number | null;
  readonly pools: Readonly<Record<'app' | 'index', PoolState>>;
}

interface StatusSources {
  readonly store: Pick<AppStore, 'pool'>;
  readonly reader: Pick<IndexReader, 'pool' | 'writerFence' | 'dataVersion'>;
  /** Null before the first read. */
  readonly lastVersion: () => number | null;
  readonly runsJobs: () => boolean;
  readonly isNotified: () => boolean;
  readonly answerTimeoutMs?: number;
}

/** @returns a function that reads the status and never throws; null without PostgreSQL */
export function replicaStatus({
  store,
  reader,
  lastVersion,
  runsJobs,
  isNotified,
  answerTimeoutMs = ANSWER_TIMEOUT_MS,
}: StatusSources): (() => Promise<ReplicaStatus>) | null {
  const { pool: appPool } = store;
  const { pool: indexPool, writerFence } = reader;
  if (!appPool || !indexPool || !writerFence) return null;
  const withTimeout = (answer: Promise<number>): Promise<number | null> =>
    Promise.race([answer.catch(() => null), setTimeout(answerTimeoutMs, null, { ref: false })]);
  return async () => {
    const lastReadVersion = lastVersion();
    const [indexerFence, version] = await Promise.all([
      withTimeout(writerFence()),
      withTimeout(reader.dataVersion()),
    ]);
    return {
      runsJobs: runsJobs(),
      isNotified: isNotified(),
      indexerFence,
      // When the index is emptied, its version starts again at 0, so it can be lower than the last version read.
      versionLag:
        version === null || lastReadVersion === null ? null : Math.max(0, version - lastReadVersion),
      pools: { app: appPool(), index: indexPool() },
    };
  };
}

export function replicaMetrics(registry: Registry): (status: ReplicaStatus) => void {
  const gauge = (name: string, help: string, labelNames: readonly string[] = []) =>
    new Gauge({ name, help, labelNames: [...labelNames], registers: [registry] });
  const jobsGauge = gauge('portal_runs_jobs', '1 if this replica runs the jobs that only one replica runs.');
  const notifiedGauge = gauge(
    'portal_notified',
    '1 if the database notifies this replica of changes, 0 if it polls.',
  );
  const fenceGauge = gauge(
    'portal_indexer_fence',
    'Fence of the indexer that writes. Increases when another indexer takes over.',
  );
  const lagGauge = gauge(
    'portal_index_version_lag',
    'Commits of the indexer that this replica has not read yet.',
  );
  const maxGauge = gauge('portal_pool_max', 'Maximum number of connections to the database, by store.', [
    'store',
  ]);
  const connectionsGauge = gauge(
    'portal_pool_connections',
    'Connections to the database, by store and state.',
    ['store', 'state'],
  );
  const waitingGauge = gauge('portal_pool_waiting', 'Calls that wait for a connection, by store.', ['store']);
  const setIfKnown = (metric: typeof fenceGauge, value: number | null) => {
    if (value === null) metric.remove();
    else metric.set(value);
  };
  return ({ runsJobs, isNotified, indexerFence, versionLag, pools }) => {
    jobsGauge.set(Number(runsJobs));
    notifiedGauge.set(Number(isNotified));
    setIfKnown(fenceGauge, indexerFence);
    setIfKnown(lagGauge, versionLag);
    for (const [store, pool] of Object.entries(pools)) {
      maxGauge.set({ store }, pool.max);
      connectionsGauge.set({ store, state: 'idle' }, pool.idle);
      connectionsGauge.set({ store, state: 'used' }, pool.open - pool.idle);
      waitingGauge.set({ store }, pool.waiting);
    }
  };
}
