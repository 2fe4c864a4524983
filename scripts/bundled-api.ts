import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { treeStamp } from './tree-stamp.ts';

/** A folder for each bundle, named by the digest of its sources. */
const BUNDLES = 'build/api';
/** The folders of `data/` without `data/var`, where the portal keeps its run-time files. */
const DATA = ['config', 'contract', 'model', 'runtime', 'store'].map((name) => `data/${name}`);
export const API_SOURCES = ['api', ...DATA, 'package.json', 'package-lock.json', 'scripts/build-api.ts'];

/** The program file of the API's bundle for these sources, and whether it exists. */
export async function bundledApi(): Promise<{ readonly program: string; readonly isBuilt: boolean }> {
  const program = join(resolve(BUNDLES, (await treeStamp(API_SOURCES)).slice(0, 16)), 'main.mjs');
  return { program, isBuilt: existsSync(program) };
}
