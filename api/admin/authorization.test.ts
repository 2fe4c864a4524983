// @module-tag slow
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAdminLink, useAdminLink } from '../../data/contract/admin-links.ts';
import { passkeyChallenge, signInWithPasskey } from '../../data/contract/admin-passkeys.ts';
import { confirmWeeklyReport, stopWeeklyReport } from '../../data/contract/admin-reports.ts';
import { adminLogin, adminSetup, adminSetupState } from '../../data/contract/admin-session.ts';
import { type Call, errorsOf } from '../../data/contract/call.ts';
import { CALLS } from '../../data/contract/calls.ts';
import { ADMIN_ROLES, type AdminRole, isAdminRole, mayActAs } from '../../data/model/admin-rules.ts';
import { TEST_START } from '../testing/fake-index.ts';
import type { Answer } from '../testing/portal-client.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import { addAdmin, askAs, openSession, sampleAuditRecord } from './testing/team.ts';

/** Admin calls that are open to everyone. Every other admin call must name a role. */
const OPEN_PATHS: readonly string[] = [
  ...[adminSetupState, adminSetup, adminLogin, readAdminLink, useAdminLink],
  ...[passkeyChallenge, signInWithPasskey, confirmWeeklyReport, stopWeeklyReport],
].map(({ path }) => path);

const ADMIN_CALLS = CALLS.filter(
  ({ path, access }) => (path.startsWith('/api/admin/') && !OPEN_PATHS.includes(path)) || isAdminRole(access),
);

/** The POST calls that viewers may make. None changes more than the caller's own account, filters and mentions. */
const VIEWER_POSTS = [
  ...['logout', 'sessions/revoke', 'password', 'weekly-report/set'],
  ...['totp/begin', 'totp/confirm', 'totp/disable', 'totp/recovery-codes'],
  ...['passkeys/begin', 'passkeys/add', 'passkeys/remove'],
  ...['applications', 'contacts', 'delivery-logs', 'verification-requests', 'loan-applications', 'search'],
  ...['filters/remove', 'filters/save', 'mentions/read', 'chat/try'],
].map((path) => `/api/admin/${path}`);

let portal: TestPortal;
const ids = new Map<AdminRole, string>();
beforeAll(async () => {
  portal = await startTestPortal();
  for (const role of ADMIN_ROLES) {
    ids.set(role, await addAdmin(portal.store, { username: `the ${role}`, role, at: TEST_START }));
  }
});
afterAll(() => portal.close());

/** Sends a body that every call rejects, so that nothing changes even if the caller has the required role. */
function callWithInvalidBody({ method, path }: Call, token: string | null): Promise<Answer> {
  return askAs(portal, token, path, method === 'POST' ? { no: 'field' } : undefined);
}

/** The kinds of callers. A caller with the role null has no valid session, so every call must reject it. */
const CALLERS: readonly (readonly [caller: string, role: AdminRole | null])[] = [
  ['without a session', null],
  ['with an owner’s ended session', null],
  ...ADMIN_ROLES.map((role) => [`with the role ${role}`, role] as const),
];

/**
 * @returns the token of a new session; if the role is null, the token of a session that has ended; null for a caller without a
 * session
 */
async function newTokenFor(caller: string, role: AdminRole | null): Promise<string | null> {
  if (caller === 'without a session') return null;
  const { token, id } = await openSession(portal.store, ids.get(role ?? 'owner') ?? '', TEST_START);
  if (role === null)
    await portal.store.admins.endSessions({ id }, sampleAuditRecord('admin.session-revoked', TEST_START));
  return token;
}

describe('every admin call', () => {
  it('specifies the role it needs, unless it is listed as open', () => {
    const withoutRole = ADMIN_CALLS.filter(({ access }) => !isAdminRole(access)).map(({ path }) => path);
    expect(withoutRole).toEqual([]);
    const known = CALLS.map(({ path }): string => path);
    for (const path of OPEN_PATHS) expect(known).toContain(path);
    for (const one of CALLS.filter(({ path }) => OPEN_PATHS.includes(path)))
      expect(one).not.toHaveProperty('access');
  });

  it('needs a reviewer or an owner if it changes something that belongs to others', () => {
    const viewerPosts = ADMIN_CALLS.filter(({ method, access }) => method === 'POST' && access === 'viewer');
    expect(viewerPosts.map(({ path }) => path).toSorted()).toEqual(VIEWER_POSTS.toSorted());
  });

  it('documents the errors for callers who are not signed in or lack the role', () => {
    for (const one of ADMIN_CALLS) {
      expect(errorsOf(one), one.path).toEqual(expect.arrayContaining(['not-signed-in', 'not-allowed']));
    }
  });
});

it.each(CALLERS)('%s, every admin call enforces its role and forbids caching', async (caller, role) => {
  for (const one of ADMIN_CALLS) {
    const token = await newTokenFor(caller, role);
    const name = `${one.method} ${one.path}`;
    const { status, body, headers } = await callWithInvalidBody(one, token);
    const requiredAccess = one.access;
    if (!isAdminRole(requiredAccess)) throw new Error('the call specifies no role');
    if (role === null) {
      expect(status, name).toBe(401);
      expect(JSON.parse(body).code, name).toBe('not-signed-in');
      expect(headers['www-authenticate'], name).toBe('Bearer');
    } else if (mayActAs(role, requiredAccess)) {
      expect([401, 403], `${name} ${body}`).not.toContain(status);
      expect(status, `${name} ${body}`).toBeLessThan(500);
    } else {
      expect(status, name).toBe(403);
      expect(JSON.parse(body).code, name).toBe('not-allowed');
    }
    expect(headers['cache-control'], name).toBe('no-store');
    expect(headers.etag, name).toBeUndefined();
  }
});
