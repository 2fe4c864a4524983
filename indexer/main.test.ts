import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openIndexReader } from '../data/store/sqlite/index-reader.ts';
import { openIndexWriter } from '../data/store/sqlite/index-writer.ts';
import { LEDGER } from './ledger/addresses.ts';
import { ledgerAddress } from './ledger/wallets.ts';
import { proxyTo, startHostileServer } from './testing/hostile-server.ts';
import { jupiterBody, startMarketHost } from './testing/market-host.ts';
import { startTestChain, type TestChain } from './testing/test-chain.ts';
import { startWorker, type WorkerProcess, type WorkerTerms } from './testing/worker-process.ts';

/** Milliseconds of a clean stop, also on a machine at work; one that hangs is ended by force after ten seconds. */
const STOPS_WITHIN_MS = 8_000;

let ledger: TestChain;
let dataDir: string;
const workers: WorkerProcess[] = [];

beforeAll(async () => {
  ledger = await startTestChain({ history: true });
});
afterAll(() => ledger.close());
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'bd-indexer-'));
});
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.end('SIGKILL');
  await rm(dataDir, { recursive: true });
});

function start(
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
  terms: WorkerTerms = {},
): WorkerProcess {
  const addresses = { BD_MINT: LEDGER.mint, BD_VAULT: LEDGER.vault, BD_STAKE_POOL: LEDGER.stakePool };
  const settings = { SOLANA_RPC_URLS: ledger.url, DATA_DIR: dataDir, ...addresses, ...env };
  const worker = startWorker(settings, args, terms);
  workers.push(worker);
  return worker;
}

async function refusal(env: Readonly<Record<string, string>>, args: readonly string[] = []) {
  const { code, stderr } = await start(env, args).ended;
  return { code, stderr };
}

