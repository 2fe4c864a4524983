import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  sendTestApplication,
  sendTestMessage,
  telegramDiagnostics,
  telegramPolledDiagnostics,
} from '../../data/contract/telegram.ts';
import { askAs, signedInAdmin } from '../admin/testing/team.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { ask } from '../testing/portal-client.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import { noBotDiagnosis } from './diagnostics.ts';

let portal: TestPortal;
let requestedAges: number[];
let sentMessages: (readonly string[])[];
let token: string;
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
  ({ token } = await signedInAdmin(portal.store, { username: 'Rita', role: 'reviewer', at: TEST_START }));
});
afterEach(() => portal.close());

const call = ({ path }: { path: string }, body?: unknown) => askAs(portal, token, path, body);

describe('the diagnostics calls', () => {
  it('let viewers read the diagnostics, but not send messages', async () => {
    const viewer = await signedInAdmin(portal.store, { username: 'Vera', role: 'viewer', at: TEST_START });
    for (const { path } of [telegramDiagnostics, telegramPolledDiagnostics])
      expect((await askAs(portal, viewer.token, path)).status, path).toBe(200);
    for (const { path } of [sendTestMessage, sendTestApplication])
      expect((await askAs(portal, viewer.token, path, { message: 'x' })).status, path).toBe(403);
    expect(sentMessages).toEqual([]);
  });

  it('reuse a diagnosis for one second when the button asks for it, and for four seconds when a page polls', async () => {
    const { headers, body } = await call(telegramDiagnostics);
    expect(headers['cache-control']).toBe('no-store');
    expect(JSON.parse(body)).toEqual(noBotDiagnosis(0));
    await call(telegramPolledDiagnostics);
    expect(requestedAges).toEqual([1_000, 4_000]);
  });

  it('send a test message to the team’s chat, or to a username', async () => {
    for (const body of [
      { message: ' Hello ' },
      { message: 'Hello', username: null },
      { message: 'Hello', username: ' @ada_l ' },
    ]) {
      expect((await call(sendTestMessage, body)).status, JSON.stringify(body)).toBe(200);
    }
    expect(sentMessages).toEqual([
      ['', 'Hello'],
      ['', 'Hello'],
      ['@ada_l', 'Hello'],
    ]);
  });

  it('reject an invalid test message', async () => {
    for (const body of [
      {},
      { message: '  ' },
      { message: 'x'.repeat(3_001) },
      { message: 'Hello', username: 'not a name' },
      { message: 'Hello', username: '-1001234567890' },
      { message: 'Hello', chat_id: '42' },
    ]) {
      expect((await call(sendTestMessage, body)).status, JSON.stringify(body)).toBe(400);
    }
    expect(sentMessages).toEqual([]);
  });

  it('limit the number of tests per minute', async () => {
    const { method, path } = sendTestApplication;
    // Sends no body, like the button on the page.
    const sendApplication = () =>
      ask(portal.port, path, { method, headers: { Authorization: `Bearer ${token}` } });
    for (let count = 0; count < 10; count += 1) expect((await sendApplication()).status).toBe(200);
    expect((await call(sendTestMessage, { message: 'x' })).status).toBe(429);
    expect(sentMessages).toHaveLength(10);
  });
});
