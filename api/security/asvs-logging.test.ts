import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppStore } from '../../data/store/ports.ts';
import { addAdmin, askAs, openSession, PASSWORD, signInAs } from '../admin/testing/team.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { ask } from '../testing/portal-client.ts';
import { storedRows } from '../testing/stored-rows.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

/** Requirements of OWASP ASVS 5.0 (https://github.com/OWASP/ASVS), chapter V16, each by its number. */

const SECRET = 'postgres://root:hunter2@10.0.0.1/secret';

let portal: TestPortal;
let viewerId: string;
beforeAll(async () => {
  const broken = {
    method: 'GET' as const,
    path: '/api/broken' as const,
    handle: () => {
      throw new Error(SECRET);
    },
  };
  portal = await startTestPortal({ routes: [broken], adminCallsPerMinute: 100_000 });
  await addAdmin(portal.store, { username: 'Olga', at: TEST_START });
  viewerId = await addAdmin(portal.store, { username: 'Vera', role: 'viewer', at: TEST_START });
});
afterAll(() => portal.close());

interface Kept {
  readonly actor: string;
  readonly action: string;
  readonly address: string;
  readonly at: number;
  readonly details: string;
}
const audited = (): readonly Kept[] =>
  (storedRows(portal.folder).get('audit_records') ?? []).map((row) => JSON.parse(row));

describe('V16.2 logging', () => {
  it('V16.2.1: a record tells when, who, what and from where', async () => {
    await signInAs(portal, { username: 'Vera' }, { 'X-Forwarded-For': '203.0.113.5' });
    expect(audited().at(-1)).toMatchObject({
      at: TEST_START,
      actor: viewerId,
      action: 'admin.signed-in',
      address: '203.0.113.5',
    });
  });

  it('V16.2.5: neither a password nor a token nor a code is logged, in any way that signing in ends', async () => {
    const { body } = await signInAs(portal, { username: 'Vera' });
    const { sessionId } = JSON.parse(body);
    await signInAs(portal, { username: 'Vera', password: 'a wrong secret' });
    await signInAs(portal, { username: 'a name as a secret', code: '424242' });
    await askAs(portal, null, '/api/admin/login', { password: 'a lone secret' });
    await askAs(portal, sessionId, '/api/admin/password', { password: 'one secret', newPassword: 'qwerty' });
    const kept = [...portal.logged, ...[...storedRows(portal.folder).values()].flat()].join('\n');
    for (const secret of [
      PASSWORD,
      sessionId,
      'a wrong secret',
      'a name as',
      '424242',
      'a lone',
      'one secret',
    ]) {
      expect(kept).not.toContain(secret);
    }
  });
});

describe('V16.3 security events', () => {
  it('V16.3.1: every sign-in, refused or not, and every sign-out is recorded, with the factor that was used', async () => {
    const before = audited().length;
    await signInAs(portal, { username: 'Vera', password: 'wrong' });
    await signInAs(portal, { username: 'Nobody' });
    const { sessionId } = JSON.parse((await signInAs(portal, { username: 'Vera' })).body);
    await askAs(portal, sessionId, '/api/admin/logout', {});
    const told = audited()
      .slice(before)
      .map(({ actor, action, details }) => [actor, action, JSON.parse(details)]);
    expect(told).toEqual([
      ['visitor', 'admin.sign-in-failed', { adminId: viewerId }],
      ['visitor', 'admin.sign-in-failed', { adminId: null }],
      [viewerId, 'admin.signed-in', { session: expect.any(String), secondFactor: null }],
      [viewerId, 'admin.signed-out', { session: expect.any(String) }],
    ]);
  });

  it('V16.3.2: a call that the role does not do for is recorded, with who tried it', async () => {
    const { token } = await openSession(portal.store, viewerId, TEST_START);
    await askAs(portal, token, '/api/admin/team/add', {});
    const last = audited().at(-1);
    expect([last?.actor, last?.action]).toEqual([viewerId, 'admin.call-refused']);
    expect(JSON.parse(last?.details ?? '{}')).toEqual({ path: '/api/admin/team/add', role: 'viewer' });
  });
});

describe('V16.4 protection of the log', () => {
  it('V16.4.1: what is typed forges no line of the log', async () => {
    const forged = 'Ada\n{"level":60,"msg":"forged"}';
    await signInAs(portal, { username: forged });
    await ask(portal.port, `/api/broken?x=${encodeURIComponent(forged)}`, {
      headers: { 'User-Agent': 'x{"y":1}' },
    });
    for (const line of portal.logged) {
      expect(line.trimEnd().split('\n')).toHaveLength(1);
      expect(JSON.parse(line).msg).not.toBe('forged');
    }
  });
});

describe('V16.5 errors', () => {
  it('V16.5.1, V16.5.4: a fault is told as a number alone, logged under it, and the next call is answered', async () => {
    const { status, body } = await ask(portal.port, '/api/broken');
    expect(status).toBe(500);
    expect(body).not.toMatch(/postgres|hunter2|secret|\.ts|at /);
    const number = /this number: ([\w-]+)\./.exec(JSON.parse(body).error)?.[1] ?? 'none';
    expect(portal.logged.join('')).toContain(number);
    expect((await ask(portal.port, '/api/admin/setup-state')).status).toBe(200);
  });

  it('V16.5.3: where the store cannot be read nobody is admitted', async () => {
    const fails = () => Promise.reject(new Error('the disk is gone'));
    const store: AppStore = { ...portal.store, admins: { ...portal.store.admins, touchSession: fails } };
    const failing = await startTestPortal({ store });
    const { token } = await openSession(portal.store, viewerId, TEST_START);
    const { status, body } = await askAs(failing, token, '/api/admin/session');
    expect([status, JSON.parse(body).code]).toEqual([500, 'internal']);
    await failing.close();
  });
});
