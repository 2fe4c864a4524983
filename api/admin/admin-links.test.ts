// @module-tag slow
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { team } from '../../data/contract/admin-team.ts';
import { adminLinkMail } from '../delivery/mail/templates/admin-link-mails.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { auditRecords, storedRows } from '../testing/test-files.ts';
import { startTestPortal, TEST_MASTER_KEY, type TestPortal } from '../testing/test-portal.ts';
import { adminLinkTokenDeriver, LINK_LIFE_MS } from './admin-links.ts';
import { askAs, PASSWORD, sampleAuditRecord, signedInAdmin, signInAs } from './testing/team.ts';

const ORIGIN = 'https://portal.example.com';
const NEW_PASSWORD = 'eight noisy geese';
const INVITEE = { email: 'rita@example.com', role: 'reviewer' } as const;

let portal: TestPortal;
let [ownerId, viewerId] = ['', ''];
let [ownerToken, viewerToken] = ['', ''];
async function openPortal(sendsMail: boolean): Promise<void> {
  portal = await startTestPortal({ teamOrigin: () => ORIGIN, sendsMail });
  ({ id: ownerId, token: ownerToken } = await signedInAdmin(portal.store, {
    username: 'Olga',
    at: TEST_START,
  }));
  const vera = { username: 'Vera', role: 'viewer', at: TEST_START + 1 } as const;
  ({ id: viewerId, token: viewerToken } = await signedInAdmin(portal.store, vera));
}
beforeEach(() => openPortal(false));
afterEach(() => portal.close());

