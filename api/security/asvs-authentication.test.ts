// @module-tag slow
import { dictionary } from '@zxcvbn-ts/language-common';
import fc from 'fast-check';
import { TOTP, URI } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLongEnough } from '../../data/model/admin-rules.ts';
import { anyText } from '../../data/model/testing/any-text.ts';
import { DUMMY_HASH, PasswordHasher, requireStrength } from '../admin/passwords.ts';
import { addAdmin, askAs, openSession, PASSWORD, signInAs } from '../admin/testing/team.ts';
import { TEST_START } from '../testing/fake-index.ts';
import type { Answer } from '../testing/portal-client.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

/*
 * Each title starts with the number of a requirement in OWASP ASVS 5.0 (https://github.com/OWASP/ASVS), chapters V6 and
 * V11.4. Tests of V6.3.1, V6.4.3 and most of V6.5 are in `api/admin/sign-in.test.ts` and `totp.test.ts`.
 */

let portal: TestPortal;
let adminCount = 0;
const now = TEST_START;
beforeAll(async () => {
  portal = await startTestPortal({ now: () => now });
});
afterAll(() => portal.close());

async function signInNewAdmin() {
  adminCount += 1;
  const username = `Ada ${adminCount}`;
  const id = await addAdmin(portal.store, { username, at: now });
  const { token } = await openSession(portal.store, id, now);
  // Each admin has a separate IP address, so that failed sign-ins in one test do not count in another.
  const headers = { 'X-Forwarded-For': `10.1.${adminCount >> 8}.${adminCount & 255}` };
  const post = (path: string, body: object) => askAs(portal, token, path, body, headers);
  const login = (fields: { password?: string; code?: string } = {}) =>
    signInAs(portal, { username, ...fields }, headers);
  return { id, username, token, post, login, headers };
}
type SignedInAdmin = Awaited<ReturnType<typeof signInNewAdmin>>;

async function setUpTotp({ post }: SignedInAdmin) {
  const offered = JSON.parse((await post('/api/admin/totp/begin', { password: PASSWORD })).body);
  const app = URI.parse(offered.otpauthUri);
  if (!(app instanceof TOTP)) throw new Error('the URI is not for TOTP');
  const confirmed = await post('/api/admin/totp/confirm', { code: app.generate({ timestamp: now }) });
  return { recoveryCodes: JSON.parse(confirmed.body).recoveryCodes as string[], offered };
}
const statusOf = ({ status }: Answer) => status;

async function isRejected(password: string, username = 'ada'): Promise<boolean> {
  try {
    await requireStrength(password, username);
    return false;
  } catch (error) {
    expect(error).toMatchObject({ code: 'weak-password' });
    return true;
  }
}

