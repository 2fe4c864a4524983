import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request as forward } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, type Locator } from 'playwright/test';
import { deliverySettings } from '../api/delivery/testing/delivery-settings.ts';
import { signatureOf, walletOf } from '../api/testing/sample-stakes.ts';
import * as PATHS from '../data/contract/paths.ts';
import type { DatabaseSettings } from '../data/model/database-settings.ts';
import { indexDatabase } from '../data/store/open-stores.ts';
import type { IndexWriter } from '../data/store/ports.ts';
import { startPostgres } from '../data/store/testing/postgres-server.ts';
import {
  IDENTITY,
  sampleBatch,
  sampleEvent,
  sampleQuote,
  sampleSnapshot,
} from '../data/store/testing/sample-rows.ts';
import { LEDGER_ADDRESS_ENV, spawnApi } from '../indexer/testing/processes.ts';
import { buildProgramsIfStale } from '../scripts/build-programs.ts';
import { formatAsTile, openDashboard } from './dashboard-page.ts';
import { test } from './test.ts';

/** How many changes to the index the test makes while the page shows them. */
const CHANGE_COUNT = Number(process.env.REPLICA_CHANGES ?? 30);
const REPLICA_COUNT = 2;
/** All connections are cut after this many changes. The page reconnects within a second. */
const CHANGES_PER_CONNECTION = 10;
/** Milliseconds between two changes, so that the page has time to show many of them. */
const CHANGE_INTERVAL_MS = 80;
/** How many events the dashboard lists: MAX_ROWS in VaultActivity.tsx. */
const LISTED_EVENT_COUNT = 7;
const SCHEMA = 'portal';
const FIRST_SLOT = 1_000;

/** Functions that stop what the setup started. They run even if a later step of the setup failed. */
const closers: (() => Promise<void>)[] = [];
let balancer: Awaited<ReturnType<typeof startBalancer>>;
let writer: IndexWriter;

test.use({ baseURL: undefined });

/** The vault's balance after a change: each change adds a hundredth of a BD. */
const balanceAfter = (change: number): bigint => 99_998_436_010_000n + BigInt(change) * 10_000n;
/** The amount of the event that a change stores. Each change has a different amount. */
const amountOf = (change: number): bigint => 1_000_000n + BigInt(change) * 10_000n;
const shownAmount = (units: bigint): string => formatAsTile((Number(units) / 1_000_000).toFixed(2));

/** Stores one change to the index: an event, and a snapshot at the event's slot. */
async function storeChange(changeNumber: number): Promise<void> {
  const slot = FIRST_SLOT + changeNumber;
  const now = Date.now();
  const event = sampleEvent(slot, {
    signature: signatureOf(changeNumber + 1),
    wallet: walletOf(1),
    blockTime: now,
    delta: amountOf(changeNumber),
  });
  await writer.commitEvents(sampleBatch([event], now));
  await storeSnapshot(changeNumber);
}

const storeSnapshot = (changeNumber: number): Promise<void> =>
  writer.commitSnapshot(
    sampleSnapshot(FIRST_SLOT + changeNumber, {
      readAt: Date.now(),
      vaultBalance: balanceAfter(changeNumber),
    }),
  );

