import pg from 'pg';
import { expect, it } from 'vitest';
import { StoreUnavailableError } from '../store-errors.ts';
import { databaseError, isDiskFull } from './database-errors.ts';

const SERVER = { host: 'db.example.com', port: 5432, user: 'portal', database: 'bd' };

const withCode = (error: Error, code: string) => Object.assign(error, { code });
const fromServer = (code: string) =>
  withCode(new pg.DatabaseError('server conn crashed?', 20, 'error'), code);

it.each([
  withCode(new Error('getaddrinfo EAI_AGAIN db.example.com'), 'EAI_AGAIN'),
  withCode(new Error('connect ECONNREFUSED'), 'ECONNREFUSED'),
  withCode(new Error('certificate has expired'), 'CERT_HAS_EXPIRED'),
  withCode(new Error('self-signed certificate in certificate chain'), 'SELF_SIGNED_CERT_IN_CHAIN'),
  withCode(new Error('unable to verify the first certificate'), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'),
  withCode(new Error('does not match'), 'ERR_TLS_CERT_ALTNAME_INVALID'),
  new Error('The server does not support SSL connections'),
  new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a non-empty string'),
  ...['08P01', '08006', '53200', '57P01', '57P05', '58030'].map(fromServer),
])('%o says that the database cannot be used', (error) => {
  expect(databaseError(error, SERVER)).toBeInstanceOf(StoreUnavailableError);
});

it('an error suggests pgbouncer=true if a pooler rejects a connection option', () => {
  const refused = new pg.DatabaseError('unsupported startup parameter: statement_timeout', 20, 'error');
  const poolerError = databaseError(withCode(refused, '08P01'), SERVER);
  expect(poolerError).toBeInstanceOf(StoreUnavailableError);
  expect(String(poolerError)).toContain('pgbouncer=true');
});

it('an error does not mention certificates if the server does not offer encryption', () => {
  const encryptionError = databaseError(new Error('The server does not support SSL connections'), SERVER);
  expect(String(encryptionError)).not.toContain('DATABASE_CA');
});

it.each(['23505', '22P02', '42601'])('an error of a statement (%s) is not an outage', (code) => {
  const error = fromServer(code);
  expect(databaseError(error, SERVER)).toBe(error);
});

it.each([
  ['53100', undefined, true],
  // The server reports this code if a quota is full or a file would exceed its size limit.
  ['XX000', 'mdextend', true],
  ['XX000', 'mdzeroextend', true],
  ['58030', 'mdwritev', true],
  ['42501', 'mdextend', true],
  ['58030', 'mdreadv', false],
])(
  'error %s in the server’s function %s means that the server cannot write: %s',
  (code, routine, cannotWrite) => {
    const error = databaseError(Object.assign(fromServer(code), { routine }), SERVER);
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(isDiskFull(error)).toBe(cannotWrite);
  },
);
