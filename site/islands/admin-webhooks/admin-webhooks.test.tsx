// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AdminRole } from '../../../data/model/admin-rules.ts';
import { WEBHOOK_EVENT_TYPES } from '../../../data/model/webhooks.ts';
import type { WebhookDelivery, WebhookEndpoint } from '../admin/admin-calls.ts';
import { storeAdminSession } from '../admin/admin-session.ts';
import { sessionOf } from '../admin-dashboard/testing/sample-records.ts';
import { openServedPage, type ServedPage } from '../testing/served-page.tsx';
import AdminWebhooks from './AdminWebhooks.tsx';

const AT = '2026-11-21T09:58:00.000Z';
const ENDPOINT_ID = 'we_0123456789abcdef';

const endpoint = (changes: Partial<WebhookEndpoint> = {}): WebhookEndpoint => ({
  ...{
    id: ENDPOINT_ID,
    url: 'https://receiver.example/hook',
    types: [...WEBHOOK_EVENT_TYPES],
    state: 'active',
  },
  ...{ createdAt: AT, failingSince: null, oldSecretUntil: null },
  ...changes,
});
const delivery = (changes: Partial<WebhookDelivery> = {}): WebhookDelivery => ({
  ...{ id: 'd1', eventId: 'evt_1', type: 'loan.decided', referenceNumber: 'BD-20260102-123456' },
  ...{ createdAt: AT, state: 'dead', attempts: 3, nextAttemptAt: null, lastAttemptAt: AT },
  ...{ code: '500', response: '<b>no</b>', latencyMs: 12 },
  ...changes,
});

let page: ServedPage;
async function open(role: AdminRole, endpoints: readonly WebhookEndpoint[]): Promise<void> {
  storeAdminSession('token', { username: 'ada' });
  page = await openServedPage(<AdminWebhooks />, {
    'GET /api/admin/session': sessionOf(role),
    'GET /api/admin/webhooks': { endpoints },
    'GET /api/admin/webhooks/deliveries': { deliveries: [delivery()] },
  });
  await page.settle();
}
const payloads = (call: string) =>
  page.requests.filter((one) => one.call === call).map(({ payload }) => payload);

beforeEach(() => localStorage.clear());
afterEach(() => page.close());

describe('the webhooks page', () => {
  it('reads nothing for admins who are not owners', async () => {
    await open('reviewer', [endpoint()]);
    expect(payloads('GET /api/admin/webhooks')).toEqual([]);
    expect(page.root.querySelector('button')).toBeNull();
  });

  it('shows the receiver’s response as text, and retries a failed event', async () => {
    await open('owner', [endpoint()]);
    expect(page.root.textContent).toContain('<b>no</b>');
    await page.press('Retry Loan application decided');
    expect(payloads('POST /api/admin/webhooks/retry')).toEqual([{ delivery: 'd1' }]);
  });

  it('disables sending to an endpoint that is not active', async () => {
    await open('owner', [endpoint({ state: 'disabled' })]);
    const buttons = [...page.root.querySelectorAll('button')];
    const sendButtons = buttons.filter(({ textContent }) => /^(?:Retry|Send)/.test(textContent));
    expect(sendButtons.map(({ disabled }) => disabled)).toEqual([true, true]);
  });

  it('says for how long events are signed with both secrets after the secret is rolled', async () => {
    await open('owner', [endpoint()]);
    await page.press('Manage receiver.example');
    expect(page.text()).toContain('signed with both secrets for 24 hours, so that');
  });

  it('adds an endpoint for all events by default, but only with a password', async () => {
    await open('owner', []);
    await page.press('Add endpoint');
    await page.type('webhook-url', 'https://receiver.example/hook');
    await page.press('Add');
    expect(payloads('POST /api/admin/webhooks/add')).toEqual([]);
    await page.type('webhook-own', 'seven quiet ducks');
    await page.press('Add');
    expect(payloads('POST /api/admin/webhooks/add')).toEqual([
      { url: 'https://receiver.example/hook', types: WEBHOOK_EVENT_TYPES, ownPassword: 'seven quiet ducks' },
    ]);
  });
});
