import { Registry } from '@prometheus-io/client';
import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../data/store/store-errors.ts';
import { FakeIndex } from '../testing/fake-index.ts';
import { replicaMetrics, replicaStatus } from './replica-status.ts';

const APP_POOL = { max: 10, open: 4, idle: 1, waiting: 2 };
const INDEX_POOL = { max: 10, open: 1, idle: 1, waiting: 0 };

/** Starts a replica that has read version 40 of the index, while the database already has version 42. */
function startReplica() {
  const answers = { fence: async () => 7, version: async () => 42 };
  const index = new FakeIndex();
  index.pool = () => INDEX_POOL;
  index.writerFence = () => answers.fence();
  index.dataVersion = () => answers.version();
  const read = replicaStatus({
    store: { pool: () => APP_POOL },
    reader: index,
    lastVersion: () => 40,
    runsJobs: () => true,
    isNotified: () => false,
    answerTimeoutMs: 0,
  });
  if (read === null) throw new Error('There is no status.');
  return { answers, read };
}

describe('the status of a replica', () => {
  it('contains its role, the indexer’s fence, its pools and how far it is behind', async () => {
    expect(await startReplica().read()).toEqual({
      runsJobs: true,
      isNotified: false,
      indexerFence: 7,
      versionLag: 2,
      pools: { app: APP_POOL, index: INDEX_POOL },
    });
  });

  it('does not wait for a database that cannot be used or does not answer', async () => {
    const { answers, read } = startReplica();
    answers.fence = () => Promise.reject(new StoreUnavailableError('gone'));
    answers.version = () => new Promise(() => {});
    expect(await read()).toMatchObject({ indexerFence: null, versionLag: null, runsJobs: true });
  });

  it('is absent if the stores are files', () => {
    const sources = { lastVersion: () => 1, runsJobs: () => true, isNotified: () => false };
    expect(replicaStatus({ ...sources, store: { pool: null }, reader: new FakeIndex() })).toBeNull();
  });

  it('is in the metrics, without unknown values', async () => {
    const { answers, read } = startReplica();
    const registry = new Registry();
    const setMetrics = replicaMetrics(registry);
    const scrape = async () => {
      setMetrics(await read());
      return (await registry.metrics()).split('\n').filter((line) => /^[a-z]/.test(line));
    };
    expect(await scrape()).toEqual([
      'portal_runs_jobs 1',
      'portal_notified 0',
      'portal_indexer_fence 7',
      'portal_index_version_lag 2',
      'portal_pool_max{store="app"} 10',
      'portal_pool_max{store="index"} 10',
      'portal_pool_connections{store="app",state="idle"} 1',
      'portal_pool_connections{store="app",state="used"} 3',
      'portal_pool_connections{store="index",state="idle"} 1',
      'portal_pool_connections{store="index",state="used"} 0',
      'portal_pool_waiting{store="app"} 2',
      'portal_pool_waiting{store="index"} 0',
    ]);
    answers.fence = () => Promise.reject(new StoreUnavailableError('gone'));
    expect(await scrape()).not.toContainEqual(expect.stringContaining('portal_indexer_fence'));
  });
});
