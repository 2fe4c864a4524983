// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openServedPage, type ServedPage } from '../testing/served-page.tsx';
import { storeAdminSession } from './admin-session.ts';
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
  await page.advance(0, () => storeAdminSession('token', { username: 'ada' }));
  await page.advance(0);
}

it('offers the login without a session, and sends no requests', () => {
  expect(page.root.querySelector('a')?.getAttribute('href')).toBe('/admin/login');
  expect(page.requests).toEqual([]);
});

it('shows who did what, when and from where, and what Duckling could not answer', async () => {
  page.respond(TRAIL, { records: [record('1')], next: null });
  page.respond(CHAT, {
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
  ]) {
    expect(page.text()).toContain(shown);
  }
  expect(page.root.querySelector('a[href="/faq#lock"]')?.closest('li')?.textContent).toMatch(/4.*1/);
  expect(page.root.querySelector('button')).toBeNull();
});

it('says that there are no questions and no feedback', async () => {
  page.respond(TRAIL, { records: [], next: null });
  page.respond(CHAT, { unanswered: [], verdicts: [] });
  await signIn();
  expect(page.root.querySelectorAll('[data-empty]')).toHaveLength(2);
});

it('loads older records on demand', async () => {
  page.respond(TRAIL, { records: [record('2')], next: '2' });
  page.respond(CHAT, { unanswered: [], verdicts: [] });
  await signIn();
  page.respond(TRAIL, { records: [record('1')], next: null });
  await page.press('Load older');
  expect(page.root.querySelectorAll('tbody tr')).toHaveLength(2);
  expect(page.root.querySelector('button')).toBeNull();
});
