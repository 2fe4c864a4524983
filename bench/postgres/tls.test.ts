// @module-tag slow
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../data/runtime/testing/free-port.ts';
import { StoreUnavailableError } from '../../data/store/store-errors.ts';
import { type PostgresServer, startPostgres } from '../../data/store/testing/postgres-server.ts';
import { withDatabase } from '../../data/store/testing/postgres-stores.ts';
import { type CertificateWithKey, createAuthority } from './tls-certificates.ts';

const PASSWORD = 'correct-horse-battery-staple';
/** PostgreSQL's SSLRequest: its length and its code, each in four bytes. */
const SSL_REQUEST = Buffer.from('0000000804d2162f', 'hex');

const authority = createAuthority('Test authority');
/** A different authority with the same name. */
const otherAuthority = createAuthority('Test authority');
let server: PostgresServer;
let port: number;

/** Starts the server on a free port. If another program takes the port first, tries another one. */
async function startOnFreePort(certificate: CertificateWithKey): Promise<void> {
  for (;;) {
    port = await freePort();
    try {
      server = await startPostgres('18', { tls: { port, ...certificate } });
      return;
    } catch (error) {
      if (!String(error).includes('could not bind')) throw error;
    }
  }
}

beforeAll(() => startOnFreePort(authority.certificateFor('127.0.0.1')));
afterAll(() => server.stop());

/** @param ca the certificate of `DATABASE_CA`; null if it is not set */
const connect = (host: string, ca: string | null, serverPort = port) =>
  withDatabase(
    '',
    (db) =>
      db.all<{ ssl: boolean }>({
        text: 'select ssl from pg_stat_ssl where pid = pg_backend_pid()',
        name: undefined,
      }),
    { host, port: serverPort, password: PASSWORD, tls: { ca } },
  );

async function refusalOf(connecting: Promise<unknown>): Promise<string> {
  const error: unknown = await connecting.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StoreUnavailableError);
  expect(String(error)).not.toContain(PASSWORD);
  return String(error);
}

describe('a connection to a database on another machine', () => {
  it('is encrypted if the authority in DATABASE_CA signed the server’s certificate', async () => {
    expect(await connect('127.0.0.1', authority.certificate)).toEqual([{ ssl: true }]);
  });

  it.each([
    ['another authority with the same name signed the certificate', '127.0.0.1', otherAuthority.certificate],
    ['no authority that Node trusts signed the certificate', '127.0.0.1', null],
    ['the certificate is for another name', 'localhost', authority.certificate],
  ])('fails, and names DATABASE_CA, if %s', async (_what, host, ca) => {
    expect(await refusalOf(connect(host, ca))).toContain('DATABASE_CA');
  });

  it('sends nothing to a server without encryption', async () => {
    const received: Buffer[] = [];
    const plainServer = createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (bytes) => {
        received.push(bytes);
        // A PostgreSQL server without encryption answers a request for encryption with `N`.
        socket.write('N');
      });
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void plainServer.close());
    await once(plainServer, 'listening');
    const plainPort = (plainServer.address() as AddressInfo).port;
    await refusalOf(connect('127.0.0.1', authority.certificate, plainPort));
    expect(Buffer.concat(received)).toEqual(SSL_REQUEST);
  });
});
