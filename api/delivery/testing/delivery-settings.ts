import { randomBytes } from 'node:crypto';

/** The settings that a replica requires. By default, its emails and messages go to a port on which nothing listens. */
export const deliverySettings = (smtpPort = 9, botUrl = 'http://127.0.0.1:9') => ({
  DOCUMENT_KEY: randomBytes(32).toString('base64'),
  SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
  MAIL_FROM: 'portal@example.com',
  TEAM_EMAIL: 'team@example.com',
  TELEGRAM_BOT_TOKEN: '123456:a-token-that-nobody-may-read',
  TELEGRAM_CHAT_ID: '-100',
  TELEGRAM_API_ROOT: botUrl,
});
