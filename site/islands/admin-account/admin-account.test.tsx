// @module-tag slow
// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AdminRole } from '../../../data/model/admin-rules.ts';
import type { OpenSession, OwnSession, TeamLink, TeamMember } from '../admin/admin-calls.ts';
import { storeAdminSession } from '../admin/admin-session.ts';
import { sessionOf } from '../admin-dashboard/testing/sample-records.ts';
import { openServedPage, type ServedPage } from '../testing/served-page.tsx';
import AdminAccount from './AdminAccount.tsx';
import { browserName } from './Sessions.tsx';

const AT = '2026-11-21T09:58:00.000Z';
const PASSWORD = 'seven quiet ducks';
const CODES = ['aaaa-bbbb', 'cccc-dddd'];

const ownSession = (role: AdminRole, overrides: Partial<OwnSession> = {}): OwnSession => ({
  ...sessionOf(role),
  ...overrides,
});
const openSession = (overrides: Partial<OpenSession>): OpenSession => ({
  id: 's1',
  username: 'ada',
  isOwn: true,
  isThis: false,
  address: '127.0.0.1',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
  startedAt: AT,
  lastSeenAt: AT,
  expiresAt: AT,
  ...overrides,
});
const member = (overrides: Partial<TeamMember>): TeamMember => ({
  id: 'a1',
  username: 'ada',
  email: null,
  role: 'owner',
  isSelf: false,
  hasTotp: false,
  passkeys: 0,
  createdAt: AT,
  disabledAt: null,
  lastSeenAt: null,
  ...overrides,
});

let page: ServedPage;
const payloads = (call: string) =>
  page.requests.filter((one) => one.call === call).map(({ payload }) => payload);
const alert = () => page.root.querySelector('[role="alert"]')?.textContent;
const status = () => page.root.querySelector('[role="status"]')?.textContent;

async function open(
  session: OwnSession,
  sessions = [openSession({ isThis: true })],
  team: readonly TeamMember[] = [],
  more: { readonly links?: readonly TeamLink[]; readonly sendsMail?: boolean } = {},
): Promise<void> {
  storeAdminSession('token', { username: 'ada' });
  page = await openServedPage(<AdminAccount />, {
    'GET /api/admin/session': session,
    'GET /api/admin/sessions': { sessions },
    'GET /api/admin/passkeys': { passkeys: [{ id: 'k1', name: 'Phone', createdAt: AT, lastUsedAt: null }] },
    'GET /api/admin/team': { team, links: [], sendsMail: true, ...more },
  });
  await page.settle();
}
async function fill(values: Readonly<Record<string, string>>): Promise<void> {
  for (const [id, value] of Object.entries(values)) await page.type(id, value);
}

beforeEach(() => localStorage.clear());
afterEach(() => page.close());

describe('the account page', () => {
  it.each([
    ['hides the team from a reviewer', 'reviewer', false],
    ['shows the team to an owner', 'owner', true],
  ] as const)('%s', async (_case, role, isShown) => {
    await open(ownSession(role), undefined, [member({ isSelf: true })]);
    // The code of the team section is loaded on demand.
    if (isShown) {
      const isLoaded = () => expect(page.root.querySelector('#team')).not.toBeNull();
      await vi.waitFor(isLoaded, { timeout: 60_000 });
    }
    await page.settle();
    expect(page.root.querySelector('#team') !== null).toBe(isShown);
    expect(payloads('GET /api/admin/team')).toHaveLength(isShown ? 1 : 0);
  });

  it('shows why it cannot be loaded, and can be retried', async () => {
    storeAdminSession('token', { username: 'ada' });
    page = await openServedPage(<AdminAccount />);
    page.respond('GET /api/admin/session', { error: 'Too many calls.' }, 403);
    await page.advance(60);
    expect(alert()).toContain('Too many calls.');
    page.respond('GET /api/admin/session', ownSession('viewer'));
    await page.press('Retry your account');
    expect(page.root.querySelector('#password')).not.toBeNull();
  });
});