describe('V6.2 password security', () => {
  it('V6.2.2, V6.2.3, V7.5.1: changing the password requires the current one and a new one', async () => {
    const { post, login } = await signInNewAdmin();
    const newPassword = 'eight noisy geese';
    const change = (body: object) => post('/api/admin/password', body);
    expect(statusOf(await change({ newPassword }))).toBe(400);
    expect(statusOf(await change({ password: 'wrong', newPassword }))).toBe(403);
    expect(statusOf(await change({ password: PASSWORD, newPassword }))).toBe(200);
    expect(statusOf(await login({ password: newPassword }))).toBe(200);
  });

  it('V6.2.4, V6.2.12: the 3,000 most common passwords are rejected, and every tenth one also in capitals', async () => {
    const commonPasswords = dictionary['passwords-common']?.filter(isLongEnough).slice(0, 3_000) ?? [];
    expect(commonPasswords).toHaveLength(3_000);
    for (const [index, password] of commonPasswords.entries()) {
      expect([password, await isRejected(password)]).toEqual([password, true]);
      if (index % 10 === 0)
        expect([password, await isRejected(password.toUpperCase())]).toEqual([password, true]);
    }
  });

  it.each(
    Object.entries({
      'a common one': [
        '123456 1234567 12345678 123456789 1234567890 password password1 Password123 passw0rd P@ssw0rd p4ssw0rd!',
        'qwerty qwerty123 qwertyuiop abc123 iloveyou iloveyou2 letmein letmein! welcome welcome1 monkey monkey1',
        'dragon football baseball master sunshine princess shadow superman batman michael ashley charlie jordan23',
        'trustno1 starwars whatever freedom hello123 admin123 admin1 administrator changeme secret test123 guest1',
        'default root123 login123 cheese computer internet killer pepper ginger soccer hockey ranger summer winter',
        'giraffe unusual sunflower January1 banker пароль йцукен',
      ],
      'a crypto term': [
        'bitcoin Bitcoin1 b1tc01n ethereum solana solana1 crypto crypto1 hodler hodlhodl phantom streamflow',
        'satoshi dogecoin tothemoon blockchain wallet1 staking binance coinbase metamask',
      ],
      repeated: [
        'aaaaaa 111111 zzzzzzzz abcabc ababab 121212 adaadaada aabbcc 112233 duckduck 水水水水水水 😀😀😀😀😀😀',
      ],
      'a sequence': ['654321 987654 abcdef fedcba abcdefgh 123454321 123123 246810 456789 20261124 24111990'],
      'a keyboard run': [
        'asdfgh asdfghjkl; qazwsx qazwsxedc zxcvbn zxcvbn1 zaq12wsx 1q2w3e4r 1qaz2wsx poiuyt !@#$%^ azerty',
      ],
    }),
  )('V6.2.4, V6.2.12: a password is rejected if it is %s', async (_kind, lines) => {
    for (const password of lines.flatMap((line) => line.split(' ')))
      expect([password, await isRejected(password)]).toEqual([password, true]);
  });

  it.each([
    ['spaces', '      '],
    ['several kinds of blanks', ' \u00a0\u2003\u3000\u2028\t'],
    ['zero-width spaces', '\u200b'.repeat(12)],
    ['Hangul fillers and Braille blanks', '\u3164\u2800\u115f\u3164\u2800\u115f'],
    ['one letter among spaces', '        x        '],
    ['a common word with invisible characters', 'pass\u200bwo\u00adrd\u2060'],
  ])('V6.2.4: blank and invisible characters do not make a password strong: %s', async (_case, password) => {
    expect(await isRejected(password)).toBe(true);
  });

  it('V6.2.5: a password of any composition is accepted', async () => {
    const visible = /[^\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu;
    const longText = anyText({ minLength: 14, maxLength: 64 });
    const variedText = longText.filter((text) => new Set(text.normalize('NFKC').match(visible)).size >= 8);
    await fc.assert(
      fc.asyncProperty(variedText, async (password) => {
        expect(await isRejected(`${password}zq`)).toBe(false);
      }),
      { numRuns: 15 },
    );
    const strongPasswords = [
      'x7Kq9v',
      'ducksducksdux',
      '9471630258',
      'ДИКИЕ УТКИ',
      'seven quiet ducks',
      ' ~]%>{|&?',
    ];
    for (const password of strongPasswords)
      expect([password, await isRejected(password)]).toEqual([password, false]);
  });

  it('V6.2.8: a password is verified exactly as sent: not trimmed, truncated or case-folded', async () => {
    const passwords = new PasswordHasher();
    const longPassword = `${'é'.repeat(100)}Z`;
    const similarPasswords = [
      `${longPassword} `,
      ` ${longPassword}`,
      longPassword.toUpperCase(),
      longPassword.slice(0, -1),
      longPassword.normalize('NFD'),
    ];
    const hash = await passwords.hash(longPassword);
    expect(await passwords.isCorrect(hash, longPassword)).toBe(true);
    for (const other of similarPasswords) expect(await passwords.isCorrect(hash, other)).toBe(false);
  });

  it('V6.2.9: a password of 64 or more characters is accepted', async () => {
    const { post, login } = await signInNewAdmin();
    const newPassword = 'quack! '.repeat(30);
    expect(statusOf(await post('/api/admin/password', { password: PASSWORD, newPassword }))).toBe(200);
    expect(statusOf(await login({ password: newPassword }))).toBe(200);
  });

  it.each([
    ...[
      'blackduck',
      'BlackDuck2026!',
      'Bl4ckDuck1',
      'bl@ckduck',
      'kcudkcalb',
      'b.l.a.c.k.d.u.c.k',
      'ВlасkDuсk',
    ],
    ...['ＢlackDuck', 'black-duck-83920174', 'BD-Token-1', '1-Duckling-1', 'dúckling', 'BlackDuckAdmin'],
    ...[
      'Ada Lovelace',
      'ＡDA LOVELACE',
      '4d4_l0v3l4c3',
      'ecalevolada',
      'Аdа Lоvеlасе',
      'lovelace1815',
      'a.d.a.lovelace',
    ],
  ])(
    'V6.2.11: names of the portal and of the user are rejected, however they are disguised: %s',
    async (password) => {
      expect(await isRejected(password, 'Ada Lovelace')).toBe(true);
    },
  );
});

describe('V6.3 general authentication', () => {
  it('V6.3.2: no account exists by default', async () => {
    const freshPortal = await startTestPortal();
    expect(await freshPortal.store.admins.all()).toEqual([]);
    for (const name of ['admin', 'root', 'sa', 'owner']) {
      expect(statusOf(await signInAs(freshPortal, { username: name, password: name }))).toBe(401);
    }
    await freshPortal.close();
  });

  it('V6.3.4: only one exact bearer token authenticates: not Basic, a cookie, a query or a body', async () => {
    const { token, username } = await signInNewAdmin();
    const basic = Buffer.from(`${username}:${PASSWORD}`).toString('base64');
    const path = '/api/admin/session';
    const attempts = [
      askAs(portal, null, path, undefined, { Authorization: `Basic ${basic}` }),
      askAs(portal, null, path, undefined, { Cookie: `adminSession=${token}; walletSession=${token}` }),
      askAs(portal, null, `${path}?sessionId=${token}&access_token=${token}&adminSession=${token}`),
      askAs(portal, null, path, undefined, { 'X-Admin-Session': token, 'X-Setup-Token': token }),
      askAs(portal, null, '/api/admin/logout', { sessionId: token, adminSession: token }),
      askAs(portal, null, path, undefined, { Authorization: `Bearer ${token}x` }),
      askAs(portal, null, path, undefined, { Authorization: `Bearer ${token}, Bearer ${token}` }),
    ];
    expect((await Promise.all(attempts)).map(statusOf)).toEqual(attempts.map(() => 401));
    expect(statusOf(await askAs(portal, token, path))).toBe(200);
  });

  it('V6.3.8: neither the response nor its cost reveals whether an account exists', async () => {
    const [knownAdmin, disabledAdmin] = [await signInNewAdmin(), await signInNewAdmin()];
    await addAdmin(portal.store, { username: 'Another owner', at: now });
    await knownAdmin.post('/api/admin/team/disable', { id: disabledAdmin.id });
    const comparableAnswer = ({ status, body, headers }: Answer) => {
      // The rate-limit headers differ by IP address.
      const comparedHeaders = Object.entries(headers).filter(([name]) => !/^(date|ratelimit.*)$/.test(name));
      return { status, body, headers: Object.fromEntries(comparedHeaders) };
    };
    const wrongPasswordAnswer = comparableAnswer(await knownAdmin.login({ password: 'wrong' }));
    const unknownNameAnswer = await signInAs(
      portal,
      { username: 'Nobody' },
      { 'X-Forwarded-For': '10.9.9.9' },
    );
    expect(comparableAnswer(unknownNameAnswer)).toEqual(wrongPasswordAnswer);
    expect(comparableAnswer(await disabledAdmin.login())).toEqual(wrongPasswordAnswer);
    // The password for an unknown username is compared with a dummy hash that takes as long to check as a real one.
    const costOf = (hash: string) => hash.split('$').slice(0, 4);
    const hash = await new PasswordHasher().hash(PASSWORD);
    expect(costOf(DUMMY_HASH)).toEqual(costOf(hash));
    const lengthsOf = (hash: string) => hash.split('$').map((part) => part.length);
    expect(lengthsOf(DUMMY_HASH)).toEqual(lengthsOf(hash));
    expect(await new PasswordHasher().isCorrect(null, PASSWORD)).toBe(false);
  });
});

describe('V6.5 further factors', () => {
  it('V6.5.2, V6.5.4: a recovery code has at least 112 random bits, so a standard hash is enough to store it; a TOTP secret has at least 128', async () => {
    const { recoveryCodes, offered } = await setUpTotp(await signInNewAdmin());
    for (const code of recoveryCodes) expect(code.replaceAll('-', '').length * 5).toBeGreaterThanOrEqual(112);
    expect(offered.secret.length * 5).toBeGreaterThanOrEqual(128);
  });
});

describe('V11.4 hashing', () => {
  it('V11.4.2: passwords are hashed by Argon2id with 19 MiB, two passes and their own salt', async () => {
    const passwords = new PasswordHasher();
    const [one, two] = [await passwords.hash(PASSWORD), await passwords.hash(PASSWORD)];
    for (const hash of [one, two])
      expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(one).not.toBe(two);
  });
});
