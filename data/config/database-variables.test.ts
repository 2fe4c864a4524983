import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseEnvironment } from './environment.ts';

const DATABASE_ADDRESS = 'postgres://portal:s%40cret@db.example.com:6432/bd';
const REQUIRED_BY_REPLICAS = {
  DOCUMENT_KEY: Buffer.alloc(32, 1).toString('base64'),
  SMTP_URL: 'smtp://mail.example.com:587',
  MAIL_FROM: 'portal@example.com',
  TEAM_EMAIL: 'team@example.com',
  TELEGRAM_BOT_TOKEN: '123456:a-token-that-nobody-may-read',
  TELEGRAM_CHAT_ID: '-100',
};

const parse = (env: Readonly<Record<string, string>>) =>
  parseEnvironment({ ...REQUIRED_BY_REPLICAS, ...env });

function rejectedVariables(env: Readonly<Record<string, string>>): readonly string[] {
  const outcome = parse(env);
  // Problems must not reveal the password. Both test passwords, `s@cret` and `s3cret`, end in this string.
  expect(JSON.stringify(outcome.ok ? [] : outcome.problems)).not.toContain('cret');
  return outcome.ok ? [] : outcome.problems.map(({ variable }) => variable);
}

describe('the database settings', () => {
  it('are absent by default, so that everything is stored in files', () => {
    expect(parseEnvironment({})).toMatchObject({
      config: { database: null, backup: { cronPattern: '17 3 * * *' } },
    });
  });

  it('connect to another machine with a verified certificate, and turn off backups to files', () => {
    expect(parse({ DATABASE_URL: DATABASE_ADDRESS })).toMatchObject({
      config: {
        database: {
          main: {
            host: 'db.example.com',
            port: 6432,
            user: 'portal',
            password: 's@cret',
            database: 'bd',
            schema: 'portal',
            poolSize: 10,
            tls: { ca: null },
            preparesStatements: true,
          },
          listen: { host: 'db.example.com', poolSize: 1 },
        },
        backup: { cronPattern: null },
      },
    });
  });

  it.each([
    ['postgres://portal@localhost/bd', { host: 'localhost', port: 5432, password: null, tls: null }],
    ['postgresql://portal@[::1]:5433/bd', { host: '::1', port: 5433, tls: null }],
    [
      'postgres://portal@localhost/bd?host=/run/postgresql',
      { host: '/run/postgresql', port: null, tls: null },
    ],
    ['postgres://portal@localhost/bd?sslmode=verify-full', { tls: { ca: null } }],
    ['postgres://portal@localhost/bd?pgbouncer=true', { preparesStatements: false }],
  ])('are read from %s', (url, main) => {
    expect(parse({ DATABASE_URL: url })).toMatchObject({ config: { database: { main } } });
  });

  it('contain no direct connection if only a pooler is configured', () => {
    expect(parse({ DATABASE_URL: `${DATABASE_ADDRESS}?pgbouncer=true` })).toMatchObject({
      config: { database: { listen: null } },
    });
  });

  it.each([
    ['another protocol', 'mysql://portal:s3cret@localhost/bd'],
    ['no user', 'postgres://localhost/bd'],
    ['no database', 'postgres://portal:s3cret@localhost'],
    ['an invalid escape', 'postgres://portal:s3cret%@localhost/bd'],
    ['an unknown option', 'postgres://portal:s3cret@localhost/bd?application_name=x'],
    ['an unverified certificate', 'postgres://portal:s3cret@db.example.com/bd?sslmode=require'],
    ['a plain connection to another machine', 'postgres://portal:s3cret@db.example.com/bd?sslmode=disable'],
  ])('are rejected with %s', (_case, url) => {
    expect(rejectedVariables({ DATABASE_URL: url })).toEqual(['DATABASE_URL']);
  });

  it('read CA certificates from a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'authorities-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'ca.pem');
    const pem = '-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n';
    writeFileSync(file, pem);
    expect(parse({ DATABASE_URL: DATABASE_ADDRESS, DATABASE_CA: file })).toMatchObject({
      config: { database: { main: { tls: { ca: pem } } } },
    });
    writeFileSync(file, 'no certificate');
    expect(rejectedVariables({ DATABASE_URL: DATABASE_ADDRESS, DATABASE_CA: file })).toEqual(['DATABASE_CA']);
    expect(rejectedVariables({ DATABASE_URL: DATABASE_ADDRESS, DATABASE_CA: `${file}.missing` })).toEqual([
      'DATABASE_CA',
    ]);
  });

  it('that are wrong are reported together with unusable backup settings and missing required settings', () => {
    const outcome = parseEnvironment({
      DATABASE_URL: DATABASE_ADDRESS,
      DATABASE_LISTEN_URL: `${DATABASE_ADDRESS}?pgbouncer=true`,
      DATABASE_SCHEMA: 'Portal',
      DATABASE_POOL: '1',
      BACKUP_DIR: '/backups',
      BACKUP_CRON: '0 * * * *',
    });
    expect(outcome.ok ? [] : outcome.problems.map(({ variable }) => variable).sort()).toEqual([
      'BACKUP_CRON',
      'BACKUP_DIR',
      'DATABASE_LISTEN_URL',
      'DATABASE_POOL',
      'DATABASE_SCHEMA',
      'DOCUMENT_KEY',
      'SMTP_URL',
      'TELEGRAM_BOT_TOKEN',
    ]);
  });

  it('are rejected if no database URL is set', () => {
    expect(rejectedVariables({ DATABASE_SCHEMA: 'portal', DATABASE_POOL: '5' })).toEqual([
      'DATABASE_SCHEMA',
      'DATABASE_POOL',
    ]);
  });
});
