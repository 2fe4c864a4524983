import AxeBuilder from '@axe-core/playwright';
import { expect, type Locator, type Page, type TestInfo, test } from 'playwright/test';
import { watchForFaults } from './dashboard-page.ts';
import { type Portal, startPortal } from './portal.ts';
import { acceptTerms } from './visitor.ts';

let portal: Portal;
/** Addresses of the ledger's demo wallets, by their names. */
let wallets: ReadonlyMap<string, string>;

test.beforeAll(async () => {
  portal = await startPortal();
  const listed = await portal.ledger('wallets');
  wallets = new Map(
    [...listed.matchAll(/^\s*(demo-\w+)\s.*?([1-9A-HJ-NP-Za-km-z]{43,44})/gm)].map(
      ([, name = '', address = '']) => [name, address],
    ),
  );
});
test.afterAll(async () => {
  await portal.stop();
});
test.beforeEach(({ context }) => acceptTerms(context));

const PHONE = { width: 375, height: 812 };
const DESK = { width: 1280, height: 800 };
const REFERENCE = /BD-\d{8}-\d{6}/;
/** What the tests themselves make fail; and a verification's stream, read to its end, may be called aborted all the same. */
const MADE_TO_FAIL = /status of (404|500)|ERR_FAILED|verify-bd-tokens\/steps\?\S+ net::ERR_ABORTED/;

