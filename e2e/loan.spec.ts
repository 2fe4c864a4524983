import { readFile } from 'node:fs/promises';
import { expect, type Locator } from 'playwright/test';
import { blankPng, samplePdf } from '../api/documents/testing/sample-documents.ts';
import type { FormField } from '../data/model/forms/field.ts';
import { LOAN_FORM, tooLargeMessage } from '../data/model/forms/loan-form.ts';
import { readPdf } from '../site/loan-note-pdf/testing/read-pdf.ts';
import { watchForErrors } from './dashboard-page.ts';
import { DESKTOP, examine } from './examine.ts';
import { test } from './test.ts';
import { expectInvalid, expectNoDraft, failNext, holdNext } from './visitor.ts';

const REFERENCE = /BD-\d{8}-\d{6}/;
const CALL = '**/api/convertible-loan';
const EXPECTED_FAILURES = /status of (422|500)|ERR_FAILED/;

const PDF = { name: 'passport.pdf', mimeType: 'application/pdf', buffer: samplePdf() };
const BILL = { name: 'bill.png', mimeType: 'image/png', buffer: blankPng(400, 200) };

const TEXT_VALUES = { 'Full name': 'Ada Łovelace', Email: 'ada@example.com', Comments: 'One\nTwo' };
const SELECT_VALUES = {
  Country: 'GB',
  'Investment amount': '75000',
  'Investor type': 'Family Office',
  'Repayment preference': 'Undecided',
  'Risk awareness': 'Yes',
};

async function fill(form: Locator): Promise<void> {
  for (const [label, value] of Object.entries(TEXT_VALUES)) await form.getByLabel(label).fill(value);
  for (const [label, value] of Object.entries(SELECT_VALUES))
    await form.getByLabel(label).selectOption(value);
}

async function expectValues(form: Locator): Promise<void> {
  for (const [label, value] of Object.entries({ ...TEXT_VALUES, ...SELECT_VALUES })) {
    await expect(form.getByLabel(label)).toHaveValue(value);
  }
}

