// @module-tag slow
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { passkeys } from '../../data/contract/admin-passkeys.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { auditRecords } from '../testing/test-files.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import { CHALLENGE_LIFE_MS } from './passkey-factor.ts';
import { passkeyUserId } from './relying-party.ts';
import { createAuthenticator } from './testing/authenticator.ts';
import { addAdmin, askAs, PASSWORD, sampleAuditRecord, signedInAdmin, signInAs } from './testing/team.ts';

type Authenticator = ReturnType<typeof createAuthenticator>;

let portal: TestPortal;
let [adminId, sessionToken] = ['', ''];
let device: Authenticator;
let alerts: string[];
beforeEach(async () => {
  alerts = [];
  portal = await startTestPortal({ alertTeam: ({ subject }) => void alerts.push(subject) });
  ({ id: adminId, token: sessionToken } = await signedInAdmin(portal.store, {
    username: 'Ada',
    at: TEST_START,
  }));
  device = createAuthenticator();
  expect(await register(device)).toEqual([200, undefined]);
});
afterEach(() => portal.close());

/** Returns the status, the error code if any, and the session id after a sign-in or else the challenge. */
async function post(token: string | null, path: string, body: object): Promise<[number, string, string]> {
  const response = await askAs(portal, token, `/api/admin/${path}`, body);
  const { code, sessionId, challenge } = JSON.parse(response.body);
  return [response.status, code, sessionId ?? challenge];
}
async function beginRegistration(): Promise<string> {
  const [, , challenge] = await post(sessionToken, 'passkeys/begin', { password: PASSWORD });
  return challenge;
}
const addPasskey = async (passkey: object) =>
  (await post(sessionToken, 'passkeys/add', { name: 'Phone', passkey })).slice(0, 2);
const register = async (authenticator: Authenticator) =>
  addPasskey(authenticator.create({ challenge: await beginRegistration() }));
const fetchSignInChallenge = async () => (await post(null, 'passkeys/challenge', {}))[2];
const signIn = (passkey: object) => post(null, 'passkeys/sign-in', { passkey });
const actions = () => auditRecords(portal.folder).map(({ action }) => action);
const PASSKEY_REFUSED = [401, 'passkey-refused', undefined];

