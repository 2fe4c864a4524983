import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { readBuiltPages } from './built-pages.ts';
import { writeChatBook } from './chat-book.ts';
import { readEarlierAssets, writeEarlierAssets } from './earlier-assets.ts';
import { dropEntryFacades } from './entry-facades.ts';
import { partStyles } from './page-styles.ts';
import { precompress } from './precompress.ts';
import { writeSearchIndex } from './site-search.ts';
import { filesToStore, writeWorker } from './site-worker.ts';
import { treeStamp } from './tree-stamp.ts';

const OUTPUT = 'dist';
const STAMP = `${OUTPUT}/.build-stamp`;
const BUILDERS = [
  'scripts/site-search.ts',
  'scripts/site-worker.ts',
  'scripts/built-pages.ts',
  'scripts/chat-book.ts',
  'scripts/chat-passages.ts',
  'scripts/entry-facades.ts',
  'scripts/page-styles.ts',
];
const ASSETS = `${OUTPUT}/_astro`;
const INPUTS = [
  'site',
  'content',
  'data/model',
  'data/contract',
  'api/chat',
  'astro.config.mjs',
  'package-lock.json',
  ...BUILDERS,
];

function astroBuild(signal: AbortSignal): Promise<void> {
  const child = spawn(process.execPath, ['node_modules/astro/bin/astro.mjs', 'build'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ASTRO_TELEMETRY_DISABLED: '1' },
    // No build outlives the program that asked for it.
    signal,
  });
  let output = '';
  const keep = (chunk: Buffer) => {
    output += chunk.toString();
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`The site could not be built (astro ended with ${code}):\n${output}`));
    });
  });
}

/**
 * Builds the site into `dist/` unless what is there was built from exactly these sources.
 * @returns whether it built. @throws {Error} with the builder's own words where the build fails.
 */
export async function buildSiteIfStale(signal: AbortSignal): Promise<boolean> {
  // The address that people use is written into pages, so it is a source like any other.
  const stamp = `${await treeStamp(INPUTS)} ${process.env.PUBLIC_ORIGIN ?? ''}`;
  const built = await readFile(STAMP, 'utf8').catch(() => null);
  if (built === stamp) return false;
  const earlier = await readEarlierAssets(ASSETS, Date.now());
  await astroBuild(signal);
  await dropEntryFacades(OUTPUT);
  await partStyles(OUTPUT);
  const pages = await readBuiltPages(OUTPUT);
  await writeSearchIndex(
    pages.filter(({ isListed }) => isListed),
    OUTPUT,
  );
  await writeChatBook(pages, OUTPUT);
  await writeWorker(await filesToStore(OUTPUT), OUTPUT);
  await writeEarlierAssets(earlier, ASSETS);
  await precompress(OUTPUT);
  await writeFile(STAMP, stamp);
  return true;
}
