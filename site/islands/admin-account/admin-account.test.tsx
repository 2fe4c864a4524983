// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AdminRole } from '../../../data/model/admin-roles.ts';
import { keepAdminSession, readAdminSession } from '../admin/admin-session.ts';
import type { OwnSession } from '../admin/own-session.ts';
import { openServedPage, type ServedPage } from '../testing/served-page.tsx';
import AdminAccount from './AdminAccount.tsx';
import type { OpenSession, TeamMember } from './account-calls.ts';

const AT = '2026-11-21T09:58:00.000Z';
const PASSWORD = 'seven quiet ducks';
const CODES = ['aaaa-bbbb', 'cccc-dddd'];

const own = (role: AdminRole, different: Partial<OwnSession> = {}): OwnSession => ({
  id: 's1',
  user: { id: 'a1', username: 'ada', role, email: null },
  hasTotp: false,
  recoveryCodesLeft: 0,
  startedAt: AT,
  expiresAt: '2026-11-21T21:58:00.000Z',
  ...different,
});
const openSession = (different: Partial<OpenSession>): OpenSession => ({
  id: 's1',
  username: 'ada',
  isOwn: true,
  isThis: false,
  address: '127.0.0.1',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
  startedAt: AT,
  lastSeenAt: AT,
  expiresAt: AT,
  ...different,
});
const member = (different: Partial<TeamMember>): TeamMember => ({
  id: 'a1',
  username: 'ada',
  email: null,
  role: 'owner',
  isSelf: false,
  hasTotp: false,
  createdAt: AT,
  disabledAt: null,
  lastSeenAt: null,
  ...different,
});

let page: ServedPage;
const asked = (call: string) => page.asked.filter((one) => one.call === call).map(({ payload }) => payload);
const alert = () => page.place.querySelector('[role="alert"]')?.textContent;
const status = () => page.place.querySelector('[role="status"]')?.textContent;

async function open(
  session: OwnSession,
  sessions = [openSession({ isThis: true })],
  team: readonly TeamMember[] = [],
): Promise<void> {
  keepAdminSession('token', { username: 'ada' });
  page = await openServedPage(<AdminAccount />, {
    'GET /api/admin/session': session,
    'GET /api/admin/sessions': { sessions },
    'GET /api/admin/team': { team },
  });
  await page.arrive();
}
async function fill(values: Readonly<Record<string, string>>): Promise<void> {
  for (const [id, value] of Object.entries(values)) await page.type(id, value);
}

beforeEach(() => {
  localStorage.clear();
  // Dialogs of this document are not drawn.
  HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
    this.open = true;
  };
});
afterEach(async () => {
  await page.close();
  vi.restoreAllMocks();
});

describe('the account page', () => {
  it('offers the login to who is signed out, and asks the server nothing', async () => {
    page = await openServedPage(<AdminAccount />);
    expect(page.place.querySelector('a')?.getAttribute('href')).toMatch(/^\/admin\/login/);
    expect(page.asked).toEqual([]);
  });

  it.each([
    ['viewer', false],
    ['reviewer', false],
    ['owner', true],
  ] as const)('shows a %s the team, and reads it: %s', async (role, isShown) => {
    await open(own(role), undefined, [member({ isSelf: true })]);
    expect(page.text()).toContain(`Signed in as ada ${role}`);
    expect(page.place.querySelector('#team') !== null).toBe(isShown);
    expect(asked('GET /api/admin/team')).toHaveLength(isShown ? 1 : 0);
  });

  it('signs out at the server and in the browser', async () => {
    await open(own('viewer'));
    page.answer('POST /api/admin/logout', { success: true });
    await page.press('Logout');
    expect(asked('POST /api/admin/logout')).toHaveLength(1);
    expect(readAdminSession()).toBeNull();
    expect(page.text()).toContain('Sign in to see it');
  });

  it('says why it cannot be read, and tries again', async () => {
    keepAdminSession('token', { username: 'ada' });
    page = await openServedPage(<AdminAccount />);
    page.answer('GET /api/admin/session', { error: 'Too many calls.' }, 403);
    await page.pass(60);
    expect(alert()).toContain('Too many calls.');
    page.answer('GET /api/admin/session', own('viewer'));
    await page.press('Try again');
    expect(page.text()).toContain('Signed in as ada');
  });
});

