import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminLogin, adminSession } from '../../data/contract/admin-session.ts';
import { openAppStore } from '../../data/store/sqlite/app-store.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import { SESSION_LIFE } from './admin-context.ts';
import { delayAfter } from './sign-in-throttle.ts';
import { addAdmin, askAs, PASSWORD, signInAs } from './testing/team.ts';

const HOUR = 3_600_000;

describe('the delay after failed sign-ins', () => {
  it('starts after the free attempts and doubles up to 15 minutes', () => {
    expect([1, 2, 3, 4, 5, 6, 12, 13, 14, 1_000].map(delayAfter(4))).toEqual([
      0, 0, 0, 2_000, 4_000, 8_000, 512_000, 900_000, 900_000, 900_000,
    ]);
    fc.assert(
      fc.property(fc.nat(), fc.nat({ max: 20 }), (failures, free) => {
        const delay = delayAfter(free);
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

  /** Signs in from a new address each time, unless one is given. */
  const tried = async (username: string, password: string, address?: string) => {
    attempts += 1;
    const from = address ?? `10.0.${attempts >> 8}.${attempts & 255}`;
    return signInAs(portal, { username, password }, { 'X-Forwarded-For': from });
  };
  const statuses = async (count: number, send: () => Promise<{ status: number }>) => {
    const found: number[] = [];
    for (let left = count; left > 0; left--) found.push((await send()).status);
    return found;
  };
  const wrong = (username = 'Ada') => {
    return () => tried(username, 'wrong');
  };

  it('accepts the username in any case and opens a 12-hour session', async () => {
    const { body } = await signInAs(portal, { username: 'ＡDA' });
    const { sessionId, user, expiresAt, recoveryCodesLeft } = adminLogin.response.parse(JSON.parse(body));
    expect([user, recoveryCodesLeft]).toEqual([{ username: 'Ada', role: 'owner' }, null]);
    expect(expiresAt).toBe(new Date(TEST_START + SESSION_LIFE).toISOString());
    const session = await askAs(portal, sessionId, adminSession.path);
    expect(adminSession.response.parse(JSON.parse(session.body)).user).toMatchObject(user);
  });

  it('is throttled per account, from any address and with the right password too', async () => {
    expect(await statuses(6, wrong())).toEqual([401, 401, 401, 401, 429, 429]);
    expect((await tried('ＡDA', PASSWORD)).status).toBe(429);
    now += 2_000;
    expect(await statuses(2, wrong())).toEqual([401, 429]);
    now += 3_999;
    expect((await tried('Ada', PASSWORD)).status).toBe(429);
    now += 1;
    expect((await tried('Ada', PASSWORD)).status).toBe(200);
    expect(await statuses(4, wrong())).toEqual([401, 401, 401, 401]);
  });

  it('is throttled per address for all accounts; one customer’s IPv6 network counts as one address', async () => {
    let account = 0;
    const from = (address: string) => () => tried(`name ${account++}`, 'wrong', address);
    expect(await statuses(13, from('203.0.113.9'))).toEqual([...Array(12).fill(401), 429]);
    expect(await statuses(1, from('203.0.113.10'))).toEqual([401]);
    for (let host = 1; host <= 12; host++) await from(`2001:db8:1:2::${host}`)();
    expect(await statuses(1, from('2001:db8:1:2::ffff'))).toEqual([429]);
    expect((await tried('Ada', PASSWORD, '203.0.113.9')).status).toBe(429);
  });

  it('throttles an unknown account like an existing one', async () => {
    const throttled = async (username: string) => {
      await statuses(4, wrong(username));
      const { status, body, headers } = await wrong(username)();
      return [status, headers['retry-after'], body];
    };
    const ofAda = await throttled('Ada');
    expect(ofAda).toEqual(await throttled('Nobody'));
    expect(ofAda).toEqual([429, '2', expect.stringContaining('"code":"too-many-attempts"')]);
  });

  it('is throttled in parallel as in sequence', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, wrong()));
    const expected = [...Array(4).fill(401), ...Array(8).fill(429)];
    expect(answers.map(({ status }) => status).toSorted()).toEqual(expected);
  });

  it('is not throttled by successful sign-ins', async () => {
    const right = () => tried('Ada', PASSWORD, '203.0.113.9');
    expect(await statuses(15, right)).toEqual(Array(15).fill(200));
  });

  it('is throttled per address even if an attacker signs in to their own account in between', async () => {
    await addAdmin(portal.store, { username: 'Eve', role: 'viewer', at: TEST_START });
    const address = '203.0.113.9';
    for (let turn = 0; turn < 12; turn++) {
      await tried(`name ${turn}`, 'wrong', address);
      if (turn < 11) expect((await tried('Eve', PASSWORD, address)).status).toBe(200);
    }
    expect((await tried('Eve', PASSWORD, address)).status).toBe(429);
  });

  it('stays throttled after a restart, until a day has passed', async () => {
    await statuses(8, async () => {
      now += HOUR / 60;
      return wrong()();
    });
    const file = `${portal.folder}/app.db`;
    await portal.store.close();
    const store = await openAppStore(file);
    const again = await startTestPortal({ store, now: () => now });
    const status = async () =>
      (await signInAs(again, { username: 'Ada' }, { 'X-Forwarded-For': '198.51.100.1' })).status;
    expect(await status()).toBe(429);
    now += 25 * HOUR;
    expect(await status()).toBe(200);
    await again.close();
    await store.close();
  });
});
