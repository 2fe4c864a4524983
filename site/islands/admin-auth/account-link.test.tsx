// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readAdminSession } from '../admin/admin-session.ts';
import { openServedPage, type ServedPage } from '../testing/served-page.tsx';
import AccountLink from './AccountLink.tsx';

const READ = 'POST /api/admin/link';
const USE = 'POST /api/admin/link/use';
const LOGIN = 'POST /api/admin/login';
const INVITATION = {
  kind: 'invitation',
  username: null,
  role: 'reviewer',
  expiresAt: '2026-11-24T10:00:00.000Z',
};
const PASSWORD = 'seven quiet ducks';

let page: ServedPage;
const replaceLocation = vi.fn();
const payload = (call: string) => page.requests.findLast((one) => one.call === call)?.payload;
const alert = () => page.root.querySelector('[role="alert"]')?.textContent;

async function open(link: unknown, hash = '#token=a-secret'): Promise<void> {
  location.hash = hash;
  page = await openServedPage(<AccountLink />, link === null ? {} : { [READ]: link });
  await page.settle();
}
async function fill(values: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(values)) await page.type(`link-${name}`, value);
}

beforeEach(() => {
  localStorage.clear();
  replaceLocation.mockClear();
  vi.spyOn(location, 'replace').mockImplementation(replaceLocation);
});
afterEach(async () => {
  await page.close();
  vi.restoreAllMocks();
});

it('creates the invited account, signs in and opens the page for a second factor', async () => {
  await open(INVITATION);
  expect(location.href).not.toContain('a-secret');
  await fill({ username: 'eve', password: PASSWORD, confirm: PASSWORD });
  page.respond(USE, { success: true, username: 'eve' });
  page.respond(LOGIN, { success: true, sessionId: 'token', user: { username: 'eve' } });
  await page.press('Join the team');
  expect(payload(USE)).toEqual({ token: 'a-secret', username: 'eve', password: PASSWORD });
  expect(readAdminSession()?.sessionId).toBe('token');
  expect(replaceLocation.mock.calls).toEqual([['/admin/account#two-factor']]);
});

it('sends nothing unless a username is entered and the password is repeated correctly', async () => {
  await open(INVITATION);
  await fill({ password: PASSWORD, confirm: PASSWORD });
  await page.press('Join the team');
  expect(alert()).toBeDefined();
  await fill({ username: 'eve', confirm: 'another one' });
  await page.press('Join the team');
  expect(alert()).toBe('Passwords do not match');
  expect(payload(USE)).toBeUndefined();
});

it('sets a new password for the link’s account, and then leads to the login', async () => {
  await open({ ...INVITATION, kind: 'password-reset', username: 'bob' });
  await fill({ password: PASSWORD, confirm: PASSWORD });
  page.respond(USE, { error: 'Choose a stronger one.' }, 400);
  await page.press('Set password');
  expect(alert()).toBe('Choose a stronger one.');
  page.respond(USE, { success: true, username: 'bob' });
  await page.press('Set password');
  expect(payload(USE)).toEqual({ token: 'a-secret', password: PASSWORD });
  expect(payload(LOGIN)).toBeUndefined();
  expect(page.root.querySelector('[data-stage="done"] a')?.getAttribute('href')).toBe('/admin/login');
});

it('shows why a link does not work, and sends no request without a token', async () => {
  await open(null, '');
  expect(alert()).toBeDefined();
  expect(page.requests).toEqual([]);
  page.respond(READ, { error: 'It was used.' }, 404);
  await page.advance(0, () => {
    history.replaceState(null, '', '#token=old');
    dispatchEvent(new Event('hashchange'));
  });
  await page.settle();
  expect(alert()).toBe('It was used.');
});
