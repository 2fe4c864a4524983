import { constants, gzipSync } from 'node:zlib';
import { expect, type Page } from 'playwright/test';
import { watchForErrors } from './dashboard-page.ts';
import { test } from './test.ts';

test.describe('the search', () => {
  const searchDialog = (page: Page) => page.getByRole('dialog', { name: 'Search the portal' });
  const field = (page: Page) => page.getByRole('searchbox', { name: 'Search all pages' });

  test('works with the keyboard alone', async ({ page }) => {
    const errors = watchForErrors(page);
    await page.goto('/links');
    const opener = page.getByRole('button', { name: 'Search', exact: true });
    await opener.press('Enter');
    await expect(field(page)).toBeFocused();
    // Inserts the text in one input event. Typing it letter by letter would replace the results, and with them the focused link.
    await page.keyboard.insertText('early withdrawal');
    await expect(searchDialog(page).getByRole('status')).toHaveText(/^\d+ results?$/);
    await expect(searchDialog(page).locator('mark').first()).toBeVisible();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await expect(searchDialog(page).getByRole('link').nth(1)).toBeFocused();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await expect(field(page)).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(searchDialog(page)).toBeHidden();
    await expect(opener).toBeFocused();

    await page.keyboard.press('Control+k');
    await field(page).fill('contact support');
    await expect(searchDialog(page).getByRole('link').first()).toHaveText('Contact Support');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL('/contact');
    errors.expectNone();
  });

  test('keeps what is typed before it has loaded', async ({ page }) => {
    const requested = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    await page.route(/\/_astro\/search-dialog\..*\.js$/, async (route) => {
      requested.resolve();
      await gate.promise;
      await route.continue();
    });
    await page.goto('/links');
    await page.keyboard.press('Control+k');
    await requested.promise;
    await page.keyboard.type('early with');
    gate.resolve();
    await expect(field(page)).toBeFocused();
    await page.keyboard.type('drawal');
    await expect(field(page)).toHaveValue('early withdrawal');
    await expect(searchDialog(page).getByRole('status')).toHaveText(/^\d+ results?$/);
  });

  test('finds questions by name, and no admin page', async ({ page }) => {
    await page.goto('/');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await field(page).fill('seed phrase');
    await searchDialog(page).locator('a[href$="/faq#seed-phrase"]').click();
    await expect(page).toHaveURL(/\/faq#seed-phrase$/);
    await expect(page.locator('details#seed-phrase[open]')).toBeVisible();

    await page.keyboard.press('Control+k');
    await field(page).fill('create the first admin account');
    await expect(searchDialog(page).getByRole('status')).toHaveText(/./);
    const links = await searchDialog(page)
      .getByRole('link')
      .evaluateAll((all) => all.map((one) => one.getAttribute('href')));
    expect(links.filter((href) => /admin|diagnostics|404|offline/.test(href ?? ''))).toEqual([]);
  });

  test('says when it finds nothing and when it cannot load', async ({ page }) => {
    await page.route('**/pagefind/pagefind.js', (route) => route.abort());
    await page.goto('/links');
    await page.keyboard.press('Control+k');
    await field(page).fill('lock');
    await expect(searchDialog(page).getByRole('alert')).toBeVisible();
    await expect(searchDialog(page).locator('a[href="/faq#lock"]')).toBeVisible();
    await page.unroute('**/pagefind/pagefind.js');
    await searchDialog(page).getByRole('button', { name: 'Retry' }).click();
    await expect(searchDialog(page).getByRole('status')).toHaveText(/^\d+ results?$/);
    await field(page).fill('xylophone');
    await expect(searchDialog(page).getByRole('status')).not.toHaveText(/result/);
    await expect(searchDialog(page).getByRole('link', { name: 'Browse all questions' })).toBeVisible();
  });

  test('says if its code cannot be loaded, and works on the next try', async ({ page }) => {
    const script = /\/_astro\/search-dialog\..*\.js$/;
    await page.route(script, (route) => route.abort());
    await page.goto('/links');
    await page.keyboard.press('Control+k');
    await expect(page.locator('.toast.failure')).toBeVisible();
    await page.unroute(script);
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await expect(field(page)).toBeFocused();
  });

  test('loads its index when the first letter is typed, and is small with its scripts when compressed', async ({
    page,
    request,
  }) => {
    const MAX_BYTES = 60_000;
    const requestedPaths: string[] = [];
    page.on('request', (one) => requestedPaths.push(new URL(one.url()).pathname));
    await page.goto('/links');
    await page.keyboard.press('Control+k');
    const field = page.getByRole('searchbox');
    await expect(field).toBeFocused();
    await expect.poll(() => requestedPaths.some((path) => path.endsWith('.pagefind'))).toBe(true);
    expect(requestedPaths).not.toContain('/section-index.json');
    await page.keyboard.type('l');
    await expect.poll(() => requestedPaths).toContain('/section-index.json');
    const scripts = requestedPaths.filter((path) => /section-search|search-dialog/.test(path));
    expect(scripts.length).toBeGreaterThan(0);
    const sizes = await Promise.all(
      ['/section-index.json', ...scripts].map(async (path) => {
        const response = await request.get(path, { headers: { 'Accept-Encoding': 'gzip' } });
        expect(response.headers()['content-encoding']).toBe('gzip');
        return gzipSync(await response.body(), { level: constants.Z_BEST_COMPRESSION }).length;
      }),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MAX_BYTES);
  });
});
