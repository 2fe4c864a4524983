import { readFile } from 'node:fs/promises';
import AxeBuilder from '@axe-core/playwright';
import { expect, type Page, test } from 'playwright/test';
import { watchForFaults } from './dashboard-page.ts';
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

/** Of the page, or of the part of it that is named. */
async function expectNoViolation(page: Page, part = 'html'): Promise<void> {
  await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: 'dark' });
  const dark = await new AxeBuilder({ page }).include(part).analyze();
  // Only contrast depends on the theme.
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await new AxeBuilder({ page }).include(part).withRules(['color-contrast']).analyze();
  const violations = [...dark.violations, ...light.violations];
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`)).toEqual([]);
}

/** What a press of a button saves. */
async function saved(page: Page, button: string): Promise<{ readonly name: string; readonly text: string }> {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: button }).first().click();
  const file = await download;
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
}

/** Stakes for one of the ledger's wallets, and answers its address. */
async function stake(wallet: string, amount: string): Promise<string> {
  const printed = await portal.ledger('stake', '--wallet', wallet, '--amount', amount);
  return /Gave (\S+)/.exec(printed)?.[1] ?? '';
}

test('the staking portal names the addresses that the API reads, and copies them', async ({
  page,
  context,
}) => {
  const faults = watchForFaults(page);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`${portal.url}/staking`);
  const summary = await (await fetch(`${portal.url}/api/staking/program-summary`)).json();
  const panel = page.getByRole('region', { name: 'Staking information' });
  await expect(panel).toContainText(summary.programAddress);
  await expect(panel).toContainText(summary.tokenAddress);
  await page.getByRole('button', { name: 'Copy token contract address' }).click();
  await expect(page.getByText('Copied', { exact: true })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(summary.tokenAddress);
  await expectNoViolation(page);
  faults.expectNone();
});

test('stakers are sorted, searched and saved, and the address of the page remembers it', async ({ page }) => {
  const faults = watchForFaults(page);
  await page.goto(`${portal.url}/enhanced-analytics`);
  const stakers = page.getByRole('region', { name: 'Active stakers', exact: true });
  await stakers.scrollIntoViewIfNeeded();
  const rows = stakers.locator('tbody tr');
  await expect(stakers.getByText(/^1–\d+ of \d+$/)).toBeVisible();
  const largest = await rows.first().textContent();

  const wallet = await stake('ada', '30000000.25');
  await expect(rows.first()).toContainText('30,000,000.25');
  await expect(rows.first()).toContainText('Diamond');
  await expect(rows.nth(1)).toHaveText(largest ?? '');

  const heading = stakers.getByRole('columnheader', { name: 'Staked (BD)' });
  await heading.getByRole('button').focus();
  await page.keyboard.press('Enter');
  await expect(heading).toHaveAttribute('aria-sort', 'ascending');
  await expect(page).toHaveURL(/\?stakers-sort=staked$/);
  await expect(rows.first()).not.toContainText('30,000,000.25');

  await stakers.getByRole('searchbox').fill(wallet.toLowerCase());
  await expect(rows).toHaveCount(1);
  const { name, text } = await saved(page, 'CSV of Active stakers');
  expect(name).toBe('bd-stakers.csv');
  expect(text.split('\r\n').slice(1, -1)).toEqual([
    expect.stringMatching(new RegExp(`^${wallet},Diamond,30000000\\.25,`)),
  ]);

  // Whoever gets the address sees the same; the way back leads to what was there before.
  const shared = await page.context().newPage();
  await shared.goto(page.url());
  await shared.getByRole('region', { name: 'Active stakers', exact: true }).scrollIntoViewIfNeeded();
  await expect(shared.locator('tbody tr').filter({ hasText: '30,000,000.25' })).toHaveCount(1);
  await expect(shared.getByText('1–1 of 1')).toBeVisible();
  await shared.close();
  await page.goBack();
  await expect(heading).toHaveAttribute('aria-sort', 'descending');
  await expect(stakers.getByRole('searchbox')).toHaveValue('');
  await expectNoViolation(page);

  await page.setViewportSize({ width: 375, height: 800 });
  await expect(stakers.getByRole('combobox', { name: 'Order' })).toBeVisible();
  await stakers.getByRole('combobox', { name: 'Order' }).selectOption('Time left, rising');
  await expect(page).toHaveURL(/stakers-sort=left/);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(375);
  await expectNoViolation(page, 'main');
  faults.expectNone();
});

test('a typed wallet is shown its position, and its tier rises while it looks', async ({ page }) => {
  const faults = watchForFaults(page);
  const wallet = await stake('grace', '1500000.000001');
  const documents: string[] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'document') documents.push(request.url());
  });
  await page.goto(`${portal.url}/my-position`);
  const field = page.getByRole('textbox', { name: 'Wallet address' });
  await field.fill('nonsense');
  await page.getByRole('button', { name: 'Show Position' }).click();
  await expect(page.getByRole('alert')).toHaveText(
    'That is not a Solana address. Copy it from the wallet, whole.',
  );
  await expect(field).toBeFocused();

  await field.fill(wallet);
  await field.press('Enter');
  await expect(page).toHaveURL(`${portal.url}/my-position#wallet=${wallet}`);
  const view = page.locator('[data-position=staking]');
  await expect(view).toContainText('Duckling tier activated.');
  await expect(view).toContainText('÷ 365');

  const calendar = await saved(page, 'Add to calendar (.ics)');
  expect(calendar.name).toMatch(/^bd-unlock-\d{4}-\d\d-\d\d\.ics$/);
  expect(calendar.text).toContain('BEGIN:VEVENT\r\n');
  const csv = await saved(page, 'CSV of Transactions of the wallet');
  expect(csv.text).toContain('stake,stake-pool,1500000.000001,');
  await expectNoViolation(page);

  await stake('grace', '3500000');
  const dialog = page.getByRole('dialog', { name: 'Banker Tier Activated' });
  await expect(dialog).toBeVisible({ timeout: 30_000 });
  await expect(dialog).toContainText('5,000,000.00 BD');
  await expect(dialog.getByRole('link')).toHaveAttribute('href', '/card-registration');
  await expectNoViolation(page);
  await dialog.getByRole('button', { name: 'Continue Exploring Platform' }).click();
  await expect(dialog).toBeHidden();

  // A reload finds the wallet again, and asks no server for a page by it.
  await page.reload();
  await expect(view).toContainText('Banker tier activated.');
  expect(documents.every((url) => !url.split('#')[0]?.includes(wallet))).toBe(true);
  await page.getByRole('button', { name: 'Forget' }).click();
  await expect(view).toBeHidden();
  await expect(page).toHaveURL(`${portal.url}/my-position`);
  await expect(field).toBeFocused();
  // A reload breaks off what is under way.
  faults.expectNone(/ERR_ABORTED/);
});