describe('sessions', () => {
  const PATH = 'POST /api/admin/sessions/revoke';
  const others = [openSession({ isThis: true }), openSession({ id: 's2', address: '192.0.2.7' })];

  it('are told by browser, address and age; this one cannot be ended from the list', async () => {
    await open(own('viewer'));
    expect(page.text()).toContain('adaFirefox on Linux127.0.0.12 min ago2 min agoThis session');
    expect(page.text()).not.toContain('End All');
  });

  it('are ended one by one, and the list is read anew', async () => {
    await open(own('viewer'), others);
    page.answer(PATH, { success: true, ended: 1 });
    page.answer('GET /api/admin/sessions', { sessions: others.slice(0, 1) });
    await page.press('End the session of ada, Firefox on Linux');
    expect(asked(PATH)).toEqual([{ id: 's2' }]);
    expect(status()).toBe('One session has ended.');
    expect(page.text()).not.toContain('192.0.2.7');
  });

  it('of one’s own are ended all but this', async () => {
    await open(own('viewer'), others);
    page.answer(PATH, { success: true, ended: 3 });
    await page.press('End All My Other Sessions');
    expect(asked(PATH)).toEqual([{ id: 'others' }]);
    expect(status()).toBe('3 sessions have ended.');
  });
});

describe('the password', () => {
  const PATH = 'POST /api/admin/password';
  const typed = { 'current-password': PASSWORD, 'new-password': 'eight loud geese' };

  it.each([
    [{ ...typed, 'current-password': '' }, 'Give the password that holds now.'],
    [{ ...typed, 'new-password': 'geese' }, 'Password must be at least 6 characters'],
    [{ ...typed, 'confirm-password': 'eight' }, 'Passwords do not match'],
  ])('is not changed for %o', async (values, words) => {
    await open(own('viewer'));
    await fill(values);
    await page.press('Change Password');
    expect(alert()).toBe(words);
    expect(asked(PATH)).toEqual([]);
  });

  it('is changed, and its fields are emptied', async () => {
    await open(own('viewer'));
    page.answer(PATH, { success: true });
    await fill({ ...typed, 'confirm-password': typed['new-password'] });
    await page.press('Change Password');
    expect(asked(PATH)).toEqual([{ password: PASSWORD, newPassword: 'eight loud geese' }]);
    expect(status()).toContain('Your password is changed');
    expect(page.place.querySelector<HTMLInputElement>('#current-password')?.value).toBe('');
  });
});

describe('the second factor', () => {
  const BEGIN = 'POST /api/admin/totp/begin';
  const CONFIRM = 'POST /api/admin/totp/confirm';
  const offer = { secret: 'ABCDEFGH', otpauthUri: 'otpauth://totp/BlackDuck:ada?secret=ABCDEFGH' };

  it('is offered as a QR code, a text and a link, and its codes are told once', async () => {
    await open(own('viewer'));
    page.answer(BEGIN, offer);
    await page.type('totp-password', PASSWORD);
    await page.press('Set Up Two-Factor');
    expect(asked(BEGIN)).toEqual([{ password: PASSWORD }]);
    expect(page.place.querySelector('svg[role="img"]')).not.toBeNull();
    expect(page.text()).toContain('ABCD EFGH');
    expect(page.place.querySelector(`a[href="${offer.otpauthUri}"]`)).not.toBeNull();

    page.answer(CONFIRM, { error: 'The code is wrong.' }, 403);
    await page.type('totp-first-code', '000000');
    await page.press('Confirm');
    expect(alert()).toBe('The code is wrong.');
    page.answer(CONFIRM, { success: true, recoveryCodes: CODES });
    page.answer('GET /api/admin/session', own('viewer', { hasTotp: true, recoveryCodesLeft: 10 }));
    await page.type('totp-first-code', ' 123456');
    await page.press('Confirm');
    expect(asked(CONFIRM)).toEqual([{ code: '000000' }, { code: '123456' }]);
    for (const code of CODES) expect(page.text()).toContain(code);
    await page.press('I Have Kept Them');
    expect(page.text()).not.toContain(CODES[0]);
    expect(page.text()).toContain('It is on.');
  });

  it('is turned off with the password and a code', async () => {
    const path = 'POST /api/admin/totp/disable';
    await open(own('viewer', { hasTotp: true, recoveryCodesLeft: 2 }));
    expect(page.text()).toContain('2 recovery codes are left. Make new ones');
    await page.press('Turn Off');
    await page.press('Turn Off Two-Factor');
    expect(alert()).toBe('Give your password and a code.');
    page.answer(path, { success: true });
    page.answer('GET /api/admin/session', own('viewer'));
    await fill({ 'totp-password': PASSWORD, 'totp-code': '123456' });
    await page.press('Turn Off Two-Factor');
    expect(asked(path)).toEqual([{ password: PASSWORD, code: '123456' }]);
    expect(status()).toBe('Two-factor authentication is off.');
    expect(page.button('Set Up Two-Factor').disabled).toBe(false);
  });

  it('gets new recovery codes', async () => {
    const path = 'POST /api/admin/totp/recovery-codes';
    await open(own('viewer', { hasTotp: true, recoveryCodesLeft: 1 }));
    expect(page.text()).toContain('1 recovery code is left.');
    page.answer(path, { success: true, recoveryCodes: CODES });
    await page.press('New Recovery Codes');
    await fill({ 'totp-password': PASSWORD, 'totp-code': '123456' });
    await page.press('Make New Recovery Codes');
    for (const code of CODES) expect(page.text()).toContain(code);
  });
});

