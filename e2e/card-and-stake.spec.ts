import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from 'playwright/test';
import { realStaking, walletSession } from '../data/contract/paths.ts';
import { LOCK_DAYS } from '../data/model/staking-terms.ts';
import { AppError } from '../site/islands/wallet/mobile/app-error.ts';
import { ProofError } from '../site/islands/wallet/proof-session.ts';
import { createWalletApp, ledgerKey } from '../site/islands/wallet/testing/mobile-wallet-app.ts';
import { createTeam } from './admin-team.ts';
import { watchForErrors } from './dashboard-page.ts';
import { examine, PHONE } from './examine.ts';
import { readMails, waitForMailLink } from './mails.ts';
import { type Portal, startPortal } from './portal.ts';
import { openLinksInApp, pretendSolana } from './standard-wallet.ts';
import { test } from './test.ts';
import { holdNext } from './visitor.ts';

const FUNDING_ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
const DEMO_WALLET = '4MvNhuHvLF1j8hB5jsS6J2WW26K3JfHMNVKpkfBbsie4';

let portal: Portal;
test.use({ baseURL: undefined });
test.beforeAll(async () => {
  portal = await startPortal({ CARD_FUNDING_ADDRESS: FUNDING_ADDRESS, SANDBOX_CARDHOLDER: 'full' });
});
test.afterAll(async () => {
  await portal.stop();
});
/** Stops the wallet app that a test started. Called after each test, even if it fails. */
let stopApp = () => {};
test.afterEach(() => stopApp());
test.beforeEach(async ({ context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
});

async function connect(page: Page, part: string, wallet: string): Promise<void> {
  await page.locator(part).getByRole('button', { name: 'Connect Wallet' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: wallet }).click();
}

const approve = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();

async function fillCardholder(page: Page): Promise<void> {
  const fields = page.locator('[data-cardholder]');
  await fields.getByLabel('First name').fill('Ada');
  await fields.getByLabel('Last name').fill('Lovelace');
  await fields.getByLabel('Date of birth').fill('1990-12-10');
  await fields.getByLabel('Email').fill('ada@example.com');
  await fields.getByLabel('Phone').fill('+442079460958');
  await fields.getByRole('checkbox').check();
}

/** What the browser stores for the page, and the page's URL, as JSON. */
function storedState(page: Page): Promise<string> {
  return page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href]));
}

