import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SESSION_IDLE_MS, SESSION_LIFE_MS } from '../admin/admin-context.ts';
import { addAdmin, askAs, openSession, PASSWORD, signInAs } from '../admin/testing/team.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { storedRows } from '../testing/test-files.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

// Each title starts with the number of a requirement in OWASP ASVS 5.0 (https://github.com/OWASP/ASVS), chapters V7 and V8.

let portal: TestPortal;
let now = TEST_START;
let adminCount = 0;
beforeAll(async () => {
  portal = await startTestPortal({ now: () => now });
  await addAdmin(portal.store, { username: 'The first owner', at: now });
});
afterAll(() => portal.close());

async function addNewAdmin(role: 'owner' | 'viewer' = 'owner') {
  adminCount += 1;
  const username = `Ada ${adminCount}`;
  const id = await addAdmin(portal.store, { username, role, at: now });
  const session = () => openSession(portal.store, id, now);
  const login = async (headers: Record<string, string> = {}): Promise<string> =>
    JSON.parse((await signInAs(portal, { username }, headers)).body).sessionId;
  return { id, username, session, login };
}
const statusOf = async (token: string) => (await askAs(portal, token, '/api/admin/session')).status;

describe('V7.2 session management', () => {
  it('V7.2.1, V7.2.2: only the stored token is valid, not another of the same shape', async () => {
    const { token } = await (await addNewAdmin()).session();
    const alteredToken = `${token.slice(0, -2)}${token.at(-2) === 'A' ? 'B' : 'A'}${token.at(-1)}`;
    expect([await statusOf(token), await statusOf(alteredToken)]).toEqual([200, 401]);
    expect([...storedRows(portal.folder).values()].flat().join()).not.toContain(token);
  });

  it('V7.2.3: a token is unique and has 256 random bits', async () => {
    const { login } = await addNewAdmin();
    const tokens = [await login(), await login(), await login()];
    expect(new Set(tokens).size).toBe(3);
    for (const token of tokens) expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    // Tokens made from a counter or a name would share parts. These share no part of eight characters.
    expect(new Set(tokens.flatMap((token) => token.match(/.{8}/g) ?? [])).size).toBe(15);
  });

  it('V7.2.4: signing in opens a new session and ends the one that the request carries', async () => {
    const { login } = await addNewAdmin();
    const first = await login();
    const second = await login({ Authorization: `Bearer ${first}` });
    expect(second).not.toBe(first);
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200]);
  });
});

describe('V7.3 session timeout', () => {
  it('V7.3.1: an unused session ends after 30 minutes', async () => {
    const { token } = await (await addNewAdmin()).session();
    now += SESSION_IDLE_MS - 1;
    expect(await statusOf(token)).toBe(200);
    now += SESSION_IDLE_MS;
    expect(await statusOf(token)).toBe(401);
  });

  it('V7.3.2: a session ends after 12 hours, even if it is in use', async () => {
    const { token } = await (await addNewAdmin()).session();
    const endsAt = now + SESSION_LIFE_MS;
    for (; now < endsAt; now += SESSION_IDLE_MS / 2) expect(await statusOf(token)).toBe(200);
    now = endsAt - 1;
    expect(await statusOf(token)).toBe(200);
    now = endsAt;
    expect(await statusOf(token)).toBe(401);
  });
});

describe('V7.4 session termination', () => {
  it('V7.4.1: signing out ends the session, and no other', async () => {
    const ada = await addNewAdmin();
    const [{ token }, other] = [await ada.session(), await ada.session()];
    expect((await askAs(portal, token, '/api/admin/logout', {})).status).toBe(200);
    expect([await statusOf(token), await statusOf(other.token)]).toEqual([401, 200]);
    expect((await askAs(portal, token, '/api/admin/logout', {})).status).toBe(401);
  });

  it('V7.4.2: deactivating an account ends its sessions, and reactivating it restores none but allows a new sign-in', async () => {
    const [owner, formerAdmin] = [await (await addNewAdmin()).session(), await addNewAdmin('viewer')];
    const tokens = [(await formerAdmin.session()).token, (await formerAdmin.session()).token];
    await askAs(portal, owner.token, '/api/admin/team/disable', { id: formerAdmin.id });
    for (const token of tokens) expect(await statusOf(token)).toBe(401);
    await askAs(portal, owner.token, '/api/admin/team/enable', { id: formerAdmin.id });
    for (const token of tokens) expect(await statusOf(token)).toBe(401);
    expect(await statusOf(await formerAdmin.login())).toBe(200);
  });

  it('V7.4.3: changing the password ends all other sessions of the account', async () => {
    const ada = await addNewAdmin();
    const [ownSession, other] = [await ada.session(), await ada.session()];
    const change = { password: PASSWORD, newPassword: 'eight noisy geese' };
    expect((await askAs(portal, ownSession.token, '/api/admin/password', change)).status).toBe(200);
    expect([await statusOf(ownSession.token), await statusOf(other.token)]).toEqual([200, 401]);
  });

  it('V7.4.5: an owner can end the sessions of any admin', async () => {
    const [owner, other] = [
      await (await addNewAdmin()).session(),
      await (await addNewAdmin('viewer')).session(),
    ];
    const revoked = await askAs(portal, owner.token, '/api/admin/sessions/revoke', { id: other.id });
    expect(revoked.status).toBe(200);
    expect([await statusOf(owner.token), await statusOf(other.token)]).toEqual([200, 401]);
  });
});

describe('V8 authorization', () => {
  it('V7.5.2, V8.2.2: an admin who is not an owner sees and ends only their own sessions', async () => {
    const ada = await addNewAdmin('viewer');
    const [ownSession, second, other] = [
      await ada.session(),
      await ada.session(),
      await (await addNewAdmin()).session(),
    ];
    const { sessions } = JSON.parse((await askAs(portal, ownSession.token, '/api/admin/sessions')).body);
    const listedIds = sessions.map(({ id }: { id: string }) => id);
    expect(listedIds.toSorted()).toEqual([ownSession.id, second.id].toSorted());
    const revoke = async (id: string) =>
      (await askAs(portal, ownSession.token, '/api/admin/sessions/revoke', { id })).status;
    expect([await revoke(second.id), await revoke(other.id)]).toEqual([200, 404]);
    expect([await statusOf(second.token), await statusOf(other.token)]).toEqual([401, 200]);
  });

  it('V8.3.2: a changed role applies from the next call', async () => {
    const [owner, formerOwner] = [await (await addNewAdmin()).session(), await addNewAdmin()];
    const { token } = await formerOwner.session();
    expect((await askAs(portal, token, '/api/admin/team')).status).toBe(200);
    await askAs(portal, owner.token, '/api/admin/team/role', {
      id: formerOwner.id,
      role: 'viewer',
      ownPassword: PASSWORD,
    });
    expect((await askAs(portal, token, '/api/admin/team')).status).toBe(403);
  });
});
