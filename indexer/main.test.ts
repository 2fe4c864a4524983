import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openIndexReader } from '../data/store/sqlite/index-reader.ts';
import { openIndexWriter } from '../data/store/sqlite/index-writer.ts';
import { LEDGER } from './ledger/addresses.ts';
import { proxyTo, startHostileServer } from './testing/hostile-server.ts';
import { startTestChain, type TestChain } from './testing/test-chain.ts';
import { startWorker, type WorkerProcess } from './testing/worker-process.ts';

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

function start(env: Readonly<Record<string, string>> = {}, args: readonly string[] = []): WorkerProcess {
  const addresses = { BD_MINT: LEDGER.mint, BD_VAULT: LEDGER.vault, BD_STAKE_POOL: LEDGER.stakePool };
  const worker = startWorker({ SOLANA_RPC_URLS: ledger.url, DATA_DIR: dataDir, ...addresses, ...env }, args);
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
    expect(Date.now() - stopping).toBeLessThan(2_000);
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
    { timeout: 20_000 },
    async (_how, lastError, answer) => {
      const silent = createServer((_, response) => answer(response));
      await new Promise<void>((resolve) => {
        silent.listen(0, '127.0.0.1', resolve);
      });
      const { port } = silent.address() as AddressInfo;
      const worker = start({ SOLANA_RPC_URLS: `http://127.0.0.1:${port}` });
      expect(await worker.ready).toMatchObject({ details: { note: expect.stringContaining('not reached') } });
      const reader = openIndexReader(join(dataDir, 'index.db'));
      const { endpoints, chain } = await reader.latestSnapshot(1);
      expect(chain).toBeNull();
      expect(endpoints).toMatchObject([
        { name: `127.0.0.1:${port}`, active: false, lastError: expect.stringContaining(lastError) },
      ]);
      await reader.close();
      expect((await worker.end('SIGTERM')).code).toBe(0);
      silent.close();
      silent.closeAllConnections();
    },
  );
});
