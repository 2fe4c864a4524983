// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AdminRole } from '../../../data/model/admin-rules.ts';
import type { TopUpsReport } from '../admin/admin-calls.ts';
import { storeAdminSession } from '../admin/admin-session.ts';
import { sessionOf } from '../admin-dashboard/testing/sample-records.ts';
import { openServedPage, type ServedPage } from '../testing/served-page.tsx';
import AdminTopUps from './AdminTopUps.tsx';

const AT = '2026-11-21T09:58:00.000Z';
const TRANSFER_ID = `1-0x${'ab'.repeat(32)}-0`;
const WALLET = 'So11111111111111111111111111111111111111112';
const BOOK = 'POST /api/admin/top-ups/book';
const SETTLE = 'POST /api/admin/top-ups/settle';

const transfer = {
  ...{
    transferId: TRANSFER_ID,
    at: AT,
    sender: `0x${'12'.repeat(20)}`,
    amount: '100.123456',
    closedCard: null,
  },
};
const readProgress = { block: 21, readAt: AT, comparedAt: AT, difference: '0' };

let page: ServedPage;
async function open(role: AdminRole, topUps: Partial<TopUpsReport> = {}): Promise<void> {
  storeAdminSession('token', { username: 'ada' });
  page = await openServedPage(<AdminTopUps />, {
    'GET /api/admin/session': sessionOf(role),
    'GET /api/admin/top-ups': { readProgress, waiting: 1, unmatched: [transfer], credited: [], ...topUps },
  });
  await page.settle();
}
const payloads = (call: string) =>
  page.requests.filter((one) => one.call === call).map(({ payload }) => payload);
const agreesValue = () => page.root.querySelector<HTMLElement>('[data-agrees]')?.dataset.agrees;

beforeEach(() => localStorage.clear());
afterEach(() => page.close());

describe('the top-ups page', () => {
  it('credits a transfer to a card only if a wallet was entered', async () => {
    await open('reviewer');
    await page.press('Credit or close 100.123456 USDT');
    await page.press('Credit the card');
    const field = () => page.root.querySelector<HTMLInputElement>('[name="walletAddress"]');
    expect(field()?.getAttribute('aria-invalid')).toBe('true');
    expect(payloads(BOOK)).toEqual([]);
    await page.type(field()?.id ?? '', WALLET);
    page.respond(BOOK, { success: true, credited: '97.123456' });
    await page.press('Credit the card');
    expect(payloads(BOOK)).toEqual([{ transferId: TRANSFER_ID, walletAddress: WALLET }]);
    expect(field()).toBeNull();
  });

  it('closes a transfer that is not for a card, and keeps the form open if that fails', async () => {
    await open('owner');
    await page.press('Credit or close 100.123456 USDT');
    page.respond(SETTLE, { success: false, error: 'It was booked already.', code: 'x' }, 409);
    await page.press('Close without a top-up');
    expect(payloads(SETTLE)).toEqual([{ transferId: TRANSFER_ID }]);
    expect(page.text()).toContain('It was booked already.');
  });

  it('shows a viewer the transfers without buttons, and warns if the balance differs from the transfers', async () => {
    await open('viewer', { readProgress: { ...readProgress, difference: '0.5' } });
    expect(page.text()).toContain('100.123456 USDT');
    expect(page.root.querySelector('li button')).toBeNull();
    expect(agreesValue()).toBe('false');
  });

  it('lists the newest top-ups with their cards', async () => {
    const { transferId, at, amount } = transfer;
    await open('viewer', {
      unmatched: [],
      credited: [{ transferId, at, amount, credited: '97.123456', creditedAt: AT, cardId: 'card-1' }],
    });
    const listed = page.root.querySelector(`[data-transfer="${TRANSFER_ID}"]`)?.textContent;
    for (const fact of ['100.123456', '97.123456', 'card-1']) expect(listed).toContain(fact);
  });

  it('claims nothing about the balance while transfers are not read', async () => {
    await open('viewer', { readProgress: null, unmatched: [], waiting: 0 });
    expect(agreesValue()).toBeUndefined();
  });
});
