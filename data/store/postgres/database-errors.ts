import pg from 'pg';
import { StoreUnavailableError } from '../store-errors.ts';
import type { DatabaseSettings } from './database.ts';

type ServerAddress = Pick<DatabaseSettings, 'host' | 'port' | 'user' | 'database'>;

/** For each error code of the server, what is wrong and what an operator can do. Each text follows the server's name. */
const REMEDIES: Readonly<Record<string, (server: ServerAddress) => string>> = {
  '28P01': ({ user }) => `refuses the password of ${user}. Correct DATABASE_URL.`,
  '28000': ({ user }) => `refuses the user ${user}. Correct DATABASE_URL or the server's pg_hba.conf.`,
  '3D000': ({ database }) => `has no database ${database}. Create it, or correct DATABASE_URL.`,
  '42501': ({ user }) =>
    `does not allow the user ${user} to do that. Grant the user privileges on the portal's schema.`,
  '25006': () => 'does not accept writes. Set DATABASE_URL to the primary server.',
  '53300': () => "has no connections left. Lower DATABASE_POOL, or raise the server's max_connections.",
  '57P01': () => 'is stopping. The portal reconnects when it is back.',
  '57P02': () => 'crashed and is restarting. The portal reconnects when it is back.',
  '57P03': () => 'is starting. The portal reconnects when it is back.',
  '57014': () => 'did not finish a statement in time. Look for long transactions and a slow disk.',
  '55P03': () =>
    'did not grant a migration its lock in time. Another program, such as pg_dump, is using a table that the migration changes. Start this program again once the other one has finished.',
  '25P03': () => 'ended a transaction that waited too long for this program.',
  '53100': () =>
    'cannot write, because its disk or quota is full or its disk refuses writes. Free some space, or check the disk; the portal then continues by itself.',
};

/** The server's functions that write tables. If a quota is full or the disk rejects writes, their errors have various codes. */
const TABLE_WRITES = /^md(?:(?:zero)?extend|writev?)$/;

/** PgBouncer's message for a connection option that it does not support. The error code has other meanings, too. */
const REFUSED_OPTION = /unsupported startup parameter/;
const optionRemedy = () =>
  'is a pooler that rejects a connection option. Add pgbouncer=true to the options of DATABASE_URL.';

/** The codes of a serialization failure and of a deadlock, after which the transaction must run again. */
const CONFLICT_CODES: ReadonlySet<string> = new Set(['40001', '40P01']);

/** Classes of errors that the statement did not cause: connections, missing resources, administration, the system. */
const SERVER_ERRORS = /^(08|53|57P|58)/;

/** Errors from the network and from `pg`. They have no error code from the server. */
const NETWORK_ERRORS =
  /^(E[A-Z0-9_]+)$|timeout exceeded|Query read timeout|Connection terminated|connection error|not queryable/;

/** Errors that concern encryption. Several of OpenSSL's error codes do not contain `CERT`, `TLS` or `SSL`. */
const TLS_ERRORS = /CERT|CRL|LEAF_SIGNATURE|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|ERR_TLS|ERR_SSL|EPROTO/;

const serverText = ({ host, port }: ServerAddress) =>
  `The database server ${host}${port === null ? '' : `:${port}`}`;

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

export function isConflict(error: unknown): boolean {
  return CONFLICT_CODES.has(errorCode(error) ?? '');
}

export const isDiskFull = (error: unknown): boolean =>
  error instanceof StoreUnavailableError && error.problem?.kind === 'full';

/** Whether `pg` got no connection in time: the pool had none left, or the server did not answer. */
export const isConnectTimeout = (error: unknown): boolean =>
  error instanceof Error && error.message === 'timeout exceeded when trying to connect';

export const poolExhaustedError = (size: number, cause: unknown): StoreUnavailableError =>
  new StoreUnavailableError(
    `All ${size} connections of this program to the database are in use. Look for long transactions, locks or a network that does not answer, or raise DATABASE_POOL.`,
    { cause },
  );

export const isLockTimeout = (error: unknown): boolean =>
  error instanceof StoreUnavailableError && errorCode(error.cause) === '55P03';

/** Whether a transaction failed because one of its audit records is already stored. */
export function isRepeatedRecord(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.constraint === 'audit_records_id';
}

/**
 * The error to throw in place of an error from `pg`: a `StoreUnavailableError` that says what an operator can do, or the same
 * error without the parts in which the server quotes stored values.
 */
export function databaseError(error: unknown, server: ServerAddress): unknown {
  if (error instanceof StoreUnavailableError || !(error instanceof Error)) return error;
  const code = errorCode(error);
  if (error instanceof pg.DatabaseError) {
    for (const part of ['detail', 'where', 'internalQuery'] as const) error[part] = undefined;
    const isFull = code === '53100' || TABLE_WRITES.test(error.routine ?? '');
    const remedy = REFUSED_OPTION.test(error.message)
      ? optionRemedy
      : REMEDIES[isFull ? '53100' : (code ?? '')];
    if (!remedy) {
      if (!SERVER_ERRORS.test(code ?? '')) return error;
      return new StoreUnavailableError(
        `${serverText(server)} is unavailable at the moment (${code}). The portal reconnects automatically.`,
        { cause: error },
      );
    }
    const problem = isFull ? ({ kind: 'full' } as const) : null;
    return new StoreUnavailableError(`${serverText(server)} ${remedy(server)}`, { problem, cause: error });
  }
  if (error.message.includes('does not support SSL')) {
    return new StoreUnavailableError(
      `${serverText(server)} does not offer encryption. Set ssl = on in its postgresql.conf, or correct DATABASE_URL.`,
      { cause: error },
    );
  }
  if (TLS_ERRORS.test(code ?? error.message)) {
    return new StoreUnavailableError(
      `${serverText(server)} has no certificate that the portal trusts (${code ?? error.message}). Set DATABASE_CA to a file with the certificate of the authority that signed it, and connect to the host name in the certificate.`,
      { cause: error },
    );
  }
  if (error.message.startsWith('SASL')) {
    return new StoreUnavailableError(
      `${serverText(server)} requires a password for ${server.user}. Add it to DATABASE_URL.`,
      { cause: error },
    );
  }
  const reason = NETWORK_ERRORS.test(code ?? '') ? code : error.message;
  if (!NETWORK_ERRORS.test(reason ?? '')) return error;
  return new StoreUnavailableError(
    `${serverText(server)} cannot be reached (${reason}). Start it, or correct DATABASE_URL. The portal reconnects automatically.`,
    { cause: error },
  );
}
