import { readdir } from 'node:fs/promises';
import { expect, type Page } from 'playwright/test';
import { ORIGIN_PLACEHOLDER } from '../data/contract/origin-placeholder.ts';
import * as PATHS from '../data/contract/paths.ts';
import { LEGAL_PAGES } from '../scripts/built-pages.ts';
import type { Portal } from './portal.ts';
import { test } from './test.ts';
import { holdNext, measureShifts } from './visitor.ts';

const ALIASES = {
  '/dashboard': '/',
  '/card-registration': '/virtual-card',
  '/help': '/faq',
  '/team': '/meet-the-team',
  '/investment': '/convertible-loan',
} as const;
/** Pages that can be read without JavaScript. */
const TEXT_PAGES = [
  '/faq',
  '/links',
  '/meet-the-team',
  '/investor-journey',
  '/contact',
  '/convertible-loan',
  '/rewards',
  ...LEGAL_PAGES,
] as const;
const LIVE_PAGES = [
  '/virtual-card',
  '/polished-card',
  '/analytics',
  '/enhanced-analytics',
  '/tokenomics',
  '/staking',
  '/my-position',
  '/application-status',
  '/confirm-mailbox',
  '/reminders',
] as const;
const ADMIN_PAGES = [
  '/bot-diagnostics',
  '/new-bot-diagnostics',
  '/admin/login',
  '/admin/setup',
  '/admin/account-link',
  '/admin/dashboard',
  '/admin/erasure',
  '/admin/journal',
  '/admin/duckling',
  '/admin/reports',
  '/admin/weekly-report',
  '/admin/top-ups',
  '/admin/webhooks',
  '/admin/account',
] as const;

let portal: Portal;
let paths: readonly string[];

test.beforeAll(async ({ sharedPortal }) => {
  portal = sharedPortal;
  const files = await readdir('dist', { recursive: true });
  paths = files
    .filter((file) => file.endsWith('.html') && !file.startsWith('404') && !file.startsWith('pagefind'))
    .map((file) => `/${file.replace(/(^|\/)index\.html$|\.html$/, '')}`)
    .toSorted();
});

async function htmlOf(path: string): Promise<string> {
  const response = await fetch(portal.url + path);
  expect(response.status, path).toBe(200);
  return response.text();
}

const attributes = (html: string, name: string) =>
  [...html.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g'))].map(([, value = '']) => value);

test('every route exists and has a unique title', async () => {
  expect(paths).toEqual(
    expect.arrayContaining([...TEXT_PAGES, ...Object.keys(ALIASES), ...LIVE_PAGES, ...ADMIN_PAGES]),
  );
  const titles = new Map<string, string>();
  for (const path of paths) {
    const html = await htmlOf(path);
    const [, title = ''] = /<title>([^<]*)<\/title>/.exec(html) ?? [];
    const canonicalPath = Object.entries(ALIASES).find(([alias]) => alias === path)?.[1] ?? path;
    expect(titles.get(title) ?? canonicalPath, title).toBe(canonicalPath);
    titles.set(title, canonicalPath);
    expect(html.match(/<h1[\s>]/g), path).toHaveLength(1);
  }
});

test('an alias names its canonical URL', async () => {
  for (const [alias, path] of Object.entries(ALIASES)) {
    const [, canonical = ''] = /<link rel="canonical" href="([^"]*)"/.exec(await htmlOf(alias)) ?? [];
    expect(canonical).toBe(new URL(path, portal.url).href);
  }
});

test('links for search engines, feeds and documents have the portal’s origin', async () => {
  for (const path of [
    '/faq',
    '/sitemap.xml',
    '/robots.txt',
    '/llms.txt',
    '/changes.xml',
    '/sw.js',
    PATHS.loanNoteDocument,
  ]) {
    const text = await (await fetch(portal.url + path)).text();
    expect(text, path).not.toContain(ORIGIN_PLACEHOLDER);
    expect(text, path).toContain(portal.url);
  }
});

test('admin and diagnostics pages are noindex', async () => {
  for (const path of ADMIN_PAGES) {
    const html = await htmlOf(path);
    expect(html).toContain('<meta name="robots" content="noindex"');
    expect(html).not.toContain('rel="canonical"');
  }
});