test('a loan note application keeps its values through errors, failures and a reload, until it is accepted', async ({
  page,
}) => {
  const errors = watchForErrors(page);
  await page.setViewportSize(DESKTOP);
  await page.goto('/convertible-loan#apply');
  const form = page.getByRole('form', { name: 'Apply Now' });
  const submitButton = form.getByRole('button', { name: 'Submit Application' });
  await expect(submitButton).toBeEnabled();
  await submitButton.click();
  const summary = form.getByRole('alert');
  await expect(summary).toBeFocused();
  const requiredFields = Object.entries<FormField>(LOAN_FORM.fields).filter(([, { optional }]) => !optional);
  await expectInvalid(
    summary,
    'loan',
    requiredFields.map(([name]) => name),
  );
  expect(await form.getByLabel('Investment amount').locator('option').count()).toBe(10);
  expect(await form.getByLabel('Country').locator('option').count()).toBeGreaterThan(190);
  await examine(page, 'errors', { part: 'form:has(#loan-name)' });

  await fill(form);
  const passport = form.getByLabel('Passport copy');
  const bill = form.getByLabel('Utility bill');

  // A file is checked when it is chosen, and can be replaced and removed.
  await passport.setInputFiles({ ...PDF, name: 'page.html', mimeType: 'text/html' });
  await expect(passport).toHaveAttribute('aria-invalid', 'true');
  await passport.setInputFiles({ ...PDF, buffer: Buffer.alloc(10_000_001) });
  await expect(passport).toHaveAccessibleDescription(new RegExp(tooLargeMessage('passportCopy')));
  await passport.setInputFiles(PDF);
  await expect(passport).toHaveAccessibleDescription(/passport\.pdf\s*\d+ bytes/);
  await form.getByRole('button', { name: 'Remove the passport copy' }).click();
  await expect(passport).toBeFocused();
  await expect(passport).toHaveAccessibleDescription(new RegExp(LOAN_FORM.fields.passportCopy.missing));
  await passport.setInputFiles(PDF);
  await bill.setInputFiles({ ...BILL, buffer: Buffer.from('not an image') });
  await expect(summary).toBeHidden();

  // First the network fails, then the server. The form loses no value.
  await failNext(page, CALL, 'network');
  await submitButton.click();
  await expect(page.locator('.toast')).toContainText('Submission Error');
  await expect(page.locator('.toast')).toContainText(
    'There was an issue submitting your application. Please try again or contact us directly.',
  );
  await expect(form.getByRole('alert')).toBeVisible();
  await expectValues(form);
  await expect(passport).toHaveAccessibleDescription(/passport\.pdf/);
  await form.getByRole('button', { name: 'Retry' }).click();
  await expect(form.getByRole('alert')).toContainText(/utility bill/);

  // A reload keeps the values and loses the files. The form then lists the names of the lost files.
  await page.reload();
  await expect(submitButton).toBeEnabled();
  await expectValues(form);
  await expect(form.getByText('passport.pdf')).toBeVisible();
  await submitButton.click();
  await expectInvalid(summary, 'loan', ['passportCopy', 'utilityBill']);
  await passport.setInputFiles(PDF);
  await bill.setInputFiles(BILL);

  const release = await holdNext(page, CALL);
  await submitButton.click();
  const busyButton = form.getByRole('button', { name: 'Submitting Application...' });
  await expect(busyButton).toBeDisabled();
  release();
  const modal = page.getByRole('dialog', { name: 'Application Submitted Successfully' });
  await expect(modal).toContainText(REFERENCE);
  await expect(modal.getByRole('heading')).toBeFocused();
  await examine(page, 'success', { part: 'dialog[open]' });
  const reference = REFERENCE.exec((await modal.textContent()) ?? '')?.[0] ?? '';

  await modal.getByRole('button', { name: 'Close this message' }).click();
  await expect(modal).toBeHidden();
  await expect(submitButton).toBeFocused();
  await expect(form.getByLabel('Full name')).toHaveValue('');
  await expect(form.getByLabel('Country')).toHaveValue('');
  await expect(form.getByText('passport.pdf')).toBeHidden();
  await expectNoDraft(page);

  await page.goto(`/application-status#reference=${reference}`);
  const lookup = page.getByRole('form', { name: 'Application status' });
  await lookup.getByLabel('Email address').fill('ada@example.com');
  await lookup.getByRole('button', { name: 'Show Status' }).click();
  await expect(page.locator('[data-status=received]')).toContainText(reference);
  errors.expectNone(EXPECTED_FAILURES);
});

test('the success message closes with its button and with a click on the backdrop', async ({ page }) => {
  await page.route(CALL, (route) =>
    route.fulfill({ json: { success: true, referenceNumber: 'BD-20260101-123456' } }),
  );
  await page.goto('/investment#apply');
  const form = page.getByRole('form', { name: 'Apply Now' });
  const modal = page.getByRole('dialog', { name: 'Application Submitted Successfully' });
  await expect(form.getByRole('button', { name: 'Submit Application' })).toBeEnabled();
  const send = async () => {
    await fill(form);
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

test('the loan note is downloaded under its dated name, and a failure shows a message', async ({ page }) => {
  await page.route('**/api/pdf/loan-note', (route) =>
    route.fulfill({ status: 503, json: { success: false } }),
  );
  await page.goto('/convertible-loan');
  await expect(page.getByText(/12 pages, \d+ kB/)).toBeVisible();
  const link = page.getByRole('link', { name: 'Download PDF' });
  await link.click();
  await expect(page.locator('.toast')).toContainText('Download Error');
  await expect(page.locator('.toast')).toContainText(
    'Unable to download the PDF. Please try again or contact support.',
  );
  await page.unroute('**/api/pdf/loan-note');
  const downloadStarted = page.waitForEvent('download');
  await link.click();
  const download = await downloadStarted;
  await expect(page.locator('.toast')).toContainText('Download Started');
  expect(download.suggestedFilename()).toMatch(/^blackduck-convertible-loan-note-\d{4}-\d{2}-\d{2}\.pdf$/);
  // Without the script, the link downloads the same file.
  const response = await page.request.get((await link.getAttribute('href')) ?? '');
  expect(response.headers()['content-disposition']).toContain(download.suggestedFilename());
  expect(await readFile(await download.path())).toEqual(await response.body());
  const pdf = await readPdf(await response.body());
  expect(pdf.pages).toHaveLength(12);
  await pdf.close();
});
