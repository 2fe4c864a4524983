import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const readShipped = (path: string) =>
  readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8');

export const CADDY_VARIABLES: readonly string[] = [
  ...readShipped('caddy/Caddyfile').matchAll(/\{\$(\w+)/g),
].map(([, name = '']) => name);

/** The variables that an operator adds to the shipped settings, such as secrets and addresses. */
export const OPERATOR_SETTINGS: Readonly<Record<string, string>> = {
  NODE_ENV: 'production',
  CARD_ISSUER: 'sandbox',
  DOCUMENT_KEY: Buffer.alloc(32, 1).toString('base64'),
  SMTP_URL: 'smtps://user:password@mail.example.com:465',
  MAIL_FROM: 'portal@example.com',
  TEAM_EMAIL: 'team@example.com',
  TELEGRAM_BOT_TOKEN: '123456789:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  TELEGRAM_CHAT_ID: '-1001234567890',
};