describe('sessions', () => {
  const REVOKE_CALL = 'POST /api/admin/sessions/revoke';
  const twoSessions = [openSession({ isThis: true }), openSession({ id: 's2', address: '192.0.2.7' })];

  it('show browser, IP address and age, and no button to end the current session', async () => {
    await open(ownSession('viewer'));
    const section = page.root.querySelector('[aria-labelledby="sessions"]');
    const cells = [...(section?.querySelectorAll('tbody :is(th, td)') ?? [])].map((cell) => cell.textContent);
    expect(cells.slice(0, 5)).toEqual(['ada', 'Firefox on Linux', '127.0.0.1', '2 min ago', '2 min ago']);
    expect(section?.querySelector('button')).toBeNull();
  });

  it('can be ended one by one, and the list is read again', async () => {
    await open(ownSession('viewer'), twoSessions);
    page.respond(REVOKE_CALL, { success: true, ended: 1 });
    page.respond('GET /api/admin/sessions', { sessions: twoSessions.slice(0, 1) });
    await page.press('End the session of ada, Firefox on Linux');
    expect(payloads(REVOKE_CALL)).toEqual([{ id: 's2' }]);
    expect(status()).toBeDefined();
    expect(page.text()).not.toContain('192.0.2.7');
  });

  it('can all be ended together, except the current one', async () => {
    await open(ownSession('viewer'), twoSessions);
    page.respond(REVOKE_CALL, { success: true, ended: 3 });
    await page.press('End all my other sessions');
    expect(payloads(REVOKE_CALL)).toEqual([{ id: 'others' }]);
    expect(status()).toContain('3');
  });
});

describe('the password', () => {
  const PASSWORD_CALL = 'POST /api/admin/password';

  it('is changed only if the fields are filled in correctly, and the fields are then cleared', async () => {
    await open(ownSession('viewer'));
    await page.press('Change password');
    expect(alert()).toBe('Enter your current password.');
    await fill({ 'current-password': PASSWORD, 'new-password': 'eight loud geese', 'new-confirm': 'eight' });
    await page.press('Change password');
    expect(alert()).toBe('Passwords do not match');
    expect(payloads(PASSWORD_CALL)).toEqual([]);
    page.respond(PASSWORD_CALL, { success: true });
    await fill({ 'new-confirm': 'eight loud geese' });
    await page.press('Change password');
    expect(payloads(PASSWORD_CALL)).toEqual([{ password: PASSWORD, newPassword: 'eight loud geese' }]);
    expect(status()).toBeDefined();
    expect(page.root.querySelector<HTMLInputElement>('#current-password')?.value).toBe('');
  });
});

