import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { HtmlValidate } from 'html-validate';
import { expect, type Page } from 'playwright/test';
import { ISLAND_FREE_PAGES, LEGAL_PAGES, readBuiltPages } from '../scripts/built-pages.ts';
import { CORE_CHARACTERS, EASTERN_CHARACTERS, WESTERN_CHARACTERS } from '../scripts/font-characters.ts';
import { LANGUAGES, splitPath } from '../site/locale/languages.ts';
import { watchForErrors } from './dashboard-page.ts';
import { DESKTOP, examine } from './examine.ts';
import { test } from './test.ts';
import { measureShifts, signInWithoutResponses } from './visitor.ts';

/** Limits for the cost of opening a page, before any interaction. Sizes are in kB of 1,000 bytes, compressed with gzip. */
const BUDGETS = {
  text: { html: 14.1, css: 15, script: 8, requests: 8, shift: 0.02 },
  // One request is for a script that this page shares with forms, and that contains no React.
  reference: { html: 21, css: 16, script: 10, requests: 12, shift: 0.02 },
  // The navigation includes the command palette, which must open at once. All admin pages share a stylesheet.
  admin: { html: 18, css: 16, script: 8, hydrated: 130, requests: 20, shift: 0.05 },
  islands: { html: 18, css: 16, script: 8, hydrated: 128, requests: 20, shift: 0.05 },
  // Arabic letters take two bytes each, and the page includes the texts that its scripts show.
  arabicText: { html: 27, css: 15, script: 8, requests: 8, shift: 0.02 },
  // Quotation marks in Arabic text need a second font file.
  arabicIslands: { html: 33, css: 16, script: 8, hydrated: 128, requests: 21, shift: 0.05 },
} as const;
const FONTS_KB = 60;
const SHARE_IMAGE_KB = 60;

const compressedKb = (content: Buffer | string) => gzipSync(content, { level: 9 }).length / 1_000;
const pages = await readBuiltPages('dist');

const fileSizes = new Map<string, number>();
/** The compressed size of a built file. Cached, because several pages load the same file. */
async function kbOf(path: string): Promise<number> {
  const size = fileSizes.get(path) ?? compressedKb(await readFile(join('dist', path)));
  fileSizes.set(path, size);
  return size;
}

/** The scripts that a page's HTML loads, and all their static imports. */
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

/** Scrolls to the first visible island that has not hydrated. @returns the number of such islands */
function hydrateNextIsland(page: Page): Promise<number> {
  return page.evaluate(() => {
    const waiting = [...document.querySelectorAll('astro-island[ssr]')]
      .map((island) => island.firstElementChild)
      .filter((content) => content?.checkVisibility());
    waiting[0]?.scrollIntoView();
    return waiting.length;
  });
}

// Leaves out aliases, which are copies of other pages.
const canonicalPages = pages.filter(({ html, isListed }) => isListed || !html.includes('rel="canonical"'));

for (const { path, file, html, isIslandFree } of canonicalPages) {
  const isArabic = splitPath(path).language === 'ar';
  const ownTextBudget = isArabic ? BUDGETS.arabicText : BUDGETS.text;
  const textBudget = path === '/developers' ? BUDGETS.reference : ownTextBudget;
  const isAdminPage = path.startsWith('/admin/') || html.includes('id="admin-menu"');
  const publicBudget = isArabic ? BUDGETS.arabicIslands : BUDGETS.islands;
  const islandBudget = isAdminPage ? BUDGETS.admin : publicBudget;
  const budget = ISLAND_FREE_PAGES.has(path) ? textBudget : islandBudget;

  test(`${path} stays within its budget, fits at 200 % zoom and 320 pixels, and has no accessibility violation`, async ({
    page,
  }) => {
    const errors = watchForErrors(page);
    const scripts = new Set<string>();
    const styles = new Set<string>();
    const requested = new Set<string>();
    page.on('response', (response) => {
      const { pathname } = new URL(response.url());
      // The toast region loads two seconds after the page becomes idle. On a slow machine, the test may still be counting then.
      if (pathname.includes('/toast-region.')) return;
      // On a slow machine, the page may read a figure twice. Each URL counts once.
      requested.add(response.url());
      if (pathname.endsWith('.js')) scripts.add(pathname);
      if (pathname.endsWith('.css')) styles.add(pathname);
    });
    const totalShift = await measureShifts(page);
    // A window of 1280 × 720 pixels at a zoom of 200 %.
    await page.setViewportSize({ width: 640, height: 360 });
    if (path === '/admin/dashboard') await signInWithoutResponses(page);
    await page.goto(file === '404.html' ? '/no/such/page' : path);
    // The admin area has no footer.
    if (html.includes('data-health')) {
      await expect(page.locator('footer [data-health=healthy]')).toBeVisible();
    }
    if (!isIslandFree) await expect(page.locator('astro-island[ssr][client=idle]')).toHaveCount(0);
    const initialRequests = requested.size;
    if (!isIslandFree) await expect.poll(() => hydrateNextIsland(page)).toBe(0);
    const kbOfAll = async (paths: Iterable<string>) =>
      (await Promise.all([...paths].map(kbOf))).reduce((total, size) => total + size, 0);
    const initialScripts = isIslandFree ? null : await firstScripts(html);
    const scriptsBeforeHydration = [...scripts].filter(
      (path) => !initialScripts || initialScripts.has(path.replace('/_astro/', '')),
    );

    expect.soft(compressedKb(html), 'HTML').toBeLessThanOrEqual(budget.html);
    expect.soft(await kbOfAll(styles), 'CSS').toBeLessThanOrEqual(budget.css);
    expect.soft(await kbOfAll(scriptsBeforeHydration), 'JS').toBeLessThanOrEqual(budget.script);
    if ('hydrated' in budget)
      expect.soft(await kbOfAll(scripts), 'JS in total').toBeLessThanOrEqual(budget.hydrated);
    expect.soft(initialRequests, 'requests').toBeLessThanOrEqual(budget.requests);
    expect.soft(await totalShift(), 'CLS').toBeLessThanOrEqual(budget.shift);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect.soft(overflow, 'width').toBeLessThanOrEqual(0);
    await page.setViewportSize(DESKTOP);
    await examine(page, 'page', {
      part: 'html',
      lightSize: { width: 320, height: 640 },
      // All text pages have the same colors, so the contrast of the light theme is checked on only one of them. Translated
      // pages have the colors of the English ones.
      contrast: isArabic || (isIslandFree && path !== '/terms-of-service') ? 'dark' : 'both',
    });
    errors.expectNone(file === '404.html' ? /status of 404/ : undefined);
  });
}

