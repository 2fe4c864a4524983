import { readFile } from 'node:fs/promises';
import { expect, type Page } from 'playwright/test';
import { watchForErrors } from './dashboard-page.ts';
import { examine } from './examine.ts';
import { test } from './test.ts';

test.beforeAll(async ({ sharedPortal }) => {
  // The history is backfilled shortly after the portal starts. Until then, this request may return an error.
  const history = async () => (await fetch(`${sharedPortal.url}/api/history?series=vault&range=all`)).json();
  await expect
    .poll(async () => (await history()).points?.length ?? 0, { timeout: 60_000 })
    .toBeGreaterThan(1);
});

const chart = (page: Page, title: string) => page.getByRole('region', { name: title, exact: true });
const cursor = (page: Page, title: string) => chart(page, title).getByRole('slider');

interface Point {
  readonly at: string;
  readonly value: string;
}

/**
 * Returns a function that reads the points of a series in the page's latest response. Call it for each comparison, because a
 * newer response may add a point.
 */
function pointsShown(page: Page, series: string, range: string): () => readonly Point[] {
  let points: readonly Point[] = [];
  page.on('response', async (response) => {
    const { pathname, searchParams } = new URL(response.url());
    const isRequested = searchParams.get('series') === series && searchParams.get('range') === range;
    if (pathname !== '/api/history' || !isRequested || response.status() !== 200) return;
    points = (await response.json()).points;
  });
  return () => points;
}

