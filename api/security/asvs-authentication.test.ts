import { dictionary } from '@zxcvbn-ts/language-common';
import fc from 'fast-check';
import { TOTP, URI } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLongEnough } from '../../data/model/admin-rules.ts';
import { CommonPasswordError } from '../admin/admin-errors.ts';
import { AdminPasswords, NOBODYS_HASH, requireStrength } from '../admin/passwords.ts';
import { addAdmin, askAs, openSession, PASSWORD, passwordHash, signInAs } from '../admin/testing/team.ts';
import { TEST_START } from '../testing/fake-index.ts';
import type { Answer } from '../testing/portal-client.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

/** Requirements of OWASP ASVS 5.0 (https://github.com/OWASP/ASVS), chapter V6 and V11.4, each by its number. */

let portal: TestPortal;
let names = 0;
let now = TEST_START;
beforeAll(async () => {
  portal = await startTestPortal({
    clock: () => now,
    adminCallsPerMinute: 100_000,
    callsPerMinute: 100_000,
  });
});
afterAll(() => portal.close());

/** An admin of their own for each test, signed in. */
async function someone() {
  names += 1;
  const username = `Ada ${names}`;
  const id = await addAdmin(portal.store, { username, at: now });
  const { token } = await openSession(portal.store, id, now);
  // An address of their own: failures of one test are not those of another.
  const from = { 'X-Forwarded-For': `10.1.${names >> 8}.${names & 255}` };
  const post = (path: string, body: object) => askAs(portal, token, path, body, from);
  const login = (fields: { password?: string; code?: string } = {}) =>
    signInAs(portal, { username, ...fields }, from);
  return { id, username, token, post, login, from };
}
type Someone = Awaited<ReturnType<typeof someone>>;

/** @returns makes the code of a moment, and the recovery codes */
async function withTotp({ post }: Someone) {
  const offered = JSON.parse((await post('/api/admin/totp/begin', { password: PASSWORD })).body);
  const app = URI.parse(offered.otpauthUri);
  if (!(app instanceof TOTP)) throw new Error('the address is of no TOTP');
  const codeAt = (timestamp: number) => app.generate({ timestamp });
  const confirmed = await post('/api/admin/totp/confirm', { code: codeAt(now) });
  now += 30_000;
  return { codeAt, recoveryCodes: JSON.parse(confirmed.body).recoveryCodes as string[], offered };
}
const statusOf = ({ status }: Answer) => status;

describe('V6.2 password security', () => {
  it('V6.2.2, V6.2.3: a password is changed by who gives the one that holds and a new one', async () => {
    const { post, login } = await someone();
    const newPassword = 'eight noisy geese';
    const change = (body: object) => post('/api/admin/password', body);
    expect(statusOf(await change({ newPassword }))).toBe(400);
    expect(statusOf(await change({ password: 'wrong', newPassword }))).toBe(403);
    expect(statusOf(await change({ password: PASSWORD, newPassword }))).toBe(200);
    expect(statusOf(await login({ password: newPassword }))).toBe(200);
  });

  it('V6.2.4, V6.2.12: none of the 3,000 commonest passwords that are long enough is taken, in any case', () => {
    const common = dictionary['passwords-common']?.filter(isLongEnough).slice(0, 3_000) ?? [];
    expect(common).toHaveLength(3_000);
    for (const password of common) {
      expect(() => requireStrength(password, 'ada')).toThrow(CommonPasswordError);
      expect(() => requireStrength(password.toUpperCase(), 'ada')).toThrow(CommonPasswordError);
    }
  });

  it('V6.2.5: a password of any composition is taken', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 14, maxLength: 64 }), (password) => {
        expect(() => requireStrength(`${password}zq`, 'ada')).not.toThrow();
      }),
    );
    for (const password of ['        x', 'ducksducksdux', '9471630258', 'ДИКИЕ УТКИ']) {
      expect(() => requireStrength(password, 'ada')).not.toThrow();
    }
  });

  it('V6.2.8: a password is verified exactly as it was sent: neither trimmed, cut nor in another case', async () => {
    const passwords = new AdminPasswords();
    const long = `${'é'.repeat(100)}Z`;
    const hash = await passwords.hash(long);
    expect(await passwords.isRight(hash, long)).toBe(true);
    for (const near of [
      `${long} `,
      ` ${long}`,
      long.toUpperCase(),
      long.slice(0, -1),
      long.normalize('NFD'),
    ]) {
      expect(await passwords.isRight(hash, near)).toBe(false);
    }
  });

  it('V6.2.9: a password of 64 characters and more is taken', async () => {
    const { post, login } = await someone();
    const newPassword = 'quack! '.repeat(30);
    expect(statusOf(await post('/api/admin/password', { password: PASSWORD, newPassword }))).toBe(200);
    expect(statusOf(await login({ password: newPassword }))).toBe(200);
  });

  it.each(['blackduck', 'BlackDuck2026!', '1-Duckling-1', 'Ada Lovelace', 'ＡDA LOVELACE'])(
    'V6.2.11: what names the portal or its owner is no password: %s',
    (password) => {
      expect(() => requireStrength(password, 'Ada Lovelace')).toThrow(CommonPasswordError);
    },
  );
});

