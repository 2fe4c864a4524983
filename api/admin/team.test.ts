import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminSessions } from '../../data/contract/admin-session.ts';
import { team } from '../../data/contract/admin-team.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { storedRows } from '../testing/stored-rows.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import { addAdmin, askAs, openSession, PASSWORD, signInAs } from './testing/team.ts';

const NEW_PASSWORD = 'eight noisy geese';

let portal: TestPortal;
let [ownerId, viewerId] = ['', ''];
let [owner, viewer] = ['', ''];
beforeEach(async () => {
  portal = await startTestPortal({ adminCallsPerMinute: 1_000 });
  ownerId = await addAdmin(portal.store, { username: 'Olga', at: TEST_START });
  viewerId = await addAdmin(portal.store, { username: 'Vera', role: 'viewer', at: TEST_START + 1 });
  owner = (await openSession(portal.store, ownerId, TEST_START)).token;
  viewer = (await openSession(portal.store, viewerId, TEST_START)).token;
});
afterEach(() => portal.close());

async function post(token: string, path: string, body: object): Promise<[number, Record<string, unknown>]> {
  const answer = await askAs(portal, token, path, body);
  return [answer.status, JSON.parse(answer.body)];
}
const statusOf = async (token: string) => (await askAs(portal, token, '/api/admin/session')).status;
const audited = () => (storedRows(portal.folder).get('audit_records') ?? []).map((row) => JSON.parse(row));

describe('an owner', () => {
  it('sees the team, who is of it, and who was seen last', async () => {
    const { team: members } = team.response.parse(
      JSON.parse((await askAs(portal, owner, '/api/admin/team')).body),
    );
    expect(members.map(({ username, role, isSelf, hasTotp }) => [username, role, isSelf, hasTotp])).toEqual([
      ['Olga', 'owner', true, false],
      ['Vera', 'viewer', false, false],
    ]);
    expect(members[1]?.lastSeenAt).toBe(new Date(TEST_START).toISOString());
  });

  it('adds an admin, who may sign in; a name that looks like another’s is refused', async () => {
    const added = { username: 'Rita', password: NEW_PASSWORD, role: 'reviewer' };
    const [status, body] = await post(owner, '/api/admin/team/add', added);
    expect([status, body]).toEqual([200, { success: true, id: expect.any(String) }]);
    const signedIn = await signInAs(portal, { username: 'rita', password: NEW_PASSWORD });
    expect(JSON.parse(signedIn.body).user).toEqual({ username: 'Rita', role: 'reviewer' });
    const [taken, words] = await post(owner, '/api/admin/team/add', { ...added, username: 'ＲITA' });
    expect([taken, words.code]).toEqual([409, 'username-taken']);
    const [weak, refusal] = await post(owner, '/api/admin/team/add', { ...added, password: 'qwerty' });
    expect([weak, refusal.code]).toEqual([400, 'weak-password']);
  });

  it('changes a role, which counts from the next call on', async () => {
    expect((await askAs(portal, viewer, '/api/admin/team')).status).toBe(403);
    expect(await post(owner, '/api/admin/team/role', { id: viewerId, role: 'owner' })).toEqual([
      200,
      { success: true },
    ]);
    expect((await askAs(portal, viewer, '/api/admin/team')).status).toBe(200);
    await post(owner, '/api/admin/team/role', { id: viewerId, role: 'viewer' });
    expect((await askAs(portal, viewer, '/api/admin/team')).status).toBe(403);
  });

  it('shuts an admin out, whose sessions end, and lets them in again', async () => {
    expect((await post(owner, '/api/admin/team/disable', { id: viewerId }))[0]).toBe(200);
    expect(await statusOf(viewer)).toBe(401);
    expect((await signInAs(portal, { username: 'Vera' })).status).toBe(401);
    expect((await post(owner, '/api/admin/team/enable', { id: viewerId }))[0]).toBe(200);
    expect(await statusOf(viewer)).toBe(401);
    expect((await signInAs(portal, { username: 'Vera' })).status).toBe(200);
  });

  it('who is the last that can sign in is neither shut out nor given another role', async () => {
    const second = await addAdmin(portal.store, { username: 'Otto', at: TEST_START });
    await post(owner, '/api/admin/team/disable', { id: second });
    for (const [path, body] of [
      ['/api/admin/team/role', { id: ownerId, role: 'reviewer' }],
      ['/api/admin/team/disable', { id: ownerId }],
    ] as const) {
      const [status, { code }] = await post(owner, path, body);
      expect([status, code]).toEqual([409, 'last-owner']);
    }
    expect(await statusOf(owner)).toBe(200);
    await post(owner, '/api/admin/team/enable', { id: second });
    expect((await post(owner, '/api/admin/team/role', { id: ownerId, role: 'viewer' }))[0]).toBe(200);
  });

  it('stays one, of two who shut each other out at one time', async () => {
    const second = await addAdmin(portal.store, { username: 'Otto', at: TEST_START });
    const { token } = await openSession(portal.store, second, TEST_START);
    await Promise.all([
      post(owner, '/api/admin/team/disable', { id: second }),
      post(token, '/api/admin/team/disable', { id: ownerId }),
    ]);
    const left = (await portal.store.admins.all()).filter(
      ({ role, disabledAt }) => role === 'owner' && disabledAt === null,
    );
    expect(left).toHaveLength(1);
  });

  it('resets another’s password, which ends their sessions, and not their own', async () => {
    const reset = { id: viewerId, newPassword: NEW_PASSWORD };
    expect((await post(owner, '/api/admin/team/reset-password', reset))[0]).toBe(200);
    expect(await statusOf(viewer)).toBe(401);
    expect((await signInAs(portal, { username: 'Vera' })).status).toBe(401);
    expect((await signInAs(portal, { username: 'Vera', password: NEW_PASSWORD })).status).toBe(200);
    const [status, { code }] = await post(owner, '/api/admin/team/reset-password', { ...reset, id: ownerId });
    expect([status, code]).toEqual([409, 'own-password']);
  });

  it('is told of an id that is nobody’s', async () => {
    const nobody = '00000000-0000-4000-8000-000000000000';
    for (const [path, more] of [
      ['role', { role: 'viewer' }],
      ['disable', {}],
      ['enable', {}],
      ['reset-password', { newPassword: NEW_PASSWORD }],
    ] as const) {
      const [status, { code }] = await post(owner, `/api/admin/team/${path}`, { id: nobody, ...more });
      expect([path, status, code]).toEqual([path, 404, 'no-such-admin']);
    }
  });

  it('leaves a record of each change, with who, whom and from where, and none of a refused one', async () => {
    const before = audited().length;
    await post(owner, '/api/admin/team/role', { id: viewerId, role: 'reviewer' });
    await post(owner, '/api/admin/team/disable', { id: viewerId });
    await post(owner, '/api/admin/team/disable', { id: ownerId });
    await post(owner, '/api/admin/team/enable', { id: viewerId });
    const added = audited().slice(before);
    expect(added.map(({ action }) => action)).toEqual([
      'admin.role-changed',
      'admin.disabled',
      'admin.enabled',
    ]);
    for (const record of added) {
      expect(record).toMatchObject({ actor: ownerId, address: '127.0.0.1' });
      expect(JSON.parse(record.details).adminId).toBe(viewerId);
    }
  });
});

