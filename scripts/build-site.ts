import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { dropEntryFacades, precompress, readEarlierAssets, writeEarlierAssets } from './built-assets.ts';
import { readBuiltPages } from './built-pages.ts';
import { writeChatBook } from './chat-book.ts';
import { splitStyles } from './page-styles.ts';
import { writePdfViewer } from './pdf-viewer.ts';
import { writeSectionIndex } from './section-index.ts';
import { writeSearchIndex } from './site-search.ts';
import { OUTPUT, STAMP, siteStamp } from './site-stamp.ts';
import { storedSiteOf, writeWorker } from './site-worker.ts';

const ASSETS = `${OUTPUT}/_astro`;

function astroBuild(signal: AbortSignal): Promise<void> {
  // Without --force, Astro uses its cache, which still imports the file of a removed collection, so the build fails.
  const child = spawn(process.execPath, ['node_modules/astro/bin/astro.mjs', 'build', '--force'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ASTRO_TELEMETRY_DISABLED: '1' },
    signal,
  });
  let output = '';
  const collect = (chunk: Buffer) => {
    output += chunk.toString();
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`The site could not be built (astro exited with ${code}):\n${output}`));
    });
  });
}

/** Writes the files that are derived from Astro's pages, except the assistant's classifier. */
async function writeOtherFiles(earlier: Awaited<ReturnType<typeof readEarlierAssets>>): Promise<void> {
  const pages = await readBuiltPages(OUTPUT);
  await writeSearchIndex(
    pages.filter(({ isListed }) => isListed),
    OUTPUT,
  );
  await writeSectionIndex(pages, await writeChatBook(pages, OUTPUT), OUTPUT);
  await writeWorker(await storedSiteOf(OUTPUT), OUTPUT);
  await writePdfViewer(OUTPUT);
  await writeEarlierAssets(earlier, ASSETS);
  await precompress(OUTPUT);
}

/**
 * Builds the site into `dist/`, unless `dist/` already contains a site that was built from the same sources.
 * @returns whether this call built the site @throws {Error} with the output of Astro if the build fails
 */
export async function buildSiteIfStale(signal: AbortSignal): Promise<boolean> {
  const { stamp, isBuilt } = await siteStamp();
  if (isBuilt) return false;
  const earlier = await readEarlierAssets(ASSETS, Date.now());
  await astroBuild(signal);
  await dropEntryFacades(OUTPUT);
  await splitStyles(OUTPUT);
  // Training takes half of the build's time on one core, so it runs while the other files are written.
  const training = new Worker(new URL('write-classifier.ts', import.meta.url));
  try {
    await Promise.all([once(training, 'exit'), writeOtherFiles(earlier)]);
  } finally {
    await training.terminate();
  }
  await writeFile(STAMP, stamp);
  return true;
}
