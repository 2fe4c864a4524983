import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { dropEntryFacades, facadeOf } from './entry-facades.ts';

it('a script that only imports one file is a facade of it', () => {
  expect(facadeOf('import"./shell.a1-B_2.js";')).toBe('shell.a1-B_2.js');
  expect(facadeOf('import "./shell.js"\n')).toBe('shell.js');
  expect(facadeOf('import{t as e}from"./shell.js";e();')).toBeNull();
  expect(facadeOf('import"./a.js";import"./b.js";')).toBeNull();
});

it('pages load what a facade leads to, and keep every other script', async () => {
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
