import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

export async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** Whether a file contains tests. A helper program that is started by tests does not count. */
export const containsTests = (file: string) => /\.test\.tsx?$/.test(file);

/** Whether a file is only for tests, so that no build depends on it. */
export const isTestOnly = (file: string) => containsTests(file) || file.includes('/testing/');

/** A digest of the names and contents of all files at or below the paths, except those for which `isSkipped` is true. */
export async function treeStamp(paths: readonly string[], isSkipped = isTestOnly): Promise<string> {
  const files = await Promise.all(
    paths.map(async (path) => ((await stat(path)).isFile() ? [path] : filesBelow(path))),
  );
  const hash = createHash('sha256');
  for (const file of files
    .flat()
    .filter((path) => !isSkipped(path))
    .sort()) {
    hash.update(`${file}\0`);
    hash.update(await readFile(file));
    hash.update('\0');
  }
  return hash.digest('hex');
}
