// @module-tag slow
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EXIT } from '../data/runtime/exit-codes.ts';
import type { IndexIdentity } from '../data/store/chain-rows.ts';
import { openIndexReader, openIndexWriter } from '../data/store/open-stores.ts';
import type { IndexReader } from '../data/store/ports.ts';
import { LEDGER, ledgerAddress } from './ledger/addresses.ts';
import { proxyTo, startFakeServer } from './testing/fake-server.ts';
import { jupiterBody, startMarketHost } from './testing/market-host.ts';
import {
  type IndexerProcess,
  type IndexerProcessOptions,
  LEDGER_ADDRESS_ENV,
  spawnIndexer,
} from './testing/processes.ts';
import { startTestChain, type TestChain } from './testing/test-chain.ts';

/** Speeds up time, to wait less for an unreachable chain. */
const FAST: IndexerProcessOptions = { timeFactor: 20 };
/** Milliseconds. Longer than the default, because each check reads the index. */
const CHECKS = { interval: 300 };
/** Slows down time, so that the indexer becomes ready in time on a busy machine. */
const SLOW: IndexerProcessOptions = { timeFactor: 0.25 };

let ledger: TestChain;
let dataDir: string;
let file: string;
const readers: IndexReader[] = [];
const workers: IndexerProcess[] = [];

beforeAll(async () => {
  ledger = await startTestChain({ history: true });
});
afterAll(() => ledger.close());
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'bd-indexer-'));
  file = join(dataDir, 'index.db');
});
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.end('SIGKILL');
  for (const reader of readers.splice(0)) await reader.close();
  await rm(dataDir, { recursive: true });
});

function start(
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
  options: IndexerProcessOptions = {},
): IndexerProcess {
  const settings = { SOLANA_RPC_URLS: ledger.url, DATA_DIR: dataDir, ...LEDGER_ADDRESS_ENV, ...env };
  const worker = spawnIndexer(settings, args, options);
  workers.push(worker);
  return worker;
}

async function openReader(): Promise<IndexReader> {
  const reader = await openIndexReader(file);
  readers.push(reader);
  return reader;
}

async function createIndex(identity: Partial<IndexIdentity> = {}): Promise<void> {
  const writer = await openIndexWriter(file);
  await writer.claim({ ...ledger.identity, ...identity });
  await writer.close();
}

