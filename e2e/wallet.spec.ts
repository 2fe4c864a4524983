import { expect, type Locator, type Page } from 'playwright/test';
import { STATUS_LABELS } from '../site/shell/health/status-labels.ts';
import { watchForErrors } from './dashboard-page.ts';
import { DESKTOP, examine, PHONE } from './examine.ts';
import { installHardwareWallet, pretendSolana } from './standard-wallet.ts';
import { test } from './test.ts';

const header = (page: Page): Locator => page.getByRole('banner');
const walletButton = (page: Page) => header(page).getByRole('button', { name: /^Wallet Demo / });
const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name });
const toast = (page: Page) => page.locator('.toast');

async function connect(page: Page, persona: string): Promise<void> {
  await header(page).getByRole('button', { name: 'Connect Wallet' }).click();
  await dialog(page, /^BlackDuck Demo Wallet/)
    .getByRole('button', { name: persona })
    .click();
  await expect(walletButton(page)).toBeVisible();
}

async function disconnect(page: Page): Promise<void> {
  await walletButton(page).click();
  await dialog(page, /^BlackDuck Demo Wallet/)
    .getByRole('button', { name: 'Disconnect' })
    .click();
  await expect(header(page).getByRole('button', { name: 'Connect Wallet' })).toBeVisible();
}

function scriptsOf(page: Page): string[] {
  const names: string[] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'script') names.push(new URL(request.url()).pathname);
  });
  return names;
}