test('a legal page lists its recorded changes, newest first, and links to the list', async () => {
  const feed = await readFile('dist/changes.xml', 'utf8');
  for (const path of ['/privacy-policy', '/terms-of-service']) {
    const { html = '' } = pages.find((page) => page.path === path) ?? {};
    const list = html.slice(html.indexOf('<h2 id="changes"'));
    const dates = [...list.matchAll(/<time datetime="([\d-]+)"/g)].map(([, date = '']) => date);
    expect(dates.length, path).toBeGreaterThan(0);
    expect(dates).toEqual(dates.toSorted().reverse());
    for (const date of dates) expect(feed).toContain(new Date(date).toUTCString().slice(5, 16));
    expect(html.match(/href="#changes"/g)?.length, path).toBeGreaterThan(1);
  }
});

test('each change in the feed has its own link', async () => {
  const feed = await readFile('dist/changes.xml', 'utf8');
  const links = [...feed.matchAll(/<item>.*?<link>([^<]+)/gs)].map(([, link]) => link);
  expect(links.length).toBeGreaterThan(0);
  expect(new Set(links).size).toBe(links.length);
});

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

test('the fonts contain every character on the pages', async () => {
  const supportedCharacters = new Set([...CORE_CHARACTERS, ...WESTERN_CHARACTERS, ...EASTERN_CHARACTERS]);
  const unsupportedCharacters = pages.flatMap(({ path, html }) => {
    // Leaves out text that is shown in system fonts: Arabic text, and keys in tooltips, which are in attributes or in JSON for
    // scripts. Also leaves out bidi isolates, which are invisible.
    const text = html
      .replaceAll(/\sdata-tooltip="[^"]*"|<script type="application\/json"[^<]*/g, '')
      .replaceAll(/\s+/g, ' ')
      .replaceAll(/[\p{Script_Extensions=Arabic}\u200f\u2066-\u2069]/gu, '');
    return [...new Set(text)].filter((one) => !supportedCharacters.has(one)).map((one) => `${path}: ${one}`);
  });
  expect(unsupportedCharacters).toEqual([]);
});

test('every listed page has a share image of the right size', async () => {
  const listedPages = pages.filter(({ isListed }) => isListed);
  expect(listedPages.length).toBeGreaterThan(12);
  for (const { path, html } of listedPages) {
    const [, url = ''] = /<meta property="og:image" content="([^"]+)"/.exec(html) ?? [];
    const image = await readFile(join('dist', new URL(url).pathname));
    expect(image.length / 1_000, path).toBeLessThanOrEqual(SHARE_IMAGE_KB);
    expect([image.readUInt32BE(16), image.readUInt32BE(20)], path).toEqual([1200, 630]);
  }
});

