import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pathOf, readBuiltPages } from './built-pages.ts';

describe('a built page', () => {
  it.each([
    ['index.html', '/'],
    ['staking.html', '/staking'],
    ['admin/login.html', '/admin/login'],
    ['help/index.html', '/help'],
  ])('from %s is served at %s', (file, path) => {
    expect(pathOf(file)).toBe(path);
  });

  it('is listed only under its canonical path, and has islands only if it contains an <astro-island>', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'built-pages-'));
    try {
      await mkdir(join(folder, 'admin'));
      const canonical = (path: string) => `<link rel="canonical" href="https://x.example${path}">`;
      await writeFile(join(folder, 'index.html'), `${canonical('/')}<astro-island></astro-island>`);
      await writeFile(join(folder, 'faq.html'), canonical('/faq'));
      await writeFile(join(folder, 'help.html'), canonical('/faq'));
      await writeFile(join(folder, 'admin/login.html'), '<meta name="robots" content="noindex">');
      const pages = await readBuiltPages(folder);
      expect(pages.filter(({ isListed }) => isListed).map(({ path }) => path)).toEqual(['/faq', '/']);
      expect(pages.filter(({ isIslandFree }) => !isIslandFree).map(({ path }) => path)).toEqual(['/']);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
