import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { isServedCompressed } from '../api/pages/serve-pages.ts';
import { ORIGIN_PLACEHOLDER } from '../data/contract/origin-placeholder.ts';
import { readBuiltPages } from './built-pages.ts';
import { filesBelow } from './tree-stamp.ts';

/** The number of days for which a page that was open during a build can still load its assets. */
const MAX_AGE_DAYS = 7;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** A build writes all its assets within this time. */
const BUILD_MS = 60 * 60 * 1_000;

interface Asset {
  readonly name: string;
  readonly content: Buffer;
  /** About when a newer build replaced the asset. */
  readonly replacedAt: Date;
}

/** Reads the assets of the last build, and those that were replaced in the last `MAX_AGE_DAYS` days. */
export async function readEarlierAssets(folder: string, now: number): Promise<readonly Asset[]> {
  const names = await readdir(folder).catch(() => []);
  const assets = await Promise.all(
    names
      .filter((name) => !/\.(?:br|gz)$/.test(name))
      .map(async (name) => {
        const path = join(folder, name);
        return { name, content: await readFile(path), time: (await stat(path)).mtimeMs };
      }),
  );
  const lastBuildAt = Math.max(...assets.map(({ time }) => time));
  return assets
    .map(({ time, ...asset }) => {
      // The build that starts now replaces the last build's assets. They get a time `BUILD_MS` before it, so that later
      // builds do not count them among its assets.
      const isFromLastBuild = lastBuildAt - time < BUILD_MS;
      return { ...asset, replacedAt: new Date(isFromLastBuild ? now - BUILD_MS : time) };
    })
    .filter(({ replacedAt }) => now - replacedAt.getTime() < MAX_AGE_DAYS * DAY_MS);
}

/** Writes earlier assets next to the new ones, so that pages that are already open continue to work. */
export async function writeEarlierAssets(assets: readonly Asset[], folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const names = new Set(await readdir(folder));
  for (const { name, content, replacedAt } of assets) {
    if (names.has(name)) continue;
    const path = join(folder, name);
    await writeFile(path, content);
    await utimes(path, replacedAt, replacedAt);
  }
}

const FACADE_IMPORT = /^import\s*"\.\/([\w.~-]+\.js)";?\s*$/;

/** The file that a script imports, if the script does nothing else; otherwise null. */
export function facadeOf(script: string): string | null {
  return FACADE_IMPORT.exec(script)?.[1] ?? null;
}

/**
 * Removes scripts that only import another script, and makes the pages load the imported script directly, which saves a request.
 * The bundler writes such a script if a page shares all the code of its script with other pages.
 */
export async function dropEntryFacades(output: string): Promise<void> {
  const assets = join(output, '_astro');
  const targets = new Map<string, string>();
  for (const name of await readdir(assets)) {
    if (!name.endsWith('.js')) continue;
    const target = facadeOf(await readFile(join(assets, name), 'utf8'));
    if (target !== null) targets.set(name, target);
  }
  for (const { file, html } of await readBuiltPages(output)) {
    const directHtml = html.replaceAll(
      /(<script type="module" src="\/_astro\/)([^"]+)"/g,
      (tag, start, name) => {
        const target = targets.get(name);
        return target === undefined ? tag : `${start}${target}"`;
      },
    );
    if (directHtml !== html) await writeFile(join(output, file), directHtml);
  }
  await Promise.all([...targets.keys()].map((name) => rm(join(assets, name))));
}

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/**
 * Writes a `.br` and a `.gz` version next to each text file of the built site. Skips internal files and files that already have
 * a `.br` version. Also skips files with a placeholder for the portal's origin, because it is replaced when the file is served.
 */
export async function precompress(folder: string): Promise<void> {
  const existing = new Set(await filesBelow(folder));
  const files = [...existing].filter(
    (file) => !basename(file).startsWith('.') && !existing.has(`${file}.br`),
  );
  await Promise.all(
    files.map(async (file) => {
      const content = await readFile(file);
      if (!isServedCompressed(file, content) || content.includes(ORIGIN_PLACEHOLDER)) return;
      const [br, gz] = await Promise.all([
        compressBrotli(content, {
          params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
        }),
        compressGzip(content, { level: constants.Z_BEST_COMPRESSION }),
      ]);
      await Promise.all([writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz)]);
    }),
  );
}
