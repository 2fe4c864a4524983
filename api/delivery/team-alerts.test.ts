import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../data/store/testing/temporary-folder.ts';
import { createTeamAlerts } from './team-alerts.ts';
import { ORGANIZATION } from './testing/organization.ts';

const TEAM_ADDRESS = 'team@example.com';

it('an alert reaches the team by email and Telegram, and is retried until it does', async () => {
  const folder = temporaryFolder();
  const outbox = join(folder, 'outbox');
  writeFileSync(outbox, 'not a folder');
  const pauses: number[] = [];
  const { alertTeam, stop } = createTeamAlerts({
    config: {
      mail: {
        transport: { kind: 'outbox' },
        from: { name: '', address: 'portal@example.com' },
        teamAddress: TEAM_ADDRESS,
      },
      telegram: { kind: 'outbox' },
      inbound: null,
    },
    to: { email: null, chatId: null },
    site: () => ({ organization: ORGANIZATION, origin: 'https://portal.example.com' }),
    folder,
    log: pino({ enabled: false }),
    pause: async (milliseconds) => {
      pauses.push(milliseconds);
      if (pauses.length !== 2) return;
      rmSync(outbox);
      mkdirSync(outbox);
    },
  });
  alertTeam({ subject: 'The disk is full', text: 'Free some space.' });
  const filesOf = (channel: string) => readdirSync(join(outbox, channel), { withFileTypes: true });
  await expect.poll(() => [filesOf('mail').length, filesOf('telegram').length]).toEqual([1, 1]);
  await stop();
  const [mail] = filesOf('mail');
  const text = readFileSync(join(outbox, 'mail', mail?.name ?? ''), 'utf8');
  expect(text).toContain(`To: ${TEAM_ADDRESS}`);
  expect(text).toMatch(/^Reply-To: .*<support@example\.com>/m);
  expect(pauses.length).toBeGreaterThanOrEqual(2);
});
