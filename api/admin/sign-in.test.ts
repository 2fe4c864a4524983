import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminLogin, adminSession } from '../../data/contract/admin-session.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { storedRows } from '../testing/stored-rows.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import { SESSION_IDLE, SESSION_LIFE } from './admin-desk.ts';
import { addAdmin, askAs, PASSWORD, signInAs } from './testing/team.ts';

const SESSION = adminSession.path;

describe('an admin', () => {
  let portal: TestPortal;
  let id: string;
  beforeEach(async () => {
    portal = await startTestPortal();
    id = await addAdmin(portal.store, { username: 'Ada', at: TEST_START });
  });
  afterEach(() => portal.close());

  const signedIn = async () => {
    const { status, body } = await signInAs(portal, { username: 'Ada' });
    expect(status, body).toBe(200);
    return adminLogin.response.parse(JSON.parse(body));
  };
  const statusOf = async (token: string | null) => (await askAs(portal, token, SESSION)).status;

  it('signs in by name, in any case, and password, and is known by the session’s id from then on', async () => {
    const { sessionId, user, expiresAt, recoveryCodesLeft } = await signedIn();
    expect(user).toEqual({ username: 'Ada', role: 'owner' });
    expect(recoveryCodesLeft).toBeNull();
    expect(expiresAt).toBe(new Date(TEST_START + SESSION_LIFE).toISOString());
    const { status, body } = await askAs(portal, sessionId, SESSION);
    expect([status, adminSession.response.parse(JSON.parse(body)).user]).toEqual([
      200,
      { id, username: 'Ada', role: 'owner', email: null },
    ]);
    expect((await signInAs(portal, { username: 'ＡDA' })).status).toBe(200);
  });

  it.each([
    ['a wrong password', { username: 'Ada', password: 'seven quiet ducks ' }],
    ['a password in another case', { username: 'Ada', password: 'Seven quiet ducks' }],
    ['an unknown name', { username: 'Bob' }],
  ])('is refused with %s, always in the same words', async (_case, typed) => {
    const { status, body, headers } = await signInAs(portal, typed);
    expect([status, JSON.parse(body)]).toEqual([
      401,
      {
        success: false,
        error: 'The username, the password or the code is wrong. Check them and try again.',
        code: 'sign-in-refused',
      },
    ]);
    expect(headers['www-authenticate']).toBeUndefined();
  });

  it('who was shut out is refused in those words too, and their sessions end', async () => {
    await addAdmin(portal.store, { username: 'Owner', at: TEST_START });
    const { sessionId } = await signedIn();
    await portal.store.admins.disable(id, {
      id: 'r1',
      at: TEST_START,
      actor: 'system',
      action: 'admin.disabled',
      details: {},
    });
    expect(await statusOf(sessionId)).toBe(401);
    const { status, body } = await signInAs(portal, { username: 'Ada' });
    expect([status, JSON.parse(body).code]).toEqual([401, 'sign-in-refused']);
  });

  it('stays signed in while the session is used, and is signed out after half an hour without', async () => {
    const { sessionId } = await signedIn();
    await portal.lookAt(TEST_START + SESSION_IDLE - 1);
    expect(await statusOf(sessionId)).toBe(200);
    await portal.lookAt(TEST_START + 2 * SESSION_IDLE - 2);
    expect(await statusOf(sessionId)).toBe(200);
    await portal.lookAt(TEST_START + 3 * SESSION_IDLE - 2);
    expect(await statusOf(sessionId)).toBe(401);
  });

  it('is signed out twelve hours after signing in, however much the session is used', async () => {
    const { sessionId } = await signedIn();
    for (let at = TEST_START; at < TEST_START + SESSION_LIFE; at += SESSION_IDLE - 1) {
      await portal.lookAt(at);
      expect(await statusOf(sessionId)).toBe(200);
    }
    await portal.lookAt(TEST_START + SESSION_LIFE);
    expect(await statusOf(sessionId)).toBe(401);
  });

  it('is signed out by logging out, and other sessions stay', async () => {
    const [one, two] = [await signedIn(), await signedIn()];
    expect(one.sessionId).not.toBe(two.sessionId);
    const { status, body } = await askAs(portal, one.sessionId, '/api/admin/logout', {});
    expect([status, JSON.parse(body)]).toEqual([200, { success: true }]);
    expect([await statusOf(one.sessionId), await statusOf(two.sessionId)]).toEqual([401, 200]);
  });

  it.each([
    ['none', {}],
    ['one in a cookie', { Cookie: 'adminSession=TOKEN' }],
    ['one of another scheme', { Authorization: 'Basic TOKEN' }],
    ['a longer one', { Authorization: 'Bearer TOKENx' }],
    ['two', { Authorization: 'Bearer TOKEN, Bearer TOKEN' }],
  ])('is not known by %s for a token', async (_case, headers) => {
    const { sessionId } = await signedIn();
    const sent = Object.entries(headers).map(([name, text]) => [name, text.replaceAll('TOKEN', sessionId)]);
    const { status, headers: answered } = await askAs(
      portal,
      null,
      SESSION,
      undefined,
      Object.fromEntries(sent),
    );
    expect([status, answered['www-authenticate']]).toEqual([401, 'Bearer']);
  });

  it('leaves neither password nor token nor an unknown name in the store or the log', async () => {
    const { sessionId } = await signedIn();
    await signInAs(portal, { username: 'hunter2-typed-as-name' });
    const kept = [...storedRows(portal.folder).values()].flat().join('\n') + portal.logged.join('\n');
    expect(kept).toContain('admin.sign-in-failed');
    for (const secret of [PASSWORD, sessionId, 'hunter2-typed-as-name']) expect(kept).not.toContain(secret);
  });
});
