import { describe, expect, it } from 'vitest';
import { ALERT_CODES } from '../model/alerts.ts';
import { parseEnvironment } from './environment.ts';

function alertsOf(env: Record<string, string>) {
  const outcome = parseEnvironment(env);
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.problems));
  return outcome.config.alerts;
}

describe('the alert settings', () => {
  it('send every alert to the team by default', () => {
    expect(alertsOf({})).toEqual({ codes: ALERT_CODES, email: null, chatId: null });
  });

  it('turn off all alerts, or some of them', () => {
    expect(alertsOf({ ALERTS: 'off' }).codes).toEqual([]);
    const { codes } = alertsOf({ ALERTS: '-quote-stale, -disk-low' });
    expect(ALERT_CODES.filter((code) => !codes.includes(code))).toEqual(['quote-stale', 'disk-low']);
  });

  it.each(['no', 'quote-stale', '-unknown', '-quote-stale,disk-low', '-toString'])('reject %j', (ALERTS) => {
    expect(parseEnvironment({ ALERTS })).toMatchObject({ ok: false, problems: [{ variable: 'ALERTS' }] });
  });

  it('need the mail server or the bot for recipients other than the team', () => {
    const outcome = parseEnvironment({ ALERT_EMAIL: 'ops@example.com', ALERT_TELEGRAM_CHAT_ID: '-7' });
    expect(outcome).toMatchObject({
      ok: false,
      problems: [{ variable: 'SMTP_URL' }, { variable: 'TELEGRAM_BOT_TOKEN' }],
    });
  });
});
