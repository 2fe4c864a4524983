// @module-tag slow
import fc from 'fast-check';
import { TOTP, URI } from 'otpauth';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminLogin, adminSession } from '../../data/contract/admin-session.ts';
import { openAppStore } from '../../data/store/open-stores.ts';
import type { AppStore } from '../../data/store/ports.ts';
import type { TeamAlert } from '../delivery/team-alerts.ts';
import { TEST_START } from '../testing/fake-index.ts';
import type { Answer } from '../testing/portal-client.ts';
import { auditRecords } from '../testing/test-files.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import { SESSION_LIFE_MS } from './admin-context.ts';
import { doublingDelay } from './sign-in-throttle.ts';
import { addAdmin, askAs, PASSWORD, signedInAdmin, signInAs } from './testing/team.ts';

const HOUR_MS = 3_600_000;

describe('the delay after failed sign-ins', () => {
  it('starts after the free attempts and doubles up to 15 minutes', () => {
    expect([1, 2, 3, 4, 5, 6, 12, 13, 14, 1_000].map(doublingDelay(4))).toEqual([
      0, 0, 0, 2_000, 4_000, 8_000, 512_000, 900_000, 900_000, 900_000,
    ]);
    fc.assert(
      fc.property(fc.nat(), fc.nat({ max: 20 }), (failures, freeAttempts) => {
        const delay = doublingDelay(freeAttempts);
        expect(delay(failures + 1)).toBeGreaterThanOrEqual(delay(failures));
      }),
    );
  });
});