describe('the indexer as a process', () => {
  it('is ready once the index holds the chain as it stands, and stops cleanly when told to', async () => {
    const worker = start();
    expect(await worker.ready).toEqual({ type: 'ready', details: { slot: expect.any(Number) } });
    const reader = openIndexReader(join(dataDir, 'index.db'));
    const snapshot = await reader.latestSnapshot(1);
    expect(snapshot).toMatchObject({ identity: ledger.identity, quote: { source: 'demo' } });
    expect(snapshot.endpoints).toMatchObject([{ active: true, errorCount: 0 }]);
    expect(snapshot.chain?.stakerCount).toBe(8);
    await reader.close();
    const stopping = Date.now();
    expect(await worker.end('SIGTERM')).toMatchObject({ code: 0, stderr: '' });
    expect(Date.now() - stopping).toBeLessThan(STOPS_WITHIN_MS);
  });

  it('stands back behind the programs that answer visitors', async () => {
    const worker = start({}, [], { standsBack: true });
    await worker.ready;
    expect(getPriority(worker.child.pid)).toBeGreaterThan(Math.min(18, getPriority()));
  });

  it('shows the endpoints as they are when it is ready, also where the first look found none', async () => {
    let looks = 0;
    const late = await startHostileServer((calls, response, request) => {
      looks += 1;
      if (looks === 1) response.writeHead(503).end();
      else proxyTo(ledger.url)(calls, response, request);
    });
    const worker = start({ SOLANA_RPC_URLS: late.url });
    expect(await worker.ready).toMatchObject({ details: { slot: expect.any(Number) } });
    const reader = openIndexReader(join(dataDir, 'index.db'));
    expect((await reader.latestSnapshot(0)).endpoints).toMatchObject([{ active: true, errorCount: 1 }]);
    await reader.close();
    await worker.end('SIGKILL');
    await late.close();
  });

  it('quotes the market that is configured, the next where it fails, and never the made-up one', async () => {
    const host = await startMarketHost();
    host.answer('jupiter', jupiterBody(LEDGER.mint, { usdPrice: '1.25e-4' }));
    const worker = start({ MARKET_FEED: 'dexscreener', MARKET_BASE_URL: host.url });
    await worker.ready;
    const reader = openIndexReader(join(dataDir, 'index.db'));
    const quote = async () => (await reader.latestSnapshot(0)).quote;
    await expect.poll(quote).toMatchObject({ source: 'jupiter', priceUsd: '0.000125' });
    expect(host.asked[0]).toBe(`/tokens/v1/solana/${LEDGER.mint}`);
    await reader.close();
    expect((await worker.end('SIGTERM')).stderr).toContain('answers HTTP 503');
    await host.close();
  });

  it('compares accounts and history by itself, and stores that they agree', async () => {
    // What the ledger holds is final, so that the comparison need not wait.
    ledger.advance(60_000);
    const worker = start();
    await worker.ready;
    const reader = openIndexReader(join(dataDir, 'index.db'));
    const compared = async () => {
      ledger.advance(400);
      return (await reader.latestSnapshot(0)).reconciliation;
    };
    await expect.poll(compared, { timeout: 30_000, interval: 100 }).toMatchObject({ differences: [] });
    const { lastAgreement, reconciliation } = await reader.latestSnapshot(0);
    expect(lastAgreement?.slot).toBe(reconciliation?.slot);
    await reader.close();
  });

  it('builds the index again when asked to', async () => {
    const first = start();
    await first.ready;
    await first.end('SIGTERM');
    const before = await stat(join(dataDir, 'index.db'));
    const second = start({}, ['--rebuild']);
    await second.ready;
    const after = await stat(join(dataDir, 'index.db'));
    expect(after.birthtimeMs).toBeGreaterThan(before.birthtimeMs);
  });

  it('leaves the index alone while another indexer writes it', async () => {
    await start().ready;
    const { code, stderr } = await refusal({}, ['--rebuild']);
    expect(code).toBe(75);
    expect(stderr).toMatch(/being written by another process/);
  });

  it('refuses what it does not know on the command line', async () => {
    expect(await refusal({}, ['--rebuid'])).toMatchObject({
      code: 64,
      stderr: expect.stringMatching(/Unknown option '--rebuid'.*Usage/s),
    });
  });

  it('refuses a configuration that does not fit the chain, with all faults', async () => {
    const { code, stderr } = await refusal({ BD_VAULT: LEDGER.mint, BD_STAKE_POOL: LEDGER.mint });
    expect(code).toBe(78);
    expect(stderr).toMatch(/BD_VAULT names .*BD_STAKE_POOL names/s);
    expect(stderr).not.toMatch(/ {4}at /);
    expect(await readdir(dataDir)).toEqual([]);
  });

  it('refuses everything that is wrong at once, a clear line each, and writes nothing', async () => {
    const page = await startHostileServer((_, response) => response.end('<title>not a node</title>'));
    const { code, stderr } = await refusal({
      SOLANA_RPC_URLS: `${ledger.url},${page.url}`,
      // Base58 of the right length that does not stand for 32 bytes.
      BD_VAULT: '2'.repeat(33),
      BD_MINT: ledgerAddress('nobody'),
      BD_STAKE_POOL: LEDGER.stakePool,
    });
    await page.close();
    expect(code).toBe(78);
    const lines = stderr.split('\n').filter((line) => line.startsWith('  '));
    expect(lines).toHaveLength(4);
    const { host } = new URL(page.url);
    for (const words of [
      `  SOLANA_RPC_URLS leads to ${host}, which does not answer as a Solana endpoint`,
      '  BD_VAULT is not a Solana address: its base58 does not stand for 32 bytes. Copy it again.',
      '  BD_MINT names an account that does not exist on this chain. Check the address and SOLANA_RPC_URLS.',
      `  BD_STAKE_POOL names a pool of another mint (${LEDGER.mint}). Set it to the pool of BD_MINT.`,
    ]) {
      expect(lines.filter((line) => line.startsWith(words))).toHaveLength(1);
    }
    expect(stderr).not.toMatch(/ {4}at /);
    expect(await readdir(dataDir)).toEqual([]);
  });

  it('refuses settings that are wrong by themselves before it asks any chain, all at once', async () => {
    const { code, stderr } = await refusal({
      SOLANA_RPC_URLS: 'ftp://node',
      BD_MINT: 'not-a-key',
      MARKET_FEED: 'demo,jupiter',
      INDEXER_POLL_MS: 'often',
    });
    expect(code).toBe(78);
    const named = stderr.split('\n').flatMap((line) => /^ {2}([A-Z_]+) /.exec(line)?.[1] ?? []);
    expect(named.toSorted()).toEqual(['BD_MINT', 'INDEXER_POLL_MS', 'MARKET_FEED', 'SOLANA_RPC_URLS']);
    expect(await readdir(dataDir)).toEqual([]);
  });

  it('refuses an index of another chain, and says how to mend it', async () => {
    const writer = await openIndexWriter(join(dataDir, 'index.db'));
    await writer.claim({ ...ledger.identity, genesisHash: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG' });
    await writer.close();
    const { code, stderr } = await refusal({});
    expect(code).toBe(78);
    expect(stderr).toMatch(/index of something else.*chain.*--rebuild/s);
  });

  it.each([
    ['fails', 'HTTP 503', (response: ServerResponse) => response.writeHead(503).end()],
    ['hangs', 'no answer within', () => {}],
  ])(
    'lets the portal start where the chain %s, keeps trying, and shows it',
    async (_how, lastError, answer) => {
      const silent = createServer((_, response) => answer(response));
      await new Promise<void>((resolve) => {
        silent.listen(0, '127.0.0.1', resolve);
      });
      const { port } = silent.address() as AddressInfo;
      // The seconds of patience with it pass sooner.
      const worker = start({ SOLANA_RPC_URLS: `http://127.0.0.1:${port}` }, [], { timeFactor: 5 });
      expect(await worker.ready).toMatchObject({ details: { note: expect.stringContaining('not reached') } });
      const reader = openIndexReader(join(dataDir, 'index.db'));
      const endpoints = async () => (await reader.latestSnapshot(1)).endpoints;
      await expect
        .poll(endpoints)
        .toMatchObject([
          { name: `127.0.0.1:${port}`, active: false, lastError: expect.stringContaining(lastError) },
        ]);
      expect((await reader.latestSnapshot(1)).chain).toBeNull();
      await reader.close();
      expect((await worker.end('SIGTERM')).code).toBe(0);
      silent.close();
      silent.closeAllConnections();
    },
  );
});
