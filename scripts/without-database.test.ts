// @module-tag slow
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { LEDGER_ADDRESSES, spawnApi, startWorker } from '../indexer/testing/processes.ts';
import { startTestChain } from '../indexer/testing/test-chain.ts';
import { buildApiIfStale } from './build-api.ts';

/** A message of PostgreSQL's protocol, which only its driver has in its code, even in a bundle. */
const OF_POSTGRES = 'SASLInitialResponse';

/** The files that a program had loaded when it ended, by the reports that Node writes. */
async function loadedFiles(reports: string): Promise<readonly URL[]> {
  const texts = (await readdir(reports)).map((name) => readFile(join(reports, name), 'utf8'));
  return (await Promise.all(texts))
    .flatMap((text): readonly string[] => JSON.parse(text).result.map(({ url }: { url: string }) => url))
    .filter((url) => url.startsWith('file:'))
    .map((url) => new URL(url));
}

it.each([
  ['API', async (env: Record<string, string>) => spawnApi(env, { program: await buildApiIfStale() })],
  ['indexer', async (env: Record<string, string>) => startWorker(env)],
])(
  'the %s loads no driver of PostgreSQL while no database is set',
  async (_name, start) => {
    const folder = await mkdtemp(join(tmpdir(), 'without-database-'));
    const chain = await startTestChain();
    onTestFinished(async () => {
      await chain.close();
      await rm(folder, { recursive: true });
    });
    const reports = join(folder, 'coverage');
    const program = await start({
      DATA_DIR: folder,
      SOLANA_RPC_URLS: chain.url,
      NODE_V8_COVERAGE: reports,
      ...LEDGER_ADDRESSES,
    });
    await program.ready;
    program.child.kill('SIGTERM');
    await program.ended;
    const loaded = await loadedFiles(reports);
    expect(loaded.some(({ pathname }) => pathname.includes('/better-sqlite3/'))).toBe(true);
    const sources = await Promise.all(loaded.map((file) => readFile(file, 'utf8')));
    expect(loaded.filter((_, index) => sources[index]?.includes(OF_POSTGRES))).toEqual([]);
  },
  120_000,
);
