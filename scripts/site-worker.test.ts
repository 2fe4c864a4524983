import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ORIGIN_PLACEHOLDER } from '../data/contract/origin-placeholder.ts';
import { SECTION_INDEX_FILE } from './section-index.ts';
import { storedSiteOf } from './site-worker.ts';

it('the revision of a stored file changes with the portal’s origin only if the file contains the origin', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'site-'));
  for (const name of ['_astro', 'pagefind', 'artwork']) await mkdir(join(folder, name));
  const files = {
    'index.html': `<link rel="canonical" href="${ORIGIN_PLACEHOLDER}/">`,
    'offline.html': '<h1>Offline</h1>',
    'favicon.svg': '<svg/>',
    'manifest.webmanifest': '{}',
    [SECTION_INDEX_FILE]: '{}',
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  const stored = await storedSiteOf(folder);
  const revisionsAt = (origin: string) =>
    Object.fromEntries(
      stored.files.map(({ url, revision }) => [url, revision?.replaceAll(ORIGIN_PLACEHOLDER, origin)]),
    );
  const [before, after] = ['https://a.example', 'https://b.example'].map(revisionsAt);
  expect(Object.keys(before ?? {})).toHaveLength(Object.keys(files).length);
  expect(after).toEqual({
    ...before,
    '/index.html': expect.not.stringContaining(before?.['/index.html'] ?? ''),
  });
  await rm(folder, { recursive: true });
});

it('the service worker stores pages and search indexes only in English', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'site-'));
  for (const name of ['_astro', 'artwork', 'ar', 'pagefind/fragment'])
    await mkdir(join(folder, name), { recursive: true });
  const page = (path: string) => `<link rel="canonical" href="${ORIGIN_PLACEHOLDER}${path}">`;
  const english = {
    'faq.html': page('/faq'),
    'favicon.svg': '<svg/>',
    'manifest.webmanifest': '{}',
    [SECTION_INDEX_FILE]: '{}',
    'pagefind/pagefind.en_1.pf_meta': '',
    'pagefind/wasm.en.pagefind': '',
    'pagefind/fragment/en_1.pf_fragment': '',
  };
  const arabic = {
    'ar/faq.html': page('/ar/faq'),
    [`ar/${SECTION_INDEX_FILE}`]: '{}',
    'pagefind/pagefind.ar_1.pf_meta': '',
    'pagefind/wasm.ar.pagefind': '',
    'pagefind/fragment/ar_1.pf_fragment': '',
  };
  for (const [name, content] of Object.entries({ ...english, ...arabic }))
    await writeFile(join(folder, name), content);
  const { files } = await storedSiteOf(folder);
  expect(files.map(({ url }) => url).sort()).toEqual(
    Object.keys(english)
      .map((file) => `/${file}`)
      .sort(),
  );
  await rm(folder, { recursive: true });
});