describe('the indexer as a process', () => {
  it('indexes the chain and the market as the only writer, and stops cleanly', async () => {
    // Finalizes the ledger's history, so that the reconciliation does not have to wait.
    ledger.advance(60_000);
    let requests = 0;
    const flaky = await startFakeServer((calls, response, request) => {
      requests += 1;
      if (requests === 1) response.writeHead(503).end();
      else proxyTo(ledger.url)(calls, response, request);
    });
    const market = await startMarketHost();
    market.setAnswer('jupiter', jupiterBody(LEDGER.mint, { usdPrice: '1.25e-4' }));
    const chain = { SOLANA_RPC_URLS: flaky.url, INDEXER_POLL_MS: '400' };
    const env = { ...chain, MARKET_FEED: 'dexscreener', MARKET_BASE_URL: market.url };
    const worker = start(env, [], SLOW);
    expect(await worker.ready).toEqual({ type: 'ready', details: { slot: expect.any(Number) } });

    const reader = await openReader();
    const atReady = await reader.latestSnapshot(0);
    expect(atReady).toMatchObject({ identity: ledger.identity, chain: { stakerCount: 8 } });
    // The health is stored before the indexer reports that it is ready, even if the first request failed.
    expect(atReady.endpoints).toMatchObject([{ active: true, errorCount: 1 }]);

    const latest = async () => {
      ledger.advance(400);
      return reader.latestSnapshot(0);
    };
    // The configured feed fails. The next real feed is used, never the demo feed.
    await expect.poll(latest, CHECKS).toMatchObject({ quote: { source: 'jupiter', priceUsd: '0.000125' } });
    expect(market.requests[0]).toBe(`/tokens/v1/solana/${LEDGER.mint}`);
    await expect.poll(latest, CHECKS).toMatchObject({ reconciliation: { differences: [] } });
    const { lastAgreement, reconciliation } = await reader.latestSnapshot(0);
    expect(lastAgreement?.slot).toBe(reconciliation?.slot);

    expect((await start({}, ['--rebuild']).ended).code).toBe(EXIT.tryAgain);
    expect(await worker.end('SIGTERM')).toMatchObject({ code: EXIT.ok });
    await Promise.all([flaky.close(), market.close()]);
  });

  it('rebuilds the index once the chain is reached, ends with a message once its file is replaced, and can start again with the new file', async () => {
    await createIndex({ genesisHash: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG' });
    const before = await stat(file);
    const waiting = start({ SOLANA_RPC_URLS: 'http://127.0.0.1:1' }, ['--rebuild'], FAST);
    expect(await waiting.ready).toMatchObject({ details: { note: expect.any(String) } });
    await waiting.end('SIGTERM');
    expect((await stat(file)).ino).toBe(before.ino);
    const worker = start({}, ['--rebuild']);
    await worker.ready;
    const reader = await openIndexReader(file);
    await expect.poll(async () => (await reader.latestSnapshot(0)).identity).toEqual(ledger.identity);
    await expect.poll(async () => (await reader.latestSnapshot(0)).chain).not.toBeNull();
    await reader.close();
    const other = join(dataDir, 'other.db');
    const writer = await openIndexWriter(other);
    await writer.claim(ledger.identity);
    await writer.close();
    await copyFile(other, `${other}.copy`);
    await rename(`${other}.copy`, file);
    const { code, stderr } = await worker.ended;
    expect(code).toBe(EXIT.tryAgain);
    expect(stderr).toMatch(/^indexer: .*index\.db .*\n$/m);
    // The write-ahead log of the first file must not be applied to the second file.
    expect(existsSync(`${file}-wal`)).toBe(false);
    expect((await readFile(file)).equals(await readFile(other))).toBe(true);
    await start().ready;
  });

  it('runs at a lower priority than the programs that serve visitors', async () => {
    const { child } = start({ SOLANA_RPC_URLS: 'http://127.0.0.1:1' }, [], { lowersPriority: true });
    await expect.poll(() => getPriority(child.pid)).toBeGreaterThan(Math.min(18, getPriority()));
  });

  it('rejects an unknown option', async () => {
    const { code, stderr } = await start({}, ['--rebuid']).ended;
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain('--rebuid');
  });

  it('rejects a configuration that does not match the chain, with one line per problem, and writes nothing', async () => {
    await createIndex();
    const before = await readFile(file);
    // Base58 of a plausible length, but not of 32 bytes.
    const vault = { BD_VAULT: '2'.repeat(33) };
    const others = { BD_MINT: ledgerAddress('nobody'), BD_STAKE_POOL: LEDGER.stakePool };
    const { code, stderr } = await start({ ...vault, ...others }, [], SLOW).ended;
    expect(code).toBe(EXIT.configuration);
    const namedVariables = stderr.split('\n').flatMap((line) => /^ {2}([A-Z_]+) /.exec(line)?.[1] ?? []);
    expect(namedVariables.toSorted()).toEqual(['BD_MINT', 'BD_STAKE_POOL', 'BD_VAULT']);
    expect(stderr).not.toMatch(/ {4}at /);
    expect((await readFile(file)).equals(before)).toBe(true);
    expect(await readdir(dataDir)).toEqual(['index.db']);
  });
});

describe('the indexer while the chain is unreachable', () => {
  it('lets the portal start, shows the failing endpoint, and stores no prices in an unclaimed index', async () => {
    const hanging = await startFakeServer(() => {});
    // Slower than `FAST`, which would leave the indexer only half a second to stop.
    const worker = start({ SOLANA_RPC_URLS: hanging.url }, [], { timeFactor: 5 });
    expect(await worker.ready).toMatchObject({ details: { note: expect.any(String) } });
    const reader = await openReader();
    const endpoints = async () => (await reader.latestSnapshot(0)).endpoints;
    await expect
      .poll(endpoints, CHECKS)
      .toMatchObject([{ active: false, lastError: expect.stringContaining('no answer within') }]);
    const { endpointsReportedAt: first } = await reader.latestSnapshot(0);
    // If the indexer requested quotes, it would do so right after the first endpoint report. The next report follows two
    // seconds later.
    const isReportedAgain = async () => (await reader.latestSnapshot(0)).endpointsReportedAt !== first;
    await expect.poll(isReportedAgain, CHECKS).toBe(true);
    expect(await reader.latestSnapshot(0)).toMatchObject({ chain: null, quote: null });
    expect((await worker.end('SIGTERM')).code).toBe(EXIT.ok);
    await hanging.close();
  });

  it('stores prices in an index of the configured accounts', async () => {
    await createIndex();
    await start({ SOLANA_RPC_URLS: 'http://127.0.0.1:1' }, [], FAST).ready;
    const reader = await openReader();
    await expect.poll(async () => (await reader.latestSnapshot(0)).quote).not.toBeNull();
  });
});
