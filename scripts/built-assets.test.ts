import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ORIGIN_PLACEHOLDER } from '../data/contract/origin-placeholder.ts';
import {
  dropEntryFacades,
  facadeOf,
  precompress,
  readEarlierAssets,
  writeEarlierAssets,
} from './built-assets.ts';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 0, 20);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'earlier-assets-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('assets of earlier builds', () => {
  it('stay beside the new ones for a week', async () => {
    for (const [name, ageDays] of [
      ['old.js', 8],
      ['recent.js', 2],
      ['recent.js.br', 2],
      ['same.js', 1],
    ] as const) {
      const at = new Date(NOW - ageDays * DAY_MS);
      await writeFile(join(folder, name), name);
      await utimes(join(folder, name), at, at);
    }
    const assets = await readEarlierAssets(folder, NOW);
    expect(assets.map(({ name }) => name).toSorted()).toEqual(['recent.js', 'same.js']);

    const next = join(folder, 'next');
    await writeEarlierAssets(assets, next);
    await writeFile(join(next, 'same.js'), 'new');
    await writeEarlierAssets(assets, next);
    expect(await readFile(join(next, 'same.js'), 'utf8')).toBe('new');
    expect((await stat(join(next, 'recent.js'))).mtimeMs).toBe(NOW - 2 * DAY_MS);
  });

  it('stay for a week after the build that replaces them, however old they are then', async () => {
    const writeAsset = async (path: string, at: number) => {
      await writeFile(path, '');
      await utimes(path, new Date(at), new Date(at));
    };
    await writeAsset(join(folder, 'earlier.js'), NOW - 12 * DAY_MS);
    await writeAsset(join(folder, 'replaced.js'), NOW - 10 * DAY_MS);
    const replaced = await readEarlierAssets(folder, NOW);
    expect(replaced.map(({ name }) => name)).toEqual(['replaced.js']);

    const next = join(folder, 'next');
    await writeEarlierAssets(replaced, next);
    await writeAsset(join(next, 'new.js'), NOW);
    const namesAfter = async (days: number) =>
      (await readEarlierAssets(next, NOW + days * DAY_MS)).map(({ name }) => name);
    expect(await namesAfter(6)).toEqual(['new.js', 'replaced.js']);
    expect(await namesAfter(8)).toEqual(['new.js']);
  });

  it('do not exist before the first build', async () => {
    expect(await readEarlierAssets(join(folder, 'nowhere'), NOW)).toEqual([]);
  });
});

it('a script that only imports one file is a facade for it', () => {
  expect(facadeOf('import"./shell.a1-B_2.js";')).toBe('shell.a1-B_2.js');
  expect(facadeOf('import "./shell.js"\n')).toBe('shell.js');
  expect(facadeOf('import{t as e}from"./shell.js";e();')).toBeNull();
  expect(facadeOf('import"./a.js";import"./b.js";')).toBeNull();
});

it('pages load the target of a facade, and keep every other script', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'facades-'));
  const assets = join(folder, '_astro');
  await mkdir(assets);
  await writeFile(join(assets, 'page.1.js'), 'import"./shell.2.js";');
  await writeFile(join(assets, 'shell.2.js'), 'start();');
  await writeFile(join(assets, 'faq.3.js'), 'search();');
  const script = (name: string) => `<script type="module" src="/_astro/${name}"></script>`;
  await writeFile(join(folder, 'faq.html'), script('faq.3.js') + script('page.1.js'));
  await dropEntryFacades(folder);
  expect(await readFile(join(folder, 'faq.html'), 'utf8')).toBe(script('faq.3.js') + script('shell.2.js'));
  expect((await readdir(assets)).toSorted()).toEqual(['faq.3.js', 'shell.2.js']);
  await rm(folder, { recursive: true });
});

it('a text file of the site gets both compressed forms, unless it has them or names the origin', async () => {
  const text = 'a line of text\n'.repeat(100);
  await writeFile(join(folder, 'new.css'), text);
  await writeFile(join(folder, 'origin.html'), ORIGIN_PLACEHOLDER + text);
  await writeFile(join(folder, 'earlier.js'), text);
  await writeFile(join(folder, 'earlier.js.br'), 'earlier');
  await precompress(folder);
  const names = ['earlier.js', 'earlier.js.br', 'new.css', 'new.css.br', 'new.css.gz', 'origin.html'];
  expect((await readdir(folder)).toSorted()).toEqual(names);
  expect(brotliDecompressSync(await readFile(join(folder, 'new.css.br'))).toString()).toBe(text);
  expect(gunzipSync(await readFile(join(folder, 'new.css.gz'))).toString()).toBe(text);
  expect(await readFile(join(folder, 'earlier.js.br'), 'utf8')).toBe('earlier');
});
