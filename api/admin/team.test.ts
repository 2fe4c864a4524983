// @module-tag slow
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { adminSessions } from '../../data/contract/admin-session.ts';
import { team } from '../../data/contract/admin-team.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { auditRecords } from '../testing/test-files.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import { addAdmin, askAs, openSession, PASSWORD, sampleAuditRecord, signedInAdmin } from './testing/team.ts';

let portal: TestPortal;
let [ownerId, viewerId] = ['', ''];
let [ownerToken, viewerToken] = ['', ''];
beforeEach(async () => {
  portal = await startTestPortal();
  ({ id: ownerId, token: ownerToken } = await signedInAdmin(portal.store, {
    username: 'Olga',
    at: TEST_START,
  }));
  const vera = { username: 'Vera', role: 'viewer', at: TEST_START + 1 } as const;
  ({ id: viewerId, token: viewerToken } = await signedInAdmin(portal.store, vera));
});
afterEach(() => portal.close());

async function post(token: string, path: string, body: object): Promise<[number, Record<string, unknown>]> {
  const needsPassword = /(?:invite|role)$/.test(path);
  const response = await askAs(portal, token, path, {
    ...(needsPassword && { ownPassword: PASSWORD }),
    ...body,
  });
  return [response.status, JSON.parse(response.body)];
}
const statusOf = async (token: string) => (await askAs(portal, token, '/api/admin/session')).status;
const audit = () => sampleAuditRecord('admin.changed', TEST_START);
const readAuditRecords = () => auditRecords(portal.folder);