test('the sitemap names every listed page once and no other, and robots.txt names the sitemap', async () => {
  const locations = [...(await readFile('dist/sitemap.xml', 'utf8')).matchAll(/<loc>([^<]+)<\/loc>/g)];
  const paths = locations.map(([, url = '']) => new URL(url).pathname);
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

test('the language versions of a page link to each other, and a translated page declares its language', () => {
  const alternates = ({ html }: { html: string }) =>
    [...html.matchAll(/<link rel="alternate" hreflang="([^"]+)" href="([^"]+)"/g)].map(
      ([, language = '', url = '']) => [language, new URL(url).pathname] as const,
    );
  const translatedPages = pages.filter(({ path }) => splitPath(path).language !== null);
  expect(translatedPages.length).toBeGreaterThan(0);
  for (const translatedPage of translatedPages) {
    const { language, page } = splitPath(translatedPage.path);
    const english = pages.find(({ path }) => path === page);
    expect(translatedPage.isListed, translatedPage.path).toBe(true);
    expect(Object.fromEntries(alternates(translatedPage))).toEqual({
      en: page,
      'x-default': page,
      [language ?? '']: translatedPage.path,
    });
    expect(alternates(translatedPage)).toEqual(english && alternates(english));
    expect(translatedPage.html).toContain(
      `<html lang="${language}" dir="${LANGUAGES[language ?? 'ar'].dir}"`,
    );
    expect(translatedPage.html, 'the notice of a draft').toContain('data-draft');
    // The legal texts exist only in English. Besides these, up to five texts on a page may lack a translation.
    const legal = new Set(LEGAL_PAGES);
    const fallbacks = [
      ...translatedPage.html.matchAll(/(?:href="([^"]+)"[^>]*>)?<span lang="en" dir="ltr">/g),
    ];
    expect(
      fallbacks.filter(([, href = '']) => !legal.has(href)).length,
      translatedPage.path,
    ).toBeLessThanOrEqual(5);
  }
});

test('every listed page has valid linked data, and the FAQ has all questions', async () => {
  const typeCounts = new Map<string, number>();
  for (const { html } of pages.filter(({ isListed }) => isListed)) {
    for (const [, text = ''] of html.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)) {
      const data: { '@type': string; mainEntity?: readonly unknown[] } = JSON.parse(text);
      typeCounts.set(data['@type'], (typeCounts.get(data['@type']) ?? 0) + 1);
      if (data.mainEntity) expect(data.mainEntity.length).toBeGreaterThanOrEqual(60);
    }
  }
  const listedPages = pages.filter(({ isListed }) => isListed);
  const homes = listedPages.filter(({ path }) => splitPath(path).page === '/').length;
  const faqs = listedPages.filter(({ path }) => splitPath(path).page === '/faq').length;
  expect(Object.fromEntries(typeCounts)).toEqual({
    Organization: homes,
    FAQPage: faqs,
    BreadcrumbList: listedPages.length - homes,
  });
});

test('the search excerpts have no placeholders, empty tables, hidden notices, card artwork or tables of contents', async () => {
  const folder = 'dist/pagefind/fragment';
  const names = await readdir(folder);
  const texts = await Promise.all(
    names
      .filter((name) => name.endsWith('.pf_fragment'))
      .map(async (name) => gunzipSync(await readFile(join(folder, name))).toString('utf8')),
  );
  expect(texts.length).toBeGreaterThan(12);
  const unwanted = /Loading|Reconnecting|Not available|Opened by|No results found|••|Sample ·|On this page/;
  expect(texts.filter((text) => unwanted.test(text))).toEqual([]);
  expect(texts.some((text) => text.includes('Vault Balance'))).toBe(true);
});

test('the component page is not built', () => {
  expect(pages.filter(({ path }) => path.startsWith('/dev/'))).toEqual([]);
});

test('no link, code, emphasis or note in a label is joined to the Latin word or punctuation before it', () => {
  const joined = pages.flatMap(({ path, html }) =>
    [
      ...html.matchAll(/[A-Za-z]*[A-Za-z.,:;)]<(?:a|code|em|strong)\b[^>]*>/g),
      ...html.matchAll(/<label\b[^>]*>[^<]*[^<\s]<span\b[^>]*>\S/g),
    ].map(([text]) => `${path} ${text}`),
  );
  expect(joined).toEqual([]);
});

test('every page is valid HTML', async () => {
  const validator = new HtmlValidate({
    extends: ['html-validate:standard'],
    rules: {
      // These rules are about style only.
      'long-title': 'off',
      'no-inline-style': 'off',
      'attribute-boolean-style': 'off',
      'attribute-empty-style': 'off',
      'no-trailing-whitespace': 'off',
      'tel-non-breaking': 'off',
    },
  });
  const errors: string[] = [];
  for (const { file, html } of pages) {
    // Astro inserts a style element into the body, which is not valid HTML.
    const { results } = await validator.validateString(html.replace(/<style>astro-island.*?<\/style>/, ''));
    for (const { messages } of results) {
      errors.push(...messages.map(({ line, ruleId, message }) => `${file}:${line} ${ruleId}: ${message}`));
    }
  }
  expect(errors).toEqual([]);
});
