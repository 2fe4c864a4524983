import { expect, type Page } from 'playwright/test';
import { createTelegramAnswerLink } from '../data/contract/paths.ts';
import { watchForErrors } from './dashboard-page.ts';
import { DESKTOP, examine, PHONE } from './examine.ts';
import { test } from './test.ts';
import { expectInvalid, expectNoDraft, failNext, holdNext } from './visitor.ts';

const PATH = '/api/contact/submit';
const EXPECTED_FAILURES = /status of (429|500)|ERR_INTERNET_DISCONNECTED/;

const formOf = (page: Page) => page.getByRole('form', { name: 'Send Message' });
const field = (page: Page, label: string) => formOf(page).getByLabel(new RegExp(`^\\s*${label}`));
const submitButtonOf = (page: Page) => formOf(page).locator('[type=submit]');
const toastOf = (page: Page) => page.locator('.toast');

const MESSAGE = {
  Name: 'Ada Łovelace 🦆',
  Email: 'ada@example.com',
  Subject: 'My stake',
  Message: 'When does my lock end?\nI staked in May.',
};

async function fill(page: Page, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, value] of Object.entries(values)) {
    await field(page, label).fill(value);
  }
}

async function expectMessage(page: Page): Promise<void> {
  for (const [label, value] of Object.entries(MESSAGE)) {
    await expect(field(page, label)).toHaveValue(value);
  }
  await expect(field(page, 'Category')).toHaveValue('staking');
}

/** Checks a toast's texts, and that the toast lasts `seconds`. Advances the page's clock, which must be paused. */
async function expectToast(page: Page, kind: string, seconds: number, texts: readonly string[]) {
  await expect(async () => {
    await page.clock.runFor(20);
    await expect(toastOf(page)).toContainText(texts[0] ?? '', { timeout: 100 });
  }).toPass();
  for (const text of texts) await expect(toastOf(page)).toContainText(text);
  await expect(toastOf(page)).toHaveClass(new RegExp(`\\b${kind}\\b`));
  await page.clock.runFor(seconds * 1_000 - 900);
  await expect(toastOf(page)).toBeVisible();
  await page.clock.runFor(900);
  await expect(toastOf(page)).toBeHidden();
}

test('the link under technical issues chooses that category, unless another one is chosen', async ({
  page,
}) => {
  await page.goto('/contact');
  const category = formOf(page).locator('[name=category]');
  const link = page.locator('a[data-category=technical]');
  await expect(category).toHaveValue('');
  await link.click();
  await expect(category).toHaveValue('technical');
  await category.selectOption('staking');
  await link.click();
  await expect(category).toHaveValue('staking');
});

test('a message keeps its values through errors, failures and a reload, until it is accepted', async ({
  page,
  context,
}) => {
  const errors = watchForErrors(page);
  let requestCount = 0;
  page.on('request', (request) => {
    if (request.url().endsWith(PATH)) requestCount += 1;
  });
  await page.setViewportSize(DESKTOP);
  await page.goto('/contact#send-message');
  const form = formOf(page);
  await expect(submitButtonOf(page)).toBeEnabled();
  await expect(submitButtonOf(page)).toHaveText('Send Message');

  // Case 1: the required fields are empty.
  const summary = form.locator('[data-errors]');
  await submitButtonOf(page).click();
  await expect(summary).toBeFocused();
  await expect(summary).toContainText(
    'Required Fields Missing: Please fill in your name, email, and message before submitting.',
  );
  await expectInvalid(summary, 'contact', ['name', 'email', 'message']);
  await summary.locator('[href="#contact-message"]').click();
  await expect(field(page, 'Message')).toBeFocused();

  // Case 2: two fields are invalid.
  await fill(page, { ...MESSAGE, Email: 'ada', 'Wallet address': 'my wallet' });
  await field(page, 'Category').selectOption('Staking');
  await submitButtonOf(page).click();
  await expectInvalid(summary, 'contact', ['email', 'walletAddress']);
  await expect(field(page, 'Email')).toHaveAccessibleDescription(/./);
  await examine(page, 'errors', { part: '[data-contact-form]' });
  await fill(page, { Email: MESSAGE.Email, 'Wallet address': '' });
  await expect(summary).toBeHidden();
  expect(requestCount).toBe(0);

  // Case 3: the server fails.
  const release = await holdNext(page, `**${PATH}`, { status: 500, body: '' });
  await submitButtonOf(page).click();
  await expect(submitButtonOf(page)).toHaveText('Sending Message...');
  await expect(submitButtonOf(page)).toBeDisabled();
  release();
  const failure = form.locator('[data-failure]');
  await expect(failure).toContainText(
    'Message Failed: Please try again or contact us directly via email support@example.com',
  );
  await expect(submitButtonOf(page)).toBeEnabled();
  await expectMessage(page);

  // Case 4: the server rejects the message, and then the browser is offline.
  await page.reload();
  await expect(submitButtonOf(page)).toBeEnabled();
  await expectMessage(page);
  const tooMany = 'Wait 30 seconds.';
  const releaseTooMany = await holdNext(page, `**${PATH}`, {
    status: 429,
    json: { success: false, error: tooMany, code: 'x' },
  });
  releaseTooMany();
  await submitButtonOf(page).click();
  await expect(failure).toContainText(tooMany);
  await expect(toastOf(page)).toBeVisible();
  await context.setOffline(true);
  await failure.getByRole('button', { name: 'Retry' }).click();
  await expect(failure.locator('[data-failure-reason]')).toHaveText(
    (await form.getAttribute('data-offline')) ?? '',
  );
  await context.setOffline(false);
  await expectMessage(page);

  // Case 5: the message is accepted, and the page links to a Telegram chat that announces the answer.
  const chatUrl = 'https://t.me/duck_bot?start=token';
  await page.route(`**${createTelegramAnswerLink}`, (route) => route.fulfill({ json: { chatUrl } }));
  await failure.getByRole('button', { name: 'Retry' }).click();
  const sentMessage = form.locator('[data-sent]');
  await expect(sentMessage).toBeFocused();
  await expect(sentMessage.locator('[data-reference]')).toHaveText(/^BD-\d{8}-\d{6}$/);
  for (const label of [...Object.keys(MESSAGE), 'Category']) {
    await expect(field(page, label)).toHaveValue('');
  }
  await expectNoDraft(page);
  await expect(form.locator('[data-chat] a')).toHaveAttribute('href', chatUrl);
  await examine(page, 'sent', { part: '[data-contact-form]' });

  // The public status page does not cover contact messages.
  const referenceNumber = await sentMessage.locator('[data-reference]').textContent();
  const response = await page.request.post('/api/card/application-status', {
    data: { referenceNumber, email: MESSAGE.Email },
  });
  expect(response.status()).toBe(404);
  errors.expectNone(EXPECTED_FAILURES);
});

