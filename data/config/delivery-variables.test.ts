import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseEnvironment } from './environment.ts';

const MAIL = { MAIL_FROM: 'portal@example.org', TEAM_EMAIL: 'team@example.org' };
const BOT = {
  TELEGRAM_BOT_TOKEN: '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11',
  TELEGRAM_CHAT_ID: '-1001234567890',
};

function parseDelivery(env: Record<string, string>) {
  const outcome = parseEnvironment(env);
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.problems));
  return outcome.config.delivery;
}

function findProblems(env: Record<string, string>) {
  const outcome = parseEnvironment(env);
  return outcome.ok ? [] : outcome.problems;
}
const wrongVariables = (env: Record<string, string>) => findProblems(env).map(({ variable }) => variable);

describe('the delivery variables', () => {
  it('deliver everything to the outbox by default', () => {
    expect(parseDelivery({})).toEqual({
      mail: {
        transport: { kind: 'outbox' },
        from: { name: 'BlackDuck', address: 'portal@example.com' },
        teamAddress: 'team@example.com',
      },
      telegram: { kind: 'outbox' },
      inbound: null,
    });
  });

  it.each([
    [
      'imaps://in%40example.org:p%40ss@mail.example.org',
      { host: 'mail.example.org', port: 993, isSecure: true, user: 'in@example.org', folder: 'INBOX' },
    ],
    [
      'imap://in:p%40ss@[::1]:1143/Shared%2FAnswers',
      { host: '::1', port: 1143, isSecure: false, user: 'in', folder: 'Shared/Answers' },
    ],
  ])('accept %s as the mailbox for replies', (IMAP_URL, mailbox) => {
    const INBOUND_ADDRESS = 'in+{reference}@example.org';
    expect(parseDelivery({ IMAP_URL, INBOUND_ADDRESS }).inbound).toEqual({
      address: INBOUND_ADDRESS,
      mailbox: { ...mailbox, password: 'p@ss' },
      webhookSecret: null,
    });
  });

  it('accept a secret for forwarded emails instead of a mailbox', () => {
    const [INBOUND_ADDRESS, INBOUND_WEBHOOK_SECRET] = ['in@example.org', 's'.repeat(32)];
    expect(parseDelivery({ INBOUND_ADDRESS, INBOUND_WEBHOOK_SECRET }).inbound).toEqual({
      address: INBOUND_ADDRESS,
      mailbox: null,
      webhookSecret: INBOUND_WEBHOOK_SECRET,
    });
    expect(wrongVariables({ INBOUND_WEBHOOK_SECRET })).toEqual(['INBOUND_ADDRESS']);
    const short = findProblems({ INBOUND_ADDRESS, INBOUND_WEBHOOK_SECRET: 'too-short' });
    expect(short.map(({ variable }) => variable)).toEqual(['INBOUND_WEBHOOK_SECRET']);
    expect(short[0]?.message).not.toContain('too-short');
  });

  it.each([
    'mail.example.org',
    'imaps://mail.example.org',
    'imaps://in:100%@mail.example.org',
    'smtp://a:b@c',
  ])('reject %s as a mailbox without echoing the value', (IMAP_URL) => {
    const problems = findProblems({ IMAP_URL, INBOUND_ADDRESS: 'in@example.org' });
    expect(problems.map(({ variable }) => variable)).toEqual(['IMAP_URL']);
    expect(problems[0]?.message).not.toContain('100%@');
  });

  it('reject a mailbox without an address for replies, and an address with neither mailbox nor secret', () => {
    expect(wrongVariables({ IMAP_URL: 'imaps://a:b@example.org' })).toEqual(['INBOUND_ADDRESS']);
    expect(wrongVariables({ INBOUND_ADDRESS: 'in@example.org' })).toEqual(['IMAP_URL']);
    expect(wrongVariables({ INBOUND_ADDRESS: 'in', IMAP_URL: 'imaps://a:b@c' })).toEqual(['INBOUND_ADDRESS']);
  });

  it.each([
    ['smtp://mail.example.org', { host: 'mail.example.org', port: 587, isSecure: false, credentials: null }],
    ['smtps://mail.example.org/', { host: 'mail.example.org', port: 465, isSecure: true, credentials: null }],
    ['smtp://[::1]:2525', { host: '::1', port: 2525, isSecure: false, credentials: null }],
    [
      'smtp://ann%40example.org:p%40ss%2Fw%3Ard@mail.example.org:25',
      {
        host: 'mail.example.org',
        port: 25,
        isSecure: false,
        credentials: { user: 'ann@example.org', password: 'p@ss/w:rd' },
      },
    ],
  ])('accept %s as the mail server', (SMTP_URL, server) => {
    expect(parseDelivery({ SMTP_URL, ...MAIL }).mail.transport).toEqual({ kind: 'smtp', ...server });
  });

  it.each([
    'mail.example.org',
    'http://mail.example.org',
    'smtp://',
    'smtp://mail.example.org/path',
    'smtp://mail.example.org?tls=no',
    'smtp://user:100%@mail.example.org',
  ])('reject %s as a mail server without echoing the value', (SMTP_URL) => {
    const problems = findProblems({ SMTP_URL, ...MAIL });
    expect(problems.map(({ variable }) => variable)).toEqual(['SMTP_URL']);
    expect(problems[0]?.message).not.toContain('100%@');
  });

  it.each([
    ['BlackDuck <portal@example.org>', { name: 'BlackDuck', address: 'portal@example.org' }],
    ['بطة 🦆 <portal@example.org>', { name: 'بطة 🦆', address: 'portal@example.org' }],
    ['portal@example.org', { name: '', address: 'portal@example.org' }],
  ])('accept %s as the sender', (MAIL_FROM, from) => {
    expect(parseDelivery({ MAIL_FROM }).mail.from).toEqual(from);
  });

  it.each(['portal', 'a@b.org, c@d.org', 'Ann <a@b.org', 'a b@c.org'])(
    'reject %j as sender and team address',
    (text) => {
      expect(wrongVariables({ MAIL_FROM: text, TEAM_EMAIL: text })).toEqual(['MAIL_FROM', 'TEAM_EMAIL']);
    },
  );

  it('reject email addresses with a line break anywhere', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.constantFrom('\r', '\n', '\r\n'),
        fc.string(),
        (before, lineBreak, after) => {
          const text = `${before}${lineBreak}${after}`;
          const env = { MAIL_FROM: `${text}a@example.org`, TEAM_EMAIL: `a@example.org${text}` };
          expect(findProblems(env)).toHaveLength(2);
        },
      ),
    );
  });

  it('configure the bot', () => {
    expect(parseDelivery(BOT).telegram).toEqual({
      kind: 'bot',
      token: BOT.TELEGRAM_BOT_TOKEN,
      chatId: BOT.TELEGRAM_CHAT_ID,
      adminChatIds: [BOT.TELEGRAM_CHAT_ID],
      apiRoot: 'https://api.telegram.org',
    });
    const changed = {
      ...BOT,
      TELEGRAM_API_ROOT: 'http://127.0.0.1:8081',
      TELEGRAM_ADMIN_CHAT_IDS: '-1001, 42',
    };
    expect(parseDelivery(changed).telegram).toMatchObject({
      apiRoot: 'http://127.0.0.1:8081',
      adminChatIds: ['-1001', '42'],
    });
  });

  it.each([
    [{ SMTP_URL: 'smtp://mail.example.org' }, ['MAIL_FROM', 'TEAM_EMAIL']],
    [{ TELEGRAM_BOT_TOKEN: BOT.TELEGRAM_BOT_TOKEN }, ['TELEGRAM_CHAT_ID']],
    [{ TELEGRAM_CHAT_ID: BOT.TELEGRAM_CHAT_ID }, ['TELEGRAM_BOT_TOKEN']],
    [{ TELEGRAM_API_ROOT: 'http://127.0.0.1:8081' }, ['TELEGRAM_BOT_TOKEN']],
    [{ ...BOT, TELEGRAM_API_ROOT: 'localhost' }, ['TELEGRAM_API_ROOT']],
    [{ ...BOT, TELEGRAM_BOT_TOKEN: 'secret' }, ['TELEGRAM_BOT_TOKEN']],
    [{ ...BOT, TELEGRAM_CHAT_ID: 'the team' }, ['TELEGRAM_CHAT_ID']],
    [{ ...BOT, TELEGRAM_ADMIN_CHAT_IDS: '@team' }, ['TELEGRAM_ADMIN_CHAT_IDS']],
    [{ TELEGRAM_ADMIN_CHAT_IDS: '42' }, ['TELEGRAM_BOT_TOKEN']],
  ])('that are wrong or missing are reported by name only: %o', (env, variables) => {
    expect(wrongVariables(env)).toEqual(variables);
    expect(JSON.stringify(findProblems(env))).not.toContain('secret');
  });
});
