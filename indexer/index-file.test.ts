import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { IndexIdentity } from '../data/store/chain-rows.ts';
import { openIndexReader } from '../data/store/sqlite/index-reader.ts';
import { openIndexWriter } from '../data/store/sqlite/index-writer.ts';
import { LEDGER } from './ledger/addresses.ts';
import { startTestChain, type TestChain } from './testing/test-chain.ts';
import { startWorker, type WorkerProcess, type WorkerTerms } from './testing/worker-process.ts';

const OTHER_GENESIS = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';
const NOWHERE = 'http://127.0.0.1:1';

let ledger: TestChain;
let dataDir: string;
let file: string;
const workers: WorkerProcess[] = [];

beforeAll(async () => {
  ledger = await startTestChain({ history: true });
});
afterAll(() => ledger.close());
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'bd-index-file-'));
  file = join(dataDir, 'index.db');
});
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.end('SIGKILL');
  await rm(dataDir, { recursive: true });
});

function start(
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  terms: WorkerTerms = {},
): WorkerProcess {
  const worker = startWorker({ DATA_DIR: dataDir, ...env }, args, terms);
  workers.push(worker);
  return worker;
}

const addresses = { BD_MINT: LEDGER.mint, BD_VAULT: LEDGER.vault, BD_STAKE_POOL: LEDGER.stakePool };
const startOnCluster = (args: readonly string[] = []) =>
  start({ SOLANA_RPC_URLS: ledger.url, ...addresses }, args);
/** Where nobody answers. The seconds of patience with it pass sooner. */
const startNowhere = (args: readonly string[] = []) =>
  start({ SOLANA_RPC_URLS: NOWHERE, ...addresses }, args, { timeFactor: 5 });
const startOnLedger = () => start({ LEDGER_PORT: new URL(ledger.url).port });

async function indexOf(identity: Partial<IndexIdentity>): Promise<void> {
  const writer = await openIndexWriter(file);
  await writer.claim({ ...ledger.identity, ...identity });
  await writer.close();
}

async function indexedIdentity(): Promise<IndexIdentity | null> {
  const reader = openIndexReader(file);
  const { identity } = await reader.latestSnapshot(0);
  await reader.close();
  return identity;
}

/** Overwrites the first page of a table. */
function damage(table: string): void {
  const client = new Database(file, { readonly: true });
  const page = Number(client.prepare('select rootpage from sqlite_schema where name = ?').pluck().get(table));
  const size = Number(client.pragma('page_size', { simple: true }));
  client.close();
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(size, 0xa5), 0, size, (page - 1) * size);
  closeSync(descriptor);
}

describe('an index file that is taken away while it is written', () => {
  it('ends the indexer in plain words, so that it is started again and makes a new one', async () => {
    const worker = startOnCluster();
    await worker.ready;
    rmSync(file);
    const { code, stderr } = await worker.ended;
    expect(code).toBe(75);
    expect(stderr).toMatch(/^indexer: .*index\.db was deleted or replaced.*\n$/);
    const next = startOnCluster();
    await next.ready;
    expect(await indexedIdentity()).toEqual(ledger.identity);
  });

  it('or put another in its place: the log of the first is not taken for that of the other', async () => {
    const worker = startOnCluster();
    await worker.ready;
    const other = join(dataDir, 'other.db');
    const writer = await openIndexWriter(other);
    await writer.claim(ledger.identity);
    await writer.close();
    copyFileSync(other, `${other}.copy`);
    renameSync(`${other}.copy`, file);
    expect((await worker.ended).code).toBe(75);
    expect(existsSync(`${file}-wal`)).toBe(false);
    expect(readFileSync(file).equals(readFileSync(other))).toBe(true);
    await startOnCluster().ready;
  });
});

describe('an index file that another process has locked', () => {
  it('ends the indexer after one wait, in one plain line', async () => {
    await indexOf({});
    const holder = new Database(file);
    holder.exec('BEGIN IMMEDIATE');
    try {
      const startedAt = performance.now();
      const { code, stderr } = await startOnCluster().ended;
      expect(code).toBe(75);
      expect(stderr).toMatch(/^indexer: .*index\.db is locked by another process\. End it.*\n$/);
      // SQLite waits for five seconds, whoever asks; the three who would ask make it fifteen.
      expect(performance.now() - startedAt).toBeLessThan(15_000);
    } finally {
      holder.close();
    }
    await startOnCluster().ready;
  });
});

