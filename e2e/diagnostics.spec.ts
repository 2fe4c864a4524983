import { expect } from 'playwright/test';
import { type BotApiPeer, refusal, startBotApiPeer } from '../api/delivery/testing/bot-api-peer.ts';
import { createTeam } from './admin-dashboard.ts';
import { examine } from './examine.ts';
import { type Portal, startPortal } from './portal.ts';
import { test } from './test.ts';

let peer: BotApiPeer;
let portal: Portal;
test.use({ baseURL: undefined });
test.beforeAll(async () => {
  peer = await startBotApiPeer();
  portal = await startPortal({
    TELEGRAM_BOT_TOKEN: '123456:a-token-that-must-stay-secret',
    TELEGRAM_CHAT_ID: '-1009876543210',
    TELEGRAM_API_ROOT: peer.url,
  });
});
test.afterAll(async () => {
  await portal.stop();
  await peer.close();
});

test('admins see the diagnostics and send tests, and the bot answers messages', async ({ context }) => {
  const visitor = await context.newPage();
  for (const path of ['/bot-diagnostics', '/new-bot-diagnostics']) {
    await visitor.goto(portal.url + path);
    await expect(visitor.locator('main').getByRole('link', { name: 'Admin login' })).toBeVisible();
  }
  await examine(visitor, 'signed-out');

  peer.write({
    message_id: 1,
    date: Math.floor(Date.now() / 1_000),
    text: '/status',
    chat: { id: 42, type: 'private' },
    from: { id: 42, is_bot: false, first_name: 'Ada', username: 'Ada_L' },
  });
  await peer.waitForCallsOf('sendMessage', 1);
  expect(peer.callsOf('sendMessage')[0]).toMatchObject({
    chat_id: '42',
    text: expect.stringMatching(/[\d,.]+ BD/),
  });

  const team = await createTeam(portal, 'seven quiet ducks', {});
  const page = await team.open(context, 'ada', '/bot-diagnostics');
  const main = page.locator('main');
  await expect(main.locator('[data-passed=true]')).toHaveCount(3);
  await expect(main).toContainText('BlackDuck (@blackduck_test_bot)');
  await expect(main).toContainText('1: a command');
  expect(await main.textContent()).not.toMatch(/must-stay-secret|9876543210/);
  const send = main.getByRole('button', { name: 'Send test message' });
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
  await examine(page, 'diagnostics');
  peer.answerAlways('sendMessage', null);

  await page.goto(`${portal.url}/new-bot-diagnostics`);
  const apply = main.getByRole('button', { name: 'Send Test Application' });
  await apply.click();
  await expect(main.getByRole('status')).toContainText('Sent');
  expect(peer.callsOf('sendMessage').at(-1)).toMatchObject({
    chat_id: '-1009876543210',
    text: expect.stringMatching(/^TEST/),
  });
  for (const method of ['getMe', 'getChat', 'getChatMember']) {
    peer.answerAlways(method, refusal(401, 'Unauthorized'));
  }
  await expect(main.locator('[data-passed=false]')).toHaveCount(2);
  await expect(apply).toBeDisabled();
  await examine(page, 'new-diagnostics');
});
