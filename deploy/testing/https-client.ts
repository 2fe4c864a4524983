import type { IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { connect } from 'node:tls';
import type { Answer } from '../../api/testing/portal-client.ts';
import { HOST, type StartedProxy } from './proxies.ts';

interface RequestFields {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A stream is sent in chunks, without a Content-Length. */
  readonly body?: string | Buffer | Readable;
  /** The address to connect from, as if it were the visitor's. On Linux, any address in 127.0.0.0/8 can be used. */
  readonly from?: string;
}

interface OpenAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
  close(): void;
}

/** Sends one request to the proxy on a new connection. @returns the response as soon as its headers have arrived */
export function openHttps(
  { httpsPort, ca }: StartedProxy,
  path: string,
  { method = 'GET', headers = {}, body, from = '127.0.0.1' }: RequestFields = {},
): Promise<OpenAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<OpenAnswer>();
  const request = httpsRequest({
    host: '127.0.0.1',
    port: httpsPort,
    servername: HOST,
    ca,
    localAddress: from,
    path,
    method,
    headers: { Host: HOST, ...headers },
    agent: false,
  });
  request.on('response', (response) => {
    response.on('error', () => {});
    resolve({
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: response,
      close: () => request.destroy(),
    });
  });
  // The server may answer early and stop reading the body. The error that follows has no effect on the settled promise.
  request.on('error', reject);
  if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) request.end(body);
  else pipeline(body, request).catch(() => {});
  return promise;
}

export async function requestHttps(
  proxy: StartedProxy,
  path: string,
  fields?: RequestFields,
): Promise<Answer> {
  const { status, headers, body, close } = await openHttps(proxy, path, fields);
  const answer = { status, headers, body: await text(body) };
  close();
  return answer;
}

/** Sends raw bytes over TLS. @returns everything received until the connection closes */
export async function sendRawHttps(
  { httpsPort, ca }: StartedProxy,
  bytes: string,
  from: string,
): Promise<string> {
  const to = { host: '127.0.0.1', port: httpsPort, servername: HOST, ca, localAddress: from };
  const socket = connect({ ...to, ALPNProtocols: ['http/1.1'] });
  socket.write(bytes, 'latin1');
  const answer = await text(socket);
  socket.destroy();
  return answer;
}
