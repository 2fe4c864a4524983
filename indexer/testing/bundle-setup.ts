import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { bundledFile, PROGRAMS } from '../../data/runtime/testing/child-env.ts';
import { buildApiIfStale, bundlePrograms } from '../../scripts/build-api.ts';
import { API_SOURCES } from '../../scripts/bundled-api.ts';
import { treeStamp } from '../../scripts/tree-stamp.ts';

/** Bundles the programs that tests start, because a bundle starts in half of the processor time. */
export default async function setup(): Promise<void> {
  if (process.env.TEST_PROGRAMS !== undefined) return;
  process.env.TEST_API_PROGRAM ??= await buildApiIfStale();
  const stamp = await treeStamp([...API_SOURCES, 'indexer', 'scripts/bundled-api.ts']);
  const folder = resolve('build/test-programs', `${stamp.slice(0, 16)}-${PROGRAMS.length}`);
  if (!existsSync(folder))
    await bundlePrograms(folder, Object.fromEntries(PROGRAMS.map((source) => [bundledFile(source), source])));
  process.env.TEST_PROGRAMS = folder;
}