describe('signing in', () => {
  let portal: TestPortal;
  let now = TEST_START;
  let attempts = 0;
  beforeEach(async () => {
    now = TEST_START;
    portal = await startTestPortal({ now: () => now });
    await addAdmin(portal.store, { username: 'Ada', at: TEST_START });
  });
  afterEach(() => portal.close());

  const trySignIn = async (username: string, password: string, address?: string) => {
    attempts += 1;
    const from = address ?? `10.0.${attempts >> 8}.${attempts & 255}`;
    return signInAs(portal, { username, password }, { 'X-Forwarded-For': from });
  };
  const collectStatuses = async (count: number, send: () => Promise<{ status: number }>) => {
    const results: number[] = [];
    for (let remaining = count; remaining > 0; remaining--) results.push((await send()).status);
    return results;
  };
  const tryWrongPassword = (username = 'Ada') => {
    return () => trySignIn(username, 'wrong');
  };

  it('ignores the letter case of the username and opens a 12-hour session', async () => {
    const { body } = await signInAs(portal, { username: 'ＡDA' });
    const { sessionId, user, expiresAt, recoveryCodesLeft } = adminLogin.response.parse(JSON.parse(body));
    expect([user, recoveryCodesLeft]).toEqual([{ username: 'Ada', role: 'owner' }, null]);
    expect(expiresAt).toBe(new Date(TEST_START + SESSION_LIFE_MS).toISOString());
    const session = await askAs(portal, sessionId, adminSession.path);
    expect(adminSession.response.parse(JSON.parse(session.body)).user).toMatchObject(user);
  });

  it('is throttled per account and address, even with the right password', async () => {
    const trySpelling = (password: string) => trySignIn('ＡDA', password, '198.51.100.7');
    expect(await collectStatuses(6, () => trySpelling('wrong'))).toEqual([401, 401, 401, 401, 429, 429]);
    expect((await trySpelling(PASSWORD)).status).toBe(429);
    now += 2_000;
    expect(await collectStatuses(2, () => trySpelling('wrong'))).toEqual([401, 429]);
    now += 3_999;
    expect((await trySpelling(PASSWORD)).status).toBe(429);
    now += 1;
    expect((await trySpelling(PASSWORD)).status).toBe(200);
    expect(await collectStatuses(4, () => trySpelling('wrong'))).toEqual([401, 401, 401, 401]);
  });

  it('is throttled per account across all unknown addresses (ASVS V6.3.1)', async () => {
    expect(await collectStatuses(14, tryWrongPassword())).toEqual([...Array(12).fill(401), 429, 429]);
    expect((await trySignIn('Ada', PASSWORD)).status).toBe(429);
    now += 2_000;
    expect((await trySignIn('Ada', PASSWORD)).status).toBe(200);
  });

  it('is throttled per address across all accounts; one customer’s IPv6 network counts as one address', async () => {
    // Eight accounts and one unknown name, so that none gets enough wrong passwords to be throttled itself.
    for (let account = 0; account < 8; account++)
      await addAdmin(portal.store, { username: `name ${account}`, at: TEST_START });
    let attempt = 0;
    const attemptFrom = (address: string) => () => trySignIn(`name ${attempt++ % 9}`, 'wrong', address);
    expect(await collectStatuses(13, attemptFrom('203.0.113.9'))).toEqual([...Array(12).fill(401), 429]);
    expect(await collectStatuses(1, attemptFrom('203.0.113.10'))).toEqual([401]);
    for (let host = 1; host <= 12; host++) await attemptFrom(`2001:db8:1:2::${host}`)();
    expect(await collectStatuses(1, attemptFrom('2001:db8:1:2::ffff'))).toEqual([429]);
    expect((await trySignIn('Ada', PASSWORD, '203.0.113.9')).status).toBe(429);
  });

  it('is throttled for an unknown account just as for an existing one', async () => {
    const throttledReply = async (username: string) => {
      await collectStatuses(12, tryWrongPassword(username));
      const { status, body, headers } = await tryWrongPassword(username)();
      return [status, headers['retry-after'], body];
    };
    const ofAda = await throttledReply('Ada');
    expect(ofAda).toEqual(await throttledReply('Nobody'));
    expect(ofAda).toEqual([429, '2', expect.stringContaining('"code":"too-many-attempts"')]);
  });

  it('is throttled for parallel attempts just as for consecutive ones', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, tryWrongPassword()));
    const expected = [...Array(12).fill(401), ...Array(8).fill(429)];
    expect(answers.map(({ status }) => status).toSorted()).toEqual(expected);
  });

  it('is not throttled by successful sign-ins', async () => {
    const right = () => trySignIn('Ada', PASSWORD, '203.0.113.9');
    expect(await collectStatuses(15, right)).toEqual(Array(15).fill(200));
  });

  it('is throttled per address even if an attacker signs in to their own account in between', async () => {
    for (const username of ['Eve', 'name 0', 'name 1', 'name 2', 'name 3'])
      await addAdmin(portal.store, { username, role: 'viewer', at: TEST_START });
    const address = '203.0.113.9';
    for (let turn = 0; turn < 12; turn++) {
      await trySignIn(`name ${turn % 4}`, 'wrong', address);
      if (turn < 11) expect((await trySignIn('Eve', PASSWORD, address)).status).toBe(200);
    }
    expect((await trySignIn('Eve', PASSWORD, address)).status).toBe(429);
  });

  it('stays throttled after a restart, until a day has passed', async () => {
    await collectStatuses(20, async () => {
      now += HOUR_MS / 60;
      return tryWrongPassword()();
    });
    const file = `${portal.folder}/app.db`;
    await portal.store.close();
    const store = await openAppStore(file);
    const again = await startTestPortal({ store, now: () => now });
    const status = async () =>
      (await signInAs(again, { username: 'Ada' }, { 'X-Forwarded-For': '198.51.100.1' })).status;
    expect(await status()).toBe(429);
    now += 25 * HOUR_MS;
    expect(await status()).toBe(200);
    await again.close();
    await store.close();
  });
});