test('a connected wallet reconnects after a reload, but a disconnected one does not', async ({ page }) => {
  const errors = watchForErrors(page);
  const scripts = scriptsOf(page);
  await page.goto('/faq');
  await expect(page.getByRole('button', { name: STATUS_LABELS.healthy })).toBeVisible();
  expect(scripts.filter((name) => /wallet/.test(name))).toEqual([]);

  await header(page).getByRole('button', { name: 'Connect Wallet' }).click();
  const personas = dialog(page, /^BlackDuck Demo Wallet/);
  await expect(personas.locator('.badge')).toHaveText('Demo');
  await expect(header(page).getByText('Connecting…').first()).toBeVisible();
  await examine(page, 'personas', { part: 'dialog[open]' });
  await personas.getByRole('button', { name: 'Cancel' }).click();
  // A canceled connection is not shown as an error.
  await expect(header(page).getByRole('button', { name: 'Connect Wallet' })).toBeFocused();
  await expect(header(page).getByRole('alert')).toBeEmpty();

  await connect(page, 'Banker stake');
  expect(scripts.filter((name) => /react/.test(name))).toEqual([]);
  await page.reload();
  await expect(walletButton(page)).toBeVisible();
  await walletButton(page).press(' ');
  await expect(dialog(page, /^BlackDuck Demo Wallet/)).toContainText(/[1-9A-HJ-NP-Za-km-z]{43,44}/);
  await examine(page, 'connected', { part: 'dialog[open]' });
  await page.keyboard.press('Escape');
  await expect(walletButton(page)).toBeFocused();

  await page.goto('/my-position');
  await expect(page.locator('[data-position=staking]')).toContainText('6,200,000.00');

  await page.setViewportSize({ width: 320, height: 640 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  await page.setViewportSize(PHONE);
  await page.getByRole('button', { name: 'Menu', exact: true }).click();
  await page
    .getByRole('dialog', { name: 'Menu' })
    .getByRole('button', { name: /^Wallet Demo/ })
    .click();
  const signedOut = page.waitForResponse('**/api/wallet/sign-out');
  await dialog(page, /^BlackDuck Demo Wallet/)
    .getByRole('button', { name: 'Disconnect' })
    .click();
  await signedOut;
  await expect(header(page).getByRole('button', { name: 'Connect Wallet' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('button', { name: STATUS_LABELS.healthy })).toBeVisible();
  await expect(walletButton(page)).toHaveCount(0);
  errors.expectNone();
});

test('a wallet disconnected in one tab is disconnected in the others', async ({ page, context }) => {
  await page.goto('/faq');
  await connect(page, 'Banker stake');
  const other = await context.newPage();
  // Keeps the demo wallet from disconnecting in the other tab by itself, because not every wallet does that.
  await other.addInitScript(() =>
    addEventListener('storage', (event) => {
      if (event.key === 'demoWalletTrusts') event.stopImmediatePropagation();
    }),
  );
  await other.goto('/links');
  await expect(walletButton(other)).toBeVisible();
  await disconnect(page);
  await expect(header(other).getByRole('button', { name: 'Connect Wallet' })).toBeVisible();
  await connect(page, 'Duckling stake, exactly');
  await expect(header(other).getByRole('button', { name: 'Connect Wallet' })).toBeVisible();
});

test('Connect Wallet says within three seconds that the portal cannot be reached, and offers a retry', async ({
  page,
}) => {
  await page.goto('/faq');
  const notice = header(page).getByRole('alert').filter({ hasText: /./ });
  /**
   * Presses the button. Measures the time in the page, because a busy test machine is slow.
   * @returns the milliseconds until the notice appears, counted from the press or from the end of the scripts' download,
   * whichever is later
   */
  const timeToNotice = () =>
    header(page)
      .getByRole('button', { name: 'Connect Wallet' })
      .evaluate(
        (button: HTMLElement) =>
          new Promise<number>((resolve) => {
            const pressedAt = performance.now();
            const scripts = /_astro\/wallet/;
            const observer = new MutationObserver(() => {
              if (!document.querySelector('.header [role=alert]:not(:empty)')) return;
              observer.disconnect();
              const loadedAt = performance
                .getEntriesByType('resource')
                .filter(({ name }) => scripts.test(name))
                .map(({ startTime, duration }) => startTime + duration);
              resolve(performance.now() - Math.max(pressedAt, ...loadedAt));
            });
            observer.observe(document.body, { subtree: true, childList: true });
            button.click();
          }),
      );

  // First the scripts never finish loading, then they fail to load, and finally the portal does not answer.
  await page.route(/_astro\/wallet/, () => {});
  expect(await timeToNotice()).toBeLessThanOrEqual(3_000);
  await page.unroute(/_astro\/wallet/);
  await page.route(/_astro\/wallet/, (route) => route.abort());
  await page.reload();
  expect(await timeToNotice()).toBeLessThanOrEqual(3_000);
  await page.unroute(/_astro\/wallet/);

  await page.route('**/api/network/health', () => {});
  await page.reload();
  expect(await timeToNotice()).toBeLessThanOrEqual(3_500);
  await expect(notice).toBeVisible();
  await page.unroute('**/api/network/health');
  await notice.getByRole('button', { name: 'Retry' }).click();
  await expect(dialog(page, /^BlackDuck Demo Wallet/)).toBeVisible();
  await expect(notice).toHaveCount(0);
});

test('the dashboard shows the stake of a connected wallet in place of the button, and the figures stay where they are', async ({
  page,
}) => {
  const errors = watchForErrors(page);
  const scripts = scriptsOf(page);
  const main = page.getByRole('main');
  const button = main.getByRole('button', { name: 'Connect Wallet' });
  const stake = main.getByRole('region', { name: 'Your stake' });
  const figures = page.getByRole('region', { name: 'Live figures' });
  await page.goto('/');
  await expect(page.locator('astro-island[ssr][client=idle]')).toHaveCount(0);
  for (const size of [DESKTOP, PHONE]) {
    await page.setViewportSize(size);
    const before = await figures.boundingBox();
    if (size === DESKTOP) expect(scripts.filter((name) => /HolderPosition/.test(name))).toEqual([]);
    await button.click();
    await dialog(page, /^BlackDuck Demo Wallet/)
      .getByRole('button', { name: 'Banker stake' })
      .click();
    await expect(stake).toContainText('6,200,000.00');
    await expect(stake).toBeFocused();
    await expect(button).toBeHidden();
    expect(await figures.boundingBox()).toEqual(before);
    if (size === DESKTOP) await examine(page, 'holder');
    await disconnect(page);
    await expect(stake).toHaveCount(0);
    await expect(button).toBeVisible();
  }
  errors.expectNone();
});

test('verifying a wallet shows its tier, or why it is denied', async ({ page }) => {
  const errors = watchForErrors(page);
  await page.goto('/virtual-card');
  const verifyButton = page.getByRole('button', { name: 'Verify Wallet' });
  const address = page.getByRole('textbox', { name: 'Wallet address' });
  await expect(verifyButton).toBeDisabled();
  await address.fill('nonsense');
  await verifyButton.click();
  await expect(address).toHaveAttribute('aria-invalid', 'true');

  await page.reload();
  await connect(page, 'Duckling stake, exactly');
  await verifyButton.click();
  const activatedDialog = dialog(page, 'Duckling Tier Activated');
  await expect(activatedDialog).toContainText('1,500,000.00 BD');
  await expect(toast(page)).toContainText(/Duckling.*1,500,000\.00 BD/);
  await activatedDialog.getByRole('button', { name: 'Continue Exploring Platform' }).click();
  await expect(verifyButton).toBeFocused();
  await disconnect(page);

  for (const [persona, detected, hint] of [
    ['One BD short', '1,499,999 BD staked (found on-chain)', 'Need 1 more BD staked'],
    ['Empty', 'No BD tokens found', 'Must stake 1,500,000 BD tokens for virtual card eligibility'],
  ] as const) {
    await page.getByRole('button', { name: 'Connect Wallet and Apply' }).click();
    await dialog(page, /^BlackDuck Demo Wallet/)
      .getByRole('button', { name: persona })
      .click();
    await expect(toast(page)).toContainText('ACCESS DENIED - INSUFFICIENT STAKING');
    await expect(toast(page)).toContainText(`MINIMUM 1,500,000 BD TOKENS REQUIRED FOR STAKING. ${hint}`);
    await expect(toast(page).getByRole('link', { name: 'Buy BD Tokens' })).toHaveAttribute(
      'target',
      '_blank',
    );
    // A toast stays while the pointer is over it.
    await toast(page).hover();
    if (persona === 'One BD short') await examine(page, 'denied', { part: 'body' });
    await toast(page).getByRole('button', { name: 'Dismiss' }).click();

    await verifyButton.click();
    const requiredDialog = dialog(page, 'Verification Required');
    await expect(requiredDialog).toContainText(detected);
    await expect(requiredDialog).toContainText(/Wallet \w{8}…\w{8}/);
    await expect(requiredDialog).toContainText('USDT');
    if (persona === 'Empty') {
      await requiredDialog.getByRole('button', { name: 'Request Manual Verification' }).click();
      await expect(requiredDialog.getByRole('textbox', { name: 'Email' })).toBeVisible();
      await page.setViewportSize(PHONE);
      await examine(page, 'required', { part: 'dialog[open]' });
      await page.setViewportSize({ width: 1280, height: 720 });
    }
    await requiredDialog.getByRole('button', { name: 'Close' }).click();
    await expect(verifyButton).toBeFocused();
    await disconnect(page);
  }
  errors.expectNone();
});

test('an owner signs a message once to prove the wallet, and sees a refusal', async ({ page }) => {
  const errors = watchForErrors(page);
  const proofs: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/api/wallet/proof')) proofs.push(request.url());
  });
  await page.goto('/virtual-card');
  await page.getByRole('button', { name: 'Connect Wallet and Apply' }).click();
  await dialog(page, /^BlackDuck Demo Wallet/)
    .getByRole('button', { name: 'Banker stake' })
    .click();
  const signInDialog = dialog(page, /^Sign in/);
  await expect(signInDialog).toContainText(`${new URL(page.url()).host} wants you to sign in`);
  await examine(page, 'signing', { part: 'dialog[open]' });
  await signInDialog.getByRole('button', { name: 'Decline' }).click();
  const notSignedDialog = dialog(page, 'The wallet did not sign');
  await notSignedDialog.getByRole('button', { name: 'Cancel' }).click();
  const main = page.getByRole('main');
  await expect(main.getByRole('alert').filter({ hasText: /./ }).first()).toBeVisible();
  expect(proofs).toEqual([]);

  const session = () => page.evaluate(async () => (await fetch('/api/wallet/session')).json());
  expect(await session()).toMatchObject({ walletAddress: null });
  const applyButton = page.getByRole('button', { name: 'Apply for a Card' });
  await applyButton.click();
  await signInDialog.getByRole('button', { name: 'Approve' }).click();
  await expect.poll(async () => (await session()).walletAddress).toMatch(/^\w{43,44}$/);
  const application = dialog(page, 'Virtual Mastercard Application');
  await expect(application).toContainText('6,200,000.00 BD');

  // The server keeps the session, so a reload needs no new signature.
  await page.reload();
  await expect(walletButton(page)).toBeVisible();
  await applyButton.click();
  await expect(application).toBeVisible();
  expect(proofs).toHaveLength(1);

  await page.goto('/faq');
  await disconnect(page);
  await expect.poll(async () => (await session()).walletAddress).toBeNull();
  errors.expectNone();
});

test('a Ledger proves its wallet with a transaction, and is asked for one from then on', async ({ page }) => {
  const errors = watchForErrors(page);
  await installHardwareWallet(page, 'Hardware', 'demo-banker');
  const proofs: (string | undefined)[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/api/wallet/proof')) proofs.push(request.postDataJSON().signedAs);
  });
  await page.goto('/virtual-card');
  await page.getByRole('button', { name: 'Connect Wallet and Apply' }).click();
  await dialog(page, 'Choose a wallet').getByRole('button', { name: 'Hardware' }).click();
  await dialog(page, 'The wallet did not sign').getByRole('button', { name: 'Sign with a Ledger' }).click();
  const application = dialog(page, 'Virtual Mastercard Application');
  await expect(application).toContainText('6,200,000.00 BD');
  await page.evaluate(() => fetch('/api/wallet/sign-out', { method: 'POST' }));
  await page.reload();
  await expect(header(page).getByRole('button', { name: /^Wallet / })).toBeVisible();
  await page.getByRole('button', { name: 'Apply for a Card' }).click();
  await expect(application).toBeVisible();
  expect(proofs).toEqual(['transaction', 'transaction']);
  errors.expectNone();
});

test('a slow verification can be stopped, and a failed one shows its error', async ({ page }) => {
  await page.clock.install();
  const answers: (() => void)[] = [];
  await page.route(/\/api\/verify-bd-tokens/, async (route) => {
    await new Promise<void>((resolve) => void answers.push(resolve));
    await route.fulfill({ status: 503, json: { success: false, error: 'no', code: 'no' } }).catch(() => {});
  });
  await page.goto('/staking');
  const address = page.getByRole('textbox', { name: 'Wallet address' });
  await address.scrollIntoViewIfNeeded();
  await address.fill('4MvNhuHvLF1j8hB5jsS6J2WW26K3JfHMNVKpkfBbsie4');
  await page.getByRole('button', { name: 'Verify Wallet' }).click();
  await expect(page.getByRole('button', { name: 'Verifying...' })).toBeDisabled();
  const waiting = page.locator('[data-waiting]');
  await expect(waiting).toHaveAttribute('data-waiting', 'usual');
  await expect.poll(() => answers).toHaveLength(1);
  // Messages from the portal reset the page's clock to the server's time, so advancing it once may not be enough.
  const waitUntil = (expected: string, ms: number) =>
    expect(async () => {
      await page.clock.fastForward(ms);
      await expect(waiting).toHaveAttribute('data-waiting', expected, { timeout: 10_000 });
    }).toPass();
  await waitUntil('slow', 22_000);
  await waitUntil('too-long', 61_000);
  await page.getByRole('button', { name: 'Stop Waiting' }).click();
  await expect(page.getByRole('button', { name: 'Verify Wallet' })).toBeEnabled();
  await expect(address).toBeFocused();
  answers[0]?.();

  await page.getByRole('button', { name: 'Verify Wallet' }).click();
  await expect(page.getByRole('button', { name: 'Verifying...' })).toBeVisible();
  await expect.poll(() => answers).toHaveLength(2);
  answers[1]?.();
  await expect(toast(page)).toContainText('API request failed with status 503');
  await expect(page.locator('[data-check="failed"]')).toBeVisible();
});

test('on Solana there is no demo wallet, and a visitor without a wallet is asked to install one', async ({
  page,
}) => {
  const errors = watchForErrors(page);
  const scripts = scriptsOf(page);
  await pretendSolana(page);
  await page.goto('/');
  await header(page).getByRole('button', { name: 'Connect Wallet' }).click();
  const notice = header(page).getByRole('alert');
  await expect(notice).toContainText('Please install Phantom wallet to continue');
  await expect(header(page).getByRole('button', { name: 'Connect Wallet' })).toBeVisible();
  expect(scripts.filter((name) => /wallet-view/.test(name))).not.toEqual([]);
  expect(scripts.filter((name) => /demo/.test(name))).toEqual([]);
  await page.setViewportSize(PHONE);
  await notice.getByRole('button', { name: 'Dismiss' }).click();
  await expect(notice).toBeEmpty();
  errors.expectNone();
});

test.describe('on a phone', () => {
  test.use({
    userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)',
    viewport: PHONE,
    hasTouch: true,
  });

  test('a visitor without a wallet can open the page in a wallet’s app, and can connect again after 3 seconds', async ({
    page,
    context,
  }) => {
    await page.clock.install();
    await pretendSolana(page);
    await context.route('https://solflare.com/**', (route) => route.fulfill({ body: 'Solflare' }));
    await page.goto('/faq');
    const appPage = context.waitForEvent('page');
    await header(page).getByRole('button', { name: 'Connect Wallet' }).click();
    const apps = dialog(page, 'Choose a wallet');
    await expect(apps.getByRole('listitem')).toHaveCount(3);
    await examine(page, 'apps', { part: 'dialog[open]' });
    await apps.getByRole('button', { name: 'Solflare' }).tap();
    const app = await appPage;
    await app.waitForURL(/solflare/);
    const [encoded, origin] = [page.url(), new URL(page.url()).origin].map(encodeURIComponent);
    expect(app.url()).toBe(`https://solflare.com/ul/v1/browse/${encoded}?ref=${origin}`);
    await expect(header(page).getByRole('alert')).toContainText('Solflare');
    await expect(header(page).getByText('Connecting…').first()).toBeVisible();
    await page.clock.runFor(3_100);
    await expect(header(page).getByRole('button', { name: 'Connect Wallet' })).toBeVisible();
  });
});
