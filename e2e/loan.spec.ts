import { readFile } from 'node:fs/promises';
import AxeBuilder from '@axe-core/playwright';
import { expect, type Locator, type Page, type TestInfo, test } from 'playwright/test';
import { blankPng, samplePdf } from '../api/documents/testing/sample-documents.ts';
import { readPdf } from '../site/loan-note-pdf/testing/read-pdf.ts';
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

const PHONE = { width: 375, height: 812 };
const DESK = { width: 1280, height: 800 };
const REFERENCE = /BD-\d{8}-\d{6}/;
const CALL = '**/api/convertible-loan';
/** What the test itself makes fail. */
const MADE_TO_FAIL = /status of (422|500)|ERR_FAILED/;

const PDF = { name: 'passport.pdf', mimeType: 'application/pdf', buffer: samplePdf() };
const BILL = { name: 'bill.png', mimeType: 'image/png', buffer: blankPng(400, 200) };

/** Looks at a part of the page, wide and dark, narrow and light, and keeps a picture of both. */
async function examine(page: Page, part: string, info: TestInfo, name: string): Promise<void> {
  const picture = (look: string) =>
    page.locator(part).screenshot({ path: info.outputPath(`${name}-${look}.png`) });
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await picture('dark');
  const dark = await new AxeBuilder({ page }).include(part).analyze();
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.setViewportSize(PHONE);
  await picture('light-375');
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  const light = await new AxeBuilder({ page }).include(part).withRules(['color-contrast']).analyze();
  await page.setViewportSize(DESK);
  const violations = [...dark.violations, ...light.violations];
  expect(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`),
    name,
  ).toEqual([]);
  expect(overflow, name).toBeLessThanOrEqual(0);
}

const TYPED = { 'Full name': 'Ada Łovelace', Email: 'ada@example.com', Comments: 'One\nTwo' };
const CHOSEN = {
  Country: 'GB',
  'Investment amount': '75000',
  'Investor type': 'Family Office',
  'Repayment preference': 'Undecided',
  'Risk awareness': 'Yes',
};

async function expectKept(form: Locator): Promise<void> {
  for (const [label, value] of Object.entries({ ...TYPED, ...CHOSEN })) {
    await expect(form.getByLabel(label)).toHaveValue(value);
  }
}

test('an application for the loan note keeps what was entered through faults, failures and a reload, until it is taken', async ({
  page,
  context,
}, info) => {
  await acceptTerms(context);
  const faults = watchForFaults(page);
  await page.setViewportSize(DESK);
  await page.goto(`${portal.url}/convertible-loan#apply`);
  const form = page.getByRole('form', { name: 'Apply Now' });
  const submit = form.getByRole('button', { name: 'Submit Application' });
  await expect(submit).toBeEnabled();
  await submit.click();
  const summary = form.getByRole('alert');
  await expect(summary).toBeFocused();
  await expect(summary.getByRole('link')).toHaveText([
    'Please enter your full name',
    'Please enter a valid email address',
    'Please choose your country',
    'Please choose an investment amount',
    'Please choose an investor type',
    'Please answer whether you are aware of the risk',
    'Please choose a repayment preference',
    'Please choose a passport copy',
    'Please choose a utility bill',
  ]);
  expect(await form.getByLabel('Investment amount').locator('option').count()).toBe(10);
  expect(await form.getByLabel('Country').locator('option').count()).toBeGreaterThan(190);
  await examine(page, 'form:has(#loan-name)', info, 'faults');

  for (const [label, value] of Object.entries(TYPED)) await form.getByLabel(label).fill(value);
  for (const [label, value] of Object.entries(CHOSEN)) await form.getByLabel(label).selectOption(value);
  const passport = form.getByLabel('Passport copy');
  const bill = form.getByLabel('Utility bill');

  // A file is looked at when it is chosen, and can be exchanged and taken out.
  await passport.setInputFiles({ ...PDF, name: 'page.html', mimeType: 'text/html' });
  await expect(passport).toHaveAccessibleDescription(/no PDF, JPEG or PNG/);
  await passport.setInputFiles({ ...PDF, buffer: Buffer.alloc(10_000_001) });
  await expect(passport).toHaveAccessibleDescription(/larger than 10 MB/);
  await passport.setInputFiles(PDF);
  await expect(passport).toHaveAccessibleDescription(/passport\.pdf\s*\d+ bytes/);
  await form.getByRole('button', { name: 'Remove the passport copy' }).click();
  await expect(passport).toBeFocused();
  await expect(passport).toHaveAccessibleDescription(/Please choose a passport copy/);
  await passport.setInputFiles(PDF);
  await bill.setInputFiles({ ...BILL, buffer: Buffer.from('not an image') });
  await expect(summary).toBeHidden();

  // The network fails, then the server; nothing that was entered is lost.
  await page.route(CALL, (route) => route.abort(), { times: 1 });
  await submit.click();
  await expect(page.locator('.toast')).toContainText('Submission Error');
  await expect(page.locator('.toast')).toContainText(
    'There was an issue submitting your application. Please try again or contact us directly.',
  );
  await expect(form.getByRole('alert')).toContainText('The portal could not be reached.');
  await expectKept(form);
  await expect(passport).toHaveAccessibleDescription(/passport\.pdf/);
  await examine(page, 'form:has(#loan-name)', info, 'failed');
  await form.getByRole('button', { name: 'Try again' }).click();
  await expect(form.getByRole('alert')).toContainText(
    'The utility bill is no PDF, JPEG or PNG, by what it holds.',
  );

  // A reload keeps what was typed. Files cannot be kept, and the form says which.
  await page.reload();
  await expect(submit).toBeEnabled();
  await expectKept(form);
  await expect(form.getByText('Choose passport.pdf again: files do not survive a reload.')).toBeVisible();
  await submit.click();
  await expect(summary.getByRole('link')).toHaveText([
    'Please choose a passport copy',
    'Please choose a utility bill',
  ]);
  await passport.setInputFiles(PDF);
  await bill.setInputFiles(BILL);

  let pass = () => {};
  const held = new Promise<void>((resolve) => {
    pass = resolve;
  });
  await page.route(
    CALL,
    async (route) => {
      await held;
      await route.continue();
    },
    { times: 1 },
  );
  await submit.click();
  const busy = form.getByRole('button', { name: 'Submitting Application...' });
  await expect(busy).toBeDisabled();
  pass();
  const modal = page.getByRole('dialog', { name: 'Application Submitted Successfully' });
  await expect(modal).toContainText(REFERENCE);
  await examine(page, 'dialog[open]', info, 'success');
  const reference = REFERENCE.exec((await modal.textContent()) ?? '')?.[0] ?? '';

  // The X closes it, and the form is empty.
  await modal.getByRole('button', { name: 'Close this message' }).click();
  await expect(modal).toBeHidden();
  await expect(form.getByLabel('Full name')).toHaveValue('');
  await expect(form.getByLabel('Country')).toHaveValue('');
  await expect(form.getByText('passport.pdf')).toBeHidden();
  expect(
    await page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.startsWith('draft:'))),
  ).toEqual([]);

  await page.goto(`${portal.url}/application-status#reference=${reference}`);
  const look = page.getByRole('form', { name: 'Application status' });
  await look.getByLabel('Email address').fill('ada@example.com');
  await look.getByRole('button', { name: 'Show Status' }).click();
  await expect(page.getByRole('heading', { name: /^Application for the loan note: Received/ })).toBeVisible();
  faults.expectNone(MADE_TO_FAIL);
});

