// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openServedPage, type ServedPage } from '../testing/served-page.tsx';
import AuditTrailPage from './AuditTrailPage.tsx';
import { storeAdminSession } from './admin-session.ts';

const AT = '2026-11-21T10:00:00.000Z';
const TRAIL = 'GET /api/admin/audit-trail';
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
  page = await openServedPage(<AuditTrailPage />);
});
afterEach(() => page.close());

async function signIn(records: readonly object[], next: string | null = null) {
  page.respond(TRAIL, { records, next, actors: [{ id: 'a1', name: 'ada' }], actions: ['note.added'] });
  await page.advance(0, () => storeAdminSession('token', { username: 'ada' }));
  await page.advance(0);
}

it('shows who did what, when and from where', async () => {
  await signIn([record('1')]);
  const details = ['reference number: BD-20260102-000001', 'note: —'];
  for (const text of ['ada', 'loan-document.viewed', '192.0.2.7', ...details]) {
    expect(page.text()).toContain(text);
  }
});

it('loads older records on demand', async () => {
  await signIn([record('2')], '2');
  page.respond(TRAIL, { records: [record('1')], next: null, actors: [], actions: [] });
  await page.press('Load older');
  expect(page.root.querySelectorAll('tbody tr')).toHaveLength(2);
  expect(() => page.button('Load older')).toThrow();
});

it.each(['from', 'to'])('keeps the entries while the field “%s” contains a five-digit year', async (name) => {
  await signIn([record('1')]);
  const field = page.root.querySelector<HTMLInputElement>(`[name="${name}"]`);
  if (field === null) throw new Error('No such field.');
  field.id = name;
  // In a date field, browsers accept a five-digit year, but happy-dom does not.
  field.type = 'text';
  await page.type(name, '20265-01-01');
  expect(field.value).toBe('20265-01-01');
  expect(page.root.querySelectorAll('tbody tr')).toHaveLength(1);
});
