import { expect, type Locator, type Page } from 'playwright/test';
import { watchForErrors } from './dashboard-page.ts';
import { DESKTOP, examine } from './examine.ts';
import { test } from './test.ts';
import { expectInvalid, expectNoDraft, failNext, holdNext } from './visitor.ts';

/** Addresses of the ledger's demo wallets, by name. */
let wallets: ReadonlyMap<string, string>;

test.beforeAll(async ({ sharedPortal }) => {
  const walletTable = await sharedPortal.runLedgerCommand('wallets');
  wallets = new Map(
    [...walletTable.matchAll(/^\s*(demo-\w+)\s.*?([1-9A-HJ-NP-Za-km-z]{43,44})/gm)].map(
      ([, name = '', address = '']) => [name, address],
    ),
  );
});

const REFERENCE = /BD-\d{8}-\d{6}/;
const EXPECTED_FAILURES = /status of (404|500)|ERR_FAILED/;

async function fill(form: Locator, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, value] of Object.entries(values)) await form.getByLabel(label).fill(value);
}

async function expectValues(form: Locator, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, value] of Object.entries(values))
    await expect(form.getByLabel(label)).toHaveValue(value);
}

async function verify(page: Page, name: string): Promise<void> {
  await page.getByLabel('Wallet address').fill(wallets.get(name) ?? '');
  await page.getByRole('button', { name: 'Verify Wallet' }).click();
}

test('the application form keeps its values through errors, failures and a reload, and shows the reference number', async ({
  page,
}) => {
  const errors = watchForErrors(page);
  await page.setViewportSize(DESKTOP);
  await page.goto('/polished-card');
  await verify(page, 'demo-banker');
  const form = page.getByRole('form', { name: 'Virtual card application' });
  await expect(form).toContainText('Banker');
  await expect(form).toContainText('6,200,000.00 BD');

  await fill(form, { 'First name': 'A', 'Card alias': 'ab' });
  await form.getByRole('button', { name: 'Submit Application' }).click();
  const summary = form.getByRole('alert');
  await expect(summary).toBeFocused();
  await expectInvalid(summary, 'card-form', ['firstName', 'lastName', 'email', 'phoneNumber', 'alias']);
  await examine(page, 'form-errors');
  await summary.locator('[href="#card-form-email"]').click();
  await expect(form.getByLabel('Email')).toBeFocused();
  await form.getByLabel('Card alias').fill('a'.repeat(21));
  await expectInvalid(summary, 'card-form', ['firstName', 'lastName', 'email', 'phoneNumber', 'alias']);

  const values = {
    'First name': 'Ada',
    'Last name': 'Łovelace',
    Email: 'ada@example.com',
    'Phone number': '+44 20 7946 0000',
    'Card alias': 'Everyday 🦆',
  };
  await fill(form, values);
  await expect(summary).toBeHidden();
  await failNext(page, '**/api/card/submit-application-v2', 'network');
  await form.getByRole('button', { name: 'Submit Application' }).click();
  await expect(page.locator('.toast')).toContainText('Submission Error');
  await expect(page.locator('.toast')).toContainText(
    'Error occurred but application data is logged for recovery',
  );
  await expectValues(form, values);

  await page.reload();
  await verify(page, 'demo-banker');
  await expectValues(form, values);
  await failNext(page, '**/api/card/submit-application-v2', 'server');
  await form.getByRole('button', { name: 'Submit Application' }).click();
  await form.getByRole('button', { name: 'Retry' }).click();

  const success = page.getByRole('heading', { name: 'Application Secured Successfully' });
  await expect(success).toBeFocused();
  await expect(page.getByText(REFERENCE).first()).toBeVisible();
  await expect(page.locator('main')).toContainText(/\$5,000\D/);
  await expect(page.locator('main')).toContainText('$150,000');
  await expect(page.getByRole('link', { name: 'Return to Dashboard' })).toHaveAttribute('href', '/');
  await expect(page.getByRole('link', { name: 'Learn More' })).toHaveAttribute('target', '_blank');
  await examine(page, 'form-success');
  await expectNoDraft(page);

  const reference = REFERENCE.exec((await page.locator('main').textContent()) ?? '')?.[0] ?? '';
  await page.getByRole('link', { name: 'Check status' }).click();
  const lookup = page.getByRole('form', { name: 'Application status' });
  await expect(lookup.getByLabel('Reference number')).toHaveValue(reference);
  await lookup.getByRole('button', { name: 'Show Status' }).click();
  await expectInvalid(lookup.getByRole('alert'), 'status', ['email']);
  await lookup.getByLabel('Email address').fill('bo@example.com');
  const notFound = page.waitForResponse('**/api/card/application-status');
  await lookup.getByRole('button', { name: 'Show Status' }).click();
  expect((await notFound).status()).toBe(404);
  await expect(page.getByRole('main').getByRole('alert')).toBeVisible();
  await lookup.getByLabel('Email address').fill('ADA@example.com');
  await lookup.getByRole('button', { name: 'Show Status' }).click();
  await expect(page.locator('[data-status=received]').getByRole('heading')).toBeFocused();
  await expect(page.locator('[data-how-to-prove]')).toBeVisible();
  await examine(page, 'status');
  expect(page.url()).not.toContain('example.com');
  errors.expectNone(EXPECTED_FAILURES);
});

