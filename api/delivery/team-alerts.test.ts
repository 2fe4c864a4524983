import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../../data/store/testing/temporary-folder.ts';
import { createTeamAlerts } from './team-alerts.ts';
import { errorAnswer, startBotApiPeer } from './testing/bot-api-peer.ts';
import { ORGANIZATION } from './testing/organization.ts';

const TEAM_ADDRESS = 'team@example.com';

const CONFIG = {
  mail: {
    transport: { kind: 'outbox' },
    from: { name: '', address: 'portal@example.com' },
    teamAddress: TEAM_ADDRESS,
  },
  telegram: { kind: 'outbox' },
  inbound: null,
} as const;
const OPTIONS = {
  to: { email: null, chatId: null },
  site: () => ({ organization: ORGANIZATION, origin: 'https://portal.example.com' }),
  log: pino({ enabled: false }),
};
const ALERT = { subject: 'The disk is full', text: 'Free some space.' };

it('an alert reaches the team by email and Telegram, and is retried until it does', async () => {
  const folder = temporaryFolder();
  const outbox = join(folder, 'outbox');
  writeFileSync(outbox, 'not a folder');
  const pauses: number[] = [];
  const { alertTeam, stop } = createTeamAlerts({
    ...OPTIONS,
    config: CONFIG,
    folder,
    pause: async (milliseconds) => {
      pauses.push(milliseconds);
      if (pauses.length !== 2) return;
      rmSync(outbox);
      mkdirSync(outbox);
    },
  });
  alertTeam(ALERT);
  const filesOf = (channel: string) => readdirSync(join(outbox, channel), { withFileTypes: true });
  await expect.poll(() => [filesOf('mail').length, filesOf('telegram').length]).toEqual([1, 1]);
  await stop();
  const [mail] = filesOf('mail');
  const text = readFileSync(join(outbox, 'mail', mail?.name ?? ''), 'utf8');
  expect(text).toContain(`To: ${TEAM_ADDRESS}`);
  expect(text).toMatch(/^Reply-To: .*<support@example\.com>/m);
  expect(pauses.length).toBeGreaterThanOrEqual(2);
});

it('an alert that Telegram rejects permanently is not sent again', async () => {
  const peer = await startBotApiPeer();
  onTestFinished(() => peer.close());
  peer.answerAlways('sendMessage', errorAnswer(400, 'Bad Request: message is too long'));
  const telegram = {
    kind: 'bot',
    token: '123:test',
    chatId: '-100',
    apiRoot: peer.url,
    adminChatIds: [],
  } as const;
  const paused = vi.fn(async () => {});
  const logged = vi.spyOn(OPTIONS.log, 'warn');
  const { alertTeam, stop } = createTeamAlerts({
    ...OPTIONS,
    config: { ...CONFIG, telegram },
    folder: temporaryFolder(),
    pause: paused,
  });
  alertTeam(ALERT);
  await expect
    .poll(() => logged)
    .toHaveBeenCalledWith({ channel: 'telegram', outcome: 'dead' }, expect.any(String));
  await stop();
  expect(paused).not.toHaveBeenCalled();
});
