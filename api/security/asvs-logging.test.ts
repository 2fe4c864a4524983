import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppStore } from '../../data/store/ports.ts';
import { addAdmin, askAs, openSession, PASSWORD, signInAs } from '../admin/testing/team.ts';
import { breakCall } from '../testing/broken-call.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { auditRecords, storedRows } from '../testing/test-files.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

// Each title starts with the number of a requirement in OWASP ASVS 5.0 (https://github.com/OWASP/ASVS), chapter V16.

const SECRET = 'postgres://root:hunter2@10.0.0.1/secret';

let portal: TestPortal;
let viewerId: string;
let sendBroken: ReturnType<typeof breakCall>;
beforeAll(async () => {
  portal = await startTestPortal();
  sendBroken = breakCall(portal, SECRET);
  await addAdmin(portal.store, { username: 'Olga', at: TEST_START });
  viewerId = await addAdmin(portal.store, { username: 'Vera', role: 'viewer', at: TEST_START });
});
afterAll(() => portal.close());

const readAuditRecords = () => auditRecords(portal.folder);

describe('V16.2 logging', () => {
  it('V16.2.1: a record has time, actor, action and address', async () => {
    await signInAs(portal, { username: 'Vera' }, { 'X-Forwarded-For': '203.0.113.5' });
    expect(readAuditRecords().at(-1)).toMatchObject({
      at: TEST_START,
      actor: viewerId,
      action: 'admin.signed-in',
      address: '203.0.113.5',
    });
  });

  it('V16.2.5: no password, token or code is logged, however a sign-in ends', async () => {
    const { body } = await signInAs(portal, { username: 'Vera' });
    const { sessionId } = JSON.parse(body);
    await signInAs(portal, { username: 'Vera', password: 'a wrong secret' });
    await signInAs(portal, { username: 'a name as a secret', code: '424242' });
    await askAs(portal, null, '/api/admin/login', { password: 'a lone secret' });
    await askAs(portal, sessionId, '/api/admin/password', { password: 'one secret', newPassword: 'qwerty' });
    const storedText = [...portal.logLines, ...[...storedRows(portal.folder).values()].flat()].join('\n');
    const secrets = [PASSWORD, sessionId, 'a wrong secret', 'a name as', '424242', 'a lone', 'one secret'];
    for (const secret of secrets) expect(storedText).not.toContain(secret);
  });
});

describe('V16.3 security events', () => {
  it('V16.3.1: sign-ins and their second factors, failed sign-ins and sign-outs are recorded', async () => {
    const countBefore = readAuditRecords().length;
    await signInAs(portal, { username: 'Vera', password: 'wrong' });
    await signInAs(portal, { username: 'Nobody' });
    const { sessionId } = JSON.parse((await signInAs(portal, { username: 'Vera' })).body);
    await askAs(portal, sessionId, '/api/admin/logout', {});
    const events = readAuditRecords()
      .slice(countBefore)
      .map(({ actor, action, details }) => [actor, action, JSON.parse(details)]);
    expect(events).toEqual([
      ['visitor', 'admin.sign-in-failed', { adminId: viewerId }],
      ['visitor', 'admin.sign-in-failed', { adminId: null }],
      [viewerId, 'admin.signed-in', { session: expect.any(String), secondFactor: null }],
      [viewerId, 'admin.signed-out', { session: expect.any(String) }],
    ]);
  });

  it('V16.3.2: a call that the role does not allow is recorded with its sender', async () => {
    const { token } = await openSession(portal.store, viewerId, TEST_START);
    await askAs(portal, token, '/api/admin/team/invite', {});
    const lastRecord = readAuditRecords().at(-1);
    expect([lastRecord?.actor, lastRecord?.action]).toEqual([viewerId, 'admin.call-refused']);
    expect(JSON.parse(lastRecord?.details ?? '{}')).toEqual({
      path: '/api/admin/team/invite',
      role: 'viewer',
    });
  });
});

describe('V16.4 protection of the log', () => {
  it('V16.4.1: input cannot forge a log line', async () => {
    const forgedName = 'Ada\n{"level":60,"msg":"forged"}';
    await signInAs(portal, { username: forgedName });
    await sendBroken(`?x=${encodeURIComponent(forgedName)}`, { 'User-Agent': 'x{"y":1}' });
    for (const line of portal.logLines) {
      expect(line.trimEnd().split('\n')).toHaveLength(1);
      expect(JSON.parse(line).msg).not.toBe('forged');
    }
  });
});

describe('V16.5 errors', () => {
  it('V16.5.3: nobody is admitted while the store cannot be read', async () => {
    const fails = () => Promise.reject(new Error('the disk is gone'));
    const store: AppStore = { ...portal.store, admins: { ...portal.store.admins, touchSession: fails } };
    const failingPortal = await startTestPortal({ store });
    const { token } = await openSession(portal.store, viewerId, TEST_START);
    const { status, body } = await askAs(failingPortal, token, '/api/admin/session');
    expect([status, JSON.parse(body).code]).toEqual([500, 'internal']);
    await failingPortal.close();
  });
});
