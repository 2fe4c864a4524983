import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { expect } from 'playwright/test';
import { isServedCompressed } from '../api/pages/serve-pages.ts';
import { readQuestionSet } from '../bench/chat/question-set.ts';
import { missedQueries, queriesIn, SEARCHES } from '../bench/search/first-results.ts';
import { storedSiteOf, writeWorker } from '../scripts/site-worker.ts';
import { readYaml } from '../site/content/facts.ts';
import { test } from './test.ts';
import { waitForWorker } from './visitor.ts';

test.use({ serviceWorkers: 'allow' });

/** The maximum total size of the files that one visit downloads for offline reading: compressed, in kB of 1,000 bytes. */
const MAX_STORED_KB = 720;

/** The list of changes. Entries that mention “offline” name the pages that can be read offline. */
const { changes } = readYaml('content/changes.yaml') as {
  readonly changes: readonly { readonly text: string; readonly pages: readonly string[] }[];
};
const claimedPages = changes.filter(({ text }) => /offline/i.test(text)).flatMap(({ pages }) => pages);

/** An eighth of the test searches, which include typos and synonyms. `npm run bench -- search` runs all of them. */
const sampleQueries = (await Promise.all((['registers', 'support'] as const).map(readQuestionSet)))
  .flatMap(({ search }) => search)
  .filter((_query, index) => index % 8 === 0);
const MIN_SHARE = 0.9;

test.describe('the portal', () => {
  test('stores exactly the pages it lists, including those announced as readable offline, and no API response; offline they can be read and searched, with a correct entry among the first three results of nine in ten searches', async ({
    page,
    context,
  }) => {
    await page.goto('/offline');
    await waitForWorker(page);
    expect(await page.evaluate(async () => (await fetch('/api/network/health')).status)).toBe(200);
    const storedPathsIn = (cache: string) =>
      page.evaluate(async (part) => {
        const names = (await caches.keys()).filter((name) => name.includes(part));
        const keys = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
        return keys.flat().map(({ url }) => new URL(url).pathname);
      }, cache);
    const pages = (await storedPathsIn('precache'))
      .filter((path) => path.endsWith('.html') && path !== '/offline.html')
      .map((path) => (path === '/index.html' ? '/' : path.replace('.html', '')));
    const listedHrefs = await page
      .locator('[data-stored-pages] a')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
    expect(listedHrefs.toSorted()).toEqual(pages.toSorted());
    expect(claimedPages.length).toBeGreaterThan(8);
    expect(claimedPages.filter((path) => !listedHrefs.includes(path))).toEqual([]);
    const paths = await storedPathsIn('');
    expect(paths.filter((path) => path.startsWith('/api') || path.startsWith('/admin'))).toEqual([]);
    await context.setOffline(true);
    const outcome = await page.evaluate(() => fetch('/api/network/health').then(String, () => 'failed'));
    expect(outcome).toBe('failed');

    await page.goto('/faq?from=links');
    await expect(page.locator('[data-faq-category]').first()).toBeVisible();
    await expect(page.locator('[data-health-alert]')).toContainText('Connection Issues');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('early withdrawal');
    const search = page.getByRole('dialog', { name: 'Search the portal' });
    await expect(search.getByRole('status')).toHaveText(/^\d+ results?$/);
    await search.getByRole('link').first().click();
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();

    await page.goto('/admin/login');
    await expect(page.locator('[data-stored-pages]')).toBeVisible();
    await page.getByRole('main').getByRole('link', { name: 'Privacy Policy' }).click();
    await expect(page.getByRole('heading', { name: 'Privacy Policy', level: 1 })).toBeVisible();

    for (const { name, scope, open } of SEARCHES) {
      const queries = queriesIn(scope, sampleQueries);
      expect(queries.length).toBeGreaterThan(10);
      const missed = await missedQueries(await open(page), queries);
      expect(missed.length / queries.length, `${name}: ${missed}`).toBeLessThanOrEqual(1 - MIN_SHARE);
    }

    await page.goto('/my-position');
    await expect(page.locator('[data-stored-pages]')).toBeVisible();
    await context.setOffline(false);
    await expect(page.getByRole('heading', { name: 'My Position' })).toBeVisible();
  });

  test('shows the last figures offline, with their age and never as live', async ({ page, context }) => {
    await page.goto('/analytics');
    await expect(page.locator('[data-state="live"]').first()).toBeVisible();
    await waitForWorker(page);
    await page.goto('/links');
    await context.setOffline(true);

    const figures = page.locator('main [data-state]:has(h3):not([data-state="stated"])');
    for (const path of ['/', '/dashboard', '/staking', '/tokenomics', '/analytics', '/enhanced-analytics']) {
      await page.goto(path);
      await expect(page.locator('.stored-figures'), path).toBeVisible();
      await expect(page.locator('main [data-state="live"]'), path).toHaveCount(0);
      const states = figures.evaluateAll((tiles) => tiles.map((tile) => tile.getAttribute('data-state')));
      expect(new Set(await states), path).not.toContain('reference');
      const ages = figures.locator('[data-state="ageing"], [data-state="stale"]');
      await expect(ages.first(), path).toHaveText(/ago|now/);
    }
    await context.setOffline(false);
    await page.goto('/');
    await expect(page.locator('main [data-state="live"]').first()).toBeVisible();
    await expect(page.locator('.stored-figures')).toHaveCount(0);
  });

  test('stores no more than the size limit', async () => {
    const { files } = await storedSiteOf('dist');
    // `dist` also contains compressed copies. The service worker stores none, because the build lists its files before it
    // compresses them.
    const sizes = files
      .filter(({ url }) => !/\.(?:br|gz)$/.test(url))
      .map(async ({ url }) => {
        const compressed = await stat(`dist${url}.br`).catch(() => null);
        if (compressed !== null) return compressed.size;
        const content = await readFile(`dist${url}`);
        return isServedCompressed(url, content) ? brotliCompressSync(content).length : content.length;
      });
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(total / 1_000).toBeLessThanOrEqual(MAX_STORED_KB);
  });
});

