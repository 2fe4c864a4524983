import { readFile } from 'node:fs/promises';
import { expect, type Locator, type Page } from 'playwright/test';
import { ledgerKeypair } from '../indexer/ledger/addresses.ts';
import { PICTURE_SIZE } from '../site/islands/position/position-picture.ts';
import { dashboardPage, watchForErrors } from './dashboard-page.ts';
import { examine } from './examine.ts';
import type { Portal } from './portal.ts';
import { test } from './test.ts';
import { measureShifts } from './visitor.ts';

let portal: Portal;
test.beforeAll(({ sharedPortal }) => {
  portal = sharedPortal;
});

async function downloadBy(
  page: Page,
  button: string,
): Promise<{ readonly name: string; readonly text: string }> {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: button }).first().click();
  const file = await download;
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
}

/** @returns the wallet's address */
async function stake(wallet: string, amount: string): Promise<string> {
  const printed = await portal.runLedgerCommand('stake', '--wallet', wallet, '--amount', amount);
  return /Gave (\S+)/.exec(printed)?.[1] ?? '';
}

test('the staking portal shows and copies the addresses that the API reads', async ({ page, context }) => {
  const errors = watchForErrors(page);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('/staking');
  const summary = await (await page.request.get('/api/staking/program-summary')).json();
  const panel = page.getByRole('region', { name: 'Staking information' });
  await expect(panel).toContainText(summary.programAddress);
  await expect(panel).toContainText(summary.tokenAddress);
  await page.getByRole('button', { name: 'Copy token contract address' }).click();
  await expect(page.getByText('Copied', { exact: true })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(summary.tokenAddress);
  errors.expectNone();
});

test('stakers can be sorted, searched and exported, with the view in the URL', async ({ page }) => {
  const errors = watchForErrors(page);
  await page.goto('/enhanced-analytics');
  const stakers = page.getByRole('region', { name: 'Active stakers', exact: true });
  await stakers.scrollIntoViewIfNeeded();
  const rows = stakers.locator('tbody tr');
  await expect(stakers.getByText(/^1–\d+ of \d+$/)).toBeVisible();
  // Only the wallet's cell is compared, because the time left in its row changes every minute.
  const walletIn = (row: Locator) => row.locator('th, td').first();
  const largest = await walletIn(rows.first()).textContent();

  const wallet = await stake('ada', '30000000.25');
  await expect(rows.first()).toContainText('30,000,000.25');
  await expect(rows.first()).toContainText('Diamond');
  await expect(walletIn(rows.nth(1))).toHaveText(largest ?? '');

  const heading = stakers.getByRole('columnheader', { name: 'Staked (BD)' });
  await heading.getByRole('button').focus();
  await page.keyboard.press('Enter');
  await expect(heading).toHaveAttribute('aria-sort', 'ascending');
  await expect(page).toHaveURL(/\?stakers-sort=staked$/);
  await expect(rows.first()).not.toContainText('30,000,000.25');

  await stakers.getByRole('searchbox').fill(wallet.slice(16, 24));
  await expect(rows).toHaveCount(1);
  await expect(walletIn(rows.first()).locator('mark')).toHaveText(wallet.slice(16, 24));
  await stakers.getByRole('searchbox').fill(wallet.toLowerCase());
  await expect(walletIn(rows.first())).toContainText(wallet);
  await expect(rows).toHaveCount(1);
  const { name, text } = await downloadBy(page, 'CSV of Active stakers');
  expect(name).toBe('bd-stakers.csv');
  expect(text.split('\r\n').slice(1, -1)).toEqual([
    expect.stringMatching(new RegExp(`^${wallet},Diamond,30000000\\.25,`)),
  ]);

  // The URL can be shared, and the back button restores the previous view.
  const shared = await page.context().newPage();
  await shared.goto(page.url());
  const sharedStakers = shared.getByRole('region', { name: 'Active stakers', exact: true });
  await sharedStakers.scrollIntoViewIfNeeded();
  await expect(sharedStakers.locator('tbody tr').filter({ hasText: '30,000,000.25' })).toHaveCount(1);
  await expect(sharedStakers.getByText('1–1 of 1')).toBeVisible();
  await shared.close();
  await page.goBack();
  await expect(heading).toHaveAttribute('aria-sort', 'descending');
  await expect(stakers.getByRole('searchbox')).toHaveValue('');

  await page.setViewportSize({ width: 375, height: 800 });
  await expect(stakers.getByRole('combobox', { name: 'Order' })).toBeVisible();
  await stakers.getByRole('combobox', { name: 'Order' }).selectOption('left false');
  await expect(page).toHaveURL(/stakers-sort=left/);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(375);
  await examine(page, 'stakers', { part: 'main' });
  errors.expectNone();
});

test('the list of authenticated stakers loads before it scrolls into view, so that a list of any length shifts nothing', async ({
  page,
}) => {
  // Blocks the stream, which would deliver the unmodified list.
  await page.route('**/api/live', (route) => route.abort());
  await page.route('**/api/stakers/enhanced', async (route) => {
    const response = await route.fetch();
    const stakers: readonly object[] = await response.json();
    await route.fulfill({ response, json: stakers.map((staker) => ({ ...staker, isAuthenticated: true })) });
  });
  const totalShift = await measureShifts(page);
  await page.setViewportSize({ width: 640, height: 360 });
  await page.goto('/enhanced-analytics');
  await expect(dashboardPage(page).tile('Authenticated Stakers')).toHaveAttribute('data-state', 'live');
  const premium = page.getByRole('region', { name: 'Premium authenticated stakers' });
  await expect(premium.locator('tbody th').first()).toBeAttached();
  for (const list of [page.getByRole('region', { name: 'Active stakers', exact: true }), premium]) {
    await list.evaluate((section) => section.scrollIntoView());
    await expect(list.locator('tbody th').first()).toBeVisible();
  }
  expect(await totalShift()).toBeLessThanOrEqual(0.05);
});

test('the position page shows a wallet’s position, and announces a higher tier while it is open', async ({
  page,
}) => {
  const errors = watchForErrors(page);
  const wallet = await stake('grace', '1500000.000001');
  const documents: string[] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'document') documents.push(request.url());
  });
  await page.route('**/api/wallet/name?*', (route) =>
    route.fulfill({ json: { walletAddress: wallet, name: 'ada.sol' } }),
  );
  await page.goto('/my-position');
  const field = page.getByRole('textbox', { name: 'Wallet address' });
  await field.fill('nonsense');
  await page.getByRole('button', { name: 'Show Position' }).click();
  await expect(page.locator('#position-wallet-error')).toHaveText(/./);
  await expect(field).toBeFocused();

  await field.fill(wallet);
  await field.press('Enter');
  await expect(page).toHaveURL(`/my-position#wallet=${wallet}`);
  const view = page.locator('[data-position=staking]');
  await expect(view.locator('[data-tier=Duckling]')).toBeVisible();
  await expect(view).toContainText('÷ 365');

  // A short name is on the same line as the address, so that this figure has the same height as the others.
  const id = view.locator(`[title="${wallet}"]`, { hasText: '…' }).first();
  const [idBox, nameBox] = [await id.boundingBox(), await view.locator('[data-sol-name]').boundingBox()];
  expect(nameBox?.x).toBeGreaterThan((idBox?.x ?? Number.NaN) + (idBox?.width ?? 0));
  expect(nameBox?.y).toBeLessThan((idBox?.y ?? Number.NaN) + (idBox?.height ?? 0) / 2);

  const calendar = await downloadBy(page, 'Add to calendar (.ics)');
  expect(calendar.name).toMatch(/^bd-unlock-\d{4}-\d\d-\d\d\.ics$/);
  expect(calendar.text).toContain('BEGIN:VEVENT\r\n');
  const history = view.getByRole('region', { name: 'History' });
  await expect(history.locator('tbody tr')).toHaveCount(1);
  await expect(history.locator('[data-stake-chart=known]')).toContainText('1,500,000.00');
  const csv = await downloadBy(page, 'CSV of the whole range');
  expect(csv.text).toMatch(/Z,stake,\w+,stake-pool,\w+,1500000\.000001,20\S+Z,/);
  await examine(page, 'position');
  await history.getByRole('combobox', { name: 'Type' }).selectOption('unstake');
  await expect(page).toHaveURL(`/my-position?history-type=unstake#wallet=${wallet}`);
  await expect(history.locator('tbody tr')).toHaveCount(0);
  const json = await downloadBy(page, 'JSON of the whole range');
  expect(JSON.parse(json.text)).toEqual([]);
  await history.getByRole('combobox', { name: 'Type' }).selectOption('');

  await stake('grace', '3500000');
  const dialog = page.getByRole('dialog', { name: 'Banker Tier Activated' });
  await expect(dialog).toBeVisible();
  await expect(dialog).toContainText('5,000,000.00 BD');
  await expect(dialog.getByRole('link')).toHaveAttribute('href', '/card-registration');
  await examine(page, 'tier-activated');
  await dialog.getByRole('button', { name: 'Continue Exploring Platform' }).click();
  await expect(dialog).toBeHidden();

  // The wallet is still shown after a reload, although no request for a page contains its address.
  await page.reload();
  await expect(view.locator('[data-tier=Banker]')).toBeVisible();
  expect(documents.every((url) => !url.split('#')[0]?.includes(wallet))).toBe(true);
  await page.getByRole('button', { name: 'Clear' }).click();
  await expect(view).toBeHidden();
  await expect(page).toHaveURL('/my-position');
  await expect(field).toBeFocused();
  errors.expectNone();
});

