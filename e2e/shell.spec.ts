import { expect, type Page } from 'playwright/test';
import type { NetworkHealth } from '../site/data/connection.ts';
import { summaryText } from '../site/shell/health/network-state.ts';
import { STATUS_LABELS } from '../site/shell/health/status-labels.ts';
import { sampleEndpoint, sampleHealth } from '../site/shell/health/testing/sample-health.ts';
import { examine } from './examine.ts';
import { test } from './test.ts';
import { showToast } from './visitor.ts';

test('the More menu works with the keyboard, and closes on Escape and on a click elsewhere', async ({
  page,
}) => {
  await page.goto('/faq');
  const more = page.locator('summary', { hasText: 'More' });
  const first = page.getByLabel('Main').getByRole('link', { name: 'My Position' });
  await more.focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await expect(first).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(first).toBeHidden();
  await expect(more).toBeFocused();
  await page.keyboard.press('Space');
  await expect(first).toBeVisible();
  await page.mouse.click(8, 600);
  await expect(first).toBeHidden();
});

test('on a small screen, the menu traps the focus and stops scrolling until it closes, and floating buttons appear after 300 pixels and scroll to the top', async ({
  page,
}) => {
  await page.setViewportSize({ width: 375, height: 720 });
  await page.goto('/faq');
  const opener = page.getByRole('button', { name: 'Menu', exact: true });
  await opener.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Close menu' })).toBeFocused();
  for (let press = 0; press < 30; press++) {
    await page.keyboard.press('Tab');
    const isOutside = await page.evaluate(() => {
      const { activeElement: active } = document;
      return active !== document.body && !active?.closest('#site-menu');
    });
    expect(isOutside).toBe(false);
  }
  await page.mouse.wheel(0, 800);
  expect(await page.evaluate(() => scrollY)).toBe(0);
  await page.keyboard.press('Escape');
  await expect(opener).toBeFocused();

  const scrollUpButton = page.getByRole('button', { name: 'Scroll to top' });
  await expect(scrollUpButton).toBeHidden();
  await page.mouse.wheel(0, 290);
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(290);
  await expect(scrollUpButton).toBeHidden();
  await page.mouse.wheel(0, 30);
  await expect(scrollUpButton).toBeVisible();
  await scrollUpButton.click();
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
  await expect(scrollUpButton).toBeHidden();
});

/**
 * Lists elements that float over text or controls in the visible part of the page. Full-width bars at the top or bottom may cover
 * content that can be scrolled out from under them. The end of the page cannot be scrolled away, so a bottom bar must not cover
 * it.
 * @returns these elements, and the share of the window's height that the bars take up
 */
function coveredContent(page: Page): Promise<{ readonly covered: string[]; readonly barShare: number }> {
  return page.evaluate(() => {
    const { width } = document.body.getBoundingClientRect();
    const isShown = (element: Element) =>
      element.checkVisibility({ visibilityProperty: true }) && !element.closest('.visually-hidden, dialog');
    const floating = [...document.body.querySelectorAll('*')].filter(
      (one) => /fixed|sticky/.test(getComputedStyle(one).position) && isShown(one),
    );
    const isBar = ({ left, right, top, bottom }: DOMRect) =>
      left < 1 && right > width - 1 && (top < 1 || bottom > innerHeight - 1);
    const bars = floating.filter((one) => one.clientHeight > 0 && isBar(one.getBoundingClientRect()));
    const isAtEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - 1;
    const covering = floating.filter((one) => isAtEnd || !bars.some((bar) => bar.contains(one)));
    const contents: [Element, DOMRect][] = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const parent = text.parentElement;
      if (!parent || !text.textContent?.trim() || !isShown(parent)) continue;
      const range = new Range();
      range.selectNodeContents(text);
      for (const box of range.getClientRects()) contents.push([parent, box]);
    }
    for (const one of document.querySelectorAll('a, button, input, select, textarea, svg, img')) {
      if (isShown(one)) contents.push([one, one.getBoundingClientRect()]);
    }
    const top = Math.max(
      0,
      ...bars.map((bar) => bar.getBoundingClientRect()).map((box) => (box.top <= 0 ? box.bottom : 0)),
    );
    const covered = covering.flatMap((one) => {
      const cover = one.getBoundingClientRect();
      const hits = contents.filter(
        ([element, box]) =>
          !one.contains(element) &&
          !floating.some((other) => other !== one && other.contains(element)) &&
          Math.min(box.right, cover.right) - Math.max(box.left, cover.left) > 1 &&
          Math.min(box.bottom, cover.bottom) - Math.max(box.top, cover.top, top) > 1,
      );
      return hits.map(([element]) => `${one.className} covers ${element.textContent?.trim()}`);
    });
    const barHeight = bars.reduce((total, bar) => total + bar.getBoundingClientRect().height, 0);
    return { covered, barShare: barHeight / innerHeight };
  });
}