describe('an admin under attack by a stranger', () => {
  const HOME = '198.51.100.20';
  /** The limit on failed sign-ins. It is lower than the default, because each attempt hashes a password. */
  const LIMIT = 4;
  let portal: TestPortal;
  let now = TEST_START;
  let alerts: TeamAlert[] = [];
  let strangerCount = 0;
  beforeEach(async () => {
    now = TEST_START;
    alerts = [];
    portal = await startTestPortal({
      now: () => now,
      alertTeam: (alert) => void alerts.push(alert),
      rateLimits: { 'failed-sign-ins-of-account': LIMIT },
    });
  });
  afterEach(() => portal.close());

  const signIn = (from: string, fields: { password?: string; code?: string } = {}, cookie?: string) =>
    signInAs(
      portal,
      { username: 'Ada', ...fields },
      { 'X-Forwarded-For': from, ...(cookie !== undefined && { Cookie: cookie }) },
    );
  const newAddress = () => {
    strangerCount += 1;
    return `10.2.${strangerCount >> 8}.${strangerCount & 255}`;
  };
  const guess = () => signIn(newAddress(), { password: 'wrong' });
  /** Tries wrong passwords from new addresses until the account is throttled, then again after each of two delays. */
  const attack = async () => {
    for (let guesses = 0; guesses <= LIMIT; guesses++) await guess();
    for (let delays = 0; delays < 2; delays++) {
      now += 15 * 60_000;
      expect((await guess()).status).toBe(401);
      expect((await guess()).status).toBe(429);
    }
  };
  const cookieOf = ({ headers }: Answer) => headers['set-cookie']?.[0]?.split(';')[0] ?? '';

  it('can sign in from an address that they have used before (ASVS V6.3.1)', async () => {
    await addAdmin(portal.store, { username: 'Ada', at: TEST_START });
    expect((await signIn(HOME)).status).toBe(200);
    await attack();
    expect((await signIn(newAddress())).status).toBe(429);
    expect((await signIn(HOME)).status).toBe(200);
  });

  it('can sign in from any address with a browser that they have used before', async () => {
    await addAdmin(portal.store, { username: 'Ada', at: TEST_START });
    const cookie = cookieOf(await signIn(HOME));
    await attack();
    expect((await signIn(newAddress(), {}, cookie)).status).toBe(200);
    // The browser is recognized even at an address that the stranger uses too.
    const shared = newAddress();
    for (let guesses = 0; guesses < 5; guesses++) await signIn(shared, { password: 'wrong' });
    expect((await signIn(shared)).status).toBe(429);
    expect((await signIn(shared, {}, cookie)).status).toBe(200);
  });

  const addAdminWithApp = async () => {
    const { id, token } = await signedInAdmin(portal.store, { username: 'Ada', at: TEST_START });
    const offered = await askAs(portal, token, '/api/admin/totp/begin', { password: PASSWORD });
    const app = URI.parse(JSON.parse(offered.body).otpauthUri);
    if (!(app instanceof TOTP)) throw new Error('the URI is not for TOTP');
    const newestCode = () => app.generate({ timestamp: now });
    const confirmed = await askAs(portal, token, '/api/admin/totp/confirm', { code: newestCode() });
    expect(confirmed.status).toBe(200);
    now += 60_000;
    return { id, newestCode };
  };

  it('can sign in from an unknown address with a second factor, but not with the password alone', async () => {
    const { id, newestCode } = await addAdminWithApp();
    await attack();
    expect((await signIn(newAddress())).status).toBe(429);
    expect((await signIn(newAddress(), { code: '000000' })).status).toBe(401);
    expect((await signIn(newAddress(), { code: newestCode() })).status).toBe(200);
    expect(await portal.store.admins.byId(id)).toMatchObject({ disabledAt: null });
  });

  it('is protected from code guessing after a password theft, but can sign in from a known address or browser', async () => {
    const { id, newestCode } = await addAdminWithApp();
    const cookie = cookieOf(await signIn(HOME, { code: newestCode() }));
    now += 60_000;
    for (let guesses = 0; guesses < LIMIT - 1; guesses++) await signIn(newAddress(), { code: '000000' });
    expect((await signIn(newAddress(), { code: newestCode() })).status).toBe(200);
    now += 60_000;
    expect(alerts).toEqual([]);
    await Promise.all([1, 2, 3].map(() => signIn(newAddress(), { code: '000000' })));
    // The answer is the same as for a wrong password, so it does not reveal that the password is right.
    const delayed = await signIn(newAddress(), { code: newestCode() });
    expect([delayed.status, JSON.parse(delayed.body).code]).toEqual([401, 'sign-in-refused']);
    expect((await signIn(HOME, { code: newestCode() })).status).toBe(200);
    now += 60_000;
    await signIn(newAddress(), { code: '000000' });
    expect((await signIn(newAddress(), { code: newestCode() })).status).toBe(401);
    expect((await signIn(newAddress(), { code: newestCode() }, cookie)).status).toBe(200);
    now += 15 * 60_000;
    expect((await signIn(newAddress(), { code: newestCode() })).status).toBe(200);
    const reported = auditRecords(portal.folder).filter(({ action }) => action.endsWith('-attack'));
    expect(reported.map(({ action, details }) => [action, JSON.parse(details)])).toEqual([
      ['admin.code-attack', { adminId: id, failures: LIMIT }],
    ]);
    expect(alerts).toHaveLength(1);
  });

  it('can use a code from an unknown address while others guess codes without the password', async () => {
    const { newestCode } = await addAdminWithApp();
    for (let guesses = 0; guesses < 3 * LIMIT; guesses++) {
      await signIn(newAddress(), { password: 'wrong', code: '000000' });
    }
    expect((await signIn(newAddress(), { code: newestCode() })).status).toBe(200);
  });

  it('is protected from probes with a code, which get the same response for any password or username', async () => {
    await addAdmin(portal.store, { username: 'Ada', at: TEST_START });
    await attack();
    const right = await signIn(newAddress(), { code: '000000' });
    const wrong = await signIn(newAddress(), { password: 'wrong', code: '000000' });
    const unknown = await signInAs(portal, { username: 'Nobody', code: '000000' });
    expect([right, wrong, unknown].map(({ status, body }) => [status, body])).toEqual(
      Array(3).fill([401, right.body]),
    );
  });

  it('can still confirm the password in an open session', async () => {
    const { token } = await signedInAdmin(portal.store, { username: 'Ada', at: now });
    for (let guesses = 0; guesses <= LIMIT; guesses++) await guess();
    const offered = await askAs(portal, token, '/api/admin/totp/begin', { password: PASSWORD });
    expect(offered.status).toBe(200);
  });

  it('is reported in one team alert, without a name or an address (ASVS V6.3.5)', async () => {
    const id = await addAdmin(portal.store, { username: 'Ada', at: TEST_START });
    for (let guesses = 0; guesses < LIMIT - 1; guesses++) await guess();
    expect(alerts).toEqual([]);
    await Promise.all([guess(), guess(), guess()]);
    await attack();
    expect(alerts).toHaveLength(1);
    expect(JSON.stringify(alerts)).not.toMatch(/\bAda\b|10\.2\./);
    const reported = auditRecords(portal.folder).filter(({ action }) => action === 'admin.sign-in-attack');
    expect(reported.map(({ actor, address, details }) => [actor, address, JSON.parse(details)])).toEqual([
      ['system', null, { adminId: id, failures: LIMIT }],
    ]);
    now += 25 * HOUR_MS;
    for (let guesses = 0; guesses < LIMIT; guesses++) await guess();
    expect(alerts).toHaveLength(2);
  });

  it('is not reported if the attacked account does not exist', async () => {
    for (let guesses = 0; guesses <= LIMIT; guesses++) {
      await signInAs(portal, { username: 'Nobody' }, { 'X-Forwarded-For': newAddress() });
    }
    expect(alerts).toEqual([]);
  });

  it('cannot use a device mark after a password change, nor for another account', async () => {
    const { id, token } = await signedInAdmin(portal.store, { username: 'Ada', at: now });
    await addAdmin(portal.store, { username: 'Bob', at: now });
    const cookie = cookieOf(await signIn(HOME));
    const signInAsBob = () =>
      signInAs(portal, { username: 'Bob' }, { 'X-Forwarded-For': newAddress(), Cookie: cookie });
    for (let guesses = 0; guesses <= LIMIT; guesses++) {
      const from = { 'X-Forwarded-For': newAddress() };
      await signInAs(portal, { username: 'Bob', password: 'wrong' }, from);
    }
    expect((await signInAsBob()).status).toBe(429);
    const newPassword = 'eight noisy geese';
    await askAs(portal, token, '/api/admin/password', { password: PASSWORD, newPassword });
    expect(await portal.store.admins.isKnownAddress(id, HOME, 0)).toBe(false);
    for (let guesses = 0; guesses <= LIMIT; guesses++) await guess();
    expect((await signIn(newAddress(), { password: newPassword }, cookie)).status).toBe(429);
  });

  it('is no longer recognized by address or device mark after 180 days, and never by an altered mark', async () => {
    await addAdmin(portal.store, { username: 'Ada', at: TEST_START });
    const cookie = cookieOf(await signIn(HOME));
    for (let guesses = 0; guesses <= LIMIT; guesses++) await guess();
    const altered = cookie.slice(0, -2) + (cookie.endsWith('AA') ? 'BB' : 'AA');
    expect((await signIn(newAddress(), {}, altered)).status).toBe(429);
    expect((await signIn(newAddress(), {}, `${cookie}; ${cookie}`)).status).toBe(429);
    now += 180 * 24 * HOUR_MS;
    for (let guesses = 0; guesses <= LIMIT; guesses++) await guess();
    expect((await signIn(newAddress(), {}, cookie)).status).toBe(429);
    expect((await signIn(HOME)).status).toBe(429);
  });

  it('is throttled even in a marked browser after a few wrong passwords', async () => {
    await addAdmin(portal.store, { username: 'Ada', at: TEST_START });
    const cookie = cookieOf(await signIn(HOME));
    const found: number[] = [];
    for (let guesses = 0; guesses < 5; guesses++)
      found.push((await signIn(newAddress(), { password: 'wrong' }, cookie)).status);
    expect(found).toEqual([401, 401, 401, 401, 429]);
  });

  it('gets a device mark that scripts, other sites and other hosts cannot use (ASVS V3.3.1, V3.3.3)', async () => {
    const https = await startTestPortal({ publicOrigin: 'https://portal.example.com' });
    await addAdmin(https.store, { username: 'Ada', at: TEST_START });
    const { headers } = await signInAs(https, { username: 'Ada' });
    expect(headers['set-cookie']).toHaveLength(1);
    expect(headers['set-cookie']?.[0]).toMatch(
      /^__Host-adminDevice=[\w-]+; Max-Age=15552000; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Strict$/,
    );
    await https.close();
  });
});

