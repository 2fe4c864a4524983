import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminLogin, adminSetup, adminSetupState } from '../../data/contract/admin-session.ts';
import { type Call, errorsOf } from '../../data/contract/call.ts';
import { CALLS } from '../../data/contract/calls.ts';
import { ADMIN_ROLES, type AdminRole, isAdminRole, mayActAs } from '../../data/model/admin-rules.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { type Answer, ask } from '../testing/portal-client.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import { SESSION_IDLE, SESSION_LIFE } from './admin-context.ts';
import { addAdmin, openSession, sampleRecord } from './testing/team.ts';

/** Admin calls that are open to everyone. Every other admin call must name a role. */
const OPEN: readonly string[] = [adminSetupState, adminSetup, adminLogin].map(({ path }) => path);

/** Every other admin call, and every call outside the admin area that names a role. */
const OF_ADMINS = CALLS.filter(
  ({ path, access }) => (path.startsWith('/api/admin/') && !OPEN.includes(path)) || isAdminRole(access),
);

const NOW = TEST_START + SESSION_LIFE;

let portal: TestPortal;
const ids = new Map<AdminRole, string>();
beforeAll(async () => {
  portal = await startTestPortal();
  for (const role of ADMIN_ROLES) {
    ids.set(role, await addAdmin(portal.store, { username: `the ${role}`, role, at: TEST_START }));
  }
  await portal.pollAt(NOW);
});
afterAll(() => portal.close());

async function session(role: AdminRole, at = NOW) {
  return openSession(portal.store, ids.get(role) ?? '', at);
}

/** Sends a body that no call accepts, so that an admitted caller changes nothing. */
function call({ method, path }: Call, authorization?: string): Promise<Answer> {
  const headers = {
    'Content-Type': 'application/json',
    ...(authorization === undefined ? {} : { Authorization: authorization }),
  };
  return ask(portal.port, path, {
    method,
    headers,
    ...(method === 'POST' ? { body: '{"no":"field"}' } : {}),
  });
}

/** The callers; `role` is null if every call must be rejected. */
const WHO: readonly {
  readonly who: string;
  readonly role: AdminRole | null;
  readonly authorization: () => Promise<string | undefined>;
}[] = [
  { who: 'without a session', role: null, authorization: async () => undefined },
  { who: 'with a made-up session', role: null, authorization: async () => `Bearer ${'A'.repeat(43)}` },
  {
    who: 'with an owner’s session unused for 30 minutes',
    role: null,
    authorization: async () => `Bearer ${(await session('owner', NOW - SESSION_IDLE)).token}`,
  },
  {
    who: 'with an owner’s session opened 12 hours ago',
    role: null,
    authorization: async () => `Bearer ${(await session('owner', NOW - SESSION_LIFE)).token}`,
  },
  {
    who: 'with an owner’s revoked session',
    role: null,
    authorization: async () => {
      const { token, id } = await session('owner');
      await portal.store.admins.endSessions({ id }, sampleRecord('admin.session-revoked', NOW));
      return `Bearer ${token}`;
    },
  },
  ...ADMIN_ROLES.map((role) => ({
    who: `as a ${role}`,
    role,
    authorization: async () => `Bearer ${(await session(role)).token}`,
  })),
];

describe('every admin call', () => {
  it('names the role it needs, or is open', () => {
    const withoutRole = OF_ADMINS.filter(({ access }) => !isAdminRole(access)).map(({ path }) => path);
    expect(withoutRole).toEqual([]);
    const known = CALLS.map(({ path }): string => path);
    for (const path of OPEN) expect(known).toContain(path);
    for (const one of CALLS.filter(({ path }) => OPEN.includes(path)))
      expect(one).not.toHaveProperty('access');
  });

  it('documents its errors for callers without the role', () => {
    for (const one of OF_ADMINS) {
      expect(errorsOf(one), one.path).toEqual(expect.arrayContaining(['not-signed-in', 'not-allowed']));
    }
  });
});

describe.each(WHO)('$who', ({ role, authorization }) => {
  it.each(OF_ADMINS.map((one) => [`${one.method} ${one.path}`, one] as const))('%s', async (_name, one) => {
    const { status, body, headers } = await call(one, await authorization());
    const needed = one.access;
    if (!isAdminRole(needed)) throw new Error('the call names no role');
    if (role === null) {
      expect([status, JSON.parse(body).code]).toEqual([401, 'not-signed-in']);
      expect(headers['www-authenticate']).toBe('Bearer');
    } else if (mayActAs(role, needed)) {
      expect([401, 403], body).not.toContain(status);
      expect(status, body).toBeLessThan(500);
    } else {
      expect([status, JSON.parse(body).code]).toEqual([403, 'not-allowed']);
    }
    expect(headers['cache-control']).toBe('no-store');
  });
});