for (const [path, isDegraded] of [
  ['/', false],
  ['/virtual-card', false],
  ['/links', true],
] as const) {
  test(`nothing floats over the content of ${path}, on a phone, at 200 % zoom or while it scrolls`, async ({
    page,
  }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.route('**/api/network/health', (route) =>
      route.fulfill({ json: sampleHealth({ status: isDegraded ? 'degraded' : 'healthy' }) }),
    );
    await page.goto(path);
    await expect(page.locator('[data-health-alert]')).toBeVisible({ visible: isDegraded });
    if (path === '/links')
      await expect(page.getByRole('link', { name: 'Return to BlackDuck' })).toBeVisible();
    else await expect(page.locator('astro-island[ssr][client=idle]')).toHaveCount(0);
    for (const size of [
      { width: 320, height: 640 },
      // 1280 × 720 pixels at a zoom of 200 %.
      { width: 640, height: 360 },
      { width: 768, height: 1_024 },
      { width: 1_280, height: 800 },
    ]) {
      await page.setViewportSize(size);
      for (const y of [0, 400, 100_000]) {
        const name = `${size.width} × ${size.height} at ${y}`;
        await page.evaluate(async (top) => {
          // A section that comes near the viewport is laid out in the next frame, which changes the page's height.
          for (let frame = 0; frame < 3; frame++) {
            scrollTo(0, top);
            await new Promise(requestAnimationFrame);
          }
        }, y);
        const { covered, barShare } = await coveredContent(page);
        expect(covered, name).toEqual([]);
        expect(barShare, name).toBeLessThan(isDegraded ? 0.4 : 0.25);
      }
    }
  });
}

test.describe('the network’s health', () => {
  const PATH = '**/api/network/health';
  const footer = (page: Page) => page.getByRole('contentinfo').locator('[data-health]');
  const alert = (page: Page) => page.locator('[data-health-alert]');
  const offlineText = (errorCount: number) =>
    summaryText({ status: 'offline', isReachable: false, errorCount, health: null });
  const healthResponse = (status: NetworkHealth['status'], activeEndpoints: number) => ({
    json: sampleHealth({
      status,
      activeEndpoints,
      errorCount: 3,
      endpoints: [
        sampleEndpoint('a.example', { latencyMs: 41.6 }),
        sampleEndpoint('b.example', { slotLag: 12, active: activeEndpoints > 1 }),
      ],
    }),
  });

  test('is read at the start and every 30 seconds, and each failed read shows it as offline and counts as an error', async ({
    page,
  }) => {
    await page.clock.install();
    await page.route(PATH, (route) => route.fulfill(healthResponse('healthy', 2)));
    await page.goto('/faq');
    await page.clock.runFor(1_000);
    await expect(footer(page)).toHaveText(STATUS_LABELS.healthy);
    await expect(alert(page)).toBeHidden();
    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1_000));
    await page.route(PATH, (route) => route.fulfill(healthResponse('degraded', 1)));
    await page.clock.runFor(30_000);
    await expect(footer(page)).toHaveText(STATUS_LABELS.degraded);
    await alert(page).getByRole('button', { name: STATUS_LABELS.degraded }).click();
    const details = page.getByRole('dialog', { name: 'Network' });
    await expect(details).toContainText(/1 of 2\b.*\b3\b/);
    await expect(details.getByRole('row', { name: 'a.example' })).toContainText('42 ms');
    await expect(details.getByRole('row', { name: 'b.example' })).toContainText('12 slots');
    await page.route(PATH, (route) => route.abort());
    await page.clock.runFor(30_000);
    await expect(details).toContainText('Connection Issues');
    await expect(details).toContainText(offlineText(4));
    await page.clock.runFor(30_000);
    await expect(details).toContainText(offlineText(5));
    await expect(details.getByRole('table')).toBeHidden();
    await expect(footer(page)).toHaveText(STATUS_LABELS.offline);
  });

  test('can be hidden, stays hidden after a reload, and can be shown again', async ({ page }) => {
    await page.route(PATH, (route) => route.fulfill(healthResponse('degraded', 1)));
    await page.goto('/faq');
    await alert(page).getByRole('button', { name: 'Hide network status' }).click();
    await expect(alert(page)).toBeHidden();
    await page.reload();
    await expect(footer(page)).toHaveText(STATUS_LABELS.degraded);
    await expect(alert(page)).toBeHidden();
    await page.getByRole('button', { name: 'Show network alert' }).click();
    await expect(alert(page).getByRole('button', { name: STATUS_LABELS.degraded })).toBeFocused();
  });
});

