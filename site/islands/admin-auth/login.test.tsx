// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { readAdminSession, storeAdminSession } from '../admin/admin-session.ts';
import { openServedPage, type ServedPage } from '../testing/served-page.tsx';
import { waitText } from './auth-calls.ts';
import LoginForm from './LoginForm.tsx';

const LOGIN = 'POST /api/admin/login';
const refusal = (code: string) => ({ success: false, error: `Message of ${code}.`, code });
const LOGIN_SUCCESS = { success: true, sessionId: 'token', user: { username: 'ada', role: 'owner' } };

let page: ServedPage;
const replaceLocation = vi.fn();
const alert = () => page.root.querySelector('[role="alert"]')?.textContent;

const open = async () => {
  page = await openServedPage(<LoginForm />);
};
async function fill(): Promise<void> {
  await page.type('login-username', 'ada');
  await page.type('login-password', 'seven quiet ducks');
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

describe('the login', () => {
  it('stores the session and opens the dashboard', async () => {
    await open();
    page.respond(LOGIN, LOGIN_SUCCESS);
    await fill();
    await page.press('Sign in');
    expect(page.requests).toEqual([
      { call: LOGIN, payload: { username: 'ada', password: 'seven quiet ducks' } },
    ]);
    expect(readAdminSession()).toEqual({ sessionId: 'token', user: { username: 'ada' } });
    expect(replaceLocation.mock.calls).toEqual([['/admin/dashboard']]);
  });

  it('opens the dashboard at once if a session is stored, and sends no requests', async () => {
    storeAdminSession('token', { username: 'ada' });
    await open();
    expect(replaceLocation.mock.calls).toEqual([['/admin/dashboard']]);
    expect(page.root.querySelector('form')).toBeNull();
    expect(page.requests).toEqual([]);
  });

  it('sends nothing unless both username and password are entered', async () => {
    await open();
    await page.type('login-username', 'ada');
    await page.press('Sign in');
    expect(alert()).toBeDefined();
    expect(page.requests).toEqual([]);
  });

  it.each([
    ["the server's message", () => page.respond(LOGIN, refusal('refused'), 401), 'Message of refused.'],
    ['“Login failed” for an error without a message', () => page.respond(LOGIN, {}, 500), 'Login failed'],
    ['“Login failed” for a malformed response', () => page.respond(LOGIN, null), 'Login failed'],
    ['a network error', () => page.failNetwork(LOGIN), 'Network error. Please try again.'],
  ])('shows %s, and can be tried again', async (_case, fail, message) => {
    await open();
    fail();
    await fill();
    await page.press('Sign in');
    expect(alert()).toBe(message);
    expect(page.button('Sign in').disabled).toBe(false);
    expect(readAdminSession()).toBeNull();
    expect(replaceLocation).not.toHaveBeenCalled();
  });

  it('can be tried again if the script for passkeys does not load', async () => {
    vi.stubGlobal('PublicKeyCredential', class {});
    vi.doMock('../../data/passkeys.ts', () => {
      throw new Error('Failed to fetch dynamically imported module');
    });
    onTestFinished(() => vi.doUnmock('../../data/passkeys.ts'));
    await open();
    page.respond('POST /api/admin/passkeys/challenge', {});
    await page.press('Sign in with a passkey');
    expect(alert()).toBe('Network error. Please try again.');
    expect(page.button('Sign in with a passkey').disabled).toBe(false);
  });

  it('shows no error if autofill cannot offer passkeys, and offers them again after a failed request', async () => {
    const CHALLENGE = 'POST /api/admin/passkeys/challenge';
    const isConditionalMediationAvailable = async () => true;
    vi.stubGlobal('PublicKeyCredential', Object.assign(class {}, { isConditionalMediationAvailable }));
    const get = vi.fn<CredentialsContainer['get']>(async () => {
      throw new DOMException('', 'NotAllowedError');
    });
    vi.stubGlobal('navigator', { credentials: { get } });
    await open();
    await page.settle();
    expect(page.requests.map(({ call }) => call)).toEqual([CHALLENGE]);
    expect(alert()).toBeUndefined();
    page.respond(CHALLENGE, { challenge: 'AA', rpId: 'localhost' });
    await page.press('Sign in with a passkey');
    await page.settle();
    expect(alert()).toBeDefined();
    expect(get.mock.calls.map(([options]) => options?.mediation)).toEqual(['optional', 'conditional']);
  });

  it('asks for a code when the server requires one, and sends it', async () => {
    await open();
    page.respond(LOGIN, refusal('code-needed'), 401);
    await fill();
    expect(page.root.querySelector('#login-code')).toBeNull();
    await page.press('Sign in');
    expect(document.activeElement?.id).toBe('login-code');
    expect(alert()).toBeUndefined();
    page.respond(LOGIN, refusal('refused'), 401);
    await page.type('login-code', ' 000000 ');
    await page.press('Sign in');
    expect(alert()).toBe('Message of refused.');
    expect(page.root.querySelector<HTMLInputElement>('#login-code')?.value).toBe('');
    page.respond(LOGIN, LOGIN_SUCCESS);
    await page.type('login-code', '123456');
    await page.press('Sign in');
    const codes = page.requests.map(({ payload }) => Reflect.get(Object(payload), 'code'));
    expect(codes).toEqual([undefined, '000000', '123456']);
    expect(readAdminSession()?.sessionId).toBe('token');
  });

  it('counts down the wait that the server requires, and disables its button until the wait ends', async () => {
    await open();
    page.respond(LOGIN, refusal('too-many-attempts'), 429, { 'Retry-After': '64' });
    await fill();
    await page.press('Sign in');
    expect(alert()).toBe('Message of too-many-attempts.');
    await page.advance(2);
    expect(page.text()).toMatch(/1 min [12] s/);
    expect(page.button('Sign in').disabled).toBe(true);
    await page.advance(64);
    expect(page.button('Sign in').disabled).toBe(false);
  });

  it('can be sent with a code before the wait ends, because the server may accept a second factor', async () => {
    await open();
    page.respond(LOGIN, refusal('too-many-attempts'), 429, { 'Retry-After': '900' });
    await fill();
    await page.press('Sign in');
    page.respond(LOGIN, LOGIN_SUCCESS);
    await page.type('login-code', '123456');
    expect(page.button('Sign in').disabled).toBe(false);
    await page.press('Sign in');
    expect(page.requests.at(-1)?.payload).toMatchObject({ code: '123456' });
    expect(readAdminSession()?.sessionId).toBe('token');
  });

  it('ends a session that the browser cannot store, and shows why', async () => {
    await open();
    page.respond(LOGIN, LOGIN_SUCCESS);
    page.respond('POST /api/admin/logout', { success: true });
    await fill();
    const throwQuotaError = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
    vi.stubGlobal('localStorage', { getItem: () => null, setItem: throwQuotaError, removeItem: () => {} });
    await page.press('Sign in');
    expect(alert()).toBeDefined();
    expect(page.requests.at(-1)?.call).toBe('POST /api/admin/logout');
    expect(page.sentHeaders.at(-1)?.get('Authorization')).toBe('Bearer token');
    expect(replaceLocation).not.toHaveBeenCalled();
  });
});

it.each([
  [0, '0 s'],
  [45, '45 s'],
  [120, '2 min'],
  [845, '14 min 5 s'],
])('a wait of %d seconds reads %s', (seconds, wait) => expect(waitText(seconds)).toBe(wait));