test('a request for manual verification keeps its values until it is accepted', async ({ page }) => {
  const errors = watchForErrors(page);
  await page.setViewportSize(DESKTOP);
  await page.goto('/polished-card');
  await verify(page, 'demo-holder');
  await page.getByRole('button', { name: 'Request Manual Verification' }).click();
  const modal = page.getByRole('dialog', { name: 'Manual Verification Request' });
  await expect(modal).toContainText('Detection Issue Detected');
  await expect(modal).toContainText('2,000,000 BD in wallet (not staked)');
  await expect(modal.getByLabel('Wallet Address')).toHaveValue(wallets.get('demo-holder') ?? '');
  await expect(modal.getByLabel('Wallet Address')).toHaveAttribute('readonly', '');
  await modal.getByRole('button', { name: 'Submit Request' }).click();
  const invalid = ['userEmail', 'claimedStakedAmount', 'requestReason'];
  await expectInvalid(modal.getByRole('alert'), 'verification-request', invalid);

  const values = {
    'Email Address *': 'bo@example.com',
    'BD Tokens You Have Staked *': '2,000,000',
    'Why do you believe our system is incorrect? *': 'It is staked in another pool.',
  };
  await fill(modal, values);
  await page.keyboard.press('Escape');
  // The button can open the dialog again only after the dialog has been removed, not just hidden.
  await expect(page.locator('dialog', { hasText: 'Manual Verification Request' })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Request Manual Verification' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expectValues(modal, values);

  await failNext(page, '**/api/whitelist/request-verification', 'network');
  await modal.getByRole('button', { name: 'Submit Request' }).click();
  await expect(modal.getByRole('alert')).toContainText('Submission Failed');
  await expect(modal.getByRole('alert')).toContainText(
    'Failed to submit verification request. Please try again.',
  );
  await failNext(page, '**/api/whitelist/request-verification', 'server');
  await modal.getByRole('button', { name: 'Retry' }).click();
  await expect(modal.getByRole('alert')).toContainText('Failed to submit verification request');
  await expectValues(modal, values);
  await modal.getByRole('button', { name: 'Retry' }).click();
  await expect(modal.getByRole('status')).toContainText(REFERENCE);
  await expect(modal.getByRole('status').locator(':focus')).toBeVisible();
  await expect(modal.getByLabel('Email Address *')).toHaveValue('');
  await expect(modal.getByRole('button', { name: 'Submit Request' })).toBeDisabled();

  // On the card page, the form is inline.
  await page.goto('/virtual-card');
  await verify(page, 'demo-empty');
  const requiredDialog = page.getByRole('dialog', { name: 'Verification Required' });
  await requiredDialog.getByRole('button', { name: 'Request Manual Verification' }).click();
  const requestForm = requiredDialog.getByRole('form', { name: 'Request Manual Verification' });
  const submitButton = requestForm.getByRole('button', { name: 'Submit Request' });
  await expect(submitButton).toBeDisabled();
  await fill(requestForm, { 'Email *': 'cy@example.com', 'Staking Evidence *': 'tx 5abc' });
  await failNext(page, '**/api/whitelist/request-verification', 'server');
  await submitButton.click();
  await expect(requestForm.getByRole('alert')).toContainText('Failed to submit request. Please try again.');
  await requestForm.getByRole('button', { name: 'Retry' }).click();
  await expect(requiredDialog.getByRole('listitem')).toHaveCount(4);
  await expect(requiredDialog).toContainText(REFERENCE);
  await examine(page, 'inline-success');
  await expect(requiredDialog.getByRole('button', { name: 'Request Manual Verification' })).toBeHidden();
  errors.expectNone(EXPECTED_FAILURES);
});

test('the overlay accepts the application of a wallet with proven ownership', async ({ page }) => {
  const errors = watchForErrors(page);
  await page.setViewportSize(DESKTOP);
  await page.goto('/virtual-card');
  const opener = page.getByRole('button', { name: 'Apply for a Card' });
  const openOverlay = () => opener.click();
  await page.getByRole('button', { name: 'Connect Wallet and Apply' }).click();
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
  await expect(opener).toBeFocused();
  await openOverlay();
  await expectValues(overlay, values);
  await page.mouse.click(8, 400);
  await expect(overlay).toBeHidden();
  await openOverlay();

  const path = '**/api/card/submit-application';
  await failNext(page, path, 'network');
  await overlay.getByRole('button', { name: 'Submit Application' }).click();
  await expect(overlay.getByRole('alert')).toContainText(
    'Network error occurred. Please check your connection and try again.',
  );
  await failNext(page, path, 'server');
  await overlay.getByRole('button', { name: 'Retry' }).click();
  await expect(overlay.locator('[type=submit]')).toBeFocused();
  await expect(overlay.getByRole('alert')).toContainText(
    'Application submission failed. Please try again or contact support.',
  );
  await expectValues(overlay, values);

  const release = await holdNext(page, path);
  await overlay.getByRole('button', { name: 'Submit Application' }).click();
  await expect(overlay.getByRole('button', { name: 'Processing Application...' })).toBeDisabled();
  await page.keyboard.press('Escape');
  release();
  const successDialog = page.getByRole('dialog', { name: 'Application Submitted Successfully!' });
  await expect(successDialog).toContainText(REFERENCE);
  await expect(successDialog).toContainText('What happens next?');
  await expect(successDialog.locator('.toast')).toContainText('Application Submitted Successfully!');
  await examine(page, 'overlay-success');
  await successDialog.getByRole('button', { name: 'Close' }).click();
  await expect(successDialog).toBeHidden();
  await expect(opener).toBeFocused();
  errors.expectNone(EXPECTED_FAILURES);
});
