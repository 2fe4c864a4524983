import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { HtmlValidate } from 'html-validate';
import { expect, type Page, test } from 'playwright/test';
import { readBuiltPages } from '../scripts/built-pages.ts';
import { CORE_CHARACTERS, EASTERN_CHARACTERS, WESTERN_CHARACTERS } from '../scripts/font-characters.ts';
import { STAYS_TEXT } from '../scripts/text-pages.ts';
import { watchForFaults } from './dashboard-page.ts';
import { type Portal, startPortal } from './portal.ts';
import { acceptTerms, waitAsAdmin } from './visitor.ts';

/** What a page may cost when it is opened, before anyone touches it. Sizes in kB of 1,000 bytes, gzip. */
const BUDGETS = {
  text: { html: 14, css: 15, script: 8, requests: 8, shift: 0.02 },
  // One of them is what forms share with a page that has no React.
  islands: { html: 18, css: 15, script: 8, hydrated: 125, requests: 19, shift: 0.05 },
} as const;
const FONTS_KB = 60;
const SHARE_IMAGE_KB = 60;

const kb = (content: Buffer | string) => gzipSync(content, { level: 9 }).length / 1_000;
const pages = await readBuiltPages('dist');

let portal: Portal;
test.beforeAll(async () => {
  portal = await startPortal();
});
test.afterAll(async () => {
  await portal.stop();
});

/** Scripts that a page begins with, and all that they import at once. */
async function firstScripts(html: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const waiting = [...html.matchAll(/<script type="module" src="\/_astro\/([^"]+)"/g)].map(
    ([, name = '']) => name,
  );
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    const text = await readFile(join('dist/_astro', name), 'utf8');
    waiting.push(...[...text.matchAll(/(?:from|import)"\.\/([^"]+\.js)"/g)].map(([, next = '']) => next));
  }
  return found;
}

/** Scrolls to an island that sleeps until it is seen; answers how many still do. Those of hidden tabs are left alone. */
function wakeNextIsland(page: Page): Promise<number> {
  return page.evaluate(() => {
    const asleep = [...document.querySelectorAll('astro-island[ssr]')]
      .map((island) => island.firstElementChild)
      .filter((content) => content?.checkVisibility());
    asleep[0]?.scrollIntoView();
    return asleep.length;
  });
}

// An alias is the same page once more.
const own = pages.filter(({ html, isListed }) => isListed || !html.includes('rel="canonical"'));

for (const { path, file, html, isText } of own) {
  const budget = STAYS_TEXT.has(path) ? BUDGETS.text : BUDGETS.islands;

  test(`${path} keeps its budget, and fits twice its size`, async ({ page, context }) => {
    await acceptTerms(context);
    const faults = watchForFaults(page);
    const scripts = new Map<string, number>();
    const styles = new Map<string, number>();
    let requests = 0;
    const bodies: Promise<void>[] = [];
    page.on('response', (response) => {
      const { pathname } = new URL(response.url());
      requests += 1;
      const sizes = pathname.endsWith('.js') ? scripts : pathname.endsWith('.css') ? styles : null;
      if (sizes) bodies.push(response.body().then((body) => void sizes.set(pathname, kb(body))));
    });
    await page.addInitScript(() => {
      let moved = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) moved += (entry as PerformanceEntry & { value: number }).value;
      }).observe({ type: 'layout-shift', buffered: true });
      Object.assign(window, { movedInAll: () => moved });
    });
    // Half of a window of 1280 × 720, as a zoom of 200 % leaves it.
    await page.setViewportSize({ width: 640, height: 360 });
    if (path === '/admin/dashboard') await waitAsAdmin(page);
    await page.goto(portal.url + (file === '404.html' ? '/no/such/page' : path));
    await expect(page.getByRole('button', { name: 'All Systems Operational' })).toBeVisible();
    if (!isText) await expect(page.locator('astro-island[ssr][client=idle]')).toHaveCount(0);
    const opening = requests;
    if (!isText) await expect.poll(() => wakeNextIsland(page)).toBe(0);
    await Promise.all(bodies);
    const sum = (sizes: Iterable<number>) => [...sizes].reduce((total, size) => total + size, 0);
    const first = isText ? null : await firstScripts(html);
    const before = [...scripts].filter(([name]) => !first || first.has(name.replace('/_astro/', '')));

    expect.soft(kb(html), 'HTML').toBeLessThanOrEqual(budget.html);
    expect.soft(sum(styles.values()), 'CSS').toBeLessThanOrEqual(budget.css);
    expect.soft(sum(before.map(([, size]) => size)), 'JS').toBeLessThanOrEqual(budget.script);
    if ('hydrated' in budget)
      expect.soft(sum(scripts.values()), 'JS in all').toBeLessThanOrEqual(budget.hydrated);
    if (isText)
      expect
        .soft(
          [...scripts.keys()].filter((name) => name.includes('react')),
          'React',
        )
        .toEqual([]);
    expect.soft(opening, 'requests').toBeLessThanOrEqual(budget.requests);
    expect.soft(Number(await page.evaluate('movedInAll()')), 'CLS').toBeLessThanOrEqual(budget.shift);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect.soft(overflow, 'width').toBeLessThanOrEqual(0);
    faults.expectNone(file === '404.html' ? /status of 404/ : undefined);
  });
}

