import AxeBuilder from '@axe-core/playwright';
import { expect, test } from 'playwright/test';
import { dashboardPage, watchForFaults } from './dashboard-page.ts';
import { type Portal, startPortal } from './portal.ts';
import { acceptTerms } from './visitor.ts';

let portal: Portal;
test.beforeAll(async () => {
  portal = await startPortal();
});
test.afterAll(async () => {
  await portal.stop();
});
test.beforeEach(({ context }) => acceptTerms(context));

test('an unknown path gets the not-found page with 404 and the way back', async ({ page }) => {
  const response = await page.goto(`${portal.url}/no/such/page`);
  expect(response?.status()).toBe(404);
  await expect(page.getByRole('heading', { name: 'Page Not Found' })).toBeVisible();
  await page.getByRole('link', { name: 'Return to Dashboard' }).click();
  await expect(page.getByRole('heading', { name: 'Live Dashboard' })).toBeVisible();
});

test('/dashboard is the dashboard under its other name, with one canonical address', async ({ page }) => {
  await page.goto(`${portal.url}/dashboard`);
  await expect(page.getByRole('heading', { name: 'Live Dashboard' })).toBeVisible();
  const canonical = await page.locator('link[rel=canonical]').getAttribute('href');
  expect(new URL(canonical ?? '', portal.url).pathname).toBe('/');
});

for (const path of ['/', '/404.html']) {
  for (const colorScheme of ['dark', 'light'] as const) {
    test(`${path} in ${colorScheme} has no accessibility violation, and logs nothing`, async ({
      browser,
    }, info) => {
      const context = await browser.newContext({ colorScheme, serviceWorkers: 'block' });
      await acceptTerms(context);
      const page = await context.newPage();
      const faults = watchForFaults(page);
      await page.goto(portal.url + path);
      if (path === '/')
        await expect(dashboardPage(page).tile('Vault Balance')).toHaveAttribute('data-state', 'live');
      await page.screenshot({ path: info.outputPath('page.png'), fullPage: true });
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(
        violations.map((violation) => `${violation.id}: ${violation.nodes.map((node) => node.html)}`),
      ).toEqual([]);
      faults.expectNone(path === '/404.html' ? /status of 404/ : undefined);
      await context.close();
    });
  }
}

test('no page is wider than a screen of 320 pixels', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  for (const path of ['/', '/404.html']) {
    await page.goto(portal.url + path);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow, path).toBeLessThanOrEqual(0);
  }
});

test('the theme switch is remembered', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(portal.url);
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await background();
  await page.getByRole('button', { name: /theme/i }).first().click();
  await expect.poll(background).not.toBe(dark);
  const chosen = await background();
  await page.reload();
  expect(await background()).toBe(chosen);
});

test('a chosen theme is there with the first frame, whatever the system’s is', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.addInitScript(() => {
    localStorage.setItem('theme', 'light');
    const seen = new Set<string>();
    const look = () => {
      if (document.body) seen.add(getComputedStyle(document.body).backgroundColor);
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
    Object.assign(window, { seenGrounds: () => [...seen] });
  });
  await page.goto(`${portal.url}/faq`);
  await expect(page.getByRole('button', { name: 'All Systems Operational' })).toBeVisible();
  expect(await page.evaluate('seenGrounds()')).toEqual(['rgb(251, 250, 246)']);
});

test('the menu of a small screen opens, holds the page still, and closes on Escape', async ({ page }) => {
  await page.setViewportSize({ width: 375, height: 720 });
  await page.goto(portal.url);
  await page.getByRole('button', { name: /menu/i }).click();
  const link = page.getByRole('dialog').getByRole('link', { name: 'Staking', exact: true });
  await expect(link).toBeVisible();
  await page.mouse.wheel(0, 800);
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
  await page.keyboard.press('Escape');
  await expect(link).toBeHidden();
});