/** Examines what stands on top of the page, wide and dark, narrow and light, and keeps a picture of both. */
async function examine(page: Page, info: TestInfo, name: string): Promise<void> {
  const isDialog = (await page.locator('dialog:modal').count()) > 0;
  const part = isDialog ? 'dialog[open]' : 'main';
  const picture = (look: string) =>
    page.screenshot({ path: info.outputPath(`${name}-${look}.png`), fullPage: !isDialog });
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await picture('dark');
  const dark = await new AxeBuilder({ page }).include(part).analyze();
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.setViewportSize(PHONE);
  await picture('light-375');
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  // Only contrast depends on the theme.
  const light = await new AxeBuilder({ page }).include(part).withRules(['color-contrast']).analyze();
  await page.setViewportSize(DESK);
  const violations = [...dark.violations, ...light.violations];
  expect(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`),
    name,
  ).toEqual([]);
  expect(overflow, name).toBeLessThanOrEqual(0);
}

async function fill(form: Locator, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, value] of Object.entries(values)) await form.getByLabel(label).fill(value);
}

async function expectValues(form: Locator, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, value] of Object.entries(values))
    await expect(form.getByLabel(label)).toHaveValue(value);
}

/** Verifies a demo wallet on the page of the application. */
async function verify(page: Page, name: string): Promise<void> {
  await page.getByLabel('Wallet address').fill(wallets.get(name) ?? '');
  await page.getByRole('button', { name: 'Verify Wallet' }).click();
}

/** Lets the next call of a form come to nothing: on the network, or at the server. */
async function failNext(page: Page, path: string, how: 'network' | 'server'): Promise<void> {
  await page.route(
    `**${path}`,
    (route) => (how === 'network' ? route.abort() : route.fulfill({ status: 500, body: '' })),
    { times: 1 },
  );
}

test('the application form keeps its fields through faults, failures and a reload, and tells the reference number', async ({
  page,
}, info) => {
  const faults = watchForFaults(page);
  await page.setViewportSize(DESK);
  await page.goto(`${portal.url}/polished-card`);
  await verify(page, 'demo-banker');
  const form = page.getByRole('form', { name: 'Virtual card application' });
  await expect(form.getByText('Wallet verified')).toBeVisible();
  await expect(form).toContainText('Banker tier, 6,200,000.00 BD staked');

  await fill(form, { 'First name': 'A', 'Card alias': 'ab' });
  await form.getByRole('button', { name: 'Submit Application' }).click();
  const summary = form.getByRole('alert');
  await expect(summary).toBeFocused();
  await expect(summary.getByRole('link')).toHaveText([
    'First name must be at least 2 characters',
    'Last name must be at least 2 characters',
    'Please enter a valid email address',
    'Please enter a valid phone number',
    'Alias must be at least 3 characters',
  ]);
  await examine(page, info, 'form-faults');
  await summary.getByRole('link', { name: 'Please enter a valid email address' }).click();
  await expect(form.getByLabel('Email')).toBeFocused();
  await form.getByLabel('Card alias').fill('a'.repeat(21));
  await expect(summary).toContainText('Alias must be less than 20 characters');

  const values = {
    'First name': 'Ada',
    'Last name': 'Łovelace',
    Email: 'ada@example.com',
    'Phone number': '+44 20 7946 0000',
    'Card alias': 'Everyday 🦆',
  };
  await fill(form, values);
  await expect(summary).toBeHidden();
  await failNext(page, '/api/card/submit-application-v2', 'network');
  await form.getByRole('button', { name: 'Submit Application' }).click();
  await expect(page.locator('.toast')).toContainText('Submission Error');
  await expect(page.locator('.toast')).toContainText(
    'Error occurred but application data is logged for recovery',
  );
  await expectValues(form, values);
  await examine(page, info, 'form-failed');

  await page.reload();
  await verify(page, 'demo-banker');
  await expectValues(form, values);
  await failNext(page, '/api/card/submit-application-v2', 'server');
  await form.getByRole('button', { name: 'Submit Application' }).click();
  await expect(form.getByRole('alert')).toContainText('Everything you entered is still here.');
  await form.getByRole('button', { name: 'Try again' }).click();

  const success = page.getByRole('heading', { name: 'Application Secured Successfully' });
  await expect(success).toBeFocused();
  await expect(page.getByText(REFERENCE).first()).toBeVisible();
  await expect(page.locator('main')).toContainText(/Monthly limit on a new card\s*\$5,000/);
  await expect(page.locator('main')).toContainText('$5,000 a day, $150,000 a month');
  await expect(page.getByRole('link', { name: 'Return to Dashboard' })).toHaveAttribute('href', '/');
  await expect(page.getByRole('link', { name: 'Learn More' })).toHaveAttribute('target', '_blank');
  await examine(page, info, 'form-success');
  expect(
    await page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.startsWith('draft:'))),
  ).toEqual([]);

  // From the number to where it stands.
  const reference = REFERENCE.exec((await page.locator('main').textContent()) ?? '')?.[0] ?? '';
  await page.getByRole('link', { name: 'See where it stands' }).click();
  const look = page.getByRole('form', { name: 'Application status' });
  await expect(look.getByLabel('Reference number')).toHaveValue(reference);
  await look.getByRole('button', { name: 'Show Status' }).click();
  await expect(look.getByRole('alert')).toContainText('Please enter a valid email address');
  await look.getByLabel('Email address').fill('bo@example.com');
  await look.getByRole('button', { name: 'Show Status' }).click();
  await expect(
    page.getByText('Nothing was found for this reference number and email address.'),
  ).toBeVisible();
  await look.getByLabel('Email address').fill('ADA@example.com');
  await look.getByRole('button', { name: 'Show Status' }).click();
  await expect(page.getByRole('heading', { name: 'Card application: Received' })).toBeFocused();
  await examine(page, info, 'status');
  expect(page.url()).not.toContain('example.com');
  faults.expectNone(MADE_TO_FAIL);
});

test('a wallet that was refused asks the team, and keeps what it wrote until the team has it', async ({
  page,
}, info) => {
  const faults = watchForFaults(page);
  await page.setViewportSize(DESK);
  await page.goto(`${portal.url}/polished-card`);
  await verify(page, 'demo-holder');
  await expect(page.getByText('This wallet does not qualify for a card yet')).toBeVisible();
  await page.getByRole('button', { name: 'Request Manual Verification' }).click();
  const modal = page.getByRole('dialog', { name: 'Manual Verification Request' });
  await expect(modal).toContainText('Detection Issue Detected');
  await expect(modal).toContainText('2000000 BD in wallet (not staked)');
  await expect(modal.getByLabel('Wallet Address')).toHaveValue(wallets.get('demo-holder') ?? '');
  await expect(modal.getByLabel('Wallet Address')).toHaveAttribute('readonly', '');
  await modal.getByRole('button', { name: 'Submit Request' }).click();
  await expect(modal.getByRole('alert').getByRole('link')).toHaveText([
    'Valid email address required',
    'Please specify the amount you have staked',
    'Please provide a detailed reason (minimum 10 characters)',
  ]);
  await examine(page, info, 'modal-faults');

  const values = {
    'Email Address *': 'bo@example.com',
    'BD Tokens You Have Staked *': '2,000,000',
    'Why do you believe our system is incorrect? *': 'It is staked in another pool.',
  };
  await fill(modal, values);
  await page.keyboard.press('Escape');
  await expect(modal).toBeHidden();
  await page.getByRole('button', { name: 'Request Manual Verification' }).click();
  await expectValues(modal, values);

  await failNext(page, '/api/whitelist/request-verification', 'network');
  await modal.getByRole('button', { name: 'Submit Request' }).click();
  await expect(modal.getByRole('alert')).toContainText('Submission Failed');
  await expect(modal.getByRole('alert')).toContainText(
    'Failed to submit verification request. Please try again.',
  );
  await failNext(page, '/api/whitelist/request-verification', 'server');
  await modal.getByRole('button', { name: 'Try again' }).click();
  await expect(modal.getByRole('alert')).toContainText('Failed to submit verification request');
  await expectValues(modal, values);
  await modal.getByRole('button', { name: 'Try again' }).click();
  await expect(modal.getByRole('status')).toContainText(REFERENCE);
  await expect(modal.getByLabel('Email Address *')).toHaveValue('');
  await expect(modal.getByRole('button', { name: 'Submit Request' })).toBeDisabled();
  await examine(page, info, 'modal-success');

  // The short form, on the card page.
  await page.goto(`${portal.url}/virtual-card`);
  await verify(page, 'demo-empty');
  const refused = page.getByRole('dialog', { name: 'Verification Required' });
  await refused.getByRole('button', { name: 'Request Manual Verification' }).click();
  const short = refused.getByRole('form', { name: 'Request Manual Verification' });
  const send = short.getByRole('button', { name: 'Submit Request' });
  await expect(send).toBeDisabled();
  await fill(short, { 'Email *': 'cy@example.com', 'Staking Evidence *': 'tx 5abc' });
  await failNext(page, '/api/whitelist/request-verification', 'server');
  await send.click();
  await expect(short.getByRole('alert')).toContainText('Failed to submit request. Please try again.');
  await examine(page, info, 'inline-failed');
  await short.getByRole('button', { name: 'Try again' }).click();
  await expect(refused).toContainText('Admin notification sent by the messaging app');
  await expect(refused).toContainText(REFERENCE);
  await examine(page, info, 'inline-success');
  await expect(refused.getByRole('button', { name: 'Request Manual Verification' })).toBeHidden();
  faults.expectNone(MADE_TO_FAIL);
});

test('the overlay takes the application of a wallet whose owner has proved it', async ({ page }, info) => {
  const faults = watchForFaults(page);
  await page.setViewportSize(DESK);
  await page.goto(`${portal.url}/virtual-card`);
  const openOverlay = () => page.getByRole('button', { name: 'Check Stake and Apply' }).click();
  const connect = page.getByRole('button', { name: 'Connect Wallet and Apply' });
  // It wakes when it comes into view.
  await connect.scrollIntoViewIfNeeded();
  await connect.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Duckling stake, exactly' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
  const overlay = page.getByRole('dialog', { name: 'Virtual Mastercard Application' });
  await expect(overlay).toContainText('Verification complete');
  await expect(overlay).toContainText('Why Telegram is Required');
  await expect(overlay).toContainText(wallets.get('demo-duckling') ?? 'no such wallet');
  const values = {
    'Card Alias': 'Everyday',
    'Full Legal Name': 'Ada Lovelace',
    'Email Address': 'di@example.com',
    'Telegram Account': 'ada',
    'Additional Requirements': 'None.\nThank you.',
  };
  await fill(overlay, values);
  await overlay.getByRole('button', { name: 'Cancel' }).click();
  await expect(overlay).toBeHidden();
  await openOverlay();
  await expectValues(overlay, values);
  await page.mouse.click(8, 400);
  await expect(overlay).toBeHidden();
  await openOverlay();

  const path = '/api/card/submit-application';
  await failNext(page, path, 'network');
  await overlay.getByRole('button', { name: 'Submit Application' }).click();
  await expect(overlay.getByRole('alert')).toContainText(
    'Network error occurred. Please check your connection and try again.',
  );
  await failNext(page, path, 'server');
  await overlay.getByRole('button', { name: 'Try again' }).click();
  await expect(overlay.getByRole('alert')).toContainText(
    'Application submission failed. Please try again or contact support.',
  );
  await expectValues(overlay, values);
  await examine(page, info, 'overlay-failed');

  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(`**${path}`, (route) => held.then(() => route.continue()), { times: 1 });
  await overlay.getByRole('button', { name: 'Submit Application' }).click();
  await expect(overlay.getByRole('button', { name: 'Processing Application...' })).toBeDisabled();
  await page.keyboard.press('Escape');
  answer();
  const taken = page.getByRole('dialog', { name: 'Application Submitted Successfully!' });
  await expect(taken).toContainText(REFERENCE);
  await expect(taken).toContainText('What happens next?');
  await expect(taken.locator('.toast')).toContainText('Application Submitted Successfully!');
  await examine(page, info, 'overlay-success');
  await taken.getByRole('button', { name: 'Close' }).click();
  await expect(taken).toBeHidden();
  faults.expectNone(MADE_TO_FAIL);
});
