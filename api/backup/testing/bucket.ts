import { readdirSync } from 'node:fs';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import S3rver from '@20minutes/s3rver';
import { onTestFinished } from 'vitest';
import type { S3Config } from '../../../data/config/remote-copy-variables.ts';
import { temporaryFolder } from '../../../data/store/testing/temporary-folder.ts';

/** The only key that the server accepts: both its id and its secret. */
const KEY = 'S3RVER';
const BUCKET = 'backups';

/** Changes the body of a request before it reaches the server. Returns null to break the connection. */
type AlterRequest = (request: IncomingMessage, body: Buffer) => Buffer | null;

export interface TestBucket {
  readonly config: S3Config;
  readonly env: Readonly<Record<string, string>>;
  /** The files, and the parts of uploads, that the server has stored on disk. */
  storedFiles(): readonly string[];
  alterRequest: AlterRequest;
}

/**
 * Starts an S3 server with an empty bucket behind a proxy that can alter requests or break their connections. The server and the
 * proxy are closed after the test. The server checks the id of the key. It does not check signatures, because s3rver computes
 * wrong signatures for the path of a bucket.
 */
export async function startBucket(): Promise<TestBucket> {
  const directory = temporaryFolder();
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    allowMismatchedSignatures: true,
    configureBuckets: [{ name: BUCKET, configs: [] }],
  });
  const { port } = await server.run();
  const proxy = createServer(async (incoming, response) => {
    const { method, url: path, headers } = incoming;
    // Null if the sender is killed while sending.
    const received = await buffer(incoming).catch(() => null);
    const body = received && bucket.alterRequest(incoming, received);
    if (body === null) return void response.destroy();
    const { 'transfer-encoding': _, ...otherHeaders } = headers;
    request(
      { port, method, path, headers: { ...otherHeaders, 'content-length': body.length } },
      (serverResponse) => {
        response.writeHead(serverResponse.statusCode ?? 500, serverResponse.headers);
        serverResponse.pipe(response);
      },
    )
      .on('error', () => response.destroy())
      .end(body);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    proxy.close();
    proxy.closeAllConnections();
    await server.close();
  });
  const bucketUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/${BUCKET}`;
  const prefix = 'portal/';
  const keys = { accessKeyId: KEY, secretAccessKey: KEY };
  const bucket: TestBucket = {
    config: { kind: 's3', bucketUrl, region: 'us-east-1', prefix, keep: 14, ...keys },
    env: {
      BACKUP_S3_URL: bucketUrl,
      BACKUP_S3_PREFIX: prefix,
      AWS_ACCESS_KEY_ID: KEY,
      AWS_SECRET_ACCESS_KEY: KEY,
    },
    storedFiles: () => readdirSync(directory, { recursive: true, encoding: 'utf8' }),
    alterRequest: (_, body) => body,
  };
  return bucket;
}