describe('the team', () => {
  const bob = member({ id: 'a2', username: 'bob', role: 'viewer', hasTotp: true });
  const openTeam = () => open(own('owner'), undefined, [member({ isSelf: true }), bob]);
  const choose = (id: string, value: string) =>
    page.pass(0, () => {
      const select = page.place.querySelector<HTMLSelectElement>(`#${id}`);
      if (!select) throw new Error(`There is no choice ${id}.`);
      select.value = value;
      select.dispatchEvent(new Event('change', { bubbles: true }));
    });

  it('lists everyone; one’s own account is not managed there', async () => {
    await openTeam();
    const rows = [...page.place.querySelectorAll('[aria-labelledby="team"] tbody tr')];
    expect(rows.map(({ textContent }) => textContent)).toEqual([
      'adaownerOffNot signed inYou',
      'bobviewerOnNot signed inManage bob',
    ]);
  });

  it('gets another admin, once everything is given', async () => {
    const path = 'POST /api/admin/team/add';
    await openTeam();
    await page.press('Add Admin');
    await fill({ 'add-username': 'eve', 'add-password': PASSWORD, 'add-confirm': PASSWORD });
    await page.press('Add');
    expect(alert()).toBe('Choose the role.');
    await choose('add-role', 'reviewer');
    page.answer(path, { error: 'Another admin has this username.' }, 409);
    await page.press('Add');
    expect(alert()).toBe('Another admin has this username.');
    page.answer(path, { success: true, id: 'a3' });
    await page.press('Add');
    expect(asked(path).at(-1)).toEqual({ username: 'eve', password: PASSWORD, role: 'reviewer' });
    expect(status()).toContain('eve can sign in now.');
  });

  it('gives an admin another role', async () => {
    const path = 'POST /api/admin/team/role';
    await openTeam();
    await page.press('Manage bob');
    expect(page.button('Save Role').disabled).toBe(true);
    await choose('manage-role', 'reviewer');
    page.answer(path, { success: true });
    await page.press('Save Role');
    expect(asked(path)).toEqual([{ id: 'a2', role: 'reviewer' }]);
  });

  it('shuts an admin out, and lets it in again', async () => {
    await openTeam();
    await page.press('Manage bob');
    page.answer('POST /api/admin/team/disable', { success: true });
    page.answer('GET /api/admin/team', { team: [{ ...bob, disabledAt: AT }] });
    await page.press('Shut Out');
    expect(status()).toBe('bob is shut out, and signed out.');
    page.answer('POST /api/admin/team/enable', { success: true });
    await page.press('Let In Again');
    expect(asked('POST /api/admin/team/enable')).toEqual([{ id: 'a2' }]);
  });

  it('resets a password, and takes the second factor away where that is asked for', async () => {
    const path = 'POST /api/admin/team/reset-password';
    await openTeam();
    await page.press('Manage bob');
    page.answer(path, { success: true });
    await fill({ 'reset-password': PASSWORD, 'reset-confirm': PASSWORD });
    await page.press('Reset Password');
    await fill({ 'reset-password': PASSWORD, 'reset-confirm': PASSWORD });
    await page.pass(0, () => page.place.querySelector<HTMLInputElement>('[type="checkbox"]')?.click());
    await page.press('Reset Password');
    expect(asked(path)).toEqual([
      { id: 'a2', newPassword: PASSWORD, removeTotp: false },
      { id: 'a2', newPassword: PASSWORD, removeTotp: true },
    ]);
  });
});