test('a new version takes over and keeps the files that an open page may still load', async ({ page }) => {
  const folder = await mkdtemp(join(tmpdir(), 'versions-'));
  let version = 'one';
  const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript' };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const file = pathname === '/' ? '/index.html' : pathname;
    readFile(join(folder, version, file)).then(
      (content) =>
        response.writeHead(200, { 'Content-Type': types[extname(file)] ?? 'text/plain' }).end(content),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    for (const name of ['one', 'two']) {
      const output = join(folder, name);
      await mkdir(join(output, '_astro'), { recursive: true });
      const script = `_astro/part.${name}.js`;
      await writeFile(join(output, 'index.html'), `<title>${name}</title><h1>Version ${name}</h1>`);
      await writeFile(join(output, 'offline.html'), '<h1>Offline</h1>');
      await writeFile(join(output, script), `export const version = '${name}';`);
      const files = ['index.html', 'offline.html'].map((file) => ({ url: `/${file}`, revision: name }));
      await writeWorker(
        { files: [...files, { url: `/${script}`, revision: null }], networkPages: {} },
        output,
      );
    }
    await page.goto(`http://localhost:${port}/`);
    await page.evaluate(() => navigator.serviceWorker.register('/sw.js'));
    await waitForWorker(page);

    version = 'two';
    await page.evaluate(async () => {
      const controllerChanged = new Promise((resolve) =>
        navigator.serviceWorker.addEventListener('controllerchange', resolve),
      );
      const registration = await navigator.serviceWorker.ready;
      await registration.update();
      await controllerChanged;
    });
    await expect(page.getByRole('heading')).toHaveText('Version one');
    const lateVersion = await page.evaluate("import('/_astro/part.one.js').then(({ version }) => version)");
    expect(lateVersion).toBe('one');
    await page.reload();
    await expect(page.getByRole('heading')).toHaveText('Version two');
    expect(await page.evaluate("import('/_astro/part.two.js').then(({ version }) => version)")).toBe('two');
  } finally {
    server.close();
    await rm(folder, { recursive: true });
  }
});