test('the picture of a position has no amount and no address unless the visitor adds them', async ({
  page,
}) => {
  const errors = watchForErrors(page);
  await page.goto(`/my-position#wallet=${ledgerKeypair('demo-banker').publicKey.toBase58()}`);
  const opener = page.getByRole('button', { name: 'Share as a picture' });
  await opener.click();
  const dialog = page.getByRole('dialog', { name: 'Share as a picture' });
  const picture = dialog.getByRole('img');
  await expect(picture).toHaveAttribute('aria-label', /^Banker tier/);
  const pictureData = (isBlank = false) =>
    picture.evaluate<string, boolean, HTMLCanvasElement>(
      (canvas, blank) => (blank ? (canvas.cloneNode() as HTMLCanvasElement) : canvas).toDataURL(),
      isBlank,
    );
  const blank = await pictureData(true);
  await expect.poll(async () => (await pictureData()) === blank).toBe(false);
  await examine(page, 'share-position');
  const secondPicture = await pictureData();
  await dialog.getByLabel('Add the staked amount').check();
  await expect(picture).toHaveAttribute('aria-label', /6,200,000\.00 BD/);
  await expect.poll(async () => (await pictureData()) === secondPicture).toBe(false);
  const download = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Download PNG' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^blackduck-position-\d{4}-\d\d-\d\d\.png$/);
  const bytes = await readFile(await file.path());
  const size = { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  expect([bytes.toString('latin1', 1, 4), size]).toEqual(['PNG', PICTURE_SIZE]);
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(opener).toBeFocused();
  errors.expectNone();
});

/** Holds back the page's scripts. @returns a function that lets them load */
async function holdScripts(page: Page): Promise<() => void> {
  const gate = Promise.withResolvers<void>();
  await page.route(/\/_astro\/.*\.js$/, async (route) => {
    await gate.promise;
    await route.continue();
  });
  return gate.resolve;
}

test('an address typed before the script runs is kept, and can be submitted only afterwards, with a notice for a wallet without history and for a lost connection', async ({
  page,
  context,
}) => {
  const release = await holdScripts(page);
  await page.goto('/my-position', { waitUntil: 'commit' });
  const field = page.getByRole('textbox', { name: 'Wallet address' });
  await field.fill('nonsense');
  await field.press('Enter');
  await expect(page.getByRole('button', { name: 'Show Position' })).toBeDisabled();
  release();
  await expect(page.getByRole('button', { name: 'Show Position' })).toBeEnabled();
  await expect(field).toHaveValue('nonsense');
  await field.press('Enter');
  await expect(page.locator('#position-wallet-error')).toHaveText(/./);

  await field.fill('11111111111111111111111111111112');
  await field.press('Enter');
  await expect(page.locator('[data-notice=no-history]')).toBeVisible();
  await context.setOffline(true);
  await field.fill('11111111111111111111111111111113');
  await field.press('Enter');
  await expect(page.locator('[data-notice=no-network]')).toBeVisible();
  await context.setOffline(false);
  await expect(page.locator('[data-notice=no-history]')).toBeVisible();
});

test('the calculator shows the result for any amount and day, and a link fills in the amount', async ({
  page,
}) => {
  const errors = watchForErrors(page);
  await page.goto('/staking?amount=1500000#calculator');
  const calculator = page.locator('[data-calculator]');
  await expect(calculator.getByLabel('Amount')).toHaveValue('1500000');
  await expect(calculator).toContainText('Duckling · Banker needs 3,500,000 BD more');
  await expect(calculator).toContainText('656,136.99 BD');
  await expect(calculator.getByText(/^\$[\d,]+\.\d\d/)).toBeVisible();
  await calculator.getByLabel('Staked on').fill('2027-01-01');
  await expect(calculator).toContainText('30 Jun 2027');
  await examine(page, 'calculator');
  await calculator.getByLabel('Amount').fill('7500000');
  await expect(calculator).toContainText('Raven');
  await expect(calculator).not.toContainText('more');
  await calculator.getByLabel('Amount').fill('1e9');
  await expect(calculator).toHaveAttribute('data-calculator', 'empty');

  const stakeRegion = page.getByRole('region', { name: 'Stake BD' });
  await stakeRegion.getByRole('button', { name: 'Connect Wallet' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Held, not staked' }).click();
  await expect(stakeRegion.getByLabel('Amount to stake')).toHaveValue('1500000');
  await stakeRegion.getByRole('button', { name: 'Half' }).click();
  await expect(stakeRegion.getByLabel('Amount to stake')).toHaveValue('1000000');
  errors.expectNone();
});

test('names from a file are compared with the visitor’s own before they are imported', async ({ page }) => {
  const [ownAddress, newAddress] = [
    'So11111111111111111111111111111111111111112',
    '4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi',
  ];
  const file = (...names: readonly { readonly address: string; readonly name: string }[]) => ({
    name: 'names.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify({ format: 'blackduck-address-book', version: 1, names })),
  });
  await page.goto('/my-position#address-book');
  const book = page.locator('#address-book');
  const input = book.locator('input[type=file]');
  const confirm = book.getByRole('button', { name: 'Import Names' });
  // Waits for hydration: before that, nothing handles the chosen file.
  await expect(page.locator('astro-island[ssr]', { has: book })).toHaveCount(0);
  await input.setInputFiles(file({ address: ownAddress, name: 'Mine' }));
  await confirm.click();
  await input.setInputFiles(
    file({ address: ownAddress, name: 'Theirs' }, { address: newAddress, name: 'Ada' }),
  );
  await expect(book.locator('[data-preview="1 0 1"]')).toBeVisible();
  await examine(page, 'import-names', { part: '#address-book' });
  await confirm.click();
  await page.reload();
  await expect(book.locator(`[data-named-address="${ownAddress}"]`)).toContainText('Mine');
  await expect(book.locator(`[data-named-address="${newAddress}"]`)).toContainText('Ada');
});
