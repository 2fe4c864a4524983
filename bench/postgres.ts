import { join } from 'node:path';
import type { IndexIdentity } from '../data/store/chain-rows.ts';
import { indexDatabase, openAppStore, openIndexReader, openIndexWriter } from '../data/store/open-stores.ts';
import type { AppStore, EventBatch, IndexReader, IndexWriter } from '../data/store/ports.ts';
import { startPostgres } from '../data/store/testing/postgres-server.ts';
import { fillingBatches, finishFilling } from './growth/filled-index.ts';
import { median } from './growth/flatness.ts';
import { benchTakeover } from './postgres/indexer-takeover.ts';
import { settingsOf } from './postgres/schema-settings.ts';
import { benchThreeApis } from './postgres/three-apis.ts';
import { benchThreeStores, measureSubmissions } from './postgres/three-stores.ts';
import { withTempFolder } from './temp-folder.ts';

/** Minimum speed of PostgreSQL as a share of SQLite's, and maximum time of a snapshot as a multiple of SQLite's. */
const LIMITS = { ingest: 0.4, submissions: 0.5, snapshot: 4 };
/** Each round measures both stores. The result is the median of the rounds. */
const ROUNDS = 5;
const EVENT_COUNT = 40_000;
const SNAPSHOT_COUNT = 400;
/** The number of events in a snapshot, the same as RECENT_EVENT_COUNT in the API. */
const RECENT_EVENTS = 50;

const IDENTITY: IndexIdentity = {
  genesisHash: 'genesis',
  mint: 'mint',
  vault: 'vault',
  stakePool: 'stake pool',
  poolVault: 'vault of the pool',
  decimals: 6,
};
const FILLING_OPTIONS = {
  events: EVENT_COUNT,
  identity: IDENTITY,
  newestSlot: 300_000_000,
  lastSignatureOf: (account: string) => `last of ${account}`,
};

interface Adapter {
  openWriter(round: number): Promise<IndexWriter>;
  openReader(round: number): Promise<IndexReader>;
  openApp(): Promise<Pick<AppStore, 'submissions' | 'close'>>;
}

function sqliteIn(folder: string): Adapter {
  const file = (round: number) => join(folder, `index-${round}.db`);
  return {
    openWriter: (round) => openIndexWriter(file(round)),
    openReader: (round) => openIndexReader(file(round)),
    openApp: () => openAppStore(join(folder, 'app.db')),
  };
}

function postgresAt(socketFolder: string): Adapter {
  const settings = (round: number) => settingsOf(socketFolder, `index_${round}`);
  return {
    openWriter: (round) => indexDatabase(settings(round)).openWriter(1),
    openReader: (round) => openIndexReader(settings(round)),
    openApp: () => openAppStore(settingsOf(socketFolder, 'app')),
  };
}

/** @returns events per second */
async function measureIngest(writer: IndexWriter, batches: readonly EventBatch[]): Promise<number> {
  await writer.claim(IDENTITY);
  const startedAt = performance.now();
  for (const batch of batches) await writer.commitEvents(batch);
  const seconds = (performance.now() - startedAt) / 1_000;
  await finishFilling(writer, FILLING_OPTIONS);
  await writer.close();
  return EVENT_COUNT / seconds;
}

/** @returns microseconds per snapshot */
async function measureSnapshots(reader: IndexReader): Promise<number> {
  const startedAt = performance.now();
  for (let done = 0; done < SNAPSHOT_COUNT; done += 1) await reader.latestSnapshot(RECENT_EVENTS);
  return ((performance.now() - startedAt) * 1_000) / SNAPSHOT_COUNT;
}

interface StoreSpeeds {
  readonly ingest: number;
  readonly snapshot: number;
  readonly submissions: number;
}

async function measure(
  adapter: Adapter,
  app: Pick<AppStore, 'submissions'>,
  round: number,
  batches: readonly EventBatch[],
): Promise<StoreSpeeds> {
  const ingested = await measureIngest(await adapter.openWriter(round), batches);
  const reader = await adapter.openReader(round);
  // Discards the first result, because the first reads also load code and prepare statements.
  await measureSnapshots(reader);
  const snapshot = await measureSnapshots(reader);
  await reader.close();
  return { ingest: ingested, snapshot, submissions: await measureSubmissions(app) };
}

const speedsText = ({ ingest: events, snapshot, submissions }: StoreSpeeds) =>
  `${events.toFixed(0)} events/s, snapshot in ${snapshot.toFixed(0)} µs, ${submissions.toFixed(0)} submissions/s`;

/** Measures SQLite and PostgreSQL alternately in one process. */
async function benchStores(socketFolder: string, folder: string): Promise<boolean> {
  const adapters = { sqlite: sqliteIn(folder), postgres: postgresAt(socketFolder) };
  const apps = { sqlite: await adapters.sqlite.openApp(), postgres: await adapters.postgres.openApp() };
  try {
    const batches = [...fillingBatches(FILLING_OPTIONS)].map(({ batch }) => batch);
    const rounds: { readonly sqlite: StoreSpeeds; readonly postgres: StoreSpeeds }[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const sqlite = await measure(adapters.sqlite, apps.sqlite, round, batches);
      const postgres = await measure(adapters.postgres, apps.postgres, round, batches);
      console.log(`round ${round}: SQLite ${speedsText(sqlite)}; PostgreSQL ${speedsText(postgres)}`);
      // The first round is a warm-up.
      if (round > 0) rounds.push({ sqlite, postgres });
    }
    const ratio = (name: keyof StoreSpeeds) =>
      median(rounds.map(({ sqlite, postgres }) => postgres[name] / sqlite[name]));
    const [events, submissions, snapshot] = [ratio('ingest'), ratio('submissions'), ratio('snapshot')];
    console.log(`ingest: ${events.toFixed(2)} of SQLite (at least ${LIMITS.ingest})`);
    console.log(`submissions: ${submissions.toFixed(2)} of SQLite (at least ${LIMITS.submissions})`);
    console.log(`latest snapshot: ${snapshot.toFixed(1)} times SQLite (at most ${LIMITS.snapshot})`);
    return events >= LIMITS.ingest && submissions >= LIMITS.submissions && snapshot <= LIMITS.snapshot;
  } finally {
    await apps.sqlite.close();
    await apps.postgres.close();
  }
}

export function benchPostgres(): Promise<boolean> {
  return withTempFolder(async (folder) => {
    const server = await startPostgres('18', { durable: true });
    try {
      // The tests' server is configured with less memory than PostgreSQL's default, so it is restarted with the default.
      await server.end('SIGINT');
      await server.start(['shared_buffers=128MB']);
      const { socketFolder } = server;
      const limitsMet = [
        await benchStores(socketFolder, folder),
        await benchThreeStores(socketFolder),
        await benchThreeApis(socketFolder, folder),
        await benchTakeover(socketFolder, folder),
      ];
      return limitsMet.every(Boolean);
    } finally {
      await server.stop();
    }
  });
}
