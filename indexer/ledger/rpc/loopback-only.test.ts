import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { type LedgerUnderTest, startLedgerUnderTest } from '../testing/ledger-under-test.ts';

let ledger: LedgerUnderTest;
beforeAll(async () => {
  ledger = await startLedgerUnderTest();
});
afterAll(() => ledger.close());

type Headers = Readonly<Record<string, string>>;

/** The HTTP status of a good call. Goes below fetch, which does not let a caller choose its Host. */
function statusOf(port: number, headers: Headers, method = 'POST', path = '/'): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const options = { host: '127.0.0.1', port, method, path, agent: false };
  request({ ...options, headers: { 'content-type': 'application/json', ...headers } }, (response) => {
    response.resume();
    resolve(response.statusCode ?? 0);
  })
    .on('error', reject)
    .end(method === 'POST' ? '{"jsonrpc":"2.0","id":1,"method":"getHealth"}' : undefined);
  return promise;
}

/** The HTTP status of a websocket's upgrade: 101 where it opened. */
function upgradeStatus(port: number, headers: Headers): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`, { headers });
  socket.on('open', () => {
    socket.terminate();
    resolve(101);
  });
  socket.on('unexpected-response', (_, response) => {
    response.resume();
    resolve(response.statusCode ?? 0);
  });
  socket.on('error', reject);
  return promise;
}

const ports = (): number[] => [ledger.server.port, ledger.server.websocketPort];

describe('a stranger, on both ports, over HTTP and websocket, is refused with 403', () => {
  it.each<[string, Headers]>([
    ['a page of another site', { origin: 'https://evil.example' }],
    ['a page of another site that is named like us', { origin: 'http://localhost.evil.example:8899' }],
    ['a page with a user name like ours', { origin: 'http://localhost@evil.example' }],
    ['a page in a sandbox, or in a file', { origin: 'null' }],
    ['a browser extension', { origin: 'chrome-extension://aaaabbbbccccddddeeeeffffgggghhhh' }],
    ['a name that was made to point here', { host: 'evil.example' }],
    ['that name with our port', { host: 'evil.example:8899' }],
    ['that name as origin too', { host: 'evil.example:8899', origin: 'http://evil.example:8899' }],
    ['a name that begins like ours', { host: '127.0.0.1.evil.example' }],
    ['an address of the network', { host: '192.168.0.7:8899' }],
    ['a loopback page under a foreign name', { host: 'evil.example', origin: 'http://localhost:4000' }],
  ])('%s', async (_what, headers) => {
    for (const port of ports()) {
      expect(await statusOf(port, headers)).toBe(403);
      expect(await statusOf(port, headers, 'GET', '/health')).toBe(403);
      expect(await statusOf(port, headers, 'OPTIONS')).toBe(403);
      expect(await upgradeStatus(port, headers)).toBe(403);
    }
  });
});

describe('whoever is of this machine is served, on both ports, over HTTP and websocket', () => {
  it.each<[string, Headers]>([
    ['a program that names the address', {}],
    ['a program that names localhost, in any case', { host: 'LocalHost:8899' }],
    ['a program that names no port', { host: 'localhost' }],
    ['a program that names the IPv6 address', { host: '[::1]:8899' }],
    ['a page of localhost', { origin: 'http://localhost:4000' }],
    ['a page of 127.0.0.1', { origin: 'http://127.0.0.1:4321' }],
    ['a page of the IPv6 address', { origin: 'https://[::1]' }],
  ])('%s', async (_what, headers) => {
    for (const port of ports()) {
      expect(await statusOf(port, headers)).toBe(200);
      expect(await upgradeStatus(port, headers)).toBe(101);
    }
  });
});