type Reply = readonly [status: number, body: Readonly<Record<string, unknown>>];
async function post(token: string | null, path: string, body: object): Promise<Reply> {
  const response = await askAs(portal, token, path, body);
  return [response.status, JSON.parse(response.body)];
}
const tokenIn = (link: unknown) => String(link).replace(/^.*#token=/, '');
/** Creates a link that the owner has to pass on, because no mail server is configured. @returns its token */
async function createLink(path: string, body: object): Promise<string> {
  const [status, { link }] = await post(ownerToken, `/api/admin/team/${path}`, {
    ownPassword: PASSWORD,
    ...body,
  });
  expect([status, link]).toEqual([
    200,
    expect.stringMatching(`^${ORIGIN}/admin/account-link#token=[\\w-]{43}$`),
  ]);
  return tokenIn(link);
}
const invite = (body: object = {}) => createLink('invite', { ...INVITEE, ...body });
const offerReset = (body: object = {}) => createLink('reset-password', { id: viewerId, ...body });
const accept = (token: string, body: object = {}) =>
  post(null, '/api/admin/link/use', { token, username: 'Rita', password: NEW_PASSWORD, ...body });
const LINK_ENDED = [404, { code: 'admin-link-ended' }];
const statusOf = async (token: string) => (await askAs(portal, token, '/api/admin/session')).status;

describe('an invitation', () => {
  it('creates the account with the name and the password that the invited person chooses', async () => {
    const token = await invite();
    const [status, shown] = await post(null, '/api/admin/link', { token });
    expect([status, shown]).toEqual([
      200,
      {
        kind: 'invitation',
        username: null,
        role: 'reviewer',
        expiresAt: new Date(TEST_START + LINK_LIFE_MS).toISOString(),
      },
    ]);
    expect(await accept(token)).toEqual([200, { success: true, username: 'Rita' }]);
    const rita = await portal.store.admins.byName('rita');
    expect(rita).toMatchObject({ email: INVITEE.email, role: 'reviewer' });
    expect((await signInAs(portal, { username: 'rita', password: NEW_PASSWORD })).status).toBe(200);
  });

  it('keeps the name that the owner chose', async () => {
    await accept(await invite({ username: 'Rita' }), { username: 'Olga 2' });
    expect((await portal.store.admins.all()).map(({ username }) => username)).toContain('Rita');
  });

  it('is not used up by a taken, reserved or missing name, or by a weak password', async () => {
    const token = await invite();
    for (const [body, status, code] of [
      [{ username: 'VERA' }, 409, 'username-taken'],
      [{ username: 'admin' }, 400, 'username-reserved'],
      [{ username: undefined }, 400, 'username-needed'],
      [{ password: 'qwerty' }, 400, 'weak-password'],
    ] as const) {
      expect(await accept(token, body)).toMatchObject([status, { code }]);
    }
    expect((await accept(token))[0]).toBe(200);
  });

  it('works once, even if it is used twice at the same time (ASVS V6.4.1)', async () => {
    const token = await invite();
    const outcomes = await Promise.all([accept(token), accept(token, { username: 'Second' })]);
    expect(outcomes.map(([status]) => status).toSorted()).toEqual([200, 404]);
    expect(await accept(token, { username: 'Third' })).toMatchObject(LINK_ENDED);
  });

  it('ends after 72 hours (ASVS V6.4.1)', async () => {
    const token = await invite();
    await portal.pollAt(TEST_START + LINK_LIFE_MS);
    expect(await accept(token)).toMatchObject(LINK_ENDED);
  });

  it('stops working when it is sent again or withdrawn, or when its sender may no longer invite', async () => {
    const first = await invite();
    const second = await invite({ email: 'RITA@example.com' });
    expect(await accept(first)).toMatchObject(LINK_ENDED);
    const [{ id = '' } = {}] = await portal.store.admins.links();
    expect((await post(ownerToken, '/api/admin/team/withdraw-link', { id }))[0]).toBe(200);
    expect(await accept(second)).toMatchObject(LINK_ENDED);
    expect((await post(ownerToken, '/api/admin/team/withdraw-link', { id }))[1]).toMatchObject({
      code: 'no-such-link',
    });

    const { admins } = portal.store;
    await signedInAdmin(portal.store, { username: 'Otto', at: TEST_START });
    const third = await invite();
    await admins.changeRole(ownerId, 'reviewer', sampleAuditRecord('admin.role-changed', TEST_START));
    expect(await accept(third)).toMatchObject(LINK_ENDED);
  });

  it('fails with the same error for a used, unknown or empty token, so nobody learns who was invited', async () => {
    const used = await invite();
    await accept(used);
    const answers = await Promise.all(
      [used, 'A'.repeat(43), ''].map((token) => post(null, '/api/admin/link', { token })),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject(LINK_ENDED);
  });

  it('is listed for owners with its expiry time, until it is used', async () => {
    const listTeam = async () =>
      team.response.parse(JSON.parse((await askAs(portal, ownerToken, '/api/admin/team')).body));
    const token = await invite();
    expect(await listTeam()).toMatchObject({
      sendsMail: false,
      links: [
        { kind: 'invitation', email: INVITEE.email, role: 'reviewer', createdBy: 'Olga', hasExpired: false },
      ],
    });
    await accept(token);
    expect((await listTeam()).links).toEqual([]);
  });

  it('is sent by email if a mail server is configured, and its token is neither stored nor logged', async () => {
    await portal.close();
    await openPortal(true);
    const [, { link, id }] = await post(ownerToken, '/api/admin/team/invite', {
      ...INVITEE,
      ownPassword: PASSWORD,
    });
    expect(link).toBeNull();
    const [delivery] = await portal.store.deliveries.deliveriesOf(String(id));
    expect(delivery).toMatchObject({
      channel: 'mail',
      recipient: INVITEE.email,
      event: 'admin-link.invitation',
    });
    const mail = await adminLinkMail(
      { referenceNumber: String(id) },
      {
        admins: portal.store.admins,
        teamOrigin: ORIGIN,
        adminLinkToken: adminLinkTokenDeriver(TEST_MASTER_KEY),
      },
    );
    const mailedUrls = mail?.parts.flatMap((part) =>
      typeof part === 'object' && part.kind === 'button' ? part.url : [],
    );
    const token = tokenIn(mailedUrls?.[0]);
    const stored = [...portal.logLines, ...[...storedRows(portal.folder).values()].flat()].join('\n');
    expect(stored).toContain(INVITEE.email);
    expect(stored).not.toContain(token);
    expect((await accept(token))[0]).toBe(200);
  });
});

describe('a password reset', () => {
  it('changes nothing until its link is used, then ends all sessions of the account', async () => {
    const token = await offerReset();
    expect([await statusOf(viewerToken), (await signInAs(portal, { username: 'Vera' })).status]).toEqual([
      200, 200,
    ]);
    expect(await accept(token)).toEqual([200, { success: true, username: 'Vera' }]);
    expect([await statusOf(viewerToken), (await signInAs(portal, { username: 'Vera' })).status]).toEqual([
      401, 401,
    ]);
    expect((await signInAs(portal, { username: 'Vera', password: NEW_PASSWORD })).status).toBe(200);
    expect(await accept(token)).toMatchObject(LINK_ENDED);
  });

  it('stops working when the admin changes the password, and when the account is deactivated', async () => {
    const first = await offerReset();
    await askAs(portal, viewerToken, '/api/admin/password', {
      password: PASSWORD,
      newPassword: NEW_PASSWORD,
    });
    expect(await accept(first)).toMatchObject(LINK_ENDED);
    const second = await offerReset();
    await post(ownerToken, '/api/admin/team/disable', { id: viewerId });
    expect(await accept(second)).toMatchObject(LINK_ENDED);
  });

  it('for a deactivated account does not reactivate it', async () => {
    await post(ownerToken, '/api/admin/team/disable', { id: viewerId });
    expect((await accept(await offerReset()))[0]).toBe(200);
    expect((await signInAs(portal, { username: 'Vera', password: NEW_PASSWORD })).status).toBe(401);
  });

  it('is not offered for one’s own account', async () => {
    const body = { id: ownerId, ownPassword: PASSWORD };
    expect(await post(ownerToken, '/api/admin/team/reset-password', body)).toMatchObject([
      409,
      { code: 'own-password' },
    ]);
  });
});

it('offering, using and withdrawing a link each leave an audit record without email addresses', async () => {
  const before = auditRecords(portal.folder).length;
  await accept(await invite());
  await accept(await offerReset());
  await invite({ email: 'eve@example.com' });
  const [{ id = '' } = {}] = await portal.store.admins.links();
  await post(ownerToken, '/api/admin/team/withdraw-link', { id });
  const added = auditRecords(portal.folder).slice(before);
  const rita = (await portal.store.admins.byName('Rita'))?.id;
  expect(added.map(({ actor, action }) => [actor, action])).toEqual([
    [ownerId, 'admin.invited'],
    [rita, 'admin.joined'],
    [ownerId, 'admin.reset-offered'],
    [viewerId, 'admin.password-reset'],
    [ownerId, 'admin.invited'],
    [ownerId, 'admin.link-withdrawn'],
  ]);
  expect(JSON.stringify(added)).not.toContain('@example.com');
});