test('a tooltip opens after 700 ms, sooner after another one or on focus, and closes on Escape', async ({
  page,
}) => {
  await page.goto('/faq');
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  const tip = page.getByRole('tooltip');
  const search = page.getByRole('button', { name: 'Search', exact: true });
  const theme = page.getByRole('banner').getByRole('button', { name: /^Theme/ });
  await search.hover();
  await page.waitForFunction(() => document.querySelector('[role=tooltip]'));
  await page.clock.runFor(650);
  await expect(tip).toBeHidden();
  await page.clock.runFor(100);
  await expect(tip).toHaveText((await search.getAttribute('data-tooltip')) ?? '');
  await theme.hover();
  await page.clock.runFor(130);
  await expect(tip).toHaveText((await theme.getAttribute('aria-label')) ?? '');
  await page.keyboard.press('Escape');
  await expect(tip).toBeHidden();
  await page.mouse.move(0, 500);
  await page.clock.runFor(1_000);
  await page.keyboard.press('Tab');
  await search.focus();
  await expect(tip).toHaveText((await search.getAttribute('data-tooltip')) ?? '');
});

test.describe('overlays have no accessibility violation', () => {
  const WHOLE_PAGE = { part: 'html', lightSize: null };

  test('on a wide screen: More, search, network, toast and tooltip', async ({ page }) => {
    await page.goto('/faq');
    await page.locator('summary', { hasText: 'More' }).click();
    await examine(page, 'more', WHOLE_PAGE);
    await page.keyboard.press('Control+k');
    const search = page.getByRole('dialog', { name: 'Search the portal' });
    await search.getByRole('searchbox').fill('lock');
    await expect(search.getByRole('status')).toHaveText(/^\d+ results$/);
    await examine(page, 'search', WHOLE_PAGE);
    await search.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('searchbox', { name: 'Search questions' }).fill('usdt');
    await page.getByRole('button', { name: 'All Systems Operational' }).click();
    await expect(page.getByRole('dialog', { name: 'Network' })).toContainText(STATUS_LABELS.healthy);
    await examine(page, 'network', WHOLE_PAGE);
    await page.keyboard.press('Escape');
    await showToast(page, { title: 'ACCESS DENIED', text: 'Why', kind: 'failure', seconds: null });
    await page.getByRole('button', { name: 'Search', exact: true }).hover();
    await expect(page.getByRole('tooltip')).toBeVisible();
    await examine(page, 'toast-and-tooltip', WHOLE_PAGE);
  });

  test('on a small screen: the menu and the floating buttons', async ({ page }) => {
    await page.setViewportSize({ width: 375, height: 720 });
    await page.route('**/api/network/health', (route) =>
      route.fulfill({ json: sampleHealth({ status: 'degraded' }) }),
    );
    await page.goto('/links');
    await page.getByRole('button', { name: 'Menu', exact: true }).click();
    await examine(page, 'menu', WHOLE_PAGE);
    await page.getByRole('button', { name: 'Close menu' }).click();
    await page.mouse.wheel(0, 700);
    await expect(page.getByRole('button', { name: 'Scroll to top' })).toBeVisible();
    const back = page.getByRole('link', { name: 'Return to BlackDuck' });
    await expect(back).toBeVisible();
    await expect(page.getByRole('button', { name: STATUS_LABELS.degraded }).first()).toBeVisible();
    await examine(page, 'floating', WHOLE_PAGE);
    const boxes = await page
      .locator('[data-corner] :is(a, button):visible')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
    const overlaps = boxes.flatMap((a, index) =>
      boxes
        .slice(index + 1)
        .filter((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom),
    );
    // On this page, the link back to the site replaces the floating link to the home page.
    expect(boxes.length).toBe(5);
    expect(overlaps).toEqual([]);
  });
});

test('with forced colors buttons have borders, and with reduced motion nothing moves', async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
  await page.goto('/staking');
  await expect(page.getByRole('button', { name: 'All Systems Operational' })).toBeVisible();
  const borders = await page
    .locator('.button:visible')
    .evaluateAll((all) => all.map((one) => getComputedStyle(one).borderTopWidth));
  expect(new Set(borders)).toEqual(new Set(['1px']));
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog', { name: 'Search the portal' })).toBeVisible();
  // Transitions of zero duration may still be ending.
  await expect.poll(() => page.evaluate(() => document.getAnimations().length)).toBe(0);
});