test('the fonts are small', async () => {
  const [, style = ''] = /href="\/(_astro\/[^"]+\.css)"/.exec(pages[0]?.html ?? '') ?? [];
  const text = await readFile(join('dist', style), 'utf8');
  const names = new Set([...text.matchAll(/[\w-]+\.[\w-]+\.woff2/g)].map(([name]) => name));
  expect(names.size).toBeGreaterThan(1);
  const sizes = await Promise.all(
    [...names].map(async (name) => (await stat(join('dist/_astro', name))).size),
  );
  expect(sizes.reduce((total, size) => total + size, 0) / 1_000).toBeLessThanOrEqual(FONTS_KB);
});

test('no page holds a character that the fonts do not', async () => {
  const known = new Set([...CORE_CHARACTERS, ...WESTERN_CHARACTERS, ...EASTERN_CHARACTERS]);
  const foreign = pages.flatMap(({ path, html }) => {
    // What a tooltip says of keys is drawn by the system that has those keys.
    const text = html.replaceAll(/\sdata-tooltip="[^"]*"/g, '').replaceAll(/\s+/g, ' ');
    return [...new Set(text)].filter((one) => !known.has(one)).map((one) => `${path}: ${one}`);
  });
  expect(foreign).toEqual([]);
});

test('every listed page has a picture for where it is shared, of the size that is asked for', async () => {
  const listed = pages.filter(({ isListed }) => isListed);
  expect(listed.length).toBeGreaterThan(12);
  for (const { path, html } of listed) {
    const [, address = ''] = /<meta property="og:image" content="([^"]+)"/.exec(html) ?? [];
    const image = await readFile(join('dist', new URL(address).pathname));
    expect(image.length / 1_000, path).toBeLessThanOrEqual(SHARE_IMAGE_KB);
    expect([image.readUInt32BE(16), image.readUInt32BE(20)], path).toEqual([1200, 630]);
  }
});

test('the sitemap names every listed page once and no other, and robots.txt names the sitemap', async () => {
  const locations = [...(await readFile('dist/sitemap.xml', 'utf8')).matchAll(/<loc>([^<]+)<\/loc>/g)];
  const paths = locations.map(([, address = '']) => new URL(address).pathname);
  expect(paths.toSorted()).toEqual(
    pages
      .filter(({ isListed }) => isListed)
      .map(({ path }) => path)
      .toSorted(),
  );
  const robots = await readFile('dist/robots.txt', 'utf8');
  expect(robots).toContain('Disallow: /admin/');
  expect(robots).toMatch(/^Sitemap: http\S+\/sitemap\.xml$/m);
});

test('linked data can be read on every listed page, every question among it', async () => {
  const kinds = new Map<string, number>();
  for (const { html } of pages.filter(({ isListed }) => isListed)) {
    for (const [, text = ''] of html.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)) {
      const data: { '@type': string; mainEntity?: readonly unknown[] } = JSON.parse(text);
      kinds.set(data['@type'], (kinds.get(data['@type']) ?? 0) + 1);
      if (data.mainEntity) expect(data.mainEntity.length).toBeGreaterThanOrEqual(60);
    }
  }
  const listed = pages.filter(({ isListed }) => isListed).length;
  expect(Object.fromEntries(kinds)).toEqual({ Organization: 1, FAQPage: 1, BreadcrumbList: listed - 1 });
});

test('every page is valid HTML', async () => {
  const validator = new HtmlValidate({
    extends: ['html-validate:standard'],
    rules: {
      // Matters of style, or of how the builder writes what is valid either way.
      'long-title': 'off',
      'no-inline-style': 'off',
      'attribute-boolean-style': 'off',
      'attribute-empty-style': 'off',
      'no-trailing-whitespace': 'off',
      'tel-non-breaking': 'off',
    },
  });
  const faults: string[] = [];
  for (const { file, html } of pages) {
    // Astro's own, which it puts before the first island.
    const { results } = await validator.validateString(html.replace(/<style>astro-island.*?<\/style>/, ''));
    for (const { messages } of results) {
      faults.push(...messages.map(({ line, ruleId, message }) => `${file}:${line} ${ruleId}: ${message}`));
    }
  }
  expect(faults).toEqual([]);
});
