import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { COMMANDS } from '../../data/runtime/testing/child-env.ts';
import { buildProgramsIfStale, bundlePrograms } from '../../scripts/build-programs.ts';
import { bundleFolder, SOURCES } from '../../scripts/bundles.ts';
import { isTestFile } from '../../scripts/tree-stamp.ts';

const bundledName = (source: string) => source.replace(/\.ts$/, '').replaceAll('/', '-');

/** Bundles the programs that tests start, because a bundle starts in half of the processor time. */
export default async function setup(): Promise<void> {
  if (process.env.TEST_PROGRAMS !== undefined) return;
  const folder = await bundleFolder('test-programs', ['api', 'indexer'], isTestFile);
  if (!existsSync(folder))
    await bundlePrograms(folder, Object.fromEntries(COMMANDS.map((source) => [bundledName(source), source])));
  const started = await buildProgramsIfStale();
  process.env.TEST_PROGRAMS = JSON.stringify({
    ...Object.fromEntries(COMMANDS.map((source) => [source, join(folder, `${bundledName(source)}.mjs`)])),
    [SOURCES.api]: started.api,
    [SOURCES.indexer]: started.indexer,
    [SOURCES.ledger]: started.ledger,
  });
}