test('every internal link leads to an existing page and anchor', async () => {
  const pages = new Map(await Promise.all(paths.map(async (path) => [path, await htmlOf(path)] as const)));
  const deadLinks: string[] = [];
  for (const [path, html] of pages) {
    for (const href of new Set(attributes(html, 'href'))) {
      if (!/^[/#]/.test(href) || /^\/(api|_astro|artwork|pagefind)\//.test(href)) continue;
      const { pathname, hash } = new URL(href, `${portal.url}${path}`);
      const target = pages.get(pathname);
      if (target === undefined) {
        const { status } = await fetch(`${portal.url}${pathname}`, { method: 'HEAD' });
        if (status !== 200) deadLinks.push(`${path} → ${href}`);
        // A fragment of the dashboard names a view, not an element.
      } else if (
        hash !== '' &&
        pathname !== '/admin/dashboard' &&
        !attributes(target, 'id').includes(hash.slice(1))
      ) {
        deadLinks.push(`${path} → ${href}`);
      }
    }
  }
  expect(deadLinks).toEqual([]);
});

test('a text page loads no React', async () => {
  // The loan note's form is an island below the text.
  for (const path of TEXT_PAGES.filter((one) => one !== '/convertible-loan')) {
    expect(await htmlOf(path), path).not.toContain('<astro-island');
  }
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('every text page can be read, answers and tabs included, forms give way to the team’s email address, and Connect Wallet is disabled', async ({
    page,
  }) => {
    const FORMS: Readonly<Record<string, string>> = {
      '/contact': 'Send Message',
      '/convertible-loan': 'Apply Now',
    };
    const main = page.locator('main');
    const open = async (path: string) => {
      await page.goto(path);
      const textBlocks = main.locator('p, li, dd, td, summary').filter({ visible: true });
      expect(await textBlocks.count(), path).toBeGreaterThan(10);
    };
    // Found by its text, because the button may be hidden without JavaScript, and roles match only visible elements.
    const expectNoConnecting = async (part: string) =>
      expect(page.locator(`${part} button`, { hasText: 'Connect Wallet' }).first()).toBeDisabled();
    for (const path of TEXT_PAGES.filter((one) => one !== '/faq' && one !== '/rewards')) {
      await open(path);
      const form = FORMS[path];
      if (form === undefined) continue;
      await expect(page.getByRole('form', { name: form })).toBeHidden();
      await expect(main).toContainText('support@example.com', { useInnerText: true });
    }
    await open('/faq');
    await expect(page.getByRole('searchbox')).toBeHidden();
    const answer = page.locator('#lock > div');
    await expect(answer).toBeHidden();
    await page.getByRole('heading', { name: 'Staking' }).click();
    await page.locator('#lock > summary').click();
    await expect(answer).toBeVisible();

    await open('/tokenomics');
    await expect(page.getByRole('row', { name: 'Vault' })).toContainText('102.00M BD 10.3%');
    await open('/rewards');
    await expect(page.locator('[data-count-to]')).toHaveText('88.7');
    await open('/staking');
    await expectNoConnecting('[aria-labelledby=stake]');
    await page.goto('/virtual-card');
    await expect(page.getByRole('cell', { name: '$3,000,000' })).toBeVisible();
    await expectNoConnecting('#get-card');
  });
});

test('the stated yield counts up from zero in two seconds, or shows at once with reduced motion', async ({
  page,
}) => {
  const figure = page.locator('[data-count-to]');
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.clock.install({ time: 0 });
  await page.clock.pauseAt(60_000);
  // The figure is hidden until the script starts. Otherwise its final value would flash before the figure counts up.
  const release = await holdNext(page, /rewards\.astro.*\.js$/);
  await page.goto('/rewards', { waitUntil: 'commit' });
  await expect(figure).toHaveText('88.7');
  await expect(figure).toBeHidden();
  release();
  await expect(figure).toHaveText('0.0');
  await expect(figure).toBeVisible();
  await expect(async () => {
    await page.clock.runFor(200);
    await expect(figure).not.toHaveText('0.0', { timeout: 100 });
  }).toPass();
  await page.clock.runFor(900);
  await expect(figure).toHaveText(/^[45]\d\.\d$/);
  await page.clock.runFor(1_100);
  await expect(figure).toHaveText('88.7');
  await expect(
    page
      .getByRole('region')
      .filter({ has: figure })
      .getByText(/180 days.*no early withdrawal/),
  ).toBeVisible();

  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.reload();
  await expect(figure).toHaveText('88.7');
  await expect(figure).toBeVisible();
});

test('the links page shows the return button after three seconds', async ({ page }) => {
  await page.clock.install({ time: 0 });
  await page.clock.pauseAt(60_000);
  await page.goto('/links');
  const returnLink = page.getByRole('link', { name: 'Return to BlackDuck' });
  await page.clock.runFor(2_900);
  await expect(returnLink).toBeHidden();
  await page.clock.runFor(200);
  await expect(returnLink).toBeVisible();
  await returnLink.click();
  await expect(page.getByRole('heading', { name: 'Live Dashboard' })).toBeVisible();
});

test.describe('the official addresses', () => {
  const addressKey = (page: Page, id: string) => page.locator(`[data-address="${id}"] [data-key]`);
  const read = async (path: string) => (await fetch(portal.url + path)).json();

  test('load when near the viewport, or on retry after a failed read, with their balances and a link to an explorer for their cluster', async ({
    page,
  }) => {
    const vault = await read('/api/vault/live-balance');
    const program = await read('/api/staking/program-summary');
    await page.route('**/api/staking/program-summary', (route) => route.fulfill({ status: 503, json: {} }), {
      times: 1,
    });
    await page.goto('/links');
    await page.getByRole('heading', { name: 'Official blockchain addresses' }).scrollIntoViewIfNeeded();
    const failure = page.getByRole('status').filter({ has: page.locator('[data-retry]') });
    await expect(failure).toBeVisible();
    await page.locator('[data-retry]').click();
    await expect(addressKey(page, 'vault').locator('code')).toHaveText(vault.vaultAddress);
    await expect(addressKey(page, 'stake-program').locator('code')).toHaveText(program.programAddress);
    await expect(addressKey(page, 'token').locator('code')).toHaveText(program.tokenAddress);
    await expect(failure).toBeHidden();
    await expect(page.locator('[data-address="vault"] [data-live]')).toHaveText(
      /^[\d,]+\.\d\d BDLive, \d\d:\d\d:\d\d$/,
    );
    await expect(page.locator('[data-demonstration]')).toBeVisible();
    await expect(addressKey(page, 'vault').getByRole('link')).toHaveCount(0);

    await page.route('**/api/network/health', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), cluster: 'devnet' } });
    });
    await page.reload();
    await page.getByRole('heading', { name: 'Official blockchain addresses' }).scrollIntoViewIfNeeded();
    const link = addressKey(page, 'vault').getByRole('link');
    await expect(link).toHaveAttribute(
      'href',
      new RegExp(`/address/${vault.vaultAddress}\\?cluster=devnet$`),
    );
    await expect(link).toHaveAttribute('rel', 'noopener noreferrer');
  });
});