describe('a passkey', () => {
  it('signs an admin in without a password, because the device has verified its user (ASVS V6.3.3)', async () => {
    const answer = device.answer({ challenge: await fetchSignInChallenge() }, 1, passkeyUserId(adminId));
    const [status, , token] = await signIn(answer);
    expect([status, (await askAs(portal, token, '/api/admin/session')).status]).toEqual([200, 200]);
    const { body } = await askAs(portal, sessionToken, '/api/admin/passkeys');
    expect(passkeys.response.parse(JSON.parse(body)).passkeys).toMatchObject([
      { id: device.id, name: 'Phone', lastUsedAt: new Date(TEST_START).toISOString() },
    ]);
    const last = auditRecords(portal.folder).findLast(({ action }) => action === 'admin.signed-in');
    expect(JSON.parse(last?.details ?? '{}')).toMatchObject({
      secondFactor: 'passkey',
      withoutPassword: true,
    });
  });

  it('is required as the second factor when an admin signs in with a password (ASVS V6.3.3)', async () => {
    expect((await signInAs(portal, { username: 'Ada' })).status).toBe(401);
    const typed = { username: 'Ada', password: PASSWORD };
    expect((await post(null, 'login', typed)).slice(0, 2)).toEqual([401, 'passkey-needed']);
    const passkey = device.answer({ challenge: await fetchSignInChallenge() });
    expect((await post(null, 'login', { ...typed, password: 'wrong', passkey }))[1]).toBe('sign-in-refused');
    const again = device.answer({ challenge: await fetchSignInChallenge() });
    expect((await post(null, 'login', { ...typed, passkey: again }))[0]).toBe(200);
  });

  it('is refused for another origin, RP ID or challenge, or if the authenticator did not verify the user', async () => {
    for (const changes of [
      { origin: 'https://evil.example.com' },
      { rpId: 'example.com' },
      { challenge: 'A'.repeat(43) },
      { isVerified: false },
    ]) {
      const passkey = device.answer({ challenge: await fetchSignInChallenge(), ...changes });
      expect(await signIn(passkey), JSON.stringify(changes)).toEqual(PASSKEY_REFUSED);
    }
  });

  it('is refused when its answer is replayed, even if its signature counter stays 0 (ASVS V6.5.1)', async () => {
    const answer = device.answer({ challenge: await fetchSignInChallenge() });
    expect((await signIn(answer))[0]).toBe(200);
    expect(await signIn(answer)).toEqual(PASSKEY_REFUSED);
  });

  it('is refused after its challenge has expired (ASVS V6.5.5)', async () => {
    const answer = device.answer({ challenge: await fetchSignInChallenge() });
    await portal.pollAt(TEST_START + CHALLENGE_LIFE_MS);
    expect(await signIn(answer)).toEqual(PASSKEY_REFUSED);
  });

  it('is refused if it is unknown, is signed by another authenticator, or names another account', async () => {
    const other = createAuthenticator();
    expect(await signIn(other.answer({ challenge: await fetchSignInChallenge() }))).toEqual(PASSKEY_REFUSED);
    const forged = { ...other.answer({ challenge: await fetchSignInChallenge() }), id: device.id };
    expect(await signIn(forged)).toEqual(PASSKEY_REFUSED);
    const otherUsersAnswer = device.answer(
      { challenge: await fetchSignInChallenge() },
      0,
      passkeyUserId('someone else'),
    );
    expect(await signIn(otherUsersAnswer)).toEqual(PASSKEY_REFUSED);
  });

  it('of one admin does not work as a second factor for another', async () => {
    await addAdmin(portal.store, { username: 'Bob', at: TEST_START });
    const evesDevice = createAuthenticator();
    const { token } = await signedInAdmin(portal.store, { username: 'Eve', at: TEST_START });
    const own = sessionToken;
    sessionToken = token;
    await register(evesDevice);
    sessionToken = own;
    const passkey = evesDevice.answer({ challenge: await fetchSignInChallenge() });
    const login = { username: 'Ada', password: PASSWORD, passkey };
    expect((await post(null, 'login', login)).slice(0, 2)).toEqual([401, 'sign-in-refused']);
  });

  it('is refused and reported if its signature counter does not grow', async () => {
    expect((await signIn(device.answer({ challenge: await fetchSignInChallenge() }, 5)))[0]).toBe(200);
    expect(await signIn(device.answer({ challenge: await fetchSignInChallenge() }, 5))).toEqual(
      PASSKEY_REFUSED,
    );
    expect(actions()).toContain('admin.passkey-copied');
    expect(alerts).toHaveLength(1);
  });

  it('of a deactivated admin is refused', async () => {
    await addAdmin(portal.store, { username: 'Olga', at: TEST_START });
    await portal.store.admins.disable(adminId, sampleAuditRecord('admin.disabled', TEST_START));
    expect(await signIn(device.answer({ challenge: await fetchSignInChallenge() }))).toEqual(PASSKEY_REFUSED);
  });

  it('is throttled after failed attempts (ASVS V6.3.1)', async () => {
    for (let failures = 0; failures < 4; failures += 1) {
      await signIn(device.answer({ challenge: 'A'.repeat(43) }));
    }
    const [status, code] = await signIn(device.answer({ challenge: await fetchSignInChallenge() }));
    expect([status, code]).toEqual([429, 'too-many-attempts']);
  });

  it('survives a password reset unless the owner removes it (ASVS V6.4.3)', async () => {
    const { token: owner } = await signedInAdmin(portal.store, { username: 'Olga', at: TEST_START });
    const reset = async (removeSecondFactors: boolean) => {
      const body = { id: adminId, removeSecondFactors, ownPassword: PASSWORD };
      const { link } = JSON.parse((await askAs(portal, owner, '/api/admin/team/reset-password', body)).body);
      const token = String(link).replace(/^.*#token=/, '');
      expect((await post(null, 'link/use', { token, password: PASSWORD }))[0]).toBe(200);
    };
    await reset(false);
    expect((await signInAs(portal, { username: 'Ada' })).status).toBe(401);
    await reset(true);
    expect((await signInAs(portal, { username: 'Ada' })).status).toBe(200);
    expect(await signIn(device.answer({ challenge: await fetchSignInChallenge() }))).toEqual(PASSKEY_REFUSED);
  });
});

describe('registering a passkey', () => {
  it('requires the password, and ends the other sessions (ASVS V7.4.3, V7.5.1)', async () => {
    expect((await post(sessionToken, 'passkeys/begin', { password: 'wrong' })).slice(0, 2)).toEqual([
      403,
      'wrong-password',
    ]);
    const [, , other] = await signIn(device.answer({ challenge: await fetchSignInChallenge() }));
    expect(await register(createAuthenticator())).toEqual([200, undefined]);
    expect((await askAs(portal, other, '/api/admin/session')).status).toBe(401);
    expect((await askAs(portal, sessionToken, '/api/admin/session')).status).toBe(200);
  });

  it('is refused for a wrong challenge, origin or RP ID, an unverified user, or a passkey already registered', async () => {
    const fresh = createAuthenticator();
    const invalid = [400, 'passkey-invalid'];
    expect(await addPasskey(fresh.create({ challenge: await fetchSignInChallenge() }))).toEqual(invalid);
    expect(
      await addPasskey(
        fresh.create({ challenge: await beginRegistration(), origin: 'https://evil.example.com' }),
      ),
    ).toEqual(invalid);
    expect(
      await addPasskey(fresh.create({ challenge: await beginRegistration(), rpId: 'example.com' })),
    ).toEqual(invalid);
    expect(
      await addPasskey(fresh.create({ challenge: await beginRegistration(), isVerified: false })),
    ).toEqual(invalid);
    const foreign = await beginRegistration();
    ({ token: sessionToken } = await signedInAdmin(portal.store, { username: 'Eve', at: TEST_START }));
    expect(await addPasskey(fresh.create({ challenge: foreign }))).toEqual(invalid);
    expect(await register(device)).toEqual([409, 'passkey-known']);
  });

  it('can be undone with the password, ending other sessions (ASVS V7.4.3) and making the password sufficient again', async () => {
    const [, , other] = await signIn(device.answer({ challenge: await fetchSignInChallenge() }));
    const remove = (body: object) =>
      post(sessionToken, 'passkeys/remove', { id: device.id, password: PASSWORD, ...body });
    expect((await remove({ password: 'wrong' }))[1]).toBe('wrong-password');
    expect((await askAs(portal, other, '/api/admin/session')).status).toBe(200);
    expect((await remove({}))[0]).toBe(200);
    expect((await askAs(portal, other, '/api/admin/session')).status).toBe(401);
    expect((await remove({}))[1]).toBe('no-such-passkey');
    expect((await signInAs(portal, { username: 'Ada' })).status).toBe(200);
    expect(actions()).toEqual(expect.arrayContaining(['admin.passkey-added', 'admin.passkey-removed']));
  });
});
