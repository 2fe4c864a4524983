// @module-tag slow
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { deliverySettings } from '../../api/delivery/testing/delivery-settings.ts';
import { EXIT } from '../../data/runtime/exit-codes.ts';
import { freePort } from '../../data/runtime/testing/free-port.ts';
import { type PostgresServer, startPostgres } from '../../data/store/testing/postgres-server.ts';
import { LEDGER_ADDRESS_ENV, spawnApi } from '../../indexer/testing/processes.ts';
import { type CertificateWithKey, createAuthority } from './tls-certificates.ts';

const PASSWORD = 'correct-horse-battery-staple';
/** PostgreSQL's SSLRequest: its length and its code, each in four bytes. */
const SSL_REQUEST = Buffer.from('0000000804d2162f', 'hex');

let folder: string;
let server: PostgresServer;
let port: number;

const portOf = (listener: Server) => (listener.address() as AddressInfo).port;

/** Starts the server. If another program has taken the free port in the meantime, tries another port. */
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

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tls-'));
  const authority = createAuthority('Authority of the test');
  await writeFile(join(folder, 'right.pem'), authority.certificate);
  await writeFile(join(folder, 'wrong.pem'), createAuthority('Authority of the test').certificate);
  await startOnFreePort(authority.certificateFor('127.0.0.1'));
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

/**
 * Starts a replica, and kills it once it listens.
 * @returns whether it listened, its exit code, and its error output
 */
async function startReplica(url: string, authority: 'right' | 'wrong' | null) {
  const api = spawnApi({
    DATA_DIR: join(folder, 'data'),
    DATABASE_URL: url,
    ...(authority && { DATABASE_CA: join(folder, `${authority}.pem`) }),
    ...deliverySettings(),
    SOLANA_RPC_URLS: 'http://127.0.0.1:1',
    ...LEDGER_ADDRESS_ENV,
  });
  const isReady = await api.ready.then(
    () => true,
    () => false,
  );
  api.child.kill('SIGKILL');
  const { code, stderr } = await api.ended;
  expect(stderr).not.toContain(PASSWORD);
  return { isReady, code, stderr };
}

const urlOf = (host: string, serverPort = port, sslmode = 'verify-full') =>
  `postgres://postgres:${PASSWORD}@${host}:${serverPort}/postgres?sslmode=${sslmode}`;

describe('a replica with a database on another machine', () => {
  it('starts if the authority of DATABASE_CA signed the certificate of the server', async () => {
    expect(await startReplica(urlOf('127.0.0.1'), 'right')).toMatchObject({ isReady: true });
  });

  it.each([
    ['another authority of the same name signed it', '127.0.0.1', 'wrong'],
    ['no authority that Node trusts signed it', '127.0.0.1', null],
    ['it is for another name', 'localhost', 'right'],
  ] as const)('exits with 75, and names DATABASE_CA, if %s', async (_what, host, authority) => {
    const { code, stderr } = await startReplica(urlOf(host), authority);
    expect(code).toBe(EXIT.tryAgain);
    expect(stderr).toContain('DATABASE_CA');
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
    const { code } = await startReplica(urlOf('127.0.0.1', portOf(plainServer)), 'right');
    expect(code).toBe(EXIT.tryAgain);
    expect(received).toEqual([SSL_REQUEST]);
  });

  it('exits with 78, and names DATABASE_URL, if encryption is disabled', async () => {
    const { code, stderr } = await startReplica(urlOf('db.example.com', port, 'disable'), 'right');
    expect(code).toBe(EXIT.configuration);
    expect(stderr).toContain('DATABASE_URL');
  });
});
