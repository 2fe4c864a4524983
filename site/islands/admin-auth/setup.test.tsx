// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openServedPage, type ServedPage } from '../testing/served-page.tsx';
import AdminSetup from './AdminSetup.tsx';

const STATE = 'GET /api/admin/setup-state';
const SETUP = 'POST /api/admin/setup';
const OPEN_SETUP = { isOpen: true, needsLink: false };
const LINK_NEEDED = { isOpen: true, needsLink: true };
const PASSWORD = 'seven quiet ducks';

let page: ServedPage;
const assignLocation = vi.fn();
const alert = () => page.root.querySelector('[role="alert"]')?.textContent;
const setupRequests = () => page.requests.filter(({ call }) => call === SETUP);

async function open(state: unknown, hash = ''): Promise<void> {
  location.hash = hash;
  page = await openServedPage(<AdminSetup />, state === null ? {} : { [STATE]: state });
  await page.settle();
}
async function fill(values: Readonly<Record<string, string>> = {}): Promise<void> {
  const all = { username: 'ada', password: PASSWORD, confirm: PASSWORD, ...values };
  for (const [name, value] of Object.entries(all)) await page.type(`setup-${name}`, value);
}

beforeEach(() => {
  assignLocation.mockClear();
  vi.spyOn(location, 'assign').mockImplementation(assignLocation);
});
afterEach(async () => {
  await page.close();
  vi.restoreAllMocks();
});

describe('the setup form for the first admin', () => {
  it('leaves out an empty email, and opens the login two seconds after the success', async () => {
    await open(OPEN_SETUP);
    page.respond(SETUP, { success: true });
    await fill();
    await page.press('Create Admin Account');
    expect(setupRequests()).toEqual([{ call: SETUP, payload: { username: 'ada', password: PASSWORD } }]);
    expect(page.root.querySelector('[role="status"]')?.textContent).toBe(
      'Setup Complete! Admin user created successfully. Redirecting to login...',
    );
    await page.advance(1.7);
    expect(assignLocation).not.toHaveBeenCalled();
    await page.advance(0.3);
    expect(assignLocation.mock.calls).toEqual([['/admin/login']]);
  });

  it('sends the email address if one was entered', async () => {
    await open(OPEN_SETUP);
    page.respond(SETUP, { success: true });
    await fill({ email: ' ada@example.com ' });
    await page.press('Create Admin Account');
    expect(setupRequests()[0]?.payload).toMatchObject({ email: 'ada@example.com' });
  });

  it('sends nothing while a field is invalid, and marks each invalid field', async () => {
    await open(OPEN_SETUP);
    await fill({ username: ' ', email: 'ada', password: 'ducks', confirm: 'duck' });
    await page.press('Create Admin Account');
    const invalidFields = [...page.root.querySelectorAll('[aria-invalid="true"]')].map(({ id }) => id);
    expect(invalidFields).toEqual(['setup-username', 'setup-email', 'setup-password', 'setup-confirm']);
    expect(alert()).toContain('Password must be at least 6 characters');
    expect(alert()).toContain('Passwords do not match');
    expect(setupRequests()).toEqual([]);
  });

  it('shows on its button that it is being sent', async () => {
    await open(OPEN_SETUP);
    await fill();
    vi.stubGlobal('fetch', () => new Promise(() => {}));
    await page.press('Create Admin Account');
    expect(page.button('Creating Admin...').getAttribute('aria-disabled')).toBe('true');
  });

  it.each([
    ['Choose another password.', () => page.respond(SETUP, { error: 'Choose another password.' }, 400)],
    ['Setup failed', () => page.respond(SETUP, { success: false })],
  ])('can be sent again after the error "%s"', async (message, fail) => {
    await open(OPEN_SETUP);
    fail();
    await fill();
    await page.press('Create Admin Account');
    expect(alert()).toBe(message);
    expect(page.button('Create Admin Account').disabled).toBe(false);
  });

  it('is closed once an admin exists, and offers the login', async () => {
    await open({ isOpen: false, needsLink: false });
    expect(page.root.querySelector('[data-stage="closed"]')).not.toBeNull();
    expect(page.root.querySelector('a')?.getAttribute('href')).toBe('/admin/login');
    expect(page.root.querySelector('form')).toBeNull();
  });

  it('closes if another admin is created in the meantime', async () => {
    await open(OPEN_SETUP);
    page.respond(SETUP, { success: false, error: 'Closed.', code: 'setup-closed' }, 409);
    await fill();
    await page.press('Create Admin Account');
    expect(page.root.querySelector('[data-stage="closed"]')).not.toBeNull();
  });

  it('is shown if the setup state cannot be read', async () => {
    await open(null);
    expect(page.button('Create Admin Account').disabled).toBe(false);
  });
});

describe('the one-time link', () => {
  it('has its token removed from the URL immediately and sent in a header', async () => {
    await open(LINK_NEEDED, '#token=a-secret');
    expect(location.href).not.toContain('a-secret');
    page.respond(SETUP, { success: true });
    await fill();
    await page.press('Create Admin Account');
    const setupIndex = page.requests.findIndex(({ call }) => call === SETUP);
    expect(page.sentHeaders[setupIndex]?.get('X-Setup-Token')).toBe('a-secret');
    expect(JSON.stringify(page.requests)).not.toContain('a-secret');
  });

  it('is asked for if the server requires it, and can be pasted into the open page', async () => {
    await open(LINK_NEEDED);
    expect(page.root.querySelector('[data-stage="link-needed"]')).not.toBeNull();
    expect(page.root.querySelector('form')).toBeNull();
    await page.advance(0, () => {
      history.replaceState(null, '', '#token=a-secret');
      dispatchEvent(new Event('hashchange'));
    });
    expect(page.button('Create Admin Account').disabled).toBe(false);
    expect(location.href).not.toContain('a-secret');
  });
});
