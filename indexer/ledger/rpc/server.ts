/**
 * The embedded ledger as a Solana node: JSON-RPC over HTTP and websocket, so that unchanged clients (web3.js, kit, helius-sdk)
 * work against it.
 *
 * Known differences from a real node:
 * - Account state is the newest at any commitment, and so are account, program and logs subscriptions; finality counts for
 *   slots, signatures and transactions.
 * - There are no forks, votes, blocks, rewards or leaders, and no method that is about them: they answer -32601.
 * - A transaction that cannot enter the ledger is refused even with `skipPreflight`, save one that is there already.
 * - Simulation answers no inner instructions, balances or fee; a stored transaction has no `costUnits` and no `returnData`;
 *   getEpochInfo has no `transactionCount`; the prioritization fee is always 0.
 * - Parsed forms: mints, token accounts, multisigs; instructions of system, token, associated token account and memo
 *   programs. Anything else is as of a program that a node does not know.
 * - Requests that a browser makes for a page of another machine, or under another host name, are refused with 403.
 * - The replies of a batch have a largest size together; requests beyond it answer -32600.
 * - The websocket takes any method, not only subscriptions, and is served on the HTTP port too.
 * - Transactions of version 1 are not served.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { LedgerChain } from '../chain.ts';
import { createHttpListener, MOST_BODY_BYTES } from './http.ts';
import { answerMessage, type CallMethod, methodNotFound, type ReportFault } from './json-rpc.ts';
import { foreignFault } from './loopback-only.ts';
import { METHODS } from './methods.ts';
import { serveWebSocket } from './websocket.ts';

export interface RpcServerOptions {
  /** 0 picks a free port. */
  readonly port: number;
  /** Absent is the port after `port`, where web3.js looks for it; 0 picks a free one. */
  readonly websocketPort?: number;
  /** Absent is the loopback interface. */
  readonly host?: string;
  /** Told of faults inside methods, which callers see as -32603. Absent writes them to the console. */
  readonly reportFault?: ReportFault;
}

export interface RpcServer {
  readonly port: number;
  readonly websocketPort: number;
  readonly url: string;
  readonly websocketUrl: string;
  close(): Promise<void>;
}

/** Longer than the 19 seconds that web3.js keeps an idle connection, so that it never writes to one we are closing. */
const KEEP_ALIVE_MILLISECONDS = 65_000;
/** How often a pair of adjacent free ports is looked for before any pair will do. */
const ADJACENT_ATTEMPTS = 20;
const HIGHEST_PORT = 65_535;

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error): void => reject(error);
    server.once('error', onError);
    server.listen(port, host, () => {
      server.off('error', onError);
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

function isInUse(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

/** Listens on a free port and, while attempts are left, on the one after it. */
async function listenAdjacent(
  main: Server,
  second: Server,
  host: string,
  attempts = ADJACENT_ATTEMPTS,
): Promise<readonly [number, number]> {
  const port = await listen(main, 0, host);
  if (attempts === 0) return [port, await listen(second, 0, host)];
  try {
    if (port < HIGHEST_PORT) return [port, await listen(second, port + 1, host)];
  } catch (error) {
    if (!isInUse(error)) throw error;
  }
  await stop(main);
  return listenAdjacent(main, second, host, attempts - 1);
}

async function listenBoth(
  main: Server,
  second: Server,
  { port, websocketPort, host = '127.0.0.1' }: RpcServerOptions,
): Promise<readonly [number, number]> {
  try {
    if (port === 0 && websocketPort === undefined) return await listenAdjacent(main, second, host);
    const taken = await listen(main, port, host);
    return [taken, await listen(second, websocketPort ?? taken + 1, host)];
  } catch (error) {
    await Promise.all([stop(main), stop(second)]);
    throw error;
  }
}

/** Answers an upgrade with 403 and hangs up. */
function refuseUpgrade(socket: Duplex, text: string): void {
  socket.on('error', () => socket.destroy());
  socket.end(
    `HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}

/** A host as it stands in a URL: an IPv6 address in brackets. */
function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/**
 * Serves a ledger. Rejects with node's own error (EADDRINUSE, EACCES) where a port cannot be had; nothing is left listening
 * then. The ledger is not closed with the server.
 */
export async function startRpcServer(chain: LedgerChain, options: RpcServerOptions): Promise<RpcServer> {
  const report: ReportFault =
    options.reportFault ?? ((method, fault) => console.error(`ledger: ${method} failed:`, fault));
  const call: CallMethod = (method, params) => {
    const serve = METHODS.get(method);
    if (serve === undefined) throw methodNotFound(method);
    return serve(chain, params);
  };
  const listener = createHttpListener((text) => answerMessage(text, call, report), report);
  const servers = [createServer(listener), createServer(listener)] as const;
  const sockets = new WebSocketServer({ maxPayload: MOST_BODY_BYTES, noServer: true });
  sockets.on('connection', (socket) => serveWebSocket(socket, chain, call, report));
  for (const server of servers) {
    server.keepAliveTimeout = KEEP_ALIVE_MILLISECONDS;
    server.headersTimeout = KEEP_ALIVE_MILLISECONDS + 1000;
    server.on('upgrade', (request, socket, head) => {
      const foreign = foreignFault(request);
      if (foreign !== null) return refuseUpgrade(socket, `${foreign}\n`);
      sockets.handleUpgrade(request, socket, head, (upgraded) =>
        sockets.emit('connection', upgraded, request),
      );
    });
  }
  const [port, websocketPort] = await listenBoth(...servers, options);
  const host = urlHost(options.host ?? '127.0.0.1');
  return {
    port,
    websocketPort,
    url: `http://${host}:${port}`,
    websocketUrl: `ws://${host}:${websocketPort}`,
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      await Promise.all(servers.map(stop));
    },
  };
}
