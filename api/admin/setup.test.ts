import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminSetup, adminSetupState } from '../../data/contract/admin-session.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import { newSetupToken } from './setup-door.ts';
import { addAdmin, askAs, PASSWORD, signInAs } from './testing/team.ts';

const TOKEN = newSetupToken();
/** A request that a proxy passes on for somebody on another machine. */
const ELSEWHERE = { 'X-Forwarded-For': '203.0.113.7', Host: 'portal.example.com' };

describe('the first admin', () => {
  let portal: TestPortal;
  beforeEach(async () => {
    portal = await startTestPortal({ setupToken: TOKEN, adminCallsPerMinute: 1_000 });
  });
  afterEach(() => portal.close());

  const setUp = (fields: object = {}, headers: Record<string, string> = {}) =>
    askAs(portal, null, adminSetup.path, { username: 'Ada', password: PASSWORD, ...fields }, headers);
  const state = async (headers: Record<string, string> = {}) =>
    JSON.parse((await askAs(portal, null, adminSetupState.path, undefined, headers)).body);

  it('is created on the server itself, is an owner and may sign in; then set-up is closed', async () => {
    expect(await state()).toEqual({ isOpen: true, needsLink: false });
    const { status, body } = await setUp({ email: 'ada@example.com' });
    expect([status, JSON.parse(body)]).toEqual([200, { success: true }]);
    expect(await state()).toEqual({ isOpen: false, needsLink: false });
    expect(await state(ELSEWHERE)).toEqual({ isOpen: false, needsLink: false });
    const signedIn = await signInAs(portal, { username: 'ada' });
    expect(JSON.parse(signedIn.body).user).toEqual({ username: 'Ada', role: 'owner' });
    const again = await setUp({ username: 'Bob' });
    expect([again.status, JSON.parse(again.body)]).toEqual([
      409,
      {
        success: false,
        error: 'An admin exists already, so set-up is closed. Sign in at /admin/login.',
        code: 'setup-closed',
      },
    ]);
  });

  it('is created from another machine with the token of the printed link alone', async () => {
    expect(await state(ELSEWHERE)).toEqual({ isOpen: true, needsLink: true });
    for (const token of [undefined, '', newSetupToken(), `${TOKEN} x`]) {
      const sent = token === undefined ? ELSEWHERE : { ...ELSEWHERE, 'X-Setup-Token': token };
      const { status, body } = await setUp({}, sent);
      expect([status, JSON.parse(body).code]).toEqual([403, 'setup-link-needed']);
    }
    expect(await portal.store.admins.hasAdmins()).toBe(false);
    expect((await setUp({}, { ...ELSEWHERE, 'X-Setup-Token': TOKEN })).status).toBe(200);
    expect((await setUp({}, { ...ELSEWHERE, 'X-Setup-Token': TOKEN })).status).toBe(409);
  });

  it('is one, of any number that race', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => setUp({ username: `a${at}` })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(409)]);
    expect(await portal.store.admins.all()).toHaveLength(1);
  });

  it.each([
    ['five characters', 'äöüß€', 'Password must be at least 6 characters'],
    ['one of the commonest', 'password1', /too easy to guess/],
    ['one of the commonest in capitals', 'PASSWORD1', /too easy to guess/],
    ['the username', 'ada lovelace', /too easy to guess/],
  ])('gets no password of %s', async (_case, password, words) => {
    const { status, body } = await setUp({ username: 'Ada Lovelace', password });
    expect([status, JSON.parse(body).code]).toEqual([400, 'weak-password']);
    expect(JSON.parse(body).error).toMatch(words);
    expect(await portal.store.admins.hasAdmins()).toBe(false);
  });

  it('may have a password of six characters that nobody else uses', async () => {
    expect((await setUp({ password: 'ä💧 x!9' })).status).toBe(200);
    expect((await signInAs(portal, { username: 'Ada', password: 'ä💧 x!9' })).status).toBe(200);
  });

  it('is not created where an admin was added at the operator’s shell', async () => {
    await addAdmin(portal.store, { username: 'Bob', at: TEST_START });
    expect((await setUp()).status).toBe(409);
  });
});
