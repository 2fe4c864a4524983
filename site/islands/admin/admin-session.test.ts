// @vitest-environment happy-dom
import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  adminFetch,
  clearAdminSession,
  loginUrl,
  readAdminSession,
  returnUrl,
  storeAdminSession,
  watchAdminSession,
} from './admin-session.ts';

function stubResponse(status: number, body = '{}') {
  const fetchMock = vi.fn<typeof fetch>(async () => new Response(body, { status }));
  vi.stubGlobal('fetch', fetchMock);
  return fetchMock;
}

beforeEach(() => localStorage.clear());
afterEach(() => vi.unstubAllGlobals());

describe('the admin session in a browser', () => {
  it('is stored under two fixed keys until it is cleared', () => {
    expect(readAdminSession()).toBeNull();
    storeAdminSession('token', { username: 'ada' });
    expect({ ...localStorage }).toEqual({ adminSession: 'token', adminUser: '{"username":"ada"}' });
    expect(readAdminSession()).toEqual({ sessionId: 'token', user: { username: 'ada' } });
    clearAdminSession();
    expect(localStorage).toHaveLength(0);
  });

  it.each(['{', 'null', '[]', '{"username":1}'])('has no user if %s is stored as the user', (storedUser) => {
    localStorage.setItem('adminSession', 'token');
    localStorage.setItem('adminUser', storedUser);
    expect(readAdminSession()).toEqual({ sessionId: 'token', user: null });
  });

  it('is null while the browser blocks storage, and clearing it does not throw', () => {
    const throwSecurityError = () => {
      throw new DOMException('blocked', 'SecurityError');
    };
    vi.stubGlobal('localStorage', { getItem: throwSecurityError, removeItem: throwSecurityError });
    expect(readAdminSession()).toBeNull();
    clearAdminSession();
  });

  it('notifies listeners of changes in this tab and in other tabs', () => {
    const listener = vi.fn();
    const stop = watchAdminSession(listener);
    storeAdminSession('token', { username: 'ada' });
    clearAdminSession();
    dispatchEvent(new StorageEvent('storage', { key: 'adminSession' }));
    dispatchEvent(new StorageEvent('storage', { key: 'theme' }));
    expect(listener).toHaveBeenCalledTimes(3);
    stop();
    clearAdminSession();
    expect(listener).toHaveBeenCalledTimes(3);
  });
});

describe('an admin’s request', () => {
  it('has the session in a header, in addition to other headers', async () => {
    storeAdminSession('token', { username: 'ada' });
    const fetchMock = stubResponse(200);
    await adminFetch('GET', '/api/x', { headers: { 'X-One': '1' } });
    expect(fetchMock.mock.calls[0]?.[1]?.headers).toEqual({ Authorization: 'Bearer token', 'X-One': '1' });
  });

  it('is not sent while nobody is signed in', async () => {
    const fetchMock = stubResponse(200);
    await expect(adminFetch('GET', '/api/x')).rejects.toMatchObject({ status: 401 });
    expect(fetchMock).not.toHaveBeenCalled();
  });

  it('removes the session on a 401, and on no other error', async () => {
    storeAdminSession('token', { username: 'ada' });
    stubResponse(403);
    await expect(adminFetch('GET', '/api/x')).rejects.toMatchObject({ status: 403 });
    expect(readAdminSession()).not.toBeNull();
    stubResponse(401);
    await expect(adminFetch('GET', '/api/x')).rejects.toMatchObject({ status: 401 });
    expect(readAdminSession()).toBeNull();
  });

  it('does not remove a newer session that was stored while it was running', async () => {
    storeAdminSession('old', { username: 'ada' });
    vi.stubGlobal('fetch', async () => {
      storeAdminSession('new', { username: 'ada' });
      return new Response('', { status: 401 });
    });
    await expect(adminFetch('GET', '/api/x')).rejects.toMatchObject({ status: 401 });
    expect(readAdminSession()?.sessionId).toBe('new');
  });
});

const origin = 'https://portal.example.com';
/** The pages in the admin area that are open to visitors without a session. */
const PAGES_WITHOUT_SESSION = ['login', 'setup', 'account-link', 'weekly-report'];

describe('the login URL', () => {
  const pages = readdirSync('site/pages/admin').flatMap((fileName) => {
    const name = fileName.replace(/\.astro$/, '');
    return name === fileName || PAGES_WITHOUT_SESSION.includes(name) ? [] : [`/admin/${name}`];
  });

  it.each([
    ...pages.filter((path) => path !== '/admin/dashboard'),
    '/admin/dashboard#contacts?q=Di+%26+Bo&sort=name&record=BD-20260102-123456',
    '/new-bot-diagnostics',
  ])('leads to %s after the login', (path) => {
    const { pathname, search, hash } = new URL(path, origin);
    const login = new URL(loginUrl({ pathname, search, hash }), origin);
    expect(login.pathname + login.search).toBe('/admin/login');
    expect(returnUrl({ origin, hash: login.hash })).toBe(path);
  });

  it.each(['/admin/dashboard', '/staking'])('does not name %s as the return page', (pathname) => {
    expect(loginUrl({ pathname, search: '', hash: '' })).toBe('/admin/login');
  });

  it.each([
    'https://elsewhere.example/admin/dashboard',
    '//elsewhere.example/admin/account',
    '/\\elsewhere.example/admin/account',
    'javascript:alert(1)',
    'data:text/html,x',
    '/staking',
    '/admin/login',
    '/admin/account/../../staking',
    'http://[',
    '',
  ])('leads to the dashboard, not to %s', (from) => {
    const hash = `#from=${encodeURIComponent(from)}`;
    expect(returnUrl({ origin, hash })).toBe('/admin/dashboard');
  });

  it('leads to the dashboard if it names no return page', () => {
    expect(returnUrl({ origin, hash: '' })).toBe('/admin/dashboard');
  });
});
