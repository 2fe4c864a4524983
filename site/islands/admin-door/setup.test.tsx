// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openServedPage, type ServedPage } from '../testing/served-page.tsx';
import AdminSetup from './AdminSetup.tsx';

const STATE = 'GET /api/admin/setup-state';
const SETUP = 'POST /api/admin/setup';
const OPEN = { isOpen: true, needsLink: false };
const ELSEWHERE = { isOpen: true, needsLink: true };
const PASSWORD = 'seven quiet ducks';

let page: ServedPage;
const assigned = vi.fn();
const alert = () => page.place.querySelector('[role="alert"]')?.textContent;
const sent = () => page.asked.filter(({ call }) => call === SETUP);

async function open(state: unknown, hash = ''): Promise<void> {
  location.hash = hash;
  page = await openServedPage(<AdminSetup />, state === null ? {} : { [STATE]: state });
  await page.arrive();
}
async function fill(values: Readonly<Record<string, string>> = {}): Promise<void> {
  const all = { username: 'ada', password: PASSWORD, confirm: PASSWORD, ...values };
  for (const [name, value] of Object.entries(all)) await page.type(`setup-${name}`, value);
}

beforeEach(() => {
  assigned.mockClear();
  vi.spyOn(location, 'assign').mockImplementation(assigned);
});
afterEach(async () => {
  await page.close();
  vi.restoreAllMocks();
});

describe('the set-up of the first admin', () => {
  it('sends no email that is empty, says that it is complete, and leads to the login two seconds later', async () => {
    await open(OPEN);
    page.answer(SETUP, { success: true });
    await fill();
    await page.press('Create Admin Account');
    expect(sent()).toEqual([{ call: SETUP, payload: { username: 'ada', password: PASSWORD } }]);
    expect(page.place.querySelector('[role="status"]')?.textContent).toBe(
      'Setup Complete! Admin user created successfully. Redirecting to login...',
    );
    await page.pass(1.7);
    expect(assigned).not.toHaveBeenCalled();
    await page.pass(0.3);
    expect(assigned.mock.calls).toEqual([['/admin/login']]);
  });

  it('sends an email that is given', async () => {
    await open(OPEN);
    page.answer(SETUP, { success: true });
    await fill({ email: ' ada@example.com ' });
    await page.press('Create Admin Account');
    expect(sent()[0]?.payload).toMatchObject({ email: 'ada@example.com' });
  });

  it.each([
    [{ confirm: 'seven quiet duck' }, 'Passwords do not match'],
    [{ password: 'ducks', confirm: 'ducks' }, 'Password must be at least 6 characters'],
    [{ username: ' ' }, 'Give the username.'],
    [{ email: 'ada' }, 'Give a mail address such as name@example.com, or leave it empty.'],
  ])('does not send %o, and says why in an alert', async (values, words) => {
    await open(OPEN);
    await fill(values);
    await page.press('Create Admin Account');
    expect(alert()).toContain(words);
    expect(sent()).toEqual([]);
  });

  it('is called Creating Admin... while it is under way', async () => {
    await open(OPEN);
    await fill();
    vi.stubGlobal('fetch', () => new Promise(() => {}));
    await page.press('Create Admin Account');
    expect(page.button('Creating Admin...').disabled).toBe(true);
  });

  it.each([
    [
      { success: false, error: 'Choose another password.', code: 'weak-password' },
      400,
      'Choose another password.',
    ],
    [{}, 500, 'Setup failed'],
    [{ success: false }, 200, 'Setup failed'],
  ])('tells a refusal %o of the server', async (body, status, words) => {
    await open(OPEN);
    page.answer(SETUP, body, status);
    await fill();
    await page.press('Create Admin Account');
    expect(alert()).toBe(words);
    expect(page.button('Create Admin Account').disabled).toBe(false);
  });

  it('tells that the network failed', async () => {
    await open(OPEN);
    page.losesNetwork(SETUP);
    await fill();
    await page.press('Create Admin Account');
    expect(alert()).toBe('Network error. Please try again.');
  });

  it('is closed once an admin exists, and leads to the login', async () => {
    await open({ isOpen: false, needsLink: false });
    expect(page.text()).toContain('An admin exists already, so set-up is closed.');
    expect(page.place.querySelector('a')?.getAttribute('href')).toBe('/admin/login');
    expect(page.place.querySelector('form')).toBeNull();
  });

  it('closes where another admin was created meanwhile', async () => {
    await open(OPEN);
    page.answer(SETUP, { success: false, error: 'Closed.', code: 'setup-closed' }, 409);
    await fill();
    await page.press('Create Admin Account');
    expect(page.text()).toContain('set-up is closed');
  });

  it('stands open where it cannot be read whether it is', async () => {
    await open(null);
    expect(page.button('Create Admin Account').disabled).toBe(false);
  });
});

describe('the one-time link', () => {
  it('is taken out of the address at once, and its token is sent in the header', async () => {
    await open(ELSEWHERE, '#token=a-secret');
    expect(location.href).not.toContain('a-secret');
    page.answer(SETUP, { success: true });
    await fill();
    await page.press('Create Admin Account');
    const at = page.asked.findIndex(({ call }) => call === SETUP);
    expect(page.sentHeaders[at]?.get('X-Setup-Token')).toBe('a-secret');
    expect(JSON.stringify(page.asked)).not.toContain('a-secret');
  });

  it('is asked for on another machine, and taken where it is pasted into the open page', async () => {
    await open(ELSEWHERE);
    expect(page.text()).toContain('the one-time link that the server printed');
    expect(page.place.querySelector('form')).toBeNull();
    await page.pass(0, () => {
      history.replaceState(null, '', '#token=a-secret');
      dispatchEvent(new Event('hashchange'));
    });
    expect(page.button('Create Admin Account').disabled).toBe(false);
    expect(location.href).not.toContain('a-secret');
  });
});