test('a chart works with the keyboard and a screen reader, and as a table and a file with exact values', async ({
  page,
}) => {
  const errors = watchForErrors(page);
  const shownPoints = pointsShown(page, 'vault', 'all');
  const vault = chart(page, 'Vault balance');
  const slider = vault.getByRole('slider');
  await page.goto('/analytics');
  await vault.scrollIntoViewIfNeeded();
  await expect(slider).toHaveAttribute('aria-valuetext', /^Now: [\d,.]+ BD$/);

  await test.step('by arrow keys, from change to change', async () => {
    await vault.getByRole('radio', { name: '30 d' }).focus();
    await page.keyboard.press('ArrowRight');
    await expect(vault.getByRole('radio', { name: 'All' })).toBeChecked();
    await expect.poll(() => shownPoints().length).toBeGreaterThan(1);
    const points = shownPoints();
    await slider.focus();
    // After the newest point, the slider has a stop for the current time. That stop is missing in the first minutes of
    // a day, because the newest point has then just begun.
    await expect(slider).toHaveAttribute(
      'aria-valuemax',
      new RegExp(`^(${points.length - 1}|${points.length})$`),
    );
    await page.keyboard.press('Home');
    const [first, second] = points;
    const formatted = (value = '') =>
      Number(value).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
    await expect(slider).toHaveAttribute(
      'aria-valuetext',
      new RegExp(` UTC: ${formatted(first?.value)} BD$`),
    );
    await page.keyboard.press('ArrowRight');
    await expect(slider).toHaveAttribute(
      'aria-valuetext',
      new RegExp(` UTC: ${formatted(second?.value)} BD$`),
    );
    await expect(slider).toHaveAttribute('aria-valuenow', '1');
    await page.keyboard.press('Escape');
    await expect(slider).toHaveAttribute('aria-valuetext', /^Now: /);
  });

  await test.step('as a table and as a file', async () => {
    const points = shownPoints();
    await vault.getByRole('button', { name: 'Show as table' }).click();
    await expect(vault.getByRole('row')).toHaveCount(points.length + 1);
    const height = (await vault.boundingBox())?.height;
    const saved = page.waitForEvent('download');
    await vault.getByRole('button', { name: 'CSV' }).click();
    const download = await saved;
    expect(download.suggestedFilename()).toMatch(/^blackduck-vault-all-\d{4}-\d\d-\d\d\.csv$/);
    expect(await readFile(await download.path(), 'utf8')).toBe(
      ['since_utc,vault_bd', ...points.map(({ at, value }) => `${at},${value}`), ''].join('\r\n'),
    );
    await vault.getByRole('button', { name: 'Show as chart' }).click();
    expect((await vault.boundingBox())?.height).toBe(height);
  });

  await test.step('as an image with a title, and the line in its color', async () => {
    const saved = page.waitForEvent('download');
    await vault.getByRole('button', { name: 'PNG' }).click();
    const download = await saved;
    expect(download.suggestedFilename()).toMatch(/^blackduck-vault-all-[\d-]+\.png$/);
    const png = await readFile(await download.path(), 'base64');
    const lastPath = vault.locator('svg path').last();
    const pixelCounts = await lastPath.evaluate(async (path, content) => {
      const bytes = Uint8Array.from(atob(content), (one) => one.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const { width, height } = image;
      const context = new OffscreenCanvas(width, height).getContext('2d');
      context?.drawImage(image, 0, 0);
      const pixels = new Uint32Array(context?.getImageData(0, 0, width, height).data.buffer ?? []);
      const [red = 0, green = 0, blue = 0] = getComputedStyle(path).stroke.match(/\d+/g)?.map(Number) ?? [];
      const color = (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;
      const head = pixels.slice(0, width * Math.round(height / 5));
      return { width, line: pixels.filter((pixel) => pixel === color).length, title: new Set(head).size };
    }, png);
    expect(pixelCounts).toEqual({ width: 1_600, line: expect.any(Number), title: expect.any(Number) });
    expect(pixelCounts.line).toBeGreaterThan(1_000);
    expect(pixelCounts.title).toBeGreaterThan(10);
  });
  errors.expectNone();
});

test('each analytics tab has a URL, figures, and no accessibility violation, and fits a phone', async ({
  page,
}) => {
  await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: 'dark' });
  await page.goto('/analytics#market');
  await expect(page.getByRole('tab', { name: 'Market' })).toHaveAttribute('aria-selected', 'true');
  await page.getByRole('tab', { name: 'Overview' }).click();
  await expect(page).toHaveURL(/\/analytics$/);
  await page.getByRole('tab', { name: 'Transactions' }).click();
  await expect(page).toHaveURL(/#transactions$/);
  await page.goBack();
  await expect(page.getByRole('tab', { name: 'Overview' })).toHaveAttribute('aria-selected', 'true');
  await page.goto('/analytics#latest-transactions');
  await expect(page.getByRole('tab', { name: 'Transactions' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.locator('#latest-transactions')).toBeInViewport();

  const stakes = page.getByRole('group', { name: 'Stakes by size' });
  const transactions = page.getByRole('group', { name: 'Transactions' });
  // For each tab: its name, one of its parts, and an element of that part that appears once the data has loaded.
  const parts = [
    ['Overview', chart(page, 'Total staked'), cursor(page, 'Total staked')],
    ['Staking', stakes, stakes.getByRole('rowheader').first()],
    ['Market', chart(page, 'BD price'), cursor(page, 'BD price')],
    ['Transactions', transactions, transactions.getByRole('rowheader').first()],
  ] as const;
  for (const [tab, part, content] of parts) {
    await page.getByRole('tab', { name: tab }).click();
    await part.scrollIntoViewIfNeeded();
    await expect(content).toBeVisible();
    if (tab === 'Staking') {
      const { weeks, totalStakers, top } = await (await page.request.get('/api/staking/distribution')).json();
      const unlocks = chart(page, 'BD unlocking per week');
      await expect(unlocks.getByRole('slider')).toHaveAttribute('aria-valuemax', '29');
      await unlocks.getByRole('button', { name: 'Show as table' }).click();
      await expect(unlocks.getByRole('row')).toHaveCount(weeks.length + 1);
      expect(top).toHaveLength(Math.min(totalStakers, 10));
      await expect(chart(page, 'Largest stakers').getByRole('rowheader')).toHaveCount(top.length);
      await expect(chart(page, 'Stakers by card tier').getByRole('rowheader')).toHaveCount(4);
      await chart(page, 'Active stakers').getByRole('button', { name: 'Show as table' }).click();
      await expect(chart(page, 'Active stakers').getByRole('row').nth(1)).toBeVisible();
    }
    await examine(page, tab);
  }
});

test('a chart that fails to load says so, retries on demand, and shifts nothing on the page', async ({
  page,
}) => {
  await page.route('**/api/history**', (route) => route.fulfill({ status: 500, json: {} }));
  await page.clock.install();
  await page.goto('/analytics');
  const panel = chart(page, 'Vault balance');
  await panel.scrollIntoViewIfNeeded();
  const loading = await panel.boundingBox();
  await expect(async () => {
    await page.clock.runFor(1_000);
    await expect(panel.locator('[data-plot=failed]')).toBeVisible({ timeout: 100 });
  }).toPass();
  expect(await panel.boundingBox()).toEqual(loading);
  await page.unroute('**/api/history**');
  await panel.getByRole('button', { name: 'Retry' }).click();
  await expect(cursor(page, 'Vault balance')).toBeVisible();
  expect(await panel.boundingBox()).toEqual(loading);
});

test('the supply is live, and its remainder equals the shown calculation', async ({ page }) => {
  await page.goto('/tokenomics');
  const row = (name: string) => page.getByRole('row', { name }).getByRole('cell').last();
  await row('Vault').scrollIntoViewIfNeeded();
  await expect(page.locator('[data-allocation=live]')).toBeVisible();
  const millions = async (name: string) =>
    Number(/^([\d.]+)M BD/.exec((await row(name).textContent()) ?? '')?.[1]);
  const [vault, staked, market] = [
    await millions('Vault'),
    await millions('Staked'),
    await millions('Market'),
  ];
  expect(market).toBeCloseTo(990 - 46.6 - vault - staked, 1);
});
