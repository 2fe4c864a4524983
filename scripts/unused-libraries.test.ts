// @module-tag slow
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { LEDGER_ADDRESS_ENV, spawnApi, spawnIndexer } from '../indexer/testing/processes.ts';
import { startTestChain } from '../indexer/testing/test-chain.ts';

/** The name of a message in PostgreSQL's protocol. Only the driver's code contains it, even in a bundle. */
const POSTGRES_MARKER = 'SASLInitialResponse';
/** A name that only OpenTelemetry's code contains. */
const TRACING_MARKER = 'batching_span_processor';

/** The files that a program loaded, according to the coverage reports that Node writes when the program ends. */
async function loadedFiles(reports: string): Promise<readonly URL[]> {
  const texts = (await readdir(reports)).map((name) => readFile(join(reports, name), 'utf8'));
  return (await Promise.all(texts))
    .flatMap((text): readonly string[] => JSON.parse(text).result.map(({ url }: { url: string }) => url))
    .filter((url) => url.startsWith('file:'))
    .map((url) => new URL(url));
}

it.each([
  ['API', (env: Record<string, string>) => spawnApi(env)],
  ['indexer', (env: Record<string, string>) => spawnIndexer(env)],
])(
  'the %s loads no PostgreSQL driver without a database setting, and no OpenTelemetry without tracing',
  async (_name, start) => {
    const folder = await mkdtemp(join(tmpdir(), 'unused-libraries-'));
    const chain = await startTestChain();
    onTestFinished(async () => {
      await chain.close();
      await rm(folder, { recursive: true });
    });
    const reports = join(folder, 'coverage');
    const program = start({
      DATA_DIR: folder,
      SOLANA_RPC_URLS: chain.url,
      NODE_V8_COVERAGE: reports,
      ...LEDGER_ADDRESS_ENV,
    });
    await program.ready;
    program.child.kill('SIGTERM');
    await program.ended;
    const loaded = await loadedFiles(reports);
    expect(loaded.some(({ pathname }) => pathname.includes('/better-sqlite3/'))).toBe(true);
    const sources = await Promise.all(loaded.map((file) => readFile(file, 'utf8')));
    for (const mark of [POSTGRES_MARKER, TRACING_MARKER])
      expect(loaded.filter((_, index) => sources[index]?.includes(mark))).toEqual([]);
  },
);