describe('an owner', () => {
  it('sees the team with roles and last activity', async () => {
    const { team: members } = team.response.parse(
      JSON.parse((await askAs(portal, ownerToken, '/api/admin/team')).body),
    );
    expect(members.map(({ username, role, isSelf, hasTotp }) => [username, role, isSelf, hasTotp])).toEqual([
      ['Olga', 'owner', true, false],
      ['Vera', 'viewer', false, false],
    ]);
    expect(members[1]?.lastSeenAt).toBe(new Date(TEST_START + 1).toISOString());
  });

  const inviteNamed = (username: string) =>
    post(ownerToken, '/api/admin/team/invite', { email: 'rita@example.com', username, role: 'reviewer' });

  it('cannot invite anyone under a name that looks like another admin’s', async () => {
    const lookAlikes = ['Оlgа', 'Οlga', '0lga', 'OIga', 'Ol\u200bga', 'Ｏｌｇａ', 'O l g a'];
    for (const username of lookAlikes) {
      const [status, { code }] = await inviteNamed(username);
      expect([username, status, code]).toEqual([username, 409, 'username-taken']);
    }
  });

  it('cannot invite anyone under a reserved name or one that looks like it (ASVS V6.3.2)', async () => {
    const reservedNames = ['admin', 'Administrator', 'ROOT', 'system', 'operator', 'visitor', 'Support'];
    for (const username of [...reservedNames, 'BlackDuck', 'Ьlасkduсk']) {
      const [status, { code }] = await inviteNamed(username);
      expect([username, status, code]).toEqual([username, 400, 'username-reserved']);
    }
  });

  it('can invite people under names that look different', async () => {
    for (const username of ['Olga 2', 'Helga', 'Ольга', 'Oleg']) {
      expect([username, (await inviteNamed(username))[0]]).toEqual([username, 200]);
    }
  });

  it('can be neither deactivated nor demoted while there is no other active owner', async () => {
    const second = await addAdmin(portal.store, { username: 'Otto', at: TEST_START });
    await post(ownerToken, '/api/admin/team/disable', { id: second });
    for (const [path, body] of [
      ['/api/admin/team/role', { id: ownerId, role: 'reviewer' }],
      ['/api/admin/team/disable', { id: ownerId }],
    ] as const) {
      const [status, { code }] = await post(ownerToken, path, body);
      expect([status, code]).toEqual([409, 'last-owner']);
    }
    expect(await statusOf(ownerToken)).toBe(200);
    await post(ownerToken, '/api/admin/team/enable', { id: second });
    expect((await post(ownerToken, '/api/admin/team/role', { id: ownerId, role: 'viewer' }))[0]).toBe(200);
  });

  it.each([
    ['invite', { email: 'eve@example.com', role: 'owner' }],
    ['role', { id: null, role: 'owner' }],
    ['reset-password', { id: null }],
  ])('needs their own password for the %s call (ASVS 7.5.1)', async (call, fields) => {
    const { admins } = portal.store;
    const before = await admins.all();
    const body = 'id' in fields ? { ...fields, id: viewerId } : fields;
    const path = `/api/admin/team/${call}`;
    expect(await post(ownerToken, path, { ...body, ownPassword: 'wrong-password' })).toMatchObject([
      403,
      { code: 'wrong-password' },
    ]);
    expect((await post(ownerToken, path, { ...body, ownPassword: undefined }))[0]).toBe(400);
    expect([await admins.all(), await admins.links()]).toEqual([before, []]);
  });

  it.each([
    ['deactivated', 401, (id: string) => portal.store.admins.disable(id, audit())],
    ['demoted', 403, (id: string) => portal.store.admins.changeRole(id, 'viewer', audit())],
    [
      'signed out',
      401,
      (adminId: string) => portal.store.admins.endSessions({ adminId, exceptId: '' }, audit()),
    ],
  ] as const)(
    'cannot invite anyone if they are %s while their password is checked',
    async (_case, expected, end) => {
      await addAdmin(portal.store, { username: 'Otto', at: TEST_START });
      const { admins } = portal.store;
      const countAttempt = admins.countAttempt.bind(admins);
      vi.spyOn(admins, 'countAttempt').mockImplementationOnce(async (...attempt) => {
        await end(ownerId);
        return countAttempt(...attempt);
      });
      expect((await inviteNamed('Rita'))[0]).toBe(expected);
      expect(await admins.links()).toEqual([]);
    },
  );

  it('gets 404 for an unknown id', async () => {
    const nobody = '00000000-0000-4000-8000-000000000000';
    for (const [path, fields] of [
      ['role', { role: 'viewer' }],
      ['disable', {}],
      ['enable', {}],
      ['reset-password', { ownPassword: PASSWORD }],
    ] as const) {
      const [status, { code }] = await post(ownerToken, `/api/admin/team/${path}`, { id: nobody, ...fields });
      expect([path, status, code]).toEqual([path, 404, 'no-such-admin']);
    }
  });

  it('leaves an audit record for each change, and none for a rejected one', async () => {
    const before = readAuditRecords().length;
    await post(ownerToken, '/api/admin/team/role', { id: viewerId, role: 'reviewer' });
    await post(ownerToken, '/api/admin/team/disable', { id: viewerId });
    await post(ownerToken, '/api/admin/team/disable', { id: ownerId });
    await post(ownerToken, '/api/admin/team/enable', { id: viewerId });
    const added = readAuditRecords().slice(before);
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
  it('are all listed for an owner, without tokens', async () => {
    const { body } = await askAs(portal, ownerToken, '/api/admin/sessions');
    const { sessions } = adminSessions.response.parse(JSON.parse(body));
    expect(sessions.map(({ username, isOwn, isThis }) => [username, isOwn, isThis]).toSorted()).toEqual([
      ['Olga', true, true],
      ['Vera', false, false],
    ]);
    expect(body).not.toContain(viewerToken);
  });

  it('of an admin can all be ended at once, except the current one', async () => {
    const others = await Promise.all([1, 2].map(() => openSession(portal.store, viewerId, TEST_START)));
    expect(await post(viewerToken, '/api/admin/sessions/revoke', { id: 'others' })).toEqual([
      200,
      { success: true, ended: 2 },
    ]);
    for (const { token } of others) expect(await statusOf(token)).toBe(401);
    expect([await statusOf(viewerToken), await statusOf(ownerToken)]).toEqual([200, 200]);
  });
});
