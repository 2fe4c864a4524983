// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  adminFetch,
  clearAdminSession,
  keepAdminSession,
  readAdminSession,
  watchAdminSession,
} from './admin-session.ts';

function answers(status: number, body = '{}') {
  const fetched = vi.fn<typeof fetch>(async () => new Response(body, { status }));
  vi.stubGlobal('fetch', fetched);
  return fetched;
}

beforeEach(() => localStorage.clear());
afterEach(() => vi.unstubAllGlobals());

describe('the admin session of a browser', () => {
  it('is kept under the names that the login gives, until it is cleared', () => {
    expect(readAdminSession()).toBeNull();
    keepAdminSession('token', { username: 'ada' });
    expect({ ...localStorage }).toEqual({ adminSession: 'token', adminUser: '{"username":"ada"}' });
    expect(readAdminSession()).toEqual({ sessionId: 'token', user: { username: 'ada' } });
    clearAdminSession();
    expect(localStorage).toHaveLength(0);
  });

  it.each(['{', 'null', '[]', '{"username":1}'])('stands without a user where %s is kept of one', (kept) => {
    localStorage.setItem('adminSession', 'token');
    localStorage.setItem('adminUser', kept);
    expect(readAdminSession()).toEqual({ sessionId: 'token', user: null });
  });

  it('is none where the browser blocks its storage, and clearing it fails nothing', () => {
    const blocked = () => {
      throw new DOMException('blocked', 'SecurityError');
    };
    vi.stubGlobal('localStorage', { getItem: blocked, removeItem: blocked });
    expect(readAdminSession()).toBeNull();
    clearAdminSession();
  });

  it('tells who watches when it comes and goes, in this tab and in another one', () => {
    const seen = vi.fn();
    const stop = watchAdminSession(seen);
    keepAdminSession('token', { username: 'ada' });
    clearAdminSession();
    dispatchEvent(new StorageEvent('storage', { key: 'adminSession' }));
    dispatchEvent(new StorageEvent('storage', { key: 'theme' }));
    expect(seen).toHaveBeenCalledTimes(3);
    stop();
    clearAdminSession();
    expect(seen).toHaveBeenCalledTimes(3);
  });
});

describe('a request of an admin', () => {
  it('carries the session in its header, beside what it is given', async () => {
    keepAdminSession('token', { username: 'ada' });
    const fetched = answers(200);
    await adminFetch('POST', '/api/x', { payload: { a: 1 }, headers: { 'X-One': '1' } });
    const [path, init] = fetched.mock.calls[0] ?? [];
    expect(path).toBe('/api/x');
    expect(init?.headers).toEqual({
      Authorization: 'Bearer token',
      'Content-Type': 'application/json',
      'X-One': '1',
    });
  });

  it('is not sent where nobody is signed in', async () => {
    const fetched = answers(200);
    await expect(adminFetch('GET', '/api/x')).rejects.toMatchObject({ status: 401 });
    expect(fetched).not.toHaveBeenCalled();
  });

  it('forgets a session that does not hold any more, and only that', async () => {
    keepAdminSession('token', { username: 'ada' });
    answers(403);
    await expect(adminFetch('GET', '/api/x')).rejects.toMatchObject({ status: 403 });
    expect(readAdminSession()).not.toBeNull();
    answers(401);
    await expect(adminFetch('GET', '/api/x')).rejects.toMatchObject({ status: 401 });
    expect(readAdminSession()).toBeNull();
  });

  it('leaves a session alone that was kept while an older one’s request was under way', async () => {
    keepAdminSession('old', { username: 'ada' });
    vi.stubGlobal('fetch', async () => {
      keepAdminSession('new', { username: 'ada' });
      return new Response('', { status: 401 });
    });
    await expect(adminFetch('GET', '/api/x')).rejects.toMatchObject({ status: 401 });
    expect(readAdminSession()?.sessionId).toBe('new');
  });
});