test('a printed page omits navigation and forms', async ({ page }) => {
  await page.emulateMedia({ media: 'print' });
  // All legal pages have the same layout, so one of them is enough.
  for (const path of ['/terms-of-service', '/convertible-loan']) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    // The widths of portrait and landscape paper, in pixels.
    for (const width of [720, 1_040]) {
      await page.setViewportSize({ width, height: 1_040 });
      for (const part of ['banner', 'contentinfo', 'navigation', 'complementary'] as const) {
        await expect(page.getByRole(part), `${path}: ${part}`).toHaveCount(0);
      }
      await expect(page.locator('main :is(.contents, .folded, .actions, form):visible'), path).toHaveCount(0);
    }
  }
});

test('arrow keys move between tabs', async ({ page }) => {
  await page.goto('/virtual-card');
  await page.getByRole('tab', { name: 'Card Details' }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('tab', { name: 'Spending Limits' })).toBeFocused();
  await expect(page.getByRole('cell', { name: '$3,000,000' })).toBeVisible();
  await page.keyboard.press('End');
  await expect(page.getByRole('tabpanel').locator('[data-usage=none]')).toBeVisible();
});

for (const path of ['/terms-of-service', '/faq']) {
  test(`${path} marks the section being read in its table of contents, and shifts nothing`, async ({
    page,
  }) => {
    const totalShift = await measureShifts(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(path);
    const contents = page.locator('nav[data-sections]');
    const current = contents.locator('[aria-current="true"]');
    const hrefs = await contents
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
    expect(hrefs.length).toBeGreaterThan(4);
    for (const href of [...hrefs.slice(1, 5), ...hrefs.slice(0, 2).toReversed()]) {
      await page.locator(`[id="${href.slice(1)}"]`).evaluate((section) => section.scrollIntoView());
      await expect(current).toHaveCount(1);
      await expect(current).toHaveAttribute('href', href);
    }
    await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
    await expect(current).toHaveCount(0);
    expect(await totalShift()).toBeLessThan(0.02);
  });
}

test('the printed dashboard has each figure with its state and age as text, and no controls or placeholders', async ({
  page,
}) => {
  await page.goto('/');
  const tile = page.locator('[data-state="live"]', {
    has: page.getByRole('heading', { name: 'Vault Balance' }),
  });
  await expect(tile).toBeVisible();
  await page.emulateMedia({ media: 'print' });
  const state = tile.locator('.in-print');
  await expect(state.locator('..')).toHaveText(/^Live · .*(?:ago|now)$/);
  expect((await state.boundingBox())?.width).toBeGreaterThan(20);
  await expect(page.locator(':is(.floating, .header, .footer, button, .button):visible')).toHaveCount(0);

  await page.emulateMedia({ media: null });
  await page.route('**/api/**', () => {});
  await page.reload();
  await page.emulateMedia({ media: 'print' });
  const loading = page.locator('[aria-busy="true"] h3 + p').first();
  await expect(loading.locator('.in-print')).toHaveText('Loading');
  expect((await loading.locator('.in-print').boundingBox())?.width).toBeGreaterThan(20);
  await expect(page.locator('.no-print:visible')).toHaveCount(0);
});

test('the card comes first on a phone, and the cards fill the application page on a tablet', async ({
  page,
}) => {
  const edges = async (selector: string) => {
    const box = await page.locator(selector).last().boundingBox();
    if (box === null) throw new Error(`${selector} is not visible.`);
    return { top: box.y, right: box.x + box.width, bottom: box.y + box.height };
  };
  await page.setViewportSize({ width: 375, height: 812 });
  await page.goto('/virtual-card');
  expect((await edges('.plate')).bottom).toBeLessThan((await edges('#get-card')).top);
  await page.setViewportSize({ width: 768, height: 1024 });
  expect((await edges('.plate')).top).toBeLessThan((await edges('#get-card')).bottom);
  await page.goto('/polished-card');
  expect((await edges('.plate')).right).toBeCloseTo((await edges('main h1')).right, 0);
});