test('the success message closes by its button and by a click beside it', async ({ page, context }) => {
  await acceptTerms(context);
  await page.route(CALL, (route) =>
    route.fulfill({ json: { success: true, referenceNumber: 'BD-20260101-123456' } }),
  );
  await page.goto(`${portal.url}/investment#apply`);
  const form = page.getByRole('form', { name: 'Apply Now' });
  const modal = page.getByRole('dialog', { name: 'Application Submitted Successfully' });
  await expect(form.getByRole('button', { name: 'Submit Application' })).toBeEnabled();
  const send = async () => {
    for (const [label, value] of Object.entries(TYPED)) await form.getByLabel(label).fill(value);
    for (const [label, value] of Object.entries(CHOSEN)) await form.getByLabel(label).selectOption(value);
    await form.getByLabel('Passport copy').setInputFiles(PDF);
    await form.getByLabel('Utility bill').setInputFiles(BILL);
    await form.getByRole('button', { name: 'Submit Application' }).click();
    await expect(modal).toContainText('BD-20260101-123456');
  };
  await send();
  await modal.getByRole('button', { name: 'Close', exact: true }).click();
  await expect(modal).toBeHidden();
  await send();
  await page.mouse.click(5, 5);
  await expect(modal).toBeHidden();
});

test('without JavaScript the page says how to reach the team, and shows no form', async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${portal.url}/convertible-loan#apply`);
  await expect(page.getByText(/Without it, write to \S+@\S+, without documents\./)).toBeVisible();
  await expect(page.getByRole('form', { name: 'Apply Now' })).toBeHidden();
  await context.close();
});

test('the loan note is downloaded as a document under its dated name, and a failure is said', async ({
  page,
  context,
}) => {
  await acceptTerms(context);
  await page.route('**/api/pdf/loan-note', (route) =>
    route.fulfill({ status: 503, json: { success: false } }),
  );
  await page.goto(`${portal.url}/convertible-loan`);
  await expect(page.getByText(/^The whole note: PDF, 12 pages, \d+ kB\.$/)).toBeVisible();
  const link = page.getByRole('link', { name: 'Download PDF' });
  await link.click();
  await expect(page.locator('.toast')).toContainText('Download Error');
  await expect(page.locator('.toast')).toContainText(
    'Unable to download the PDF. Please try again or contact support.',
  );
  await page.unroute('**/api/pdf/loan-note');
  const started = page.waitForEvent('download');
  await link.click();
  const download = await started;
  await expect(page.locator('.toast')).toContainText('Download Started');
  expect(download.suggestedFilename()).toMatch(/^blackduck-convertible-loan-note-\d{4}-\d{2}-\d{2}\.pdf$/);
  // As a browser without the script would be sent it.
  const plain = await page.request.get(`${portal.url}${await link.getAttribute('href')}`);
  expect(plain.headers()['content-disposition']).toContain(download.suggestedFilename());
  expect(await readFile(await download.path())).toEqual(await plain.body());
  const pdf = await readPdf(await plain.body());
  expect(pdf.pages).toHaveLength(12);
  await pdf.close();
});
