import AxeBuilder from '@axe-core/playwright';
import { expect, type Page, type TestInfo, test } from 'playwright/test';
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

const PHONE = { width: 375, height: 812 };
const DESK = { width: 1280, height: 800 };
const PATH = '/api/contact/submit';
/** What the tests themselves make fail. */
const MADE_TO_FAIL = /status of (429|500)|ERR_INTERNET_DISCONNECTED/;

const formOf = (page: Page) => page.getByRole('form', { name: 'Send Message' });
const field = (page: Page, label: string) => formOf(page).getByLabel(new RegExp(`^\\s*${label}`));
const submitOf = (page: Page) => formOf(page).locator('[type=submit]');
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

/** Examines the form, wide and dark, narrow and light, and keeps a picture of both. */
async function examine(page: Page, info: TestInfo, name: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await formOf(page).screenshot({ path: info.outputPath(`${name}-dark.png`) });
  const dark = await new AxeBuilder({ page }).include('[data-contact-form]').analyze();
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.setViewportSize(PHONE);
  await formOf(page).screenshot({ path: info.outputPath(`${name}-light-375.png`) });
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  // Only contrast depends on the theme.
  const light = await new AxeBuilder({ page })
    .include('[data-contact-form]')
    .withRules(['color-contrast'])
    .analyze();
  await page.setViewportSize(DESK);
  const violations = [...dark.violations, ...light.violations];
  expect(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`),
    name,
  ).toEqual([]);
  expect(overflow, name).toBeLessThanOrEqual(0);
}

/** The notice is there for so many seconds of the page's clock, which stands still otherwise. */
async function expectNotice(page: Page, kind: string, seconds: number, words: readonly string[]) {
  await expect(async () => {
    await page.clock.runFor(20);
    await expect(toastOf(page)).toContainText(words[0] ?? '', { timeout: 100 });
  }).toPass();
  for (const part of words) await expect(toastOf(page)).toContainText(part);
  await expect(toastOf(page)).toHaveClass(new RegExp(`\\b${kind}\\b`));
  await page.clock.runFor(seconds * 1_000 - 900);
  await expect(toastOf(page)).toBeVisible();
  await page.clock.runFor(900);
  await expect(toastOf(page)).toBeHidden();
}

test('a message keeps what was typed through faults, failures and a reload, until the team has it', async ({
  page,
  context,
}, info) => {
  const faults = watchForFaults(page);
  let sent = 0;
  page.on('request', (request) => {
    if (request.url().endsWith(PATH)) sent += 1;
  });
  await page.setViewportSize(DESK);
  await page.goto(`${portal.url}/contact#send-message`);
  const form = formOf(page);
  await expect(submitOf(page)).toBeEnabled();
  await expect(submitOf(page)).toHaveText('Send Message');

  // Nothing is filled in.
  const summary = form.locator('[data-faults]');
  await submitOf(page).click();
  await expect(summary).toBeFocused();
  await expect(summary).toContainText(
    'Required Fields Missing: Please fill in your name, email, and message before submitting.',
  );
  await expect(summary.getByRole('link')).toHaveText([
    'Please enter your name',
    'Please enter your email address',
    'Please write your message',
  ]);
  await examine(page, info, 'missing');
  await summary.getByRole('link', { name: 'Please write your message' }).click();
  await expect(field(page, 'Message')).toBeFocused();

  // Something is wrong.
  await fill(page, { ...MESSAGE, Email: 'ada', 'Wallet address': 'my wallet' });
  await field(page, 'Category').selectOption('Staking');
  await submitOf(page).click();
  await expect(summary.getByRole('link')).toHaveText([
    'Please enter a valid email address',
    'Valid wallet address required',
  ]);
  await expect(field(page, 'Email')).toHaveAccessibleDescription('Please enter a valid email address');
  await examine(page, info, 'faults');
  await fill(page, { Email: MESSAGE.Email, 'Wallet address': '' });
  await expect(summary).toBeHidden();
  expect(sent).toBe(0);

  // The server fails.
  let answer = () => {};
  const isHeld = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(
    `**${PATH}`,
    async (route) => {
      await isHeld;
      await route.fulfill({ status: 500, body: '' });
    },
    { times: 1 },
  );
  await submitOf(page).click();
  await expect(submitOf(page)).toHaveText('Sending Message...');
  await expect(submitOf(page)).toBeDisabled();
  answer();
  const failure = form.locator('[data-failure]');
  await expect(failure).toContainText(
    'Message Failed: Please try again or contact us directly via email support@example.com',
  );
  await expect(failure).toContainText('Everything you entered is still here.');
  await expect(submitOf(page)).toBeEnabled();
  await expectMessage(page);
  await examine(page, info, 'failed');

  // Too many were sent, and then nothing can be reached.
  await page.reload();
  await expect(submitOf(page)).toBeEnabled();
  await expectMessage(page);
  const tooMany = 'Too many requests from this address. Ask again in 30 seconds.';
  await page.route(
    `**${PATH}`,
    (route) => route.fulfill({ status: 429, json: { success: false, error: tooMany, code: 'x' } }),
    { times: 1 },
  );
  await submitOf(page).click();
  await expect(failure).toContainText(tooMany);
  await context.setOffline(true);
  await failure.getByRole('button', { name: 'Try again' }).click();
  await expect(failure).toContainText('You are offline. What you typed stays here');
  await context.setOffline(false);
  await expectMessage(page);

  // The team has it.
  await failure.getByRole('button', { name: 'Try again' }).click();
  const done = form.locator('[data-sent]');
  await expect(done).toBeFocused();
  await expect(done).toContainText(/Reference number BD-\d{8}-\d{6}\./);
  for (const label of [...Object.keys(MESSAGE), 'Category']) {
    await expect(field(page, label)).toHaveValue('');
  }
  const drafts = () => Object.keys(sessionStorage).filter((key) => key.startsWith('draft:'));
  expect(await page.evaluate(drafts)).toEqual([]);
  await examine(page, info, 'sent');

  // A message has no stages to look at.
  const referenceNumber = /BD-\d{8}-\d{6}/.exec((await done.textContent()) ?? '')?.[0];
  const look = await page.request.post(`${portal.url}/api/card/application-status`, {
    data: { referenceNumber, email: MESSAGE.Email },
  });
  expect(look.status()).toBe(404);
  faults.expectNone(MADE_TO_FAIL);
});

