// @module-tag slow
import { TOTP, URI } from 'otpauth';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { masterKeyOf } from '../documents/master-key.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { auditRecords, storedRows } from '../testing/test-files.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import {
  addAdmin,
  askAs,
  openSession,
  PASSWORD,
  sampleAuditRecord,
  signedInAdmin,
  signInAs,
} from './testing/team.ts';

const STEP_MS = 30_000;
const START = Math.ceil(TEST_START / STEP_MS) * STEP_MS;

let portal: TestPortal;
let id = '';
let token = '';
beforeEach(async () => {
  portal = await startTestPortal();
  await portal.pollAt(START);
  ({ id, token } = await signedInAdmin(portal.store, { username: 'Ada', at: START }));
});
afterEach(() => portal.close());

async function post(path: string, body: object): Promise<[number, Record<string, unknown>]> {
  const response = await askAs(portal, token, `/api/admin/totp/${path}`, body);
  return [response.status, JSON.parse(response.body)];
}
async function login(code?: string): Promise<[number, unknown]> {
  const { status, body } = await signInAs(portal, { username: 'Ada', ...(code !== undefined && { code }) });
  return [status, status === 200 ? JSON.parse(body).recoveryCodesLeft : JSON.parse(body).code];
}

async function setUp() {
  const [, offered] = await post('begin', { password: PASSWORD });
  const app = URI.parse(String(offered.otpauthUri));
  if (!(app instanceof TOTP)) throw new Error('the URI is not for TOTP');
  const codeAt = (timestamp: number) => app.generate({ timestamp });
  const [status, confirmed] = await post('confirm', { code: codeAt(START) });
  expect(status).toBe(200);
  return { app, codeAt, offered, recoveryCodes: confirmed.recoveryCodes as string[] };
}