/** Starts a load balancer that sends each request to the next replica. Event streams and other requests rotate separately. */
async function startBalancer(ports: readonly number[]) {
  let [requests, streams] = [0, 0];
  const server = createServer((request, response) => {
    const turn = request.url?.startsWith(PATHS.live) ? streams++ : requests++;
    const { url: path, method, headers } = request;
    const options = { host: '127.0.0.1', port: ports[turn % ports.length], path, method, headers };
    const forwarded = forward(options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on('error', () => response.destroy());
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    response.on('close', () => forwarded.destroy());
    request.pipe(forwarded);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    streamCount: () => streams,
    closeConnections: () => server.closeAllConnections(),
    async close(): Promise<void> {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

test.beforeAll(async () => {
  test.setTimeout(300_000);
  const server = await startPostgres('18');
  closers.push(() => server.stop());
  const folder = await mkdtemp(join(tmpdir(), 'replicas-'));
  closers.push(() => rm(folder, { recursive: true, force: true }));
  const settings: DatabaseSettings = {
    host: server.socketFolder,
    port: null,
    user: 'postgres',
    password: null,
    database: 'postgres',
    schema: SCHEMA,
    poolSize: 2,
    tls: null,
    preparesStatements: true,
  };
  writer = await indexDatabase(settings).openWriter(1);
  closers.push(() => writer.close());
  await writer.claim(IDENTITY);
  const cursor = { account: IDENTITY.poolVault, signature: signatureOf(0), slot: FIRST_SLOT };
  await writer.commitEvents({ account: cursor.account, events: [], cursor, caughtUpAt: Date.now() });
  await writer.commitQuote(sampleQuote('0.01', Date.now()));
  for (let changeNumber = 0; changeNumber < LISTED_EVENT_COUNT; changeNumber += 1)
    await storeChange(changeNumber);
  const env = {
    DATABASE_URL: `postgres://postgres@localhost/postgres?host=${encodeURIComponent(server.socketFolder)}`,
    DATABASE_SCHEMA: SCHEMA,
    ...deliverySettings(),
    SOLANA_RPC_URLS: 'http://127.0.0.1:9',
    ...LEDGER_ADDRESS_ENV,
  };
  const { api: program } = await buildProgramsIfStale();
  const replicas = Array.from({ length: REPLICA_COUNT }, (_, replicaIndex) => {
    const replica = spawnApi({ ...env, DATA_DIR: join(folder, String(replicaIndex)) }, { args: [], program });
    closers.push(async () => {
      replica.child.kill('SIGKILL');
      await replica.ended;
    });
    return replica;
  });
  balancer = await startBalancer(
    await Promise.all(replicas.map(async ({ ready }) => Number((await ready).details.port))),
  );
  closers.push(() => balancer.close());
});

test.afterAll(async () => {
  for (const close of closers.toReversed()) await close();
});

/** Records every text that the paragraph below the heading shows, in order. */
const recordTexts = (tile: Locator) =>
  tile.evaluateHandle((element) => {
    const shownTexts: string[] = [];
    const record = () => {
      const text = element.querySelector('h2, h3')?.nextElementSibling?.textContent ?? '';
      if (text !== shownTexts.at(-1)) shownTexts.push(text);
    };
    record();
    new MutationObserver(record).observe(element, { subtree: true, childList: true, characterData: true });
    return shownTexts;
  });

test('a page that is moved between replicas misses no change, and never goes back to an earlier figure', async ({
  page,
}) => {
  test.setTimeout(240_000 + CHANGE_COUNT * 500);
  // Keeps the snapshot fresh, as an indexer does. Otherwise, on a busy machine, it may be stale by the time the page opens.
  const refreshTimer = setInterval(() => void storeSnapshot(LISTED_EVENT_COUNT - 1), 1_000);
  const dashboard = await openDashboard(page, balancer.url).finally(() => clearInterval(refreshTimer));
  const tile = dashboard.tile('Vault Balance');
  const shownTexts = await recordTexts(tile);
  const last = LISTED_EVENT_COUNT + CHANGE_COUNT - 1;
  for (let changeNumber = LISTED_EVENT_COUNT; changeNumber <= last; changeNumber += 1) {
    // The last change comes while the page has no connection.
    if (changeNumber % CHANGES_PER_CONNECTION === 0 || changeNumber === last) balancer.closeConnections();
    await storeChange(changeNumber);
    await pause(CHANGE_INTERVAL_MS);
  }
  await expect.poll(() => dashboard.figure('Vault Balance')).toBe(shownAmount(balanceAfter(last)));
  for (let row = 0; row < LISTED_EVENT_COUNT; row += 1) {
    await expect(dashboard.feedRows().nth(row)).toContainText(`+${shownAmount(amountOf(last - row))}`);
  }
  const changeNumbersByText = new Map(
    Array.from({ length: last + 1 }, (_, changeNumber) => [
      shownAmount(balanceAfter(changeNumber)),
      changeNumber,
    ]),
  );
  const shownChanges = (await shownTexts.jsonValue()).map((text) =>
    changeNumbersByText.get(text.replace(/[^\d.,]/g, '')),
  );
  expect(shownChanges).not.toContain(undefined);
  expect(shownChanges).toEqual(shownChanges.toSorted((a, b) => Number(a) - Number(b)));
  expect(balancer.streamCount()).toBeGreaterThan(REPLICA_COUNT);
  test.info().annotations.push({
    type: 'changes',
    description: `${shownChanges.length} figures of ${CHANGE_COUNT} changes, ${balancer.streamCount()} streams`,
  });
});