describe('the second factor', () => {
  const BEGIN = 'POST /api/admin/totp/begin';
  const CONFIRM = 'POST /api/admin/totp/confirm';
  const totpSetup = { secret: 'ABCDEFGH', otpauthUri: 'otpauth://totp/BlackDuck:ada?secret=ABCDEFGH' };

  it('is set up with a QR code, a secret and a link, and its recovery codes are shown once', async () => {
    await open(ownSession('viewer'));
    page.respond(BEGIN, totpSetup);
    await page.type('totp-password', PASSWORD);
    await page.press('Set up two-factor');
    expect(payloads(BEGIN)).toEqual([{ password: PASSWORD }]);
    expect(page.root.querySelector('svg[role="img"]')).not.toBeNull();
    expect(page.text()).toContain('ABCD EFGH');
    expect(page.root.querySelector(`a[href="${totpSetup.otpauthUri}"]`)).not.toBeNull();

    page.respond(CONFIRM, { error: 'The code is wrong.' }, 403);
    await page.type('totp-first-code', '000000');
    await page.press('Confirm');
    expect(alert()).toBe('The code is wrong.');
    page.respond(CONFIRM, { success: true, recoveryCodes: CODES });
    page.respond('GET /api/admin/session', ownSession('viewer', { hasTotp: true, recoveryCodesLeft: 10 }));
    await page.type('totp-first-code', ' 123456');
    await page.press('Confirm');
    expect(payloads(CONFIRM)).toEqual([{ code: '000000' }, { code: '123456' }]);
    for (const code of CODES) expect(page.text()).toContain(code);
    await page.press("I've saved my codes");
    expect(page.text()).not.toContain(CODES[0]);
    expect(page.button('Turn off').disabled).toBe(false);
  });

  it('is turned off with the password and a code', async () => {
    const call = 'POST /api/admin/totp/disable';
    await open(ownSession('viewer', { hasTotp: true, recoveryCodesLeft: 2 }));
    await page.press('Turn off');
    await page.press('Turn off two-factor');
    expect(alert()).toBeDefined();
    expect(payloads(call)).toEqual([]);
    page.respond(call, { success: true });
    page.respond('GET /api/admin/session', ownSession('viewer'));
    await fill({ 'totp-password': PASSWORD, 'totp-code': '123456' });
    await page.press('Turn off two-factor');
    expect(payloads(call)).toEqual([{ password: PASSWORD, code: '123456' }]);
    expect(status()).toBeDefined();
    expect(page.button('Set up two-factor').disabled).toBe(false);
  });

  it('can get new recovery codes', async () => {
    const call = 'POST /api/admin/totp/recovery-codes';
    await open(ownSession('viewer', { hasTotp: true, recoveryCodesLeft: 1 }));
    expect(page.text()).toContain('1 recovery code');
    page.respond(call, { success: true, recoveryCodes: CODES });
    await page.press('New recovery codes');
    await fill({ 'totp-password': PASSWORD, 'totp-code': '123456' });
    await page.press('Create recovery codes');
    for (const code of CODES) expect(page.text()).toContain(code);
  });
});