test('an unknown path returns 404 with a page that links to the dashboard', async ({ page }) => {
  const response = await page.goto('/no/such/page');
  expect(response?.status()).toBe(404);
  await expect(page.getByRole('heading', { name: 'Page Not Found' })).toBeVisible();
  await page.getByRole('link', { name: 'Return to Dashboard' }).click();
  await expect(page.getByRole('heading', { name: 'Live Dashboard' })).toBeVisible();
});

test('the theme switch is remembered, and the chosen theme applies from the first frame, whatever the system prefers', async ({
  page,
}) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.addInitScript(() => {
    const seen = new Set<string>();
    const recordFrame = () => {
      if (document.body) seen.add(getComputedStyle(document.body).backgroundColor);
      requestAnimationFrame(recordFrame);
    };
    requestAnimationFrame(recordFrame);
    Object.assign(window, { seenBackgrounds: () => [...seen] });
  });
  const LIGHT = 'rgb(251, 250, 246)';
  await page.goto('/faq');
  await page.getByRole('button', { name: /theme/i }).first().click();
  await expect(page.locator('body')).toHaveCSS('background-color', LIGHT);
  await page.reload();
  await expect(page.getByRole('button', { name: 'All Systems Operational' })).toBeVisible();
  expect(await page.evaluate('seenBackgrounds()')).toEqual([LIGHT]);
});

for (const [browser, prepare] of [
  [
    'is never idle',
    () => {
      window.requestIdleCallback = (run, options) =>
        options?.timeout === undefined ? 0 : Number(setTimeout(run, options.timeout));
    },
  ],
  [
    'has no idle callbacks',
    () => {
      Reflect.deleteProperty(window, 'requestIdleCallback');
      const runLater = setTimeout;
      // Timers of more than a second never run.
      window.setTimeout = ((run: () => void, ms = 0) =>
        ms > 1_000 ? 0 : runLater(run, ms)) as typeof setTimeout;
    },
  ],
] as const) {
  test(`a page starts in a browser that ${browser}`, async ({ page }) => {
    await page.addInitScript(prepare);
    await page.goto('/staking');
    await expect(page.locator('footer [data-health=healthy]')).toBeVisible();
    await expect(page.locator('astro-island[ssr][client=idle]')).toHaveCount(0);
  });
}
