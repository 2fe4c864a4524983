import AxeBuilder from '@axe-core/playwright';
import { expect, type Page, type TestInfo, test } from 'playwright/test';
import { type BotApiPeer, refusal, startBotApiPeer } from '../api/delivery/testing/bot-api-peer.ts';
import { type Portal, startPortal } from './portal.ts';

const ADMIN = { username: 'ada', password: 'seven quiet ducks' };

let peer: BotApiPeer;
let portal: Portal;
test.beforeAll(async () => {
  peer = await startBotApiPeer();
  portal = await startPortal({
    TELEGRAM_BOT_TOKEN: '123456:a-token-that-nobody-may-read',
    TELEGRAM_CHAT_ID: '-1009876543210',
    TELEGRAM_API_ROOT: peer.url,
  });
});
test.afterAll(async () => {
  await portal.stop();
  await peer.close();
});

/** Examines the page wide and dark, narrow and light, and keeps a picture of both. */
async function examine(page: Page, info: TestInfo, name: string): Promise<void> {
  for (const [colorScheme, width] of [
    ['dark', 1_280],
    ['light', 375],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 800 });
    await page.screenshot({ path: info.outputPath(`${name}-${width}.png`), fullPage: true });
    const { violations } = await new AxeBuilder({ page }).include('main').analyze();
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`)).toEqual([]);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow, name).toBeLessThanOrEqual(0);
  }
  await page.setViewportSize({ width: 1_280, height: 800 });
}

/** The session of the first admin, whom this makes. */
async function signIn(): Promise<string> {
  const post = async (path: string) => {
    const body = JSON.stringify(ADMIN);
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(`${portal.url}${path}`, { method: 'POST', headers, body });
    expect(response.status, path).toBe(200);
    return response.json() as Promise<{ readonly sessionId: string }>;
  };
  await post('/api/admin/setup');
  return (await post('/api/admin/login')).sessionId;
}

test('the diagnostics are shown to admins, who send tests, and the bot answers who writes to it', async ({
  page,
}, info) => {
  for (const path of ['/bot-diagnostics', '/new-bot-diagnostics']) {
    await page.goto(portal.url + path);
    await expect(page.locator('main').getByRole('link', { name: 'Admin login' })).toBeVisible();
  }
  await examine(page, info, 'signed-out');
  const session = await signIn();
  await page.evaluate(
    ([token = '', username = '']) => {
      localStorage.setItem('adminUser', JSON.stringify({ username }));
      localStorage.setItem('adminSession', token);
    },
    [session, ADMIN.username],
  );

  peer.write({
    message_id: 1,
    date: Math.floor(Date.now() / 1_000),
    text: '/status',
    chat: { id: 42, type: 'private' },
    from: { id: 42, is_bot: false, first_name: 'Ada', username: 'Ada_L' },
  });
  await peer.isAsked('sendMessage', 1);
  expect(peer.callsOf('sendMessage')[0]).toMatchObject({
    chat_id: '42',
    text: expect.stringMatching(/^The portal is up[\s\S]*Vault: [\d,.]+ BD/),
  });

  await page.goto(`${portal.url}/bot-diagnostics`);
  const main = page.locator('main');
  await expect(main.getByText('All tests passed')).toBeVisible();
  await expect(main).toContainText('BlackDuck (@blackduck_test_bot)');
  await expect(main).toContainText('1: a command');
  expect(await main.textContent()).not.toMatch(/nobody-may-read|9876543210/);
  const send = main.getByRole('button', { name: 'Send Test Message' });
  await expect(send).toBeDisabled();
  await main.getByRole('textbox', { name: 'Username' }).fill('ada_l');
  await main.getByRole('textbox', { name: 'Message' }).fill('Is this on?');
  await send.click();
  await expect(main.getByRole('status')).toContainText('Sent');
  expect(peer.callsOf('sendMessage')[1]).toMatchObject({ chat_id: '42' });
  peer.answerAlways('sendMessage', refusal(403, 'Forbidden: bot was blocked by the user'));
  await main.getByRole('textbox', { name: 'Message' }).fill('And now?');
  await send.click();
  await expect(main.getByRole('alert')).toContainText('Request Failed');
  await examine(page, info, 'diagnostics');
  peer.answerAlways('sendMessage', null);

  await page.goto(`${portal.url}/new-bot-diagnostics`);
  const apply = main.getByRole('button', { name: 'Send Test Application' });
  await apply.click();
  await expect(main.getByRole('status')).toContainText('Sent');
  expect(peer.callsOf('sendMessage').at(-1)).toMatchObject({
    chat_id: '-1009876543210',
    text: expect.stringContaining('TEST: nobody applied for this'),
  });
  for (const method of ['getMe', 'getChat', 'getChatMember']) {
    peer.answerAlways(method, refusal(401, 'Unauthorized'));
  }
  await expect(main.getByText('2 of 3 tests failed')).toBeVisible();
  await expect(apply).toBeDisabled();
  await examine(page, info, 'new-diagnostics');
});
