import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { createTeamAlerts } from './team-alerts.ts';
import { ORGANIZATION } from './testing/organization.ts';

const TEAM = 'team@example.com';

it('an alert reaches the team by email and Telegram, and is retried until it does', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'alerts-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const outbox = join(folder, 'outbox');
  writeFileSync(outbox, 'not a folder');
  const pauses: number[] = [];
  const { alertTeam, stop } = createTeamAlerts({
    config: {
      mail: { transport: { kind: 'outbox' }, from: { name: '', address: 'portal@example.com' }, team: TEAM },
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
  const written = (channel: string) => readdirSync(join(outbox, channel), { withFileTypes: true });
  await expect.poll(() => [written('mail').length, written('telegram').length]).toEqual([1, 1]);
  await stop();
  const [mail] = written('mail');
  const text = readFileSync(join(outbox, 'mail', mail?.name ?? ''), 'utf8');
  expect(text).toContain(`To: ${TEAM}`);
  expect(text).toMatch(/^Reply-To: .*<support@example\.com>/m);
  expect(pauses.length).toBeGreaterThanOrEqual(2);
});
