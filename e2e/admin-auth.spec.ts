import { TOTP, URI } from 'otpauth';
import { expect, type Page, test } from 'playwright/test';
import { watchForErrors } from './dashboard-page.ts';
import { examine } from './examine.ts';
import { type Portal, startPortal } from './portal.ts';

const PASSWORD = 'seven quiet ducks';

// Uses Playwright's `test`: the portal's `test` adds a forwarded IP address to requests, and the setup would then require a
// one-time link.
let portal: Portal;
test.beforeAll(async () => {
  portal = await startPortal();
});
test.afterAll(async () => {
  await portal.stop();
});

const press = (page: Page, name: string) =>
  page.locator('main').getByRole('button', { name, exact: true }).click();

async function signIn(page: Page, password: string): Promise<void> {
  await page.getByLabel('Username').fill('ada');
  await page.getByLabel('Password').fill(password);
  await press(page, 'Sign in');
}

test('the first admin sets up the portal, signs in, and manages the second factor and sessions', async ({
  page,
  browser,
}) => {
  const errors = watchForErrors(page);
  const main = page.locator('main');
  await page.goto(`${portal.url}/admin/setup`);
  await page.getByLabel('Username').fill('ada');
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('Confirm Password').fill('seven loud ducks');
  await press(page, 'Create Admin Account');
  await expect(main.getByRole('alert')).toContainText('Passwords do not match');
  await examine(page, 'setup');
  await page.getByLabel('Confirm Password').fill(PASSWORD);
  await press(page, 'Create Admin Account');
  await expect(main.getByRole('status')).toHaveText(
    'Setup Complete! Admin user created successfully. Redirecting to login...',
  );
  await page.waitForURL('**/admin/login');

  await signIn(page, 'seven loud ducks');
  await expect(main.getByRole('alert')).toBeVisible();
  await page.goto(`${portal.url}/admin/account`);
  await main.getByRole('link', { name: 'Admin login' }).click();
  await signIn(page, PASSWORD);
  await page.waitForURL('**/admin/account');
  const menu = page.getByRole('complementary', { name: 'Menu' });
  await expect(menu).toContainText('adaowner');
  await expect(main.getByRole('button', { name: 'Invite admin' })).toBeVisible();

  await main.locator('#totp-password').fill(PASSWORD);
  await press(page, 'Set up two-factor');
  const link = main.getByRole('link', { name: 'Open the app' });
  const authenticatorUri = URI.parse((await link.getAttribute('href')) ?? '');
  if (!(authenticatorUri instanceof TOTP)) throw new Error('Not a TOTP address.');
  await expect(main.getByRole('img', { name: /QR code/ })).toBeVisible();
  // A code works only once, so the next sign-in uses the code of the next 30 seconds, which the server already accepts.
  const at = Date.now();
  await main.locator('#totp-first-code').fill(authenticatorUri.generate({ timestamp: at }));
  await press(page, 'Confirm');
  const recoveryCodeItems = main.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
  await expect(recoveryCodeItems).toHaveCount(10);
  const codes = await recoveryCodeItems.allTextContents();
  await press(page, "I've saved my codes");
  await expect(main).toContainText('10 recovery codes');
  await menu.getByRole('button', { name: 'Logout' }).click();
  await expect(main.getByRole('link', { name: 'Admin login' })).toBeVisible();

  await main.getByRole('link', { name: 'Admin login' }).click();
  await signIn(page, PASSWORD);
  await page.getByLabel('Code').waitFor();
  await examine(page, 'code');
  const timestamp = Math.max(at + 30_000, Date.now());
  await page.getByLabel('Code').fill(authenticatorUri.generate({ timestamp }));
  await press(page, 'Sign in');
  await expect(main.getByRole('button', { name: 'Turn off' })).toBeVisible();

  const otherContext = await browser.newContext({ userAgent: 'Mozilla/5.0 (Windows NT 10.0) Firefox/143.0' });
  const otherPage = await otherContext.newPage();
  await otherPage.goto(`${portal.url}/admin/login#from=/admin/account`);
  await signIn(otherPage, PASSWORD);
  await otherPage.getByLabel('Code').fill(codes[0] ?? '');
  await press(otherPage, 'Sign in');
  await expect(otherPage.locator('main')).toContainText('9 recovery codes');
  await page.reload();
  await press(page, 'End the session of ada, Firefox on Windows');
  await expect(main.getByRole('status')).toBeVisible();
  await otherPage.reload();
  await expect(otherPage.locator('main').getByRole('link', { name: 'Admin login' })).toBeVisible();
  await otherContext.close();

  await press(page, 'Invite admin');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Email').fill('bob@example.com');
  await dialog.getByLabel('Role').selectOption('reviewer');
  await dialog.getByLabel('Your password').fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
  const invitation = (await dialog.getByText('#token=').textContent()) ?? '';
  await examine(page, 'invitation');
  await dialog.getByRole('button', { name: 'Close' }).click();

  const invitedContext = await browser.newContext();
  const invitedPage = await invitedContext.newPage();
  await invitedPage.goto(invitation);
  await invitedPage.getByLabel('Username').fill('bob');
  await invitedPage.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await invitedPage.getByLabel('Confirm Password').fill(PASSWORD);
  await press(invitedPage, 'Join the team');
  await invitedPage.waitForURL('**/admin/account#two-factor');
  await expect(invitedPage.getByRole('complementary', { name: 'Menu' })).toContainText('bobreviewer');

  const devtools = await invitedContext.newCDPSession(invitedPage);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal' },
      ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
      automaticPresenceSimulation: true,
    },
  });
  await press(invitedPage, 'Add passkey');
  await invitedPage.getByLabel('Name', { exact: true }).fill('Laptop');
  await invitedPage.locator('#passkey-password').fill(PASSWORD);
  await press(invitedPage, 'Create passkey');
  await expect(invitedPage.getByRole('row', { name: /Laptop/ })).toBeVisible();
  await examine(invitedPage, 'passkeys');
  // Without this, the virtual authenticator would immediately accept the passkey that autofill offers.
  await invitedPage.addInitScript(() => {
    PublicKeyCredential.isConditionalMediationAvailable = async () => false;
  });
  await invitedPage.evaluate(() => localStorage.clear());
  await invitedPage.goto(`${portal.url}/admin/login`);
  await press(invitedPage, 'Sign in with a passkey');
  await invitedPage.waitForURL('**/admin/dashboard');
  await invitedContext.close();
  await page.reload();
  await press(page, 'Manage bob');
  await examine(page, 'manage');
  await dialog.getByRole('button', { name: 'Deactivate' }).click();
  await expect(dialog.getByRole('button', { name: 'Reactivate' })).toBeVisible();
  await dialog.getByRole('button', { name: 'Close' }).click();

  await page.goto(`${portal.url}/admin/setup`);
  await expect(main.locator('[data-stage=closed]')).toBeVisible();
  await page.goto(`${portal.url}/admin/login`);
  await page.waitForURL('**/admin/dashboard');
  errors.expectNone(/status of 401/);
});
