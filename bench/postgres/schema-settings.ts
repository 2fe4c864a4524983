import { randomBytes } from 'node:crypto';
import { deliverySettings } from '../../api/delivery/testing/delivery-settings.ts';
import type { DatabaseSettings } from '../../data/model/database-settings.ts';

export const settingsOf = (socketFolder: string, schema: string): DatabaseSettings => ({
  host: socketFolder,
  port: null,
  user: 'postgres',
  password: null,
  database: 'postgres',
  schema,
  poolSize: 10,
  tls: null,
  preparesStatements: true,
});

const KEY = randomBytes(32).toString('base64');

/**
 * The environment variables for programs that use a schema. Emails and notices go to a port where nothing listens.
 * @param isNotified whether an API is notified of commits. If false, the URL says that it leads to a pooler, so the API polls.
 */
export const environmentOf = (socketFolder: string, schema: string, isNotified = true) => ({
  DATABASE_URL:
    `postgres://postgres@localhost/postgres?host=${encodeURIComponent(socketFolder)}` +
    (isNotified ? '' : '&pgbouncer=true'),
  DATABASE_SCHEMA: schema,
  DATABASE_POOL: '4',
  ...deliverySettings(),
  DOCUMENT_KEY: KEY,
});
