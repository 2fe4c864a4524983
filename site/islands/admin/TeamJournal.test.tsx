// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openServedPage, type ServedPage } from '../testing/served-page.tsx';
import { keepAdminSession } from './admin-session.ts';
import TeamJournal from './TeamJournal.tsx';

const AT = '2026-11-21T10:00:00.000Z';
const TRAIL = 'GET /api/admin/audit-trail';
const CHAT = 'GET /api/admin/chat';
const record = (id: string) => ({
  id,
  at: AT,
  actor: 'ada',
  action: 'loan-document.viewed',
  address: '192.0.2.7',
  details: { referenceNumber: `BD-20260102-00000${id}`, note: null },
});

let page: ServedPage;
beforeEach(async () => {
  localStorage.clear();
  page = await openServedPage(<TeamJournal />);
});
afterEach(() => page.close());

async function signIn(): Promise<void> {
  await page.pass(0, () => keepAdminSession('token', { username: 'ada' }));
  await page.pass(0);
}

it('offers the login to who is signed out, and asks the server nothing', () => {
  expect(page.place.querySelector('a')?.getAttribute('href')).toBe('/admin/login');
  expect(page.asked).toEqual([]);
});

it('tells who did what, when and from where, and what Duckling could not answer', async () => {
  page.answer(TRAIL, { records: [record('1')], next: null });
  page.answer(CHAT, {
    unanswered: [{ question: 'why …', times: 3, firstAskedAt: AT, lastAskedAt: AT }],
    verdicts: [{ source: '/faq#lock', up: 4, down: 1 }],
  });
  await signIn();
  for (const shown of [
    'ada',
    'loan-document.viewed',
    '192.0.2.7',
    'reference number: BD-20260102-000001',
    'note: -',
    'why …',
    '3 times',
  ]) {
    expect(page.text()).toContain(shown);
  }
  expect(page.text()).toContain('4 helped, 1 did not');
  expect(page.text()).not.toContain('Read older');
});

it('says so where nothing was asked or judged yet', async () => {
  page.answer(TRAIL, { records: [], next: null });
  page.answer(CHAT, { unanswered: [], verdicts: [] });
  await signIn();
  expect(page.text()).toContain('Every question has found an answer so far.');
  expect(page.text()).toContain('Nobody has judged an answer yet.');
});