describe('V6.3 general authentication', () => {
  it('V6.3.1: guessing is slowed down, and the answer says until when', async () => {
    const { login } = await someone();
    for (let guess = 0; guess < 4; guess++) expect(statusOf(await login({ password: `${guess}` }))).toBe(401);
    const { status, headers } = await login({ password: 'once more' });
    expect([status, headers['retry-after']]).toEqual([429, '2']);
  });

  it('V6.3.2: there is no account by default', async () => {
    const fresh = await startTestPortal();
    expect(await fresh.store.admins.all()).toEqual([]);
    for (const name of ['admin', 'root', 'sa', 'owner']) {
      expect(statusOf(await signInAs(fresh, { username: name, password: name }))).toBe(401);
    }
    await fresh.close();
  });

  it('V6.3.4: there is one way in: neither Basic, a cookie, the query nor the body carries a session or a password', async () => {
    const { token, username } = await someone();
    const basic = Buffer.from(`${username}:${PASSWORD}`).toString('base64');
    const path = '/api/admin/session';
    const ways = [
      askAs(portal, null, path, undefined, { Authorization: `Basic ${basic}` }),
      askAs(portal, null, path, undefined, { Cookie: `adminSession=${token}; walletSession=${token}` }),
      askAs(portal, null, `${path}?sessionId=${token}&access_token=${token}&adminSession=${token}`),
      askAs(portal, null, path, undefined, { 'X-Admin-Session': token, 'X-Setup-Token': token }),
      askAs(portal, null, '/api/admin/logout', { sessionId: token, adminSession: token }),
    ];
    expect((await Promise.all(ways)).map(statusOf)).toEqual([401, 401, 401, 401, 401]);
    expect(statusOf(await askAs(portal, token, path))).toBe(200);
  });

  it('V6.3.8: neither words, status, headers nor work tell whether there is an account', async () => {
    const [known, shutOut] = [await someone(), await someone()];
    await addAdmin(portal.store, { username: 'Another owner', at: now });
    await known.post('/api/admin/team/disable', { id: shutOut.id });
    const told = ({ status, body, headers }: Answer) => {
      // What counts the calls of an address names the address.
      const alike = Object.entries(headers).filter(([name]) => !/^(date|ratelimit.*)$/.test(name));
      return { status, body, headers: Object.fromEntries(alike) };
    };
    const wrong = told(await known.login({ password: 'wrong' }));
    const unknown = await signInAs(portal, { username: 'Nobody' }, { 'X-Forwarded-For': '10.9.9.9' });
    expect(told(unknown)).toEqual(wrong);
    expect(told(await shutOut.login())).toEqual(wrong);
    // An unknown name is checked against a hash of the same cost.
    const cost = (hash: string) => hash.split('$').slice(0, 4);
    expect(cost(NOBODYS_HASH)).toEqual(cost(await passwordHash()));
    const lengths = (hash: string) => hash.split('$').map((part) => part.length);
    expect(lengths(NOBODYS_HASH)).toEqual(lengths(await passwordHash()));
    expect(await new AdminPasswords().isRight(null, PASSWORD)).toBe(false);
  });
});

describe('V6.4 recovery and V6.5 further factors', () => {
  it('V6.4.3: a new password does not get past the second factor', async () => {
    const [owner, lost] = [await someone(), await someone()];
    await withTotp(lost);
    const newPassword = 'eight noisy geese';
    await owner.post('/api/admin/team/reset-password', { id: lost.id, newPassword });
    const { status, body } = await lost.login({ password: newPassword });
    expect([status, JSON.parse(body).code]).toEqual([401, 'code-needed']);
  });

  it('V6.5.1: a code of the app and a recovery code hold once', async () => {
    const ada = await someone();
    const { codeAt, recoveryCodes } = await withTotp(ada);
    for (const code of [codeAt(now), recoveryCodes[3] ?? '']) {
      expect(statusOf(await ada.login({ code }))).toBe(200);
      expect(statusOf(await ada.login({ code }))).toBe(401);
    }
  });

  it('V6.5.2, V6.5.4: a recovery code has 112 random bits at least, so that a standard hash of it will do', async () => {
    const { recoveryCodes, offered } = await withTotp(await someone());
    for (const code of recoveryCodes) {
      expect(code.replaceAll('-', '').length * 5).toBeGreaterThanOrEqual(112);
    }
    expect(offered.secret.length * 5).toBeGreaterThanOrEqual(128);
  });

  it('V6.5.5: a code of the app holds no longer than its own 30 seconds and those of the clocks’ difference', async () => {
    const ada = await someone();
    const { codeAt } = await withTotp(ada);
    const code = codeAt(now);
    now += 60_000;
    expect(statusOf(await ada.login({ code }))).toBe(401);
    expect(statusOf(await ada.login({ code: codeAt(now) }))).toBe(200);
  });

  it('V6.5.6: a factor that was lost can be revoked, by its owner and by an owner of the team', async () => {
    const [owner, one, two] = [await someone(), await someone(), await someone()];
    const { recoveryCodes } = await withTotp(one);
    await one.post('/api/admin/totp/disable', { password: PASSWORD, code: recoveryCodes[0] });
    expect(statusOf(await one.login())).toBe(200);
    await withTotp(two);
    const reset = { id: two.id, newPassword: PASSWORD, removeTotp: true };
    await owner.post('/api/admin/team/reset-password', reset);
    expect(statusOf(await two.login())).toBe(200);
  });
});

describe('V11.4 hashing', () => {
  it('V11.4.2: passwords are kept by Argon2id with 19 MiB and two passes, each with a salt of its own', async () => {
    const passwords = new AdminPasswords();
    const [one, two] = [await passwords.hash(PASSWORD), await passwords.hash(PASSWORD)];
    for (const hash of [one, two])
      expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(one).not.toBe(two);
  });
});