describe('a second factor', () => {
  it('takes effect when a code confirms it; from then on, each sign-in needs a new code (ASVS V6.5.1)', async () => {
    await post('begin', { password: PASSWORD });
    expect(await login()).toEqual([200, null]);
    const { codeAt } = await setUp();
    expect(await login()).toEqual([401, 'code-needed']);
    expect(await login(codeAt(START))).toEqual([401, 'sign-in-refused']);
    await portal.pollAt(START + STEP_MS);
    const code = codeAt(START + STEP_MS);
    expect(await login(`${code.slice(0, 3)} ${code.slice(3)}`)).toEqual([200, 10]);
    expect(await login(code)).toEqual([401, 'sign-in-refused']);
  });

  it('accepts codes at most one step away from the current one (ASVS V6.5.5)', async () => {
    const { codeAt } = await setUp();
    await portal.pollAt(START + 5 * STEP_MS);
    for (const [steps, status] of [
      [-2, 401],
      [2, 401],
      [-1, 200],
      [1, 200],
    ] as const) {
      expect([steps, (await login(codeAt(START + (5 + steps) * STEP_MS)))[0]]).toEqual([steps, status]);
    }
  });

  it('ends every other session of the admin when it is set up', async () => {
    const other = await openSession(portal.store, id, START);
    await setUp();
    expect((await askAs(portal, other.token, '/api/admin/session')).status).toBe(401);
    expect((await askAs(portal, token, '/api/admin/session')).status).toBe(200);
  });

  it('accepts each recovery code once, ignoring case and spacing (ASVS V6.5.1)', async () => {
    const { recoveryCodes } = await setUp();
    expect(new Set(recoveryCodes).size).toBe(10);
    for (const code of recoveryCodes) expect(code).toMatch(/^([A-Z2-7]{4}-){5}[A-Z2-7]{4}$/);
    const [first = '', second = ''] = recoveryCodes;
    expect(await login(first)).toEqual([200, 9]);
    expect(await login(first)).toEqual([401, 'sign-in-refused']);
    expect(await login(second.toLowerCase().replaceAll('-', ' '))).toEqual([200, 8]);
  });

  it('gets new recovery codes only with the password and an app code, and the old ones stop working', async () => {
    const { codeAt, recoveryCodes } = await setUp();
    await portal.pollAt(START + STEP_MS);
    const [old = ''] = recoveryCodes;
    expect((await post('recovery-codes', { password: PASSWORD, code: old }))[0]).toBe(403);
    const [status, { recoveryCodes: renewed }] = await post('recovery-codes', {
      password: PASSWORD,
      code: codeAt(START + STEP_MS),
    });
    expect(status).toBe(200);
    expect(await login(old)).toEqual([401, 'sign-in-refused']);
    expect(await login((renewed as string[])[0])).toEqual([200, 9]);
  });

  it('can be removed only with both the password and a code, ending the other sessions (ASVS V6.5.6, V7.4.3)', async () => {
    const { recoveryCodes } = await setUp();
    const [code = '', otherCode = ''] = recoveryCodes;
    const { body } = await signInAs(portal, { username: 'Ada', code: otherCode });
    const otherStatus = async () =>
      (await askAs(portal, JSON.parse(body).sessionId, '/api/admin/session')).status;
    expect((await post('disable', { password: 'no', code }))[0]).toBe(403);
    expect((await post('disable', { password: PASSWORD, code: '000000' }))[0]).toBe(403);
    expect(await otherStatus()).toBe(200);
    expect(await post('disable', { password: PASSWORD, code })).toEqual([200, { success: true }]);
    expect(await otherStatus()).toBe(401);
    expect(await login()).toEqual([200, null]);
    expect((await post('disable', { password: PASSWORD, code }))[0]).toBe(409);
  });

  it('is offered only after the password is entered, and not if one is already set up (ASVS V7.5.1)', async () => {
    expect((await post('begin', { password: 'no' }))[0]).toBe(403);
    expect((await post('confirm', { code: '123456' }))[0]).toBe(409);
    await setUp();
    const [status, { code }] = await post('begin', { password: PASSWORD });
    expect([status, code]).toEqual([409, 'totp-state']);
  });

  it('survives a password reset unless the owner removes it (ASVS V6.4.3, V6.5.6)', async () => {
    await setUp();
    const { token: owner } = await signedInAdmin(portal.store, { username: 'Olga', at: START });
    const reset = async (removeSecondFactors: boolean) => {
      const offered = { id, removeSecondFactors, ownPassword: PASSWORD };
      const { body } = await askAs(portal, owner, '/api/admin/team/reset-password', offered);
      const token = String(JSON.parse(body).link).replace(/^.*#token=/, '');
      const used = await askAs(portal, null, '/api/admin/link/use', { token, password: PASSWORD });
      expect(used.status).toBe(200);
    };
    await reset(false);
    expect(await login()).toEqual([401, 'code-needed']);
    await reset(true);
    expect(await login()).toEqual([200, null]);
  });

  it('is not requested from a deactivated admin, because that would reveal the account', async () => {
    await addAdmin(portal.store, { username: 'Olga', at: START });
    await setUp();
    await portal.store.admins.disable(id, sampleAuditRecord('admin.disabled', START));
    expect(await login()).toEqual([401, 'sign-in-refused']);
  });

  it('is throttled after wrong codes and after sign-ins without a code (ASVS V6.3.1)', async () => {
    const { recoveryCodes } = await setUp();
    for (let guess = 0; guess < 2; guess++) {
      expect(await login()).toEqual([401, 'code-needed']);
      expect(await login(`00000${guess}`)).toEqual([401, 'sign-in-refused']);
    }
    expect(await login(recoveryCodes[0])).toEqual([429, 'too-many-attempts']);
    expect(await login()).toEqual([429, 'too-many-attempts']);
    await portal.pollAt(START + 2_000);
    expect(await login(recoveryCodes[0])).toEqual([200, 9]);
    expect(await login()).toEqual([401, 'code-needed']);
  });

  it('is recorded as missing, and the attempt counts as failed, if only the password was sent (ASVS V6.3.1, V16.3.1)', async () => {
    await setUp();
    const before = auditRecords(portal.folder).length;
    for (let attempt = 0; attempt < 4; attempt++) expect(await login()).toEqual([401, 'code-needed']);
    expect(await login()).toEqual([429, 'too-many-attempts']);
    const events = auditRecords(portal.folder).slice(before);
    expect(events.map(({ actor, action, details }) => [actor, action, JSON.parse(details)])).toEqual(
      Array(4).fill(['visitor', 'admin.code-missing', { adminId: id }]),
    );
  });

  it('does not throttle the address of admins who send the password first and the code second', async () => {
    const { codeAt } = await setUp();
    for (let step = 1; step <= 15; step++) {
      await portal.pollAt(START + step * STEP_MS);
      expect(await login()).toEqual([401, 'code-needed']);
      expect(await login(codeAt(START + step * STEP_MS))).toEqual([200, 10]);
    }
    expect((await signInAs(portal, { username: 'Nobody' })).status).toBe(401);
  });

  it('leaves no secret and no recovery code in the store or the log', async () => {
    const { offered, app, recoveryCodes } = await setUp();
    const stored = [...storedRows(portal.folder).values()].flat().join('\n') + portal.logLines.join('\n');
    const undashed = recoveryCodes.map((one) => one.replaceAll('-', ''));
    const hidden = [offered.secret, app.secret.hex, ...recoveryCodes, ...undashed];
    for (const secret of hidden) expect(stored).not.toContain(secret);
    const row = JSON.parse(storedRows(portal.folder).get('admins')?.[0] ?? '{}');
    expect(Buffer.from(row.totpSecret.data).includes(Buffer.from(app.secret.bytes))).toBe(false);
  });

  it('cannot be checked with a different master key, but a recovery code can', async () => {
    const { recoveryCodes, codeAt } = await setUp();
    const masterKey = masterKeyOf(Buffer.alloc(32, 8).toString('base64'));
    const otherKeyPortal = await startTestPortal({
      store: portal.store,
      now: () => START + STEP_MS,
      masterKey,
    });
    const signInStatus = async (code: string) =>
      (await signInAs(otherKeyPortal, { username: 'Ada', code })).status;
    expect(await signInStatus(codeAt(START + STEP_MS))).toBe(503);
    expect(await signInStatus(recoveryCodes[0] ?? '')).toBe(200);
    await otherKeyPortal.close();
  });
});