describe('the team section', () => {
  const OWN_PASSWORD = 'five loud geese';
  const bob = member({ id: 'a2', username: 'bob', role: 'viewer', hasTotp: true });
  const INVITE = 'POST /api/admin/team/invite';
  const LINK = 'https://portal.example.com/admin/account-link#token=abc';
  const invitation: TeamLink = {
    id: 'l1',
    kind: 'invitation',
    email: 'eve@example.com',
    username: null,
    role: 'reviewer',
    createdBy: 'ada',
    createdAt: AT,
    expiresAt: AT,
    hasExpired: false,
  };
  const openTeam = (more: Parameters<typeof open>[3] = {}) =>
    open(ownSession('owner'), undefined, [member({ isSelf: true }), bob], more);
  const choose = (id: string, value: string) =>
    page.advance(0, () => {
      const select = page.root.querySelector<HTMLSelectElement>(`#${id}`);
      if (!select) throw new Error(`There is no select ${id}.`);
      select.value = value;
      select.dispatchEvent(new Event('change', { bubbles: true }));
    });

  it('lists all admins, with a button to manage each one except the signed-in admin', async () => {
    await openTeam();
    const rows = [...page.root.querySelectorAll('[aria-labelledby="team"] tbody tr')];
    expect(rows.map((row) => row.querySelector('th')?.textContent)).toEqual(['ada', 'bob']);
    expect(rows.map((row) => row.querySelector('button') !== null)).toEqual([false, true]);
  });

  it('invites an admin once every needed field is filled in, and says where the link was sent', async () => {
    await openTeam();
    await page.press('Invite admin');
    await fill({ 'invite-email': 'eve@example.com', 'invite-own': OWN_PASSWORD });
    await page.press('Invite');
    expect(alert()).toBeDefined();
    expect(payloads(INVITE)).toEqual([]);
    await choose('invite-role', 'reviewer');
    page.respond(INVITE, { error: 'Another admin has this username.' }, 409);
    await fill({ 'invite-username': 'bob' });
    await page.press('Invite');
    expect(alert()).toBe('Another admin has this username.');
    page.respond(INVITE, { success: true, id: 'l1', link: null });
    await fill({ 'invite-username': ' ' });
    await page.press('Invite');
    expect(payloads(INVITE).at(-1)).toEqual({
      email: 'eve@example.com',
      role: 'reviewer',
      ownPassword: OWN_PASSWORD,
    });
    expect(status()).toContain('eve@example.com');
  });

  it('shows the link of an invitation if no mail server is configured', async () => {
    await openTeam({ sendsMail: false });
    await page.press('Invite admin');
    await fill({ 'invite-email': 'eve@example.com', 'invite-own': OWN_PASSWORD });
    await choose('invite-role', 'viewer');
    page.respond(INVITE, { success: true, id: 'l1', link: LINK });
    await page.press('Invite');
    expect(page.text()).toContain(LINK);
  });

  it('lists open links, and can withdraw one or send it again', async () => {
    const call = 'POST /api/admin/team/withdraw-link';
    await openTeam({ links: [invitation] });
    await page.press('Send again to eve@example.com');
    expect(page.root.querySelector<HTMLInputElement>('#invite-email')?.value).toBe('eve@example.com');
    page.respond(call, { success: true });
    await page.press('Withdraw the link for eve@example.com');
    expect(payloads(call)).toEqual([{ id: 'l1' }]);
  });

  it('changes the role of an admin', async () => {
    const call = 'POST /api/admin/team/role';
    await openTeam();
    await page.press('Manage bob');
    expect(page.button('Save role').disabled).toBe(true);
    await choose('manage-role', 'reviewer');
    await page.press('Save role');
    expect(payloads(call)).toEqual([]);
    await fill({ 'manage-own': OWN_PASSWORD });
    page.respond(call, { success: true });
    await page.press('Save role');
    expect(payloads(call)).toEqual([{ id: 'a2', role: 'reviewer', ownPassword: OWN_PASSWORD }]);
  });

  it('deactivates an admin and reactivates the account', async () => {
    await openTeam();
    await page.press('Manage bob');
    page.respond('POST /api/admin/team/disable', { success: true });
    page.respond('GET /api/admin/team', { team: [{ ...bob, disabledAt: AT }], links: [], sendsMail: true });
    await page.press('Deactivate');
    expect(page.root.querySelectorAll('[data-disabled="true"]')).toHaveLength(1);
    page.respond('POST /api/admin/team/enable', { success: true });
    await page.press('Reactivate');
    expect(payloads('POST /api/admin/team/enable')).toEqual([{ id: 'a2' }]);
  });

  it('creates a password reset link that turns off the second factor on request', async () => {
    const call = 'POST /api/admin/team/reset-password';
    await openTeam();
    await page.press('Manage bob');
    page.respond(call, { success: true, link: LINK });
    await page.press('Create reset link');
    expect(payloads(call)).toEqual([]);
    await fill({ 'manage-own': OWN_PASSWORD });
    await page.press('Create reset link');
    expect(page.text()).toContain(LINK);
    await page.advance(0, () => page.root.querySelector<HTMLInputElement>('[type="checkbox"]')?.click());
    await page.press('Create reset link');
    expect(payloads(call)).toEqual([
      { id: 'a2', removeSecondFactors: false, ownPassword: OWN_PASSWORD },
      { id: 'a2', removeSecondFactors: true, ownPassword: OWN_PASSWORD },
    ]);
  });
});

// Shortened user agents, without the parts that all browsers send.
it.each([
  ['(Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0', 'Firefox on Windows'],
  ['(Windows NT 10.0; Win64; x64) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0', 'Edge on Windows'],
  ['(Linux; Android 14; Pixel 8) Chrome/141.0.0.0 Mobile Safari/537.36', 'Chrome on Android'],
  ['(iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1', 'Safari on iOS'],
  ['(Macintosh; Intel Mac OS X 10_15_7) Version/18.0 Safari/605.1.15', 'Safari on macOS'],
  ['curl/8.5.0', 'curl/8.5.0'],
  ['', 'Unknown'],
])('the user agent "%s" is shown as %s', (userAgent, name) => expect(browserName(userAgent)).toBe(name));
