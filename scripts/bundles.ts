import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isTestOnly, treeStamp } from './tree-stamp.ts';

/** The bundles that contain the programs `npm start` runs. A bundle is named after the folder of its sources. */
const BUNDLES = {
  api: { api: 'api/main.ts' },
  indexer: { indexer: 'indexer/main.ts', ledger: 'indexer/ledger/main.ts' },
} as const;

/** The file of each program: its source, or the bundled program. */
export type ProgramFiles = Readonly<Record<'api' | 'indexer' | 'ledger', string>>;
export const PROGRAM_SOURCES: ProgramFiles = { ...BUNDLES.api, ...BUNDLES.indexer };

/** The folders in `data/`, except `data/var`, where the portal keeps its run-time files. */
const DATA_FOLDERS = ['config', 'contract', 'model', 'openapi', 'runtime', 'store'].map(
  (name) => `data/${name}`,
);
const COMMON_FILES = [...DATA_FOLDERS, 'package.json', 'package-lock.json', 'scripts/build-programs.ts'];

interface Bundle {
  readonly folder: string;
  readonly programs: Readonly<Record<string, string>>;
  readonly isBuilt: boolean;
}

/**
 * The folder of a bundle. Its path consists of `name` and a digest of the sources.
 * @param isSkipped returns true for files that the bundle does not depend on
 */
export async function bundleFolder(
  name: string,
  sources: readonly string[],
  isSkipped = isTestOnly,
): Promise<string> {
  return join(
    resolve('build', name),
    (await treeStamp([...sources, ...COMMON_FILES], isSkipped)).slice(0, 16),
  );
}

export async function programBundles(): Promise<{
  readonly bundles: readonly Bundle[];
  readonly files: ProgramFiles;
}> {
  const bundles = await Promise.all(
    Object.entries(BUNDLES).map(async ([name, programs]) => {
      const folder = await bundleFolder(name, [name]);
      return { folder, programs, isBuilt: existsSync(folder) };
    }),
  );
  const files = bundles.flatMap(({ folder, programs }) =>
    Object.keys(programs).map((name) => [name, join(folder, `${name}.mjs`)]),
  );
  return { bundles, files: Object.fromEntries(files) };
}

/** The bundled programs if they were all built from the current sources, otherwise the sources. */
export async function builtPrograms(): Promise<ProgramFiles> {
  const { bundles, files } = await programBundles();
  return bundles.every(({ isBuilt }) => isBuilt) ? files : PROGRAM_SOURCES;
}