describe('an index of another chain', () => {
  it('is discarded with a warning where the embedded ledger was begun anew', async () => {
    await indexOf({ genesisHash: OTHER_GENESIS });
    const worker = startOnLedger();
    expect(await worker.ready).toMatchObject({ details: { slot: expect.any(Number) } });
    expect(await indexedIdentity()).toEqual(ledger.identity);
    const { code, stderr } = await worker.end('SIGTERM');
    expect(code).toBe(0);
    expect(
      stderr
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ level: 40, msg: expect.stringContaining('of an earlier embedded ledger') }]);
  });

  it('is kept where it is of other accounts too, since then it may be that of a cluster', async () => {
    await indexOf({ genesisHash: OTHER_GENESIS, mint: LEDGER.stakeMint });
    const { code, stderr } = await startOnLedger().ended;
    expect(code).toBe(78);
    expect(stderr).toMatch(/index of something else.*DATA_DIR/);
    expect(await indexedIdentity()).toMatchObject({ genesisHash: OTHER_GENESIS });
  });

  it('is built again on a cluster when asked to, and not before the chain is reached', async () => {
    await indexOf({ genesisHash: OTHER_GENESIS });
    const waiting = startNowhere(['--rebuild']);
    expect(await waiting.ready).toMatchObject({ details: { note: expect.any(String) } });
    await waiting.end('SIGTERM');
    expect(await indexedIdentity()).toMatchObject({ genesisHash: OTHER_GENESIS });
    const worker = startOnCluster(['--rebuild']);
    await worker.ready;
    expect(await indexedIdentity()).toEqual(ledger.identity);
  });
});

describe('an index while the chain cannot be reached', () => {
  it('of other accounts is refused at once, and left as it was', async () => {
    await indexOf({ mint: LEDGER.stakeMint });
    const before = readFileSync(file);
    const { code, stderr } = await startNowhere().ended;
    expect(code).toBe(78);
    expect(stderr).toMatch(/^indexer: .*index of something else \(mint: .*DATA_DIR.*\n$/m);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it.each([
    ['takes quotes where it is of the configured accounts', true],
    ['takes none where it is claimed for nothing: a mint that is corrected would inherit them', false],
  ])('%s', async (_what, isClaimed) => {
    if (isClaimed) await indexOf({});
    const worker = startNowhere();
    await worker.ready;
    const reader = openIndexReader(file);
    // The market is asked and the health told at the same moment, the health again after two seconds.
    const { endpointsReportedAt: first } = await reader.latestSnapshot(0);
    const isToldAgain = async () => (await reader.latestSnapshot(0)).endpointsReportedAt !== first;
    await expect.poll(isToldAgain).toBe(true);
    const { quote } = await reader.latestSnapshot(0);
    await reader.close();
    expect(quote !== null).toBe(isClaimed);
  });
});

describe('an index that is built again', () => {
  it('keeps the prices of its market', async () => {
    await indexOf({});
    const at = Date.now() - 3_600_000;
    const writer = await openIndexWriter(file);
    const unknown = { priceChange24h: null, volume24h: null, liquidity: null };
    await writer.commitQuote({ priceUsd: '0.25', ...unknown, source: 'jupiter', readAt: at });
    await writer.close();
    const market = { MARKET_FEED: 'jupiter', MARKET_BASE_URL: NOWHERE };
    const worker = start({ SOLANA_RPC_URLS: ledger.url, ...addresses, ...market }, ['--rebuild']);
    await worker.ready;
    const reader = openIndexReader(file);
    expect(await reader.history('price', 'day', 0)).toMatchObject([{ value: '0.25' }]);
    expect(await reader.latestSnapshot(0)).toMatchObject({
      quote: { readAt: at },
      identity: ledger.identity,
    });
    await reader.close();
  });
});

describe('a configuration that does not fit the chain', () => {
  it('leaves an index that is there as it was', async () => {
    await indexOf({});
    const before = readFileSync(file);
    const { code } = await start({ SOLANA_RPC_URLS: ledger.url, ...addresses, BD_VAULT: LEDGER.mint }).ended;
    expect(code).toBe(78);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(await readdir(dataDir)).toEqual(['index.db']);
  });
});

describe('a damaged index', () => {
  it.each(['index_identity', 'market_quote', 'accounts', 'chain_snapshot'])(
    'ends the indexer with one plain line, and can be built again: %s',
    async (table) => {
      await indexOf({});
      damage(table);
      const { code, stderr } = await startOnCluster().ended;
      expect(code).toBe(75);
      expect(stderr).toMatch(/^indexer: .*index\.db is damaged\. .*--rebuild.*\n$/);
      await startOnCluster(['--rebuild']).ready;
    },
  );
});