test('toasts last four seconds for missing fields, six for a failure, and five for a success', async ({
  page,
}) => {
  await page.clock.install({ time: 0 });
  await page.clock.pauseAt(60_000);
  await page.goto('/contact#send-message');
  await expect(submitButtonOf(page)).toBeEnabled();
  await submitButtonOf(page).click();
  await expectToast(page, 'warning', 4, [
    'Required Fields Missing',
    'Please fill in your name, email, and message before submitting.',
  ]);
  await fill(page, MESSAGE);
  await failNext(page, `**${PATH}`, 'server');
  await submitButtonOf(page).click();
  await expectToast(page, 'failure', 6, [
    'Message Failed',
    'Please try again or contact us directly via email support@example.com',
  ]);
  await submitButtonOf(page).click();
  await expectToast(page, 'success', 5, ['Message Sent Successfully!', "We'll respond within 24 hours."]);
});

test('a message with the hidden field filled in is rejected, and the connected wallet’s address is filled in but not kept in the draft', async ({
  page,
}) => {
  const errors = watchForErrors(page);
  await page.setViewportSize(PHONE);
  await page.goto('/contact#send-message');
  await expect(submitButtonOf(page)).toBeEnabled();
  const wallet = field(page, 'Wallet address');
  await page.setViewportSize(DESKTOP);
  await page.getByRole('banner').getByRole('button', { name: 'Connect Wallet' }).click();
  const demo = page.getByRole('dialog', { name: /^BlackDuck Demo Wallet/ });
  await demo.getByRole('button', { name: 'Banker' }).click();
  await expect(wallet).toHaveValue(/^\w{43,44}$/);
  const first = await wallet.inputValue();
  await fill(page, MESSAGE);
  // The visitor switches to another account in the wallet.
  await page.evaluate(() => localStorage.setItem('demoWalletTrusts', 'demo-duckling'));
  await page.reload();
  await expect(field(page, 'Name')).toHaveValue(MESSAGE.Name);
  await expect(wallet).toHaveValue(/^\w{43,44}$/);
  await expect(wallet).not.toHaveValue(first);
  await page.locator('[name=website]').evaluate((trap: HTMLInputElement) => {
    trap.value = 'https://spam.example';
  });
  const rejected = page.waitForResponse(`**${PATH}`);
  await submitButtonOf(page).click();
  expect(await (await rejected).json()).toMatchObject({ code: 'automated-form' });
  // The form has cleared the hidden field, so the retry succeeds.
  await formOf(page).getByRole('button', { name: 'Retry' }).click();
  await expect(formOf(page).locator('[data-sent]')).toBeVisible();
  errors.expectNone(/status of 400/);
});