describe('a clock that is set back an hour', () => {
  let [wall, elapsed] = [TEST_START, 0];
  const pass = (milliseconds: number) => {
    wall += milliseconds;
    elapsed += milliseconds;
  };
  const startPortal = (store?: AppStore) =>
    startTestPortal({ ...(store && { store }), now: () => wall, monotonicNow: () => elapsed });
  let portal: TestPortal;
  beforeEach(async () => {
    [wall, elapsed] = [TEST_START, 0];
    portal = await startPortal();
  });
  afterEach(() => portal.close());
  const guessStatus = async (at: Pick<TestPortal, 'port'>, password = 'wrong') =>
    (await signInAs(at, { username: 'Ada', password })).status;

  it('neither ends nor lengthens the delay after failed sign-ins (ASVS V6.3.1)', async () => {
    await addAdmin(portal.store, { username: 'Ada', at: TEST_START });
    for (let guesses = 0; guesses < 4; guesses++) await guessStatus(portal);
    wall -= HOUR_MS;
    pass(1_000);
    expect(await guessStatus(portal, PASSWORD)).toBe(429);
    pass(1_000);
    expect(await guessStatus(portal, PASSWORD)).toBe(200);
  });

  it('makes the delay start over after a restart, but only once', async () => {
    await addAdmin(portal.store, { username: 'Ada', at: TEST_START });
    for (let guesses = 0; guesses < 4; guesses++) await guessStatus(portal);
    wall -= HOUR_MS;
    const again = await startPortal(portal.store);
    expect(await guessStatus(again, PASSWORD)).toBe(429);
    pass(1_000);
    expect(await guessStatus(again, PASSWORD)).toBe(429);
    pass(1_000);
    expect(await guessStatus(again, PASSWORD)).toBe(200);
    await again.close();
  });

  it('does not make used or earlier codes valid again, and the current code still works (ASVS V6.5.1)', async () => {
    const { token } = await signedInAdmin(portal.store, { username: 'Ada', at: wall });
    const offered = await askAs(portal, token, '/api/admin/totp/begin', { password: PASSWORD });
    const app = URI.parse(JSON.parse(offered.body).otpauthUri);
    if (!(app instanceof TOTP)) throw new Error('the URI is not for TOTP');
    const codeNow = () => app.generate({ timestamp: TEST_START + elapsed });
    await askAs(portal, token, '/api/admin/totp/confirm', { code: codeNow() });
    const status = async (code: string) => (await signInAs(portal, { username: 'Ada', code })).status;
    const earlierCodes: string[] = [];
    for (let code = 0; code < 2; code++) {
      pass(HOUR_MS / 2);
      earlierCodes.push(codeNow());
    }
    expect(await status(codeNow())).toBe(200);
    const used = codeNow();
    pass(HOUR_MS);
    earlierCodes.push(codeNow());
    pass(HOUR_MS);
    wall -= HOUR_MS;
    for (const code of [used, ...earlierCodes]) expect(await status(code)).toBe(401);
    pass(2_000);
    expect(await status(codeNow())).toBe(200);
  });

  it('does not lengthen a session', async () => {
    const { token } = await signedInAdmin(portal.store, { username: 'Ada', at: wall });
    const status = async () => (await askAs(portal, token, adminSession.path)).status;
    expect(await status()).toBe(200);
    wall -= HOUR_MS;
    pass(HOUR_MS / 2);
    expect(await status()).toBe(401);
  });
});
