/**
 * The embedded ledger as a Solana node: JSON-RPC over HTTP and subscriptions over a websocket, so that unchanged clients
 * (web3.js, Streamflow's SDK) work against it.
 *
 * Differences from a real node:
 * - Only the methods that the portal, its tools and its tests use are served. Any other method returns -32601.
 * - Accounts are read as of the newest slot, whatever the commitment. Subscriptions to accounts and logs notify immediately.
 *   Finality applies to slots, signatures and transactions only.
 * - There are no forks, votes, rewards or leaders.
 * - A transaction that cannot enter the ledger is rejected even with `skipPreflight`, unless the ledger already has it.
 * - Accounts are encoded as base58 or base64, transactions as json or base64; nothing is parsed.
 * - Simulation returns no inner instructions and no return data; a stored transaction has no `costUnits` and no
 *   `returnData`; the prioritization fee is always 0.
 * - A used durable nonce is replaced by a hash of itself, not of a blockhash.
 * - Requests from pages on another site, or to another host name, are rejected with 403. A page can open a websocket only if
 *   one of the ledger's own ports serves the page.
 * - The replies to a batch have a maximum total size. Once they reach it, the remaining requests get -32600.
 * - Version 1 transactions are rejected.
 */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { LedgerChain } from '../chain.ts';
import { ACCOUNT_METHODS } from './accounts.ts';
import { HISTORY_METHODS } from './history.ts';
import { answerMessage, methodNotFound, type ReportError, RPC_ERROR, stringifyJson } from './json-rpc.ts';
import { NODE_METHODS } from './node.ts';
import { Param } from './params.ts';
import { SENDING_METHODS } from './sending.ts';
import { serveSubscriptions } from './subscriptions.ts';
import { TOKEN_METHODS } from './tokens.ts';

export const MAX_BODY_BYTES = 5 * 1024 * 1024;
/**
 * A client reads the reply only after it has sent its whole body. So the server also reads a body over the limit, up to this
 * size, and discards it.
 */
const MAX_DISCARDED_BYTES = 4 * MAX_BODY_BYTES;
const JSON_TYPE = 'application/json; charset=utf-8';
const TEXT_TYPE = 'text/plain; charset=utf-8';

const OWN_HOSTS = ['localhost', '127.0.0.1', '[::1]'];
const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;
const LOOPBACK_ORIGIN = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

/**
 * The reason to reject a request or upgrade; null if it comes from this machine. A page on any site can open a websocket to a
 * loopback port, and can post JSON to a host name that resolves to 127.0.0.1 (DNS rebinding). The browser sends the page's
 * origin in `Origin` and the host name in `Host`.
 */
function nonLoopbackReason(request: IncomingMessage): string | null {
  const { host, origin } = request.headers;
  if (host === undefined || !LOOPBACK_HOST.test(host)) {
    return 'The ledger answers only at localhost, 127.0.0.1 and [::1]. The Host header has a different name.\n';
  }
  if (origin !== undefined && !LOOPBACK_ORIGIN.test(origin)) {
    return 'The ledger answers only programs and pages on this machine. The Origin header has a different origin.\n';
  }
  return null;
}

/**
 * The reason to reject an upgrade, or null. Browsers let any page open a websocket, including a page that another program on
 * this machine serves. None of the portal's pages opens one. Programs other than browsers send no origin.
 */
function foreignUpgradeReason(request: IncomingMessage, ports: readonly number[]): string | null {
  const { origin } = request.headers;
  const isOwn =
    origin === undefined ||
    ports.some((port) => OWN_HOSTS.some((host) => origin === `http://${host}:${port}`));
  return isOwn
    ? nonLoopbackReason(request)
    : 'Websockets are for programs and for pages of the ledger. The Origin header has a different origin.\n';
}

/** @returns the reply; null if the message contains only notifications */
type AnswerMessage = (text: string) => Promise<string | null>;

function reply(response: ServerResponse, status: number, type: string, text: string): void {
  const body = Buffer.from(text, 'utf8');
  response.writeHead(status, { 'content-length': body.length, 'content-type': type });
  response.end(body);
}

function replyError(response: ServerResponse, status: number, code: number, message: string): void {
  reply(response, status, JSON_TYPE, stringifyJson({ jsonrpc: '2.0', error: { code, message }, id: null }));
}

/** Null if the body is too large. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_DISCARDED_BYTES) break;
    if (length <= MAX_BODY_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  }
  return length > MAX_BODY_BYTES ? null : Buffer.concat(chunks).toString('utf8');
}

/** Lets a page on this machine send JSON and read the answer (https://fetch.spec.whatwg.org/#http-cors-protocol). */
function allowOrigin(request: IncomingMessage, response: ServerResponse): void {
  const { origin } = request.headers;
  response.setHeader('vary', 'origin');
  if (origin !== undefined) response.setHeader('access-control-allow-origin', origin);
}

