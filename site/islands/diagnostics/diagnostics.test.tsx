// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readAdminSession, storeAdminSession } from '../admin/admin-session.ts';
import { openServedPage, type ServedPage } from '../testing/served-page.tsx';
import BotDiagnostics from './BotDiagnostics.tsx';
import type { Diagnosis } from './diagnostics-calls.ts';
import NewBotDiagnostics from './NewBotDiagnostics.tsx';

const HEALTHY_DIAGNOSIS: Diagnosis = {
  botToken: 'Present',
  chatId: '…210',
  connectionTest: { success: true, error: null, botInfo: { first_name: 'BlackDuck', username: 'duck_bot' } },
  messageTest: { success: true, chatId: '…210', error: null },
  updatesTest: {
    success: true,
    error: null,
    updates: [{ updateId: 7, kind: 'command', at: '2026-11-21T09:59:00.000Z' }],
  },
  recommendations: [],
  checkedAt: '2026-11-21T10:00:00.000Z',
};
const FAILING_DIAGNOSIS: Diagnosis = {
  ...HEALTHY_DIAGNOSIS,
  connectionTest: { success: false, error: 'Unauthorized', botInfo: null },
  messageTest: { success: false, chatId: '…210', error: 'Unauthorized' },
  recommendations: ['Copy the token again.'],
};
const READ = 'GET /api/telegram/diagnostics';
const POLL = 'GET /api/telegram/new-diagnostics';
const SEND = 'POST /api/telegram/send-test';
const SEND_APPLICATION = 'POST /api/telegram/send-test-application';

let page: ServedPage;
const calls = (call: string) => page.requests.filter((request) => request.call === call);

async function open(call: typeof READ | typeof POLL, body: unknown, status = 200) {
  page = await openServedPage(call === READ ? <BotDiagnostics /> : <NewBotDiagnostics />);
  page.respond(call, body, status);
  await page.advance(0, () => storeAdminSession('token', { username: 'ada' }));
  await page.settle();
}

beforeEach(() => localStorage.clear());
afterEach(() => page.close());

describe('each diagnostics page', () => {
  it.each([BotDiagnostics, NewBotDiagnostics])(
    'offers the login if there is no session, and sends no requests',
    async (Island) => {
      page = await openServedPage(<Island />);
      expect(page.root.querySelector('a')?.getAttribute('href')).toBe('/admin/login');
      await page.advance(30);
      expect(page.requests).toEqual([]);
    },
  );

  it.each([READ, POLL] as const)('offers the login once the session has ended: %s', async (call) => {
    await open(call, { success: false, error: 'Sign in.', code: 'x' }, 401);
    expect(page.root.querySelector('a[href^="/admin/login"]')).not.toBeNull();
    expect(readAdminSession()).toBeNull();
  });

  it.each([READ, POLL] as const)('shows what the tests found, and errors in red: %s', async (call) => {
    await open(call, FAILING_DIAGNOSIS);
    expect(page.text()).toMatch(/2 of 3.*Bot tokenPresent.*Chat…210.*7: .*1 min ago.*Copy the token again\./);
    const results = [...page.root.querySelectorAll<HTMLElement>('[data-passed]')];
    expect(results.map(({ dataset }) => dataset.passed)).toEqual(['false', 'false', 'true']);
    const redTexts = [...page.root.querySelectorAll('[class*="error"]')].map(
      ({ textContent }) => textContent,
    );
    expect(redTexts).toEqual(['Unauthorized', 'Unauthorized']);
  });
});

describe('the diagnostics page', () => {
  it('runs the tests once, and again on demand', async () => {
    await open(READ, HEALTHY_DIAGNOSIS);
    expect(page.root.querySelector('[data-passed="false"]')).toBeNull();
    expect(page.text()).toContain('BlackDuck (@duck_bot)');
    await page.advance(60);
    expect(calls(READ)).toHaveLength(1);
    await page.press('Test again');
    expect(calls(READ)).toHaveLength(2);
  });

  it('shows the server’s error', async () => {
    await open(READ, { success: false, error: 'Too many requests.', code: 'x' }, 403);
    expect(page.root.querySelector('[role="alert"]')?.textContent).toBe('Too many requests.');
  });

  it('sends a test message unless it is blank, and shows where it went', async () => {
    await open(READ, HEALTHY_DIAGNOSIS);
    page.respond(SEND, { success: true, chatId: '…210', error: null });
    expect(page.button('Send test message').disabled).toBe(true);
    await page.type('test-username', 'ada_l');
    expect(page.button('Send test message').disabled).toBe(true);
    await page.type('test-message', '  ');
    expect(page.button('Send test message').disabled).toBe(true);
    await page.type('test-message', 'Hello');
    await page.press('Send test message');
    expect(calls(SEND)).toEqual([{ call: SEND, payload: { username: 'ada_l', message: 'Hello' } }]);
    expect(page.root.querySelector('[role="status"]')?.textContent).toContain('…210');
    expect(page.button('Send test message').disabled).toBe(true);
  });

  it.each([
    ['Telegram', 200, { success: false, chatId: null, error: 'Forbidden: bot was kicked' }],
    ['the portal', 429, { success: false, error: 'Forbidden: bot was kicked', code: 'x' }],
  ])('shows Request Failed if %s rejects a test, and keeps the typed message', async (_who, status, body) => {
    await open(READ, HEALTHY_DIAGNOSIS);
    page.respond(SEND, body, status);
    await page.type('test-message', 'Hello');
    await page.press('Send test message');
    expect(page.root.querySelector('[role="alert"]')?.textContent).toBe(
      'Request FailedForbidden: bot was kicked',
    );
    expect(page.button('Send test message').disabled).toBe(false);
  });
});

describe('the new diagnostics page', () => {
  it('runs the tests every five seconds', async () => {
    await open(POLL, HEALTHY_DIAGNOSIS);
    await page.advance(15);
    expect(calls(POLL)).toHaveLength(4);
  });

  it('sends a test application only after a successful connection test', async () => {
    await open(POLL, FAILING_DIAGNOSIS);
    expect(page.button('Send Test Application').disabled).toBe(true);
    page.respond(POLL, HEALTHY_DIAGNOSIS);
    await page.advance(5);
    expect(page.button('Send Test Application').disabled).toBe(false);
    page.respond(SEND_APPLICATION, { success: true, chatId: '…210', error: null });
    await page.press('Send Test Application');
    expect(calls(SEND_APPLICATION)).toEqual([{ call: SEND_APPLICATION, payload: null }]);
    expect(page.root.querySelector('[role="status"]')?.textContent).toContain('…210');
    page.failNetwork(POLL);
    await page.advance(5);
    expect(page.button('Send Test Application').disabled).toBe(true);
  });
});
