import { readFile } from 'node:fs/promises';
import { treeStamp } from './tree-stamp.ts';

export const OUTPUT = 'dist';
export const STAMP = `${OUTPUT}/.build-stamp`;
const BUILDERS = [
  'scripts/build-site.ts',
  'scripts/section-index.ts',
  'scripts/site-search.ts',
  'scripts/site-worker.ts',
  'scripts/built-assets.ts',
  'scripts/built-pages.ts',
  'scripts/chat-book.ts',
  'scripts/read-phrasings.ts',
  'scripts/derive-phrasings.ts',
  'scripts/train-classifier.ts',
  'scripts/write-classifier.ts',
  'indexer/ledger/seeded-random.ts',
  'scripts/page-styles.ts',
  'scripts/pdf-viewer.ts',
  'api/pages/serve-pages.ts',
  'scripts/tree-stamp.ts',
];
const INPUTS = [
  'site',
  'content',
  'data/model',
  'data/contract',
  'data/openapi',
  'data/config/rate-limits.ts',
  'package.json',
  'api/chat',
  'astro.config.mjs',
  'package-lock.json',
  ...BUILDERS,
];

export async function siteStamp(): Promise<{ readonly stamp: string; readonly isBuilt: boolean }> {
  const stamp = await treeStamp(INPUTS);
  const builtStamp = await readFile(STAMP, 'utf8').catch(() => null);
  return { stamp, isBuilt: builtStamp === stamp };
}
