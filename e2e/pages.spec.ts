import { expect } from 'playwright/test';
import type { Portal } from './portal.ts';
import { test } from './test.ts';

let portal: Portal;
test.beforeAll(({ sharedPortal }) => {
  portal = sharedPortal;
});

test('an unknown path returns 404 with a page that links to the dashboard', async ({ page }) => {
  const response = await page.goto(`${portal.url}/no/such/page`);
  expect(response?.status()).toBe(404);
  await expect(page.getByRole('heading', { name: 'Page Not Found' })).toBeVisible();
  await page.getByRole('link', { name: 'Return to Dashboard' }).click();
  await expect(page.getByRole('heading', { name: 'Live Dashboard' })).toBeVisible();
});

test('/dashboard shows the dashboard and names its canonical address', async ({ page }) => {
  await page.goto(`${portal.url}/dashboard`);
  await expect(page.getByRole('heading', { name: 'Live Dashboard' })).toBeVisible();
  const canonical = await page.locator('link[rel=canonical]').getAttribute('href');
  expect(new URL(canonical ?? '', portal.url).pathname).toBe('/');
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

test('a chosen theme applies from the first frame, whatever the system prefers', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.addInitScript(() => {
    localStorage.setItem('theme', 'light');
    const seen = new Set<string>();
    const recordFrame = () => {
      if (document.body) seen.add(getComputedStyle(document.body).backgroundColor);
      requestAnimationFrame(recordFrame);
    };
    requestAnimationFrame(recordFrame);
    Object.assign(window, { seenBackgrounds: () => [...seen] });
  });
  await page.goto(`${portal.url}/faq`);
  await expect(page.getByRole('button', { name: 'All Systems Operational' })).toBeVisible();
  expect(await page.evaluate('seenBackgrounds()')).toEqual(['rgb(251, 250, 246)']);
});

test('the small-screen menu opens, stops the page from scrolling, and closes on Escape', async ({ page }) => {
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
