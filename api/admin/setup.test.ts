// @module-tag slow
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminSetup, adminSetupState } from '../../data/contract/admin-session.ts';
import { PASSWORD_TOO_SHORT } from '../../data/model/admin-rules.ts';
import { ApiError } from '../errors.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import { newSetupToken } from './setup-routes.ts';
import { addAdmin, askAs, PASSWORD, signInAs } from './testing/team.ts';

const TOKEN = newSetupToken();
const REMOTE_HEADERS = { 'X-Forwarded-For': '203.0.113.7', Host: 'portal.example.com' };

describe('the first admin', () => {
  let portal: TestPortal;
  beforeEach(async () => {
    portal = await startTestPortal({ setupToken: TOKEN });
  });
  afterEach(() => portal.close());

  const setUp = (fields: object = {}, headers: Record<string, string> = {}) =>
    askAs(portal, null, adminSetup.path, { username: 'Ada', password: PASSWORD, ...fields }, headers);
  const readState = async (headers: Record<string, string> = {}) =>
    JSON.parse((await askAs(portal, null, adminSetupState.path, undefined, headers)).body);

  it('is created on the server itself as an owner who can sign in, after which setup is closed', async () => {
    expect(await readState()).toEqual({ isOpen: true, needsLink: false });
    const password = 'ä💧 x!9';
    const { status, body } = await setUp({ email: 'ada@example.com', password });
    expect([status, JSON.parse(body)]).toEqual([200, { success: true }]);
    expect(await readState()).toEqual({ isOpen: false, needsLink: false });
    expect(await readState(REMOTE_HEADERS)).toEqual({ isOpen: false, needsLink: false });
    const signedIn = await signInAs(portal, { username: 'ada', password });
    expect(JSON.parse(signedIn.body).user).toEqual({ username: 'Ada', role: 'owner' });
    const again = await setUp({ username: 'Bob' });
    expect([again.status, JSON.parse(again.body).code]).toEqual([409, 'setup-closed']);
  });

  it('is created from another machine only with the token from the printed link', async () => {
    expect(await readState(REMOTE_HEADERS)).toEqual({ isOpen: true, needsLink: true });
    for (const token of [undefined, '', newSetupToken(), `${TOKEN} x`]) {
      const headers = token === undefined ? REMOTE_HEADERS : { ...REMOTE_HEADERS, 'X-Setup-Token': token };
      const { status, body } = await setUp({}, headers);
      expect([status, JSON.parse(body).code]).toEqual([403, 'setup-link-needed']);
    }
    expect(await portal.store.admins.hasAdmins()).toBe(false);
    expect((await setUp({}, { ...REMOTE_HEADERS, 'X-Setup-Token': TOKEN })).status).toBe(200);
    expect((await setUp({}, { ...REMOTE_HEADERS, 'X-Setup-Token': TOKEN })).status).toBe(409);
  });

  it('is created only once by concurrent requests', async () => {
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, index) => setUp({ username: `a${index}` })),
    );
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(409)]);
    expect(await portal.store.admins.all()).toHaveLength(1);
  });

  it.each([
    ['five characters long', 'äöüß€', PASSWORD_TOO_SHORT],
    ['the username', 'ada lovelace', new ApiError('weak-password').message],
  ])('is not created if the password is %s', async (_case, password, message) => {
    const { status, body } = await setUp({ username: 'Ada Lovelace', password });
    expect([status, JSON.parse(body)]).toEqual([
      400,
      { success: false, error: message, code: 'weak-password' },
    ]);
    expect(await portal.store.admins.hasAdmins()).toBe(false);
  });

  it('cannot have a reserved name', async () => {
    const { status, body } = await setUp({ username: 'Аdmin' });
    expect([status, JSON.parse(body).code]).toEqual([400, 'username-reserved']);
  });

  it('is not created after an operator added an admin', async () => {
    await addAdmin(portal.store, { username: 'Bob', at: TEST_START });
    expect((await setUp()).status).toBe(409);
  });
});
