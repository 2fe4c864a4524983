import { expect, type Page } from 'playwright/test';
import { blankPng, samplePdf } from '../api/documents/testing/sample-documents.ts';
import { LOAN_FIELDS } from '../api/loan/testing/send-loan.ts';
import { watchForErrors } from './dashboard-page.ts';
import { examine } from './examine.ts';
import { waitForMailLink } from './mails.ts';
import type { Portal } from './portal.ts';
import { test } from './test.ts';
import { failNext } from './visitor.ts';

const CALL = '**/api/convertible-loan/confirm-mailbox';
const EXPECTED_FAILURES = /status of (404|500)|ERR_FAILED/;

/** @returns the application's reference number, and the fragment of the link in the email */
async function apply(
  page: Page,
  portal: Portal,
): Promise<{ readonly reference: string; readonly fragment: string }> {
  const email = 'mailbox@example.com';
  const multipart = {
    ...LOAN_FIELDS,
    email,
    passportCopy: { name: 'passport.pdf', mimeType: 'application/pdf', buffer: samplePdf() },
    utilityBill: { name: 'bill.png', mimeType: 'image/png', buffer: blankPng(40, 20) },
  };
  const response = await page.request.post('/api/convertible-loan', { multipart });
  const { referenceNumber } = await response.json();
  const link = await waitForMailLink(portal, email, /\/confirm-mailbox#token=[\w-]{43}/);
  return { reference: referenceNumber, fragment: link.slice(link.indexOf('#')) };
}

test('the link in the email confirms the mailbox with one click, and its token is removed from the URL', async ({
  page,
  sharedPortal,
}) => {
  const errors = watchForErrors(page);
  const { reference, fragment } = await apply(page, sharedPortal);
  const step = page.locator('[data-confirm]');
  const button = page.getByRole('button', { name: 'Confirm your email address' });

  await page.goto('/confirm-mailbox');
  await expect(step).toHaveAttribute('data-step', 'no-link');
  await expect(button).toBeHidden();
  await page.goto('/confirm-mailbox#token=');
  await expect(page).toHaveURL(/confirm-mailbox$/);
  await expect(step).toHaveAttribute('data-step', 'no-link');

  // The link is pasted into the open page.
  await page.evaluate((hash) => location.assign(hash), fragment);
  await expect(step).toHaveAttribute('data-step', 'ready');
  expect(new URL(page.url()).hash).toBe('');
  await examine(page, 'ready');

  await failNext(page, CALL, 'network');
  await button.click();
  await expect(page.getByRole('alert')).toBeVisible();
  await failNext(page, CALL, 'server');
  await button.click();
  await expect(page.getByRole('alert')).toBeVisible();
  await expect(button).toBeEnabled();
  await button.click();
  await expect(step).toHaveAttribute('data-step', 'confirmed');
  await expect(page.locator('[data-already-confirmed]')).toBeHidden();
  await expect(page.locator('[data-reference]')).toHaveText(reference);
  expect(
    await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])),
  ).not.toContain(fragment.slice('#token='.length));

  await page.getByRole('link', { name: 'Check status' }).click();
  await expect(page.getByLabel('Reference number')).toHaveValue(reference);

  // The link is opened again, as in a second tab.
  await page.goto(`/confirm-mailbox${fragment}`);
  await button.click();
  await expect(page.locator('[data-already-confirmed]')).toBeVisible();
  await expect(page.locator('[data-newly-confirmed]')).toBeHidden();
  errors.expectNone(EXPECTED_FAILURES);
});

test('a link that was not issued is refused, and leads back to the form', async ({ page }) => {
  await page.goto(`/confirm-mailbox#token=${'A'.repeat(43)}`);
  await page.getByRole('button', { name: 'Confirm your email address' }).click();
  await expect(page.locator('[data-confirm]')).toHaveAttribute('data-step', 'refused');
  await expect(page.getByRole('alert')).toBeFocused();
  await examine(page, 'refused');
  await page.getByRole('link', { name: 'Go to the loan note' }).click();
  await expect(page.getByRole('form', { name: 'Apply Now' })).toBeVisible();
});