describe('sessions', () => {
  const list = async (token: string) =>
    adminSessions.response.parse(JSON.parse((await askAs(portal, token, '/api/admin/sessions')).body))
      .sessions;

  it('are listed to whom they belong, and all of them to an owner, without a token', async () => {
    expect((await list(viewer)).map(({ username, isOwn, isThis }) => [username, isOwn, isThis])).toEqual([
      ['Vera', true, true],
    ]);
    expect((await list(owner)).map(({ username }) => username).toSorted()).toEqual(['Olga', 'Vera']);
    expect(JSON.stringify(await list(owner))).not.toContain(viewer);
  });

  it('are ended by whom they belong, by an owner, and by nobody else', async () => {
    const second = await openSession(portal.store, viewerId, TEST_START);
    const owners = (await list(owner)).find(({ username }) => username === 'Olga')?.id;
    const [status, { code }] = await post(viewer, '/api/admin/sessions/revoke', { id: owners });
    expect([status, code]).toEqual([404, 'no-such-session']);
    expect(await statusOf(owner)).toBe(200);
    expect(await post(viewer, '/api/admin/sessions/revoke', { id: second.id })).toEqual([
      200,
      { success: true, ended: 1 },
    ]);
    expect(await statusOf(second.token)).toBe(401);
    const own = (await list(viewer))[0]?.id;
    expect((await post(owner, '/api/admin/sessions/revoke', { id: own }))[0]).toBe(200);
    expect(await statusOf(viewer)).toBe(401);
  });

  it('end together, but for the one that asks', async () => {
    const others = await Promise.all([1, 2].map(() => openSession(portal.store, viewerId, TEST_START)));
    expect(await post(viewer, '/api/admin/sessions/revoke', { id: 'others' })).toEqual([
      200,
      { success: true, ended: 2 },
    ]);
    for (const { token } of others) expect(await statusOf(token)).toBe(401);
    expect([await statusOf(viewer), await statusOf(owner)]).toEqual([200, 200]);
  });

  it('end when their admin changes the password, but for the one that asks', async () => {
    const { token } = await openSession(portal.store, viewerId, TEST_START);
    const change = { password: PASSWORD, newPassword: NEW_PASSWORD };
    const [wrong, { code }] = await post(viewer, '/api/admin/password', { ...change, password: 'no' });
    expect([wrong, code]).toEqual([403, 'wrong-password']);
    expect(await statusOf(token)).toBe(200);
    expect((await post(viewer, '/api/admin/password', change))[0]).toBe(200);
    expect([await statusOf(viewer), await statusOf(token)]).toEqual([200, 401]);
    expect((await signInAs(portal, { username: 'Vera', password: NEW_PASSWORD })).status).toBe(200);
  });
});
