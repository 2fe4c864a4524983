import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  sendTestApplication,
  sendTestMessage,
  telegramDiagnostics,
  telegramNewDiagnostics,
} from '../../data/contract/telegram.ts';
import { ADMIN_ROLES, type AdminRole } from '../../data/model/admin-rules.ts';
import { addAdmin, openSession } from '../admin/testing/team.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { ask } from '../testing/portal-client.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import { noBotDiagnosis } from './diagnostics.ts';

let portal: TestPortal;
let requestedAges: number[];
let sentMessages: (readonly string[])[];
let tokens: Map<AdminRole, string>;
beforeEach(async () => {
  [requestedAges, sentMessages] = [[], []];
  const outcome = { success: true, chatId: '…210', error: null };
  const context = {
    diagnostics: {
      read: async (maxAgeMs: number) => {
        requestedAges.push(maxAgeMs);
        return noBotDiagnosis(0);
      },
    },
    testSender: {
      sendMessage: async (username: string, message: string) => {
        sentMessages.push([username, message]);
        return outcome;
      },
      sendApplication: async () => {
        sentMessages.push([]);
        return outcome;
      },
    },
    chatUrlFor: null,
  };
  portal = await startTestPortal({ telegram: context, rateLimits: { 'telegram-tests': 10 } });
  tokens = new Map();
  for (const role of ADMIN_ROLES) {
    const id = await addAdmin(portal.store, { username: role, role, at: TEST_START });
    tokens.set(role, (await openSession(portal.store, id, TEST_START)).token);
  }
});
afterEach(() => portal.close());

const call = ({ method, path }: { method: string; path: string }, role?: AdminRole, body?: unknown) =>
  ask(portal.port, path, {
    method,
    headers: {
      'Content-Type': 'application/json',
      ...(role && { Authorization: `Bearer ${tokens.get(role)}` }),
    },
    ...(method === 'GET' || body === undefined ? {} : { body: JSON.stringify(body) }),
  });

describe('the diagnostics calls', () => {
  it('need an admin, and sending needs a reviewer', async () => {
    const calls = [telegramDiagnostics, telegramNewDiagnostics, sendTestMessage, sendTestApplication];
    const statuses = async (role?: AdminRole) =>
      Promise.all(calls.map(async (one) => (await call(one, role, { message: 'x' })).status));
    expect(await statuses()).toEqual([401, 401, 401, 401]);
    expect(await statuses('viewer')).toEqual([200, 200, 403, 403]);
    expect(sentMessages).toEqual([]);
    expect(await statuses('reviewer')).toEqual([200, 200, 200, 200]);
  });

  it('reuse a diagnosis for one second when the button asks for it, and for four seconds when a page polls', async () => {
    const { headers, body } = await call(telegramDiagnostics, 'viewer');
    expect(headers['cache-control']).toBe('no-store');
    expect(JSON.parse(body)).toEqual(noBotDiagnosis(0));
    await call(telegramNewDiagnostics, 'viewer');
    expect(requestedAges).toEqual([1_000, 4_000]);
  });

  it.each([
    [{ message: ' Hello ' }, ['', 'Hello']],
    [{ message: 'Hello', username: null }, ['', 'Hello']],
    [{ message: 'Hello', username: ' @ada_l ' }, ['@ada_l', 'Hello']],
  ])('send a test message: %o', async (body, expectedMessage) => {
    expect((await call(sendTestMessage, 'reviewer', body)).status).toBe(200);
    expect(sentMessages).toEqual([expectedMessage]);
  });

  it.each([
    {},
    { message: '  ' },
    { message: 'x'.repeat(3_001) },
    { message: 'Hello', username: 'not a name' },
    { message: 'Hello', username: '-1001234567890' },
    { message: 'Hello', chat_id: '42' },
  ])('reject an invalid test message: %o', async (body) => {
    expect((await call(sendTestMessage, 'reviewer', body)).status).toBe(400);
    expect(sentMessages).toEqual([]);
  });

  it('limit the number of tests per minute', async () => {
    for (let count = 0; count < 10; count += 1) await call(sendTestApplication, 'reviewer');
    expect((await call(sendTestMessage, 'reviewer', { message: 'x' })).status).toBe(429);
    expect(sentMessages).toHaveLength(10);
  });
});
