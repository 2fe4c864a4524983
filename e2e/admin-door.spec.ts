import AxeBuilder from '@axe-core/playwright';
import { TOTP, URI } from 'otpauth';
import { expect, type Page, type TestInfo, test } from 'playwright/test';
import { watchForFaults } from './dashboard-page.ts';
import { type Portal, startPortal } from './portal.ts';

const PASSWORD = 'seven quiet ducks';

let portal: Portal;
test.beforeAll(async () => {
  portal = await startPortal();
});
test.afterAll(async () => {
  await portal.stop();
});

/** Examines the page in the dark and in the light, and on a phone, and keeps a picture of both. */
async function examine(page: Page, info: TestInfo, name: string): Promise<void> {
  await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: 'dark' });
  await page.screenshot({ path: info.outputPath(`${name}-dark.png`), fullPage: true });
  const dark = await new AxeBuilder({ page }).include('main').analyze();
  await page.emulateMedia({ colorScheme: 'light' });
  // Only contrast depends on the theme.
  const light = await new AxeBuilder({ page }).include('main').withRules(['color-contrast']).analyze();
  const violations = [...dark.violations, ...light.violations];
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`)).toEqual([]);
  await page.setViewportSize({ width: 375, height: 800 });
  await page.screenshot({ path: info.outputPath(`${name}-375.png`), fullPage: true });
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow, name).toBeLessThanOrEqual(0);
  await page.setViewportSize({ width: 1_280, height: 800 });
}

const press = (page: Page, name: string) =>
  page.locator('main').getByRole('button', { name, exact: true }).click();

async function signIn(page: Page, password: string): Promise<void> {
  await page.getByLabel('Username').fill('ada');
  await page.getByLabel('Password').fill(password);
  await press(page, 'Sign in');
}

test('the first admin sets the portal up, signs in, and minds the second factor and the sessions', async ({
  page,
  browser,
}, info) => {
  const faults = watchForFaults(page);
  const main = page.locator('main');
  await page.goto(`${portal.url}/admin/setup`);
  await page.getByLabel('Username').fill('ada');
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('Confirm Password').fill('seven loud ducks');
  await press(page, 'Create Admin Account');
  await expect(main.getByRole('alert')).toContainText('Passwords do not match');
  await examine(page, info, 'setup');
  await page.getByLabel('Confirm Password').fill(PASSWORD);
  await press(page, 'Create Admin Account');
  await expect(main.getByRole('status')).toHaveText(
    'Setup Complete! Admin user created successfully. Redirecting to login...',
  );
  await page.waitForURL('**/admin/login');

  // A refusal is a failed request, which the browser logs.
  await signIn(page, 'seven loud ducks');
  await expect(main.getByRole('alert')).toHaveText(/is wrong/);
  await page.goto(`${portal.url}/admin/account`);
  await main.getByRole('link', { name: 'Admin login' }).click();
  await signIn(page, PASSWORD);
  await page.waitForURL('**/admin/account');
  await expect(main).toContainText('Signed in as ada owner');
  await expect(main.getByRole('button', { name: 'Add Admin' })).toBeVisible();

  await main.locator('#totp-password').fill(PASSWORD);
  await press(page, 'Set Up Two-Factor');
  const link = main.getByRole('link', { name: 'Open the App' });
  const app = URI.parse((await link.getAttribute('href')) ?? '');
  if (!(app instanceof TOTP)) throw new Error('The address is not one of TOTP.');
  await expect(main.getByRole('img', { name: /QR code/ })).toBeVisible();
  await examine(page, info, 'offered');
  // A code counts once: the next sign-in takes that of the next step, which the server takes early.
  const at = Date.now();
  await main.locator('#totp-first-code').fill(app.generate({ timestamp: at }));
  await press(page, 'Confirm');
  const shown = main.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
  await expect(shown).toHaveCount(10);
  const codes = await shown.allTextContents();
  await press(page, 'I Have Kept Them');
  await expect(main).toContainText('10 recovery codes are left');
  await press(page, 'Logout');
  await expect(main.getByRole('link', { name: 'Admin login' })).toBeVisible();

  await main.getByRole('link', { name: 'Admin login' }).click();
  await signIn(page, PASSWORD);
  await page.getByLabel('Code').fill(app.generate({ timestamp: at + 30_000 }));
  await examine(page, info, 'code');
  await press(page, 'Sign in');
  await expect(main).toContainText('It is on.');

  const elsewhere = await browser.newContext({ userAgent: 'Mozilla/5.0 (Windows NT 10.0) Firefox/143.0' });
  const other = await elsewhere.newPage();
  await other.goto(`${portal.url}/admin/login#from=/admin/account`);
  await signIn(other, PASSWORD);
  await other.getByLabel('Code').fill(codes[0] ?? '');
  await press(other, 'Sign in');
  await expect(other.locator('main')).toContainText('9 recovery codes are left');
  await page.reload();
  await press(page, 'End the session of ada, Firefox on Windows');
  await expect(main.getByRole('status')).toHaveText('One session has ended.');
  await other.reload();
  await expect(other.locator('main').getByRole('link', { name: 'Admin login' })).toBeVisible();
  await elsewhere.close();

  await press(page, 'Add Admin');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Username').fill('bob');
  await dialog.getByLabel('Role').selectOption('reviewer');
  await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await dialog.getByLabel('Confirm Password').fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(dialog.getByRole('status')).toContainText('bob can sign in now.');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await press(page, 'Manage bob');
  await examine(page, info, 'manage');
  await dialog.getByRole('button', { name: 'Shut Out' }).click();
  await expect(dialog.getByRole('status')).toHaveText('bob is shut out, and signed out.');
  await dialog.getByRole('button', { name: 'Close' }).click();

  await page.goto(`${portal.url}/admin/setup`);
  await expect(main).toContainText('set-up is closed');
  await page.goto(`${portal.url}/admin/login`);
  await page.waitForURL('**/admin/dashboard');
  // Pages are left by script here, whatever they are reading then.
  faults.expectNone(/status of 401|ERR_ABORTED/);
});