test('what is missing is told for four seconds, a failure for six, and success for five', async ({
  page,
}) => {
  await page.clock.install({ time: 0 });
  await page.clock.pauseAt(60_000);
  await page.goto(`${portal.url}/contact#send-message`);
  await expect(submitOf(page)).toBeEnabled();
  await submitOf(page).click();
  await expectNotice(page, 'warning', 4, [
    'Required Fields Missing',
    'Please fill in your name, email, and message before submitting.',
  ]);
  await fill(page, MESSAGE);
  await page.route(`**${PATH}`, (route) => route.fulfill({ status: 500, body: '' }), { times: 1 });
  await submitOf(page).click();
  await expectNotice(page, 'failure', 6, [
    'Message Failed',
    'Please try again or contact us directly via email support@example.com',
  ]);
  await submitOf(page).click();
  await expectNotice(page, 'success', 5, ['Message Sent Successfully!', "We'll respond within 24 hours."]);
});

test('a message that a program filled in is refused, and the connected wallet is filled in unless another is typed', async ({
  page,
}) => {
  const faults = watchForFaults(page);
  await page.setViewportSize(PHONE);
  await page.goto(`${portal.url}/contact#send-message`);
  await expect(submitOf(page)).toBeEnabled();
  const wallet = field(page, 'Wallet address');
  await page.setViewportSize(DESK);
  await page.getByRole('banner').getByRole('button', { name: 'Connect Wallet' }).click();
  const demo = page.getByRole('dialog', { name: /^BlackDuck Demo Wallet/ });
  await demo.getByRole('button', { name: 'Banker' }).click();
  await expect(wallet).toHaveValue(/^\w{43,44}$/);
  await page.reload();
  await expect(wallet).toHaveValue(/^\w{43,44}$/);

  await fill(page, MESSAGE);
  await page.locator('[name=website]').evaluate((trap: HTMLInputElement) => {
    trap.value = 'https://spam.example';
  });
  await submitOf(page).click();
  await expect(formOf(page).locator('[data-failure]')).toContainText(
    'A hidden field of this form was filled in, as programs do.',
  );
  // Nobody could empty it by hand.
  await formOf(page).getByRole('button', { name: 'Try again' }).click();
  await expect(formOf(page).locator('[data-sent]')).toBeVisible();
  faults.expectNone(/status of 400|net::ERR_ABORTED/);
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('the page says how else the team is reached', async ({ page }) => {
    await page.goto(`${portal.url}/contact`);
    await expect(formOf(page)).toBeHidden();
    await expect(page.locator('main')).toContainText(
      'it needs JavaScript. Without it, write to the same people at support@example.com.',
      { useInnerText: true },
    );
  });
});
