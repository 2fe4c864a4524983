import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { LEASE_MS } from '../../data/runtime/hold-lease.ts';
import { type IndexerProcess, LEDGER_ADDRESS_ENV, spawnIndexer } from '../../indexer/testing/processes.ts';
import { startTestChain } from '../../indexer/testing/test-chain.ts';
import { environmentOf } from './schema-settings.ts';

/** The longest time (ms) from killing an indexer to the first commit of its successor. */
const MAX_TAKEOVER_MS = LEASE_MS + 1_000;
const TAKEOVER_COUNT = 3;
const CHECK_INTERVAL_MS = 10;
const TIMEOUT_MS = 4 * LEASE_MS;
const SCHEMA = 'three_indexers';

async function waitForChange(client: pg.Client, query: string): Promise<void> {
  const read = async () => String(Object.values((await client.query(query)).rows[0] ?? {})[0]);
  const before = await read();
  const startedAt = performance.now();
  while ((await read()) === before) {
    if (performance.now() - startedAt > TIMEOUT_MS)
      throw new Error(`The result of "${query}" did not change within ${TIMEOUT_MS} ms.`);
    await pause(CHECK_INTERVAL_MS);
  }
}

/** Measures how soon another indexer takes over when the writing one is killed right after it has renewed its lease. */
export async function benchTakeover(socketFolder: string, folder: string): Promise<boolean> {
  const chain = await startTestChain({ history: true });
  const client = new pg.Client({ host: socketFolder, user: 'postgres' });
  const indexers: IndexerProcess[] = [];
  const start = async () => {
    const indexer = spawnIndexer({
      ...environmentOf(socketFolder, SCHEMA),
      ...LEDGER_ADDRESS_ENV,
      SOLANA_RPC_URLS: chain.url,
      DATA_DIR: await mkdtemp(join(folder, 'indexer-')),
    });
    indexers.push(indexer);
    await indexer.ready;
  };
  try {
    await client.connect();
    await start();
    const times: number[] = [];
    while (times.length < TAKEOVER_COUNT) {
      // This indexer waits for the lease.
      await start();
      await waitForChange(client, `select "expiresAt" from ${SCHEMA}.leases where name = 'indexer'`);
      const startedAt = performance.now();
      await indexers[times.length]?.end('SIGKILL');
      await waitForChange(client, `select version from ${SCHEMA}.index_state`);
      times.push(performance.now() - startedAt);
    }
    const longest = Math.max(...times);
    const secondsList = times.map((ms) => (ms / 1_000).toFixed(1)).join(', ');
    console.log(
      `takeover after the indexer is killed: ${secondsList} s (at most ${MAX_TAKEOVER_MS / 1_000})`,
    );
    return longest <= MAX_TAKEOVER_MS;
  } finally {
    for (const indexer of indexers) await indexer.end('SIGKILL');
    await client.end();
    await chain.close();
  }
}
