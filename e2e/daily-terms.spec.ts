import { expect, type Page } from 'playwright/test';
import { violations } from './examine.ts';
import { test } from './test.ts';
import { measureShifts } from './visitor.ts';

test.use({ acceptsTerms: false });

const terms = (page: Page) => page.getByRole('dialog', { name: 'Before you continue' });
const acceptButton = (page: Page) => page.getByRole('button', { name: 'I Accept These Terms & Continue' });

test('the daily terms cover every page until accepted, and reappear the next day', async ({ page }) => {
  await page.goto('/faq');
  await expect(terms(page)).toBeVisible();
  await expect(terms(page)).toContainText(/180 days.*no early withdrawal/);

  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.mouse.wheel(0, 800);
  await expect(terms(page)).toBeVisible();
  expect(await page.evaluate(() => scrollY)).toBe(0);
  const skipLink = page.getByRole('link', { name: 'Skip to content' });
  await skipLink.focus();
  await expect(skipLink).not.toBeFocused();

  await acceptButton(page).click();
  await expect(terms(page)).toBeHidden();
  await page.goto('/links');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(terms(page)).toBeHidden();

  await page.clock.setFixedTime(Date.now() + 24 * 60 * 60 * 1_000);
  await page.reload({ waitUntil: 'networkidle' });
  await expect(terms(page)).toBeVisible();
});

test('the page is hidden before the terms are accepted, and nothing shifts afterwards', async ({ page }) => {
  const totalShift = await measureShifts(page);
  await page.addInitScript(() => {
    const dialogStates: string[] = [];
    const recordFrame = () => {
      const dialog = document.querySelector<HTMLDialogElement>('#daily-terms-dialog');
      if (document.querySelector('main')) dialogStates.push(dialog?.matches(':modal') ? 'terms' : 'page');
      if (document.readyState !== 'complete' || dialogStates.length === 0) requestAnimationFrame(recordFrame);
    };
    requestAnimationFrame(recordFrame);
    Object.assign(window, { seenFrames: () => dialogStates });
  });
  await page.goto('/staking');
  await expect.poll(() => page.evaluate('[...new Set(seenFrames())]')).toEqual(['terms']);
  await acceptButton(page).click();
  await expect(page.getByRole('button', { name: 'All Systems Operational' })).toBeVisible();
  expect(await totalShift()).toBeLessThanOrEqual(0.02);
});

test('the terms can be read and accepted with the keyboard alone; Tab then reaches the skip link first', async ({
  page,
}) => {
  await page.goto('/');
  await expect(page.getByRole('heading', { name: 'Before you continue' })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Terms of Service' }).first()).toBeFocused();
  const focusedText = () => page.evaluate(() => document.activeElement?.textContent?.trim());
  for (let press = 0; press < 5 && (await focusedText()) !== 'I Accept These Terms & Continue'; press++) {
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => !document.activeElement?.closest('header, main, footer'))).toBe(true);
  }
  await expect(acceptButton(page)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(terms(page)).toBeHidden();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
});

test('the terms have no accessibility violation in either theme, and fit 320 pixels', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto('/links');
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await expect(terms(page)).toBeVisible();
    expect(await violations(page, 'html')).toEqual([]);
    expect(await terms(page).evaluate((dialog) => dialog.scrollWidth)).toBeLessThanOrEqual(320);
  }
});

test('the legal and admin pages can be read before the terms are accepted', async ({ page }) => {
  await page.goto('/terms-of-service');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(terms(page)).toHaveCount(0);
  const hasTerms = async (path: string) =>
    (await (await page.request.get(path)).text()).includes('<dialog class="daily-terms"');
  for (const path of ['/privacy-policy', '/disclaimer', '/admin/login', '/admin/dashboard'])
    expect(await hasTerms(path), path).toBe(false);
  expect(await hasTerms('/faq')).toBe(true);
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('the terms appear above a readable page', async ({ page }) => {
    await page.goto('/rewards');
    const text = terms(page).locator('.without-script');
    await expect(text).toBeVisible();
    await expect(
      terms(page)
        .getByRole('listitem')
        .filter({ hasText: /180 days.*no early withdrawal/ })
        .first(),
    ).toBeVisible();
    await expect(acceptButton(page)).toBeHidden();
    const heading = page.getByRole('heading', { level: 1 });
    await expect(heading).toBeVisible();
    const [textBox, headingBox] = [await text.boundingBox(), await heading.boundingBox()];
    expect((textBox?.y ?? 0) < (headingBox?.y ?? 0)).toBe(true);
  });
});