test('an address typed before the script runs is kept, and sends nothing until then', async ({ page }) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/_astro\/.*\.js$/, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${portal.url}/my-position`, { waitUntil: 'commit' });
  const field = page.getByRole('textbox', { name: 'Wallet address' });
  await field.fill('nonsense');
  await field.press('Enter');
  await expect(page.getByRole('button', { name: 'Show Position' })).toBeDisabled();
  release();
  await expect(page.getByRole('button', { name: 'Show Position' })).toBeEnabled();
  await expect(field).toHaveValue('nonsense');
  await field.press('Enter');
  await expect(page.getByRole('alert')).toContainText('That is not a Solana address.');
});

test('a wallet without history, and no network, each look like what they are', async ({ page, context }) => {
  await page.goto(`${portal.url}/my-position#wallet=11111111111111111111111111111112`);
  await expect(page.getByRole('heading', { name: 'This wallet has no history here' })).toBeVisible();
  await expectNoViolation(page);

  await context.setOffline(true);
  await page.getByRole('textbox', { name: 'Wallet address' }).fill('11111111111111111111111111111113');
  await page.getByRole('button', { name: 'Show Position' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'No connection' })).toBeVisible();
  await expectNoViolation(page);
  await context.setOffline(false);
  await expect(page.getByRole('heading', { name: 'This wallet has no history here' })).toBeVisible();
});
