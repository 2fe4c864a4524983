// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ERASED_PARTS } from '../../../data/model/erased-parts.ts';
import { openServedPage, type ServedPage } from '../testing/served-page.tsx';
import { storeAdminSession } from './admin-session.ts';
import Erasure from './Erasure.tsx';

const CALL = 'POST /api/admin/erasures';
const PASSWORD = 'seven quiet ducks';
const EMAIL = 'zoe@example.org';
const COUNTS = { ...Object.fromEntries(ERASED_PARTS.map((part) => [part, 0])), contactMessages: 2 };
const PREVIEW_RESPONSE = {
  success: true,
  preview: true,
  records: [{ referenceNumber: 'BD-20260102-000001', kind: 'contact-message' }],
  counts: COUNTS,
  outboxFiles: 3,
  otherWallets: [],
  kept: { liveCards: 1, adminAccounts: 0 },
  backups: { newestAt: null, keep: 14, note: 'There is no backup that holds the data.' },
  proof: null,
};
const PROOF = {
  auditRecord: 'a',
  erasedAt: '2026-11-21T10:00:00.000Z',
  salt: 's',
  digest: 'd',
  text: 'The proof.',
};

let page: ServedPage;
beforeEach(async () => {
  localStorage.clear();
  page = await openServedPage(<Erasure />);
});
afterEach(() => page.close());

async function search(): Promise<void> {
  await page.advance(0, () => storeAdminSession('token', { username: 'olga' }));
  page.respond(CALL, PREVIEW_RESPONSE);
  await page.type('erasure-email', ` ${EMAIL} `);
  await page.type('erasure-request', 'MAIL-12');
  await page.press('Show stored data');
}

it('without a session, offers the login and sends no requests', () => {
  expect(page.root.querySelector('a')?.getAttribute('href')).toBe('/admin/login');
  expect(page.requests).toEqual([]);
});

it('shows what is stored, what is kept, and what backups hold, before anything is erased', async () => {
  await search();
  expect(page.requests).toEqual([
    { call: CALL, payload: { email: EMAIL, request: 'MAIL-12', preview: true } },
  ]);
  const rows = [...page.root.querySelectorAll('dl > div')].map((row) => row.querySelector('dd')?.textContent);
  expect(rows).toEqual(['2', '3']);
  expect(page.text()).toContain(PREVIEW_RESPONSE.records[0]?.referenceNumber);
  expect(page.text()).toContain(PREVIEW_RESPONSE.backups.note);
});

it('erases only after the email address and the password are entered, and shows the proof', async () => {
  await search();
  expect(page.button('Erase').disabled).toBe(true);
  await page.type('erasure-confirm', 'zoe@example.com');
  expect(page.button('Erase').disabled).toBe(true);
  await page.type('erasure-confirm', EMAIL);
  expect(page.button('Erase').disabled).toBe(true);
  await page.type('erasure-own', PASSWORD);
  page.respond(CALL, { ...PREVIEW_RESPONSE, preview: false, proof: PROOF });
  await page.press('Erase');
  expect(page.requests.at(-1)?.payload).toEqual({
    email: EMAIL,
    request: 'MAIL-12',
    preview: false,
    ownPassword: PASSWORD,
  });
  expect(page.text()).toContain('The proof.');
  expect(page.root.querySelector('form')).toBeNull();
});

it('hides the stored data when the email address changes', async () => {
  await search();
  await page.type('erasure-email', 'bo@example.org');
  expect(page.root.querySelector('#erasure-confirm')).toBeNull();
});

it('shows why the server refused, and keeps the confirmation form', async () => {
  await search();
  await page.type('erasure-confirm', EMAIL);
  await page.type('erasure-own', PASSWORD);
  page.respond(CALL, { success: false, error: 'Your role may not do that.', code: 'not-allowed' }, 403);
  await page.press('Erase');
  expect(page.root.querySelector('[role="alert"]')?.textContent).toContain('Your role may not do that.');
  expect(page.root.querySelector('#erasure-confirm')).not.toBeNull();
});
