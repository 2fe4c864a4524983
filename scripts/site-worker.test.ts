import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BUILT_ORIGIN } from '../data/contract/built-origin.ts';
import { SECTION_INDEX_FILE } from './section-index.ts';
import { siteToStore } from './site-worker.ts';

it('the revision of a stored file changes with the portal’s origin only if the file contains the origin', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'site-'));
  for (const name of ['_astro', 'pagefind', 'artwork']) await mkdir(join(folder, name));
  const files = {
    'index.html': `<link rel="canonical" href="${BUILT_ORIGIN}/">`,
    'offline.html': '<h1>Offline</h1>',
    'favicon.svg': '<svg/>',
    'manifest.webmanifest': '{}',
    [SECTION_INDEX_FILE]: '{}',
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  const stored = await siteToStore(folder);
  const atOrigin = (origin: string) =>
    Object.fromEntries(
      stored.files.map(({ url, revision }) => [url, revision?.replaceAll(BUILT_ORIGIN, origin)]),
    );
  const [before, after] = ['https://a.example', 'https://b.example'].map(atOrigin);
  expect(Object.keys(before ?? {})).toHaveLength(Object.keys(files).length);
  expect(after).toEqual({
    ...before,
    '/index.html': expect.not.stringContaining(before?.['/index.html'] ?? ''),
  });
  await rm(folder, { recursive: true });
});
