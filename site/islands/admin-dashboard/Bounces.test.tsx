// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query';
import { afterEach, expect, it } from 'vitest';
import * as PATHS from '../../../data/contract/paths.ts';
import { queryClient } from '../../data/query-client.ts';
import type { StoredRecord } from '../admin/admin-calls.ts';
import { storeAdminSession } from '../admin/admin-session.ts';
import { openServedPage, type ServedPage } from '../testing/served-page.tsx';
import { Bounces } from './Bounces.tsx';
import { RetryAll } from './RetryAll.tsx';
import { loanRecord, sessionOf } from './testing/sample-records.ts';

const STORED: StoredRecord = {
  ...loanRecord([]),
  bounces: [
    {
      deliveryId: 'd1',
      event: 'loan-application.received',
      at: '2026-11-20T09:00:00.000Z',
      reason: 'address-unknown',
      recipient: 'b…@….com',
      error: '550 5.1.1 unknown user',
    },
  ],
  earlierAddresses: [{ email: 'old@example.com', at: '2026-11-20T09:00:00.000Z', by: 'grace' }],
};

let page: ServedPage;
async function open(role: 'viewer' | 'reviewer', element = <Bounces stored={STORED} />) {
  storeAdminSession('token', { username: 'ada' });
  page = await openServedPage(<QueryClientProvider client={queryClient}>{element}</QueryClientProvider>, {
    'GET /api/admin/session': sessionOf(role),
    [`POST ${PATHS.retryFailedDeliveries}`]: { success: true, deliveries: 1 },
  });
  const refusal = { success: false, error: 'Handled already.', code: 'mail-not-bounced' };
  page.respond(`POST ${PATHS.correctAddress}`, refusal, 409);
  page.respond(`POST ${PATHS.settleBounce}`, { success: true, referenceNumber: STORED.referenceNumber });
  await page.settle();
}
afterEach(() => page.close());

const postedRequests = () =>
  page.requests.filter(({ call }) => call.startsWith('POST')).map(({ call, payload }) => [call, payload]);

it('shows a viewer what was not delivered and the earlier address, without buttons', async () => {
  await open('viewer');
  expect(page.root.querySelector('[data-bounces="1"] [data-reason="address-unknown"]')).not.toBeNull();
  expect(page.root.querySelector('[data-earlier-address]')?.textContent).toContain('old@example.com');
  expect(page.root.querySelector('button')).toBeNull();
});

it('validates and corrects the address, sends the emails again, and settles the bounce', async () => {
  await open('reviewer');
  await page.press('Correct the address');
  await page.advance(0, () => page.root.querySelector('form')?.requestSubmit());
  expect(page.root.querySelector('[aria-invalid="true"]')).not.toBeNull();
  expect(postedRequests()).toEqual([]);
  await page.type(page.root.querySelector('input[name="email"]')?.id ?? '', 'new@example.com');
  await page.advance(0, () => page.root.querySelector('form')?.requestSubmit());
  await page.settle();
  // The field shows the server's error and keeps the typed text.
  expect(page.root.querySelector<HTMLInputElement>('[aria-invalid="true"]')?.value).toBe('new@example.com');
  await page.press('Cancel');
  await page.press('Send again');
  await page.press('By phone');
  const { referenceNumber } = STORED;
  expect(postedRequests()).toEqual([
    [`POST ${PATHS.correctAddress}`, { referenceNumber, email: 'new@example.com' }],
    [`POST ${PATHS.retryFailedDeliveries}`, { referenceNumber }],
    [`POST ${PATHS.settleBounce}`, { referenceNumber, by: 'phone' }],
  ]);
});

it('reports a failure if no email was queued because another admin handled the bounce', async () => {
  await open('reviewer');
  await page.press('Send again');
  expect(document.querySelector('.toast.failure')).toBeNull();
  // The toast must not name the applicant's address, because the retry also covers messages to the team.
  expect(document.querySelector('.toast')?.textContent).not.toContain(STORED.record.email);
  page.respond(`POST ${PATHS.retryFailedDeliveries}`, { success: true, deliveries: 0 });
  await page.press('Send again');
  expect(document.querySelector('.toast.failure')).not.toBeNull();
});

it('previews all failed deliveries by record, and sends them again only after the preview', async () => {
  await open('reviewer', <RetryAll />);
  page.respond(`POST ${PATHS.retryFailedDeliveries}`, {
    ...{ success: true, deliveries: 3, recordCount: 201 },
    records: [{ referenceNumber: STORED.referenceNumber, deliveries: 2 }],
  });
  await page.press('Retry all');
  expect(page.root.querySelector('[data-retry-all="3"]')?.textContent).toMatch(
    new RegExp(`${STORED.referenceNumber} \\(2\\).*200 more`),
  );
  expect(postedRequests()).toEqual([
    [`POST ${PATHS.retryFailedDeliveries}`, { referenceNumber: null, preview: true }],
  ]);
  await page.press('Cancel');
  await page.press('Retry all');
  await page.press('Send again');
  expect(postedRequests().at(-1)).toEqual([`POST ${PATHS.retryFailedDeliveries}`, { referenceNumber: null }]);
  expect(postedRequests()).toHaveLength(3);
});
