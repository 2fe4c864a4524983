// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keepAdminSession, readAdminSession } from '../admin/admin-session.ts';
import { openServedPage, type ServedPage } from '../testing/served-page.tsx';
import LoginForm from './LoginForm.tsx';
import { waitText } from './use-wait.ts';

const LOGIN = 'POST /api/admin/login';
const refusal = (code: string) => ({ success: false, error: `The words of ${code}.`, code });
const WELCOME = { success: true, sessionId: 'token', user: { username: 'ada', role: 'owner' } };

let page: ServedPage;
const replaced = vi.fn();
const alert = () => page.place.querySelector('[role="alert"]')?.textContent;

async function open(): Promise<void> {
  page = await openServedPage(<LoginForm />);
}
async function fill(): Promise<void> {
  await page.type('login-username', 'ada');
  await page.type('login-password', 'seven quiet ducks');
}

beforeEach(() => {
  localStorage.clear();
  replaced.mockClear();
  vi.spyOn(location, 'replace').mockImplementation(replaced);
});
afterEach(async () => {
  await page.close();
  vi.restoreAllMocks();
});

describe('the login', () => {
  it('keeps the session that it is given, and goes on to the dashboard', async () => {
    await open();
    page.answer(LOGIN, WELCOME);
    await fill();
    await page.press('Sign in');
    expect(page.asked).toEqual([
      { call: LOGIN, payload: { username: 'ada', password: 'seven quiet ducks' } },
    ]);
    expect(readAdminSession()).toEqual({ sessionId: 'token', user: { username: 'ada' } });
    expect(replaced.mock.calls).toEqual([['/admin/dashboard']]);
  });

  it('leads who is signed in already on at once, and asks nothing', async () => {
    keepAdminSession('token', { username: 'ada' });
    await open();
    expect(replaced.mock.calls).toEqual([['/admin/dashboard']]);
    expect(page.place.querySelector('form')).toBeNull();
    expect(page.asked).toEqual([]);
  });

  it('asks for both username and password before it asks the server', async () => {
    await open();
    await page.type('login-username', 'ada');
    await page.press('Sign in');
    expect(alert()).toBe('Give the username and the password.');
    expect(page.asked).toEqual([]);
  });

  it.each([
    [
      'the server’s words',
      () => page.answer(LOGIN, refusal('sign-in-refused'), 401),
      'The words of sign-in-refused.',
    ],
    ['Login failed where it has none', () => page.answer(LOGIN, {}, 500), 'Login failed'],
    ['Login failed where its answer is not one', () => page.answer(LOGIN, null), 'Login failed'],
    ['the network', () => page.losesNetwork(LOGIN), 'Network error. Please try again.'],
  ])('tells a failure by %s, and can be tried again', async (_what, fail, words) => {
    await open();
    fail();
    await fill();
    await page.press('Sign in');
    expect(alert()).toBe(words);
    expect(page.button('Sign in').disabled).toBe(false);
    expect(readAdminSession()).toBeNull();
    expect(replaced).not.toHaveBeenCalled();
  });

  it('asks for a code once the server wants one, and sends it along', async () => {
    await open();
    page.answer(LOGIN, refusal('code-needed'), 401);
    await fill();
    expect(page.place.querySelector('#login-code')).toBeNull();
    await page.press('Sign in');
    expect(document.activeElement?.id).toBe('login-code');
    expect(alert()).toBeUndefined();
    page.answer(LOGIN, refusal('sign-in-refused'), 401);
    await page.type('login-code', ' 000000 ');
    await page.press('Sign in');
    expect(alert()).toBe('The words of sign-in-refused.');
    expect(page.place.querySelector<HTMLInputElement>('#login-code')?.value).toBe('');
    page.answer(LOGIN, WELCOME);
    await page.type('login-code', '123456');
    await page.press('Sign in');
    expect(page.asked.map(({ payload }) => Reflect.get(Object(payload), 'code'))).toEqual([
      undefined,
      '000000',
      '123456',
    ]);
    expect(readAdminSession()?.sessionId).toBe('token');
  });

  it('counts down the time that the server has everyone wait, and sends nothing before', async () => {
    await open();
    page.answer(LOGIN, refusal('too-many-attempts'), 429, { 'Retry-After': '64' });
    await fill();
    await page.press('Sign in');
    expect(alert()).toBe('The words of too-many-attempts.');
    await page.pass(2);
    expect(page.text()).toMatch(/You can try again in 1 min [12] s\./);
    expect(page.button('Sign in').disabled).toBe(true);
    await page.pass(64);
    expect(page.text()).not.toContain('You can try again');
    expect(page.button('Sign in').disabled).toBe(false);
  });

  it('gives a session back that the browser does not keep, and says why nobody is signed in', async () => {
    await open();
    page.answer(LOGIN, WELCOME);
    page.answer('POST /api/admin/logout', { success: true });
    await fill();
    const keepsNothing = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
    vi.stubGlobal('localStorage', { getItem: () => null, setItem: keepsNothing, removeItem: () => {} });
    await page.press('Sign in');
    expect(alert()).toContain('This browser keeps nothing for the portal');
    expect(page.asked.at(-1)?.call).toBe('POST /api/admin/logout');
    expect(page.sentHeaders.at(-1)?.get('Authorization')).toBe('Bearer token');
    expect(replaced).not.toHaveBeenCalled();
  });
});

it.each([
  [0, '0 s'],
  [45, '45 s'],
  [120, '2 min'],
  [845, '14 min 5 s'],
])('a wait of %d seconds reads %s', (seconds, words) => expect(waitText(seconds)).toBe(words));
