import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { DatabaseSettings } from '../model/database-settings.ts';
import { REMOTE_COPY_VARIABLE_NAMES } from './remote-copy-variables.ts';
import {
  type ConfigProblem,
  type GivenVariables,
  problemsIfMissing,
  problemsIfSet,
  wholeNumber,
} from './variable-types.ts';

export interface DatabaseConfig {
  readonly main: DatabaseSettings;
  /**
   * A direct connection, over which the server notifies replicas of commits. Null if all connections go through a pooler.
   * Replicas then poll for changes.
   */
  readonly listen: DatabaseSettings | null;
}

type Connection = Omit<DatabaseSettings, 'schema' | 'poolSize' | 'tls'> & { readonly isEncrypted: boolean };

const URL_OPTIONS = ['host', 'sslmode', 'pgbouncer'];

/** Whether a host is this machine or the folder of a Unix socket. */
function isLocal(host: string): boolean {
  return host.startsWith('/') || host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** @throws {URIError} when a percent sign does not begin a valid escape */
function partsOf(url: URL) {
  return {
    user: decodeURIComponent(url.username),
    password: url.password === '' ? null : decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)),
    // Removes the brackets of an IPv6 address.
    host: url.searchParams.get('host') ?? decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, '$1'),
  };
}

/** @returns the connection, or a message about the error in the URL */
function readUrl(text: string): Connection | string {
  const url = URL.parse(text);
  const formatHint =
    'Write it as postgres://user:password@host:5432/database, with reserved characters percent-encoded.';
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) return `is not a PostgreSQL URL. ${formatHint}`;
  const unknown = [...url.searchParams.keys()].find((name) => !URL_OPTIONS.includes(name));
  if (unknown !== undefined) return `has an unknown option. The options are ${URL_OPTIONS.join(', ')}.`;
  let parts: ReturnType<typeof partsOf>;
  try {
    parts = partsOf(url);
  } catch {
    return `is not a PostgreSQL URL. ${formatHint}`;
  }
  const { host, user, database } = parts;
  if (host === '' || user === '' || database === '' || database.includes('/')) {
    return `lacks a user, a host or a database. ${formatHint}`;
  }
  const sslmode = url.searchParams.get('sslmode') ?? (isLocal(host) ? 'disable' : 'verify-full');
  if (sslmode !== 'disable' && sslmode !== 'verify-full') {
    return 'has an sslmode other than disable or verify-full. Use verify-full: if a connection is encrypted, the portal always checks the server’s certificate.';
  }
  if (sslmode === 'disable' && !isLocal(host)) {
    return 'turns off encryption for a server on another machine. Remove sslmode=disable. If your own authority signed the server’s certificate, set DATABASE_CA.';
  }
  const pgbouncer = url.searchParams.get('pgbouncer') ?? 'false';
  if (pgbouncer !== 'true' && pgbouncer !== 'false')
    return 'has a pgbouncer option that is neither true nor false.';
  return {
    ...parts,
    port: host.startsWith('/') ? null : Number(url.port || 5432),
    isEncrypted: sslmode === 'verify-full',
    preparesStatements: pgbouncer === 'false',
  };
}

const databaseUrl = z.string().transform((text, context) => {
  const connection = readUrl(text);
  if (typeof connection !== 'string') return connection;
  context.addIssue(connection);
  return z.NEVER;
});

/** A path to a PEM file of CA certificates, transformed into the file's content. */
const authorities = z.string().transform((file, context) => {
  try {
    const pem = readFileSync(file, 'utf8');
    if (pem.includes('-----BEGIN CERTIFICATE-----')) return pem;
    context.addIssue('names a file without certificates. Set it to a file in PEM format.');
  } catch {
    context.addIssue('names a file that cannot be read. Make it readable, or correct the path.');
  }
  return z.NEVER;
});

const MAX_POOL_SIZE = 100;

export const DATABASE_VARIABLES = {
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_LISTEN_URL: databaseUrl
    .refine(({ preparesStatements }) => preparesStatements, {
      error:
        'goes through a pooler. Use the address of the server itself, because a pooler does not pass on notifications.',
    })
    .optional(),
  DATABASE_SCHEMA: z
    .string()
    .regex(
      /^(?!pg_)[a-z_][a-z0-9_]{0,62}$/,
      'is not the name of a schema. Use lowercase letters, digits and underscores.',
    )
    .default('portal'),
  DATABASE_POOL: wholeNumber(
    2,
    MAX_POOL_SIZE,
    `is not a number of connections from 2 to ${MAX_POOL_SIZE}.`,
  ).default(10),
  DATABASE_CA: authorities.optional(),
};

export function databaseConfig(
  values: z.infer<z.ZodObject<typeof DATABASE_VARIABLES>>,
): DatabaseConfig | null {
  const { DATABASE_URL: url, DATABASE_LISTEN_URL: listenUrl, DATABASE_CA: ca = null } = values;
  if (url === undefined) return null;
  const toSettings = ({ isEncrypted, ...connection }: Connection, poolSize: number): DatabaseSettings => ({
    ...connection,
    schema: values.DATABASE_SCHEMA,
    poolSize,
    tls: isEncrypted ? { ca } : null,
  });
  const directConnection = listenUrl ?? (url.preparesStatements ? url : undefined);
  return {
    main: toSettings(url, values.DATABASE_POOL),
    listen: directConnection === undefined ? null : toSettings(directConnection, 1),
  };
}

/**
 * Required with PostgreSQL. Without these settings, the portal uses files in its data folder, which other replicas cannot read.
 */
const NEEDED_WITH_POSTGRES = ['DOCUMENT_KEY', 'SMTP_URL', 'TELEGRAM_BOT_TOKEN'];
const ONLY_SQLITE = ['BACKUP_DIR', 'BACKUP_KEEP', ...REMOTE_COPY_VARIABLE_NAMES];
const ONLY_POSTGRES = ['DATABASE_LISTEN_URL', 'DATABASE_SCHEMA', 'DATABASE_POOL', 'DATABASE_CA'];

export function databaseConflicts(variables: GivenVariables): readonly ConfigProblem[] {
  if (variables.DATABASE_URL === undefined) {
    return problemsIfSet(variables, ONLY_POSTGRES, 'is set without DATABASE_URL. Set both, or remove it.');
  }
  const { BACKUP_CRON: schedule = 'off' } = variables;
  return [
    ...problemsIfMissing(
      variables,
      NEEDED_WITH_POSTGRES,
      'is not set. It is needed with DATABASE_URL, because other machines cannot read the files in DATA_DIR.',
    ),
    ...problemsIfSet(
      variables,
      schedule === 'off' ? ONLY_SQLITE : [...ONLY_SQLITE, 'BACKUP_CRON'],
      'is set with DATABASE_URL. Remove it, and back up the database with pg_dump.',
    ),
  ];
}