function portalFiles(): string[] {
  return readdirSync(portal.dataFolder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

async function applyAndAwaitMail(page: Page): Promise<void> {
  const data = {
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    wallet: DEMO_WALLET,
    bd_amount: '6200000',
    tier: 'Banker',
    phone: '+44 20 7946 0958',
    alias: 'Everyday',
  };
  const response = await page.request.post(`${portal.url}/api/card/submit-application-v2`, { data });
  expect(response.status()).toBe(200);
  await expect.poll(async () => (await readMails(portal)).length).toBe(2);
}

test('an owner gets a card in four steps, then reveals, freezes and uses it', async ({ page }) => {
  const errors = watchForErrors(page);
  await page.goto(`${portal.url}/virtual-card`);
  const steps = page.locator('#get-card');
  const details = page.locator('#card-details');
  const panel = page.locator('[data-eligibility]');
  await expect(panel).toHaveAttribute('data-eligibility', 'unknown');
  await expect(page.locator('#usage-analytics')).toBeHidden();
  await details.getByRole('heading', { name: 'USDT funding address' }).scrollIntoViewIfNeeded();
  await expect(details.getByRole('img', { name: 'QR code of the USDT funding address' })).toBeVisible();
  await details.getByRole('button', { name: 'Copy the funding address' }).click();
  await expect(page.getByText('Copied to clipboard')).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(FUNDING_ADDRESS);

  await connect(page, '#get-card', 'Banker stake');
  await expect(panel).toHaveAttribute('data-eligibility', 'eligible');
  await expect(panel).toContainText('6,200,000.00 BD');
  await expect(panel).toContainText('Banker');
  await steps.getByRole('button', { name: 'Prove Ownership' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Decline' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await expect(
    steps.getByRole('alert').filter({ hasText: new ProofError('not-signed').message }),
  ).toBeVisible();
  await steps.getByRole('button', { name: 'Prove Ownership' }).click();
  await approve(page);
  await steps.getByLabel('Name on the card').fill('Ada Lovelace');
  await fillCardholder(page);
  await examine(page, 'card-eligible');
  // If creating the card fails, the name is still filled in, and a retry creates the card.
  const releaseFailure = await holdNext(page, '**/api/virtual-card/create', { status: 500, body: '' });
  await steps.getByRole('button', { name: 'Generate Virtual Mastercard' }).click();
  await expect(steps.getByRole('button', { name: 'Generating Card...' })).toBeDisabled();
  releaseFailure();
  await expect(steps.getByRole('alert').filter({ hasText: 'Generation Failed' })).toContainText(
    'Unable to create virtual card. Please try again.',
  );
  await expect(steps.getByLabel('Name on the card')).toHaveValue('Ada Lovelace');
  await steps.getByRole('button', { name: 'Generate Virtual Mastercard' }).click();
  await expect(page.getByText('Virtual Card Generated')).toBeVisible();
  await expect(details.locator('[data-top-ups]')).toHaveCount(1);
  const cardFace = page.locator('[data-shown]');
  await expect(cardFace).toHaveAttribute('data-shown', 'true');
  const number = (await cardFace.textContent())?.match(/\d{4} \d{4} \d{4} (\d{4})/);
  const [cardNumber = 'none', lastFour = 'none'] = number ?? [];
  await expect(cardFace).toContainText('Ada Lovelace');
  await expect(page.getByText('TEST CARD – not a payment instrument')).toBeVisible();
  expect(await storedState(page)).not.toContain(cardNumber.replaceAll(' ', ''));
  await examine(page, 'card-shown');

  await page.evaluate(() => window.dispatchEvent(new Event('blur')));
  await expect(cardFace).toHaveAttribute('data-shown', 'false');
  await expect(cardFace).not.toContainText(cardNumber);
  await page.reload();
  await expect(steps.locator('[data-step]')).toHaveCount(4);
  await expect(steps.locator('[aria-current=step]')).toContainText('Reveal');
  await expect(cardFace).toContainText(`ends in ${lastFour}`);
  await steps.getByRole('button', { name: 'Reveal' }).click();
  await approve(page);
  await expect(cardFace).toContainText(cardNumber);
  await steps.getByRole('button', { name: 'Hide Now' }).click();
  await expect(cardFace).not.toContainText(cardNumber);

  await steps.getByRole('button', { name: 'Freeze' }).click();
  await steps.getByRole('button', { name: 'Yes, Freeze' }).click();
  await expect(cardFace).toHaveAttribute('data-card', 'frozen');
  await steps.getByRole('button', { name: 'Unfreeze' }).click();
  await steps.getByRole('button', { name: 'Yes, Unfreeze' }).click();
  await expect(cardFace).toHaveAttribute('data-card', 'active');

  await page.getByRole('tab', { name: 'Spending Limits' }).click();
  await expect(page.getByRole('row', { name: /Banker/ })).toHaveAttribute('aria-current', 'true');
  await page.getByRole('tab', { name: 'Usage Analytics' }).click();
  await expect(page.locator('[data-usage=complete]')).toBeVisible();
  await examine(page, 'card-usage');
  await applyAndAwaitMail(page);
  const digits = cardNumber.replaceAll(' ', '');
  const encodings = [cardNumber, digits, Buffer.from(digits).toString('base64').replace(/=+$/, '')];
  expect(encodings.filter((form) => portal.output().includes(form))).toEqual([]);
  const filesWithNumber = portalFiles().filter((file) => {
    const content = readFileSync(file, 'latin1');
    return encodings.some((form) => content.includes(form));
  });
  expect(filesWithNumber).toEqual([]);

  await page.getByText('Limits: $').click();
  await page.getByLabel('Daily limit (USD)').fill('9000000');
  await steps.getByRole('button', { name: 'Save Limits' }).click();
  await expect(page.getByLabel('Daily limit (USD)')).toHaveAttribute('aria-invalid', 'true');
  await page.getByText('Close this card').click();
  await examine(page, 'card-settings');
  await page.getByLabel('Daily limit (USD)').fill('120');
  await page.getByLabel('Monthly limit (USD)').fill('800');
  await steps.getByRole('button', { name: 'Save Limits' }).click();
  await expect(page.getByText('Limits: $120 a day, $800 a month')).toBeVisible();
  await expect(page.locator('[data-limits=pending]')).toHaveCount(0);
  await steps.getByRole('button', { name: 'Close Card' }).click();
  await steps.getByRole('button', { name: 'Sign and Close' }).click();
  await approve(page);
  await expect(page.locator('[data-card]')).toHaveCount(0);
  await expect(steps.getByLabel('Name on the card')).toHaveCount(0);
  const { card, lastClosed } = await (await page.request.get(`${portal.url}/api/virtual-card/mine`)).json();
  expect([card, lastClosed.closedFor, lastClosed.lastFour]).toEqual([null, 'holder', lastFour]);
  // The first attempt to create the card failed on purpose.
  errors.expectNone(/status of 500/);
});

test('a holder without a stake is led to staking, stakes there, and reaches a tier', async ({ page }) => {
  const errors = watchForErrors(page);
  await page.goto(`${portal.url}/virtual-card`);
  await connect(page, '#get-card', 'Held, not staked');
  await expect(page.locator('[data-eligibility]')).toHaveAttribute('data-eligibility', 'not-eligible');
  await page.getByRole('tab', { name: 'Usage Analytics' }).click();
  await expect(page.locator('#usage-analytics [data-usage=none]')).toBeVisible();
  await page.getByRole('tab', { name: 'Card Details' }).click();
  await page.getByRole('link', { name: 'Stake BD Token to Qualify' }).click();
  await expect(page).toHaveURL(/\/staking#stake$/);

  const stake = page.getByRole('region', { name: 'Stake BD' });
  await expect(stake).toContainText('2,000,000.00 BD');
  const amount = stake.getByLabel('Amount to stake');
  await amount.fill('9000000');
  await stake.getByRole('button', { name: 'Review Stake' }).click();
  await expect(stake.getByRole('alert').filter({ hasText: 'BD' })).toBeVisible();
  await expect(amount).toHaveValue('9000000');

  await stake.getByRole('button', { name: 'Max' }).click();
  await expect(amount).toHaveValue('2000000');
  await expect(stake.getByRole('button', { name: /^Banker/ })).toHaveCount(0);
  await stake.getByRole('button', { name: /^Duckling/ }).click();
  await expect(amount).toHaveValue('1500000');
  await examine(page, 'stake-form');
  await stake.getByRole('button', { name: 'Review Stake' }).click();
  await expect(stake.getByRole('heading', { name: 'What you are about to sign' })).toBeFocused();
  await expect(stake).toContainText('1,500,000 BD');
  await expect(stake).toContainText(`${LOCK_DAYS} days`);
  await examine(page, 'stake-review', { lightSize: { width: 320, height: 640 } });
  await stake.getByRole('button', { name: 'Sign and Stake' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Decline' }).click();
  await expect(amount).toHaveValue('1500000');

  await stake.getByRole('button', { name: 'Review Stake' }).click();
  await stake.getByRole('button', { name: 'Sign and Stake' }).click();
  await approve(page);
  const dialog = page.getByRole('dialog', { name: 'Duckling Tier Activated' });
  await expect(dialog).toBeVisible();
  await expect(dialog).toContainText('1,500,000.00 BD');
  await dialog.getByRole('button', { name: 'Continue Exploring Platform' }).click();
  await expect(stake.locator('[data-stake=confirmed], [data-stake=finalized]')).toContainText('1,500,000 BD');
  await stake.getByRole('link', { name: 'Go to Card' }).click();
  await expect(page.locator('[data-eligibility]')).toHaveAttribute('data-eligibility', 'eligible');
  // The server rejected the first amount.
  errors.expectNone(/status of 409/);
});

test('an Arabic page prepares a stake without any sentence in English', async ({ page }) => {
  const errors = watchForErrors(page);
  await page.goto(`${portal.url}/ar/staking#stake`);
  const panel = page.locator('section[aria-labelledby="stake"]');
  await panel.locator('button.gold').click();
  await page.getByRole('dialog').getByRole('button', { name: 'One BD short' }).click();
  await panel.locator('#stake-amount').fill('1');
  await panel.locator('button[type="submit"]').click();
  await expect(panel.locator('h3:focus')).toBeVisible();
  await expect(panel.locator('[lang="en"]')).toHaveCount(0);
  await expect(panel.locator('dl')).toContainText(/\p{Script=Arabic}/u);
  errors.expectNone();
});

test('a holder sets up reminders by email, confirms the address with the link, and stops them', async ({
  page,
}) => {
  const errors = watchForErrors(page);
  const address = 'reminded@example.com';
  await page.goto(`${portal.url}/my-position`);
  await page.getByRole('button', { name: 'Connect Wallet' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'One BD short' }).click();
  const reminders = page.locator('[data-reminders]');
  await reminders.getByRole('button', { name: 'Set Up Reminders' }).click();
  await approve(page);
  await expect(reminders).toHaveAttribute('data-reminders', 'open');
  await reminders.getByLabel('Email address').fill(address);
  await reminders.getByRole('button', { name: 'Remind Me by Email' }).click();
  await expect(reminders.locator('[data-channel=mail]')).toHaveAttribute('data-state', 'unconfirmed');
  await examine(page, 'reminders');
  await page.goto(portal.url + (await waitForMailLink(portal, address, /\/reminders#confirm=[\w.-]+/)));
  await page.getByRole('button', { name: 'Confirm my address' }).click();
  await expect(page.locator('[data-stage=done]')).toBeVisible();
  await page.goto(`${portal.url}/my-position`);
  await reminders.getByRole('button', { name: 'Set Up Reminders' }).click();
  await expect(reminders.locator('[data-channel=mail]')).toHaveAttribute('data-state', 'on');
  await reminders.getByRole('button', { name: /^Stop/ }).click();
  await expect(reminders.locator('[data-channel]')).toHaveCount(0);
  errors.expectNone();
});

test('a holder withdraws a stake after its lock, and every figure follows', async ({ page }) => {
  const errors = watchForErrors(page);
  await page.goto(`${portal.url}/my-position`);
  await page.getByRole('button', { name: 'Connect Wallet' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'One BD short' }).click();
  const position = page.locator('[data-position]');
  await expect(position).toHaveAttribute('data-position', 'staking');
  const withdrawal = page.getByRole('region', { name: 'Withdrawal' });
  const review = async () => {
    await withdrawal.getByRole('button', { name: 'Review Withdrawal' }).click();
  };
  await position.getByRole('button', { name: /^Withdraw from/ }).click();
  await expect(withdrawal.getByRole('heading')).toBeFocused();
  await review();
  await expect(withdrawal.getByRole('alert')).toContainText('UTC');

  const readTotalStaked = async () =>
    (await (await page.request.get(portal.url + realStaking)).json()).totalStaked;
  const before = Number(await readTotalStaked());
  await portal.runLedgerCommand('advance', `${LOCK_DAYS + 1}d`);
  await review();
  await expect(withdrawal.getByRole('heading', { name: 'What you are about to sign' })).toBeFocused();
  await expect(withdrawal).toContainText('1,499,999 BD');
  await examine(page, 'withdrawal-review');
  await withdrawal.getByRole('button', { name: 'Sign and Withdraw' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Decline' }).click();
  await review();
  await withdrawal.getByRole('button', { name: 'Sign and Withdraw' }).click();
  await approve(page);
  await expect(withdrawal.locator('[data-stake=confirmed], [data-stake=finalized]')).toContainText(
    '1,499,999 BD',
  );
  await expect(position).toHaveAttribute('data-position', 'not-staking');
  await expect(position.getByRole('row').filter({ hasText: /unstake/i })).toContainText('1,499,999');
  await expect.poll(async () => before - Number(await readTotalStaked())).toBe(1_499_999);
  await withdrawal.getByRole('button', { name: 'Close' }).click();
  await expect(withdrawal).toHaveCount(0);

  await page.goto(`${portal.url}/staking#stake`);
  await expect(page.getByRole('region', { name: 'Stake BD' })).toContainText('1,500,009.00 BD');
  errors.expectNone(/status of 409|ERR_ABORTED/);
});

test.describe('in Chrome on Android', () => {
  test.use({
    userAgent:
      'Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 Chrome/150.0.0.0 Mobile Safari/537.36',
    viewport: PHONE,
    hasTouch: true,
    isMobile: true,
  });

  test('a wallet app on the phone proves, withdraws and stakes, even after a lost connection and a refusal', async ({
    page,
  }) => {
    const errors = watchForErrors(page);
    const app = createWalletApp('mona');
    stopApp = app.stop;
    await portal.runLedgerCommand('stake', '--wallet', 'mona', '--amount', '1500000');
    await portal.runLedgerCommand('advance', `${LOCK_DAYS + 1}d`);
    // The visitor has not yet decided whether the page may connect to the app.
    await page.context().clearPermissions();
    await openLinksInApp(page, app);
    await pretendSolana(page);

    await page.goto(`${portal.url}/my-position`);
    await page.getByRole('button', { name: 'Connect Wallet' }).first().tap();
    await page.getByRole('dialog').getByRole('button', { name: 'Wallet App on This Phone' }).tap();
    const position = page.locator('[data-position]');
    await expect(position).toHaveAttribute('data-position', 'staking');
    expect(app.calls).toEqual(['get_capabilities', 'authorize']);

    const withdrawal = page.getByRole('region', { name: 'Withdrawal' });
    await position.getByRole('button', { name: /^Withdraw from/ }).tap();
    const signWithdrawal = async () => {
      await withdrawal.getByRole('button', { name: 'Review Withdrawal' }).tap();
      await withdrawal.getByRole('button', { name: 'Sign and Withdraw' }).tap();
    };
    app.ownerBehavior = 'loses';
    await signWithdrawal();
    await expect(withdrawal.getByRole('alert')).toContainText(new AppError('app-lost').message);
    app.ownerBehavior = 'declines';
    await signWithdrawal();
    await expect(withdrawal.getByRole('alert')).toContainText(new ProofError('not-signed').message);
    app.ownerBehavior = 'approves';
    await signWithdrawal();
    await expect(position).toHaveAttribute('data-position', 'not-staking');

    await page.goto(`${portal.url}/staking#stake`);
    const stake = page.getByRole('region', { name: 'Stake BD' });
    await stake.getByLabel('Amount to stake').fill('1500000');
    await stake.getByRole('button', { name: 'Review Stake' }).tap();
    await stake.getByRole('button', { name: 'Sign and Stake' }).tap();
    await expect(stake.locator('[data-stake=confirmed], [data-stake=finalized]')).toContainText(
      '1,500,000 BD',
    );

    await page.goto(`${portal.url}/virtual-card`);
    const prove = page.locator('#get-card').getByRole('button', { name: 'Prove Ownership' });
    const sessionWallet = async () =>
      (await (await page.request.get(portal.url + walletSession)).json()).walletAddress;
    // The owner switched to another account in the app.
    app.sharedNames = ['demo-duckling'];
    await prove.tap();
    const other = ledgerKey('demo-duckling').address;
    await expect(page.getByRole('button', { name: `Wallet ${other.slice(0, 4)}` })).toBeVisible();
    expect(await sessionWallet()).toBeNull();
    await prove.tap();
    await expect.poll(sessionWallet).toBe(other);
    errors.expectNone(/solana-wallet:|ws:/);
  });
});

test('a holder sees that the team froze and closed the card, and closing takes two admins', async ({
  page,
  browser,
}) => {
  const errors = watchForErrors(page);
  await page.goto(`${portal.url}/virtual-card`);
  const steps = page.locator('#get-card');
  await connect(page, '#get-card', 'Duckling stake, exactly');
  await steps.getByRole('button', { name: 'Prove Ownership' }).click();
  await approve(page);
  await steps.getByLabel('Name on the card').fill('Ada Lovelace');
  await fillCardholder(page);
  await steps.getByRole('button', { name: 'Generate Virtual Mastercard' }).click();
  await expect(page.locator('[data-card=active]')).toBeVisible();
  const ownCard = await page.request.get(`${portal.url}/api/virtual-card/mine`);
  const { walletAddress } = (await ownCard.json()).card;

  const team = await createTeam(portal, 'a heron stood quite still', { grace: 'reviewer' });
  const application = { name: 'Ada', email: 'ada@example.com', wallet: walletAddress, tier: 'Duckling' };
  const { referenceNumber } = await team.submit('/api/card/submit-application-v2', {
    ...application,
    bd_amount: '1500000',
    phone: '+44 20 7946 0958',
    alias: 'Everyday',
  });
  const recordPath = `/admin/dashboard#applications?record=${referenceNumber}`;
  const ada = await team.open(await browser.newContext(), 'ada', recordPath);
  const grace = await team.open(await browser.newContext(), 'grace', recordPath);
  const teamErrors = [ada, grace].map(watchForErrors);
  const button = (admin: Page, name: string) =>
    admin.getByRole('dialog').getByRole('button', { name, exact: true });
  const cardOf = (admin: Page) => admin.locator('[data-team-card]');

  // Escape closes the form, but not the dialog around it.
  await button(grace, 'Freeze card').press('Enter');
  await expect(grace.getByLabel('Reason')).toBeFocused();
  await grace.keyboard.press('Escape');
  await expect(grace.getByLabel('Reason')).toHaveCount(0);
  await button(grace, 'Freeze card').press('Enter');
  await grace.keyboard.type('Reported as stolen.');
  await examine(grace, 'team-card-freezing');
  await button(grace, 'Confirm: Freeze card').click();
  await expect(cardOf(grace)).toHaveAttribute('data-team-card', 'frozen');
  await expect(cardOf(grace).getByRole('listitem')).toContainText('Reported as stolen.');

  await page.reload();
  await expect(steps.locator('[data-frozen-for=team]')).toContainText('contact support');
  await expect(steps.getByRole('button', { name: 'Unfreeze' })).toHaveCount(0);

  // Ada's tab still shows the card as it was before the freeze.
  const requestClosing = async () => {
    await button(ada, 'Request closure').click();
    await ada.getByLabel('Reason').fill('Used for fraud.');
    await ada.getByLabel('Your password').fill('a heron stood quite still');
    await button(ada, 'Confirm: Request closure').click();
  };
  await requestClosing();
  await expect(cardOf(ada).getByRole('alert')).toContainText('changed since');
  await expect(cardOf(ada)).toHaveAttribute('data-team-card', 'frozen');
  await ada.reload();
  await requestClosing();
  await expect(button(ada, 'Withdraw request')).toBeVisible();
  await expect(button(ada, 'Close card')).toHaveCount(0);
  await grace.reload();
  await button(grace, 'Close card').click();
  await grace.getByLabel('Your password').fill('a heron stood quite still');
  await button(grace, 'Confirm: Close card').click();
  await expect(cardOf(grace)).toHaveAttribute('data-team-card', 'closed');
  await expect(cardOf(grace).getByRole('button')).toHaveCount(0);

  await page.reload();
  await expect(steps.locator('[data-closed-for=team]')).toBeVisible();
  errors.expectNone();
  for (const watched of teamErrors) watched.expectNone(/status of 409/);
});