function answerPreflight(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('access-control-allow-methods', 'POST');
  response.setHeader(
    'access-control-allow-headers',
    request.headers['access-control-request-headers'] ?? 'content-type',
  );
  response.setHeader('access-control-max-age', '86400');
  response.writeHead(204).end();
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  answer: AnswerMessage,
): Promise<void> {
  const refusal = nonLoopbackReason(request);
  if (refusal !== null) return reply(response, 403, TEXT_TYPE, refusal);
  allowOrigin(request, response);
  if (request.method === 'OPTIONS') return answerPreflight(request, response);
  if (request.method !== 'POST') {
    response.setHeader('allow', 'OPTIONS, POST');
    return reply(response, 405, TEXT_TYPE, 'Used HTTP Method is not allowed. POST is required\n');
  }
  // A page on another site can post text without a preflight, but not JSON.
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    const text = 'Supplied content type is not allowed. Content-Type: application/json is required\n';
    return reply(response, 415, TEXT_TYPE, text);
  }
  const body = await readBody(request);
  if (body === null) {
    const message = `Invalid request: a body can have at most ${MAX_BODY_BYTES} bytes`;
    return replyError(response, 413, RPC_ERROR.invalidRequest, message);
  }
  const text = await answer(body);
  if (text === null) response.writeHead(204).end();
  else reply(response, 200, JSON_TYPE, text);
}

const METHODS = new Map(
  [ACCOUNT_METHODS, HISTORY_METHODS, NODE_METHODS, SENDING_METHODS, TOKEN_METHODS].flatMap((methods) =>
    Object.entries(methods),
  ),
);

export interface RpcServer {
  readonly port: number;
  readonly websocketPort: number;
  readonly url: string;
  readonly websocketUrl: string;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
/** Longer than web3.js keeps an idle connection (19 seconds), so web3.js never sends on a closing connection. */
const KEEP_ALIVE_MILLISECONDS = 65_000;
const PORT_ATTEMPTS = 20;

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Listens on a port and the next one, where web3.js expects the websocket. Port 0 picks two free ports. */
async function listenAdjacent(
  http: Server,
  websocket: Server,
  port: number,
  attempts = PORT_ATTEMPTS,
): Promise<number> {
  try {
    const boundPort = await listen(http, port);
    await listen(websocket, boundPort + 1);
    return boundPort;
  } catch (error) {
    await Promise.all([stop(http), stop(websocket)]);
    if (port !== 0 || attempts === 0) throw error;
  }
  return listenAdjacent(http, websocket, port, attempts - 1);
}

function refuseUpgrade(socket: Duplex, text: string): void {
  socket.on('error', () => socket.destroy());
  socket.end(
    `HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}

/**
 * Serves a ledger on a port and the next one; port 0 picks two free ports. Closing the server does not close the ledger.
 *
 * @param report receives unexpected errors in methods; the caller gets -32603 without details
 * @throws {Error} Node's error (EADDRINUSE, EACCES) if a port is not available. In that case both ports are closed.
 */
export async function startRpcServer(
  chain: LedgerChain,
  port: number,
  report: ReportError = (method, error) => console.error(`ledger: ${method} failed:`, error),
): Promise<RpcServer> {
  const call = (method: string, params: readonly unknown[]): unknown => {
    const serve = METHODS.get(method);
    if (serve === undefined) throw methodNotFound(method);
    return serve(chain, new Param(params));
  };
  const listener: RequestListener = (request, response) => {
    handle(request, response, (text) => answerMessage(text, call, report)).catch((error: unknown) => {
      if (request.destroyed && !request.complete) return;
      report('http', error);
      if (response.headersSent) response.destroy();
      else replyError(response, 500, RPC_ERROR.internal, 'Internal error');
    });
  };
  const servers = [createServer(listener), createServer(listener)] as const;
  const webSocketServer = new WebSocketServer({ maxPayload: MAX_BODY_BYTES, noServer: true });
  webSocketServer.on('connection', (socket) => serveSubscriptions(socket, chain, report));
  const ports: number[] = [];
  for (const server of servers) {
    server.keepAliveTimeout = KEEP_ALIVE_MILLISECONDS;
    server.headersTimeout = KEEP_ALIVE_MILLISECONDS + 1000;
    server.on('upgrade', (request, socket, head) => {
      const refusal = foreignUpgradeReason(request, ports);
      if (refusal !== null) return refuseUpgrade(socket, refusal);
      webSocketServer.handleUpgrade(request, socket, head, (upgraded) =>
        webSocketServer.emit('connection', upgraded, request),
      );
    });
  }
  const boundPort = await listenAdjacent(...servers, port);
  ports.push(boundPort, boundPort + 1);
  return {
    port: boundPort,
    websocketPort: boundPort + 1,
    url: `http://${HOST}:${boundPort}`,
    websocketUrl: `ws://${HOST}:${boundPort + 1}`,
    async close() {
      for (const socket of webSocketServer.clients) socket.terminate();
      webSocketServer.close();
      await Promise.all(servers.map(stop));
    },
  };
}
