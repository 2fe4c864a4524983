import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import WebSocket from 'ws';
import { callRpc, post, type ServedLedger, startServedLedger } from '../testing/test-ledger.ts';
import { MAX_BODY_BYTES, startRpcServer } from './server.ts';

const GET_SLOT = '{"jsonrpc":"2.0","id":1,"method":"getSlot"}';
const SYSTEM = '11111111111111111111111111111111';

let ledger: ServedLedger;
let url: string;
beforeAll(async () => {
  ledger = await startServedLedger();
  url = ledger.server.url;
});
afterAll(async () => {
  expect(ledger.errors).toEqual([]);
  await ledger.close();
});

describe('the methods', () => {
  // A change to this list is a design decision. See docs/decisions/ledger-methods.md.
  const served = `
    advanceClock getAccountInfo getBalance getBlockHeight getBlockTime getFeeForMessage getFirstAvailableBlock getGenesisHash
    getLatestBlockhash getMinimumBalanceForRentExemption getMultipleAccounts getProgramAccounts
    getRecentPrioritizationFees getSignatureStatuses getSignaturesForAddress getSlot getTokenAccountBalance
    getTokenAccountsByDelegate getTokenAccountsByOwner getTokenLargestAccounts getTransaction getTransactionCount
    requestAirdrop sendTransaction simulateTransaction`;
  const notServed = `
    getBlock getEpochInfo getHealth getTokenSupply getTransactionsForAddress getVersion isBlockhashValid slotSubscribe`;
  const names = (text: string): string[] => text.trim().split(/\s+/);

  it.each(names(served))('include %s', async (method) => {
    expect(await callRpc(url, method)).not.toMatchObject({ error: { code: -32601 } });
  });

  it.each(names(notServed))('do not include %s, which gets the error -32601', async (method) => {
    expect(await callRpc(url, method)).toMatchObject({ id: 1, error: { code: -32601 } });
  });
});

describe('a server', () => {
  it('releases its HTTP port if its websocket port is in use', async () => {
    const checkPorts = async () => {
      const free = await startRpcServer(ledger.chain, 0);
      await free.close();
      const taken = createServer().listen(free.websocketPort, '127.0.0.1');
      await once(taken, 'listening');
      await expect(startRpcServer(ledger.chain, free.port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
      await new Promise((resolve) => taken.close(resolve));
      const again = await startRpcServer(ledger.chain, free.port);
      await again.close();
      await expect(fetch(again.url)).rejects.toThrow();
    };
    // If the check fails, it is repeated with other ports, because another program may have taken one of these.
    await vi.waitFor(checkPorts, { timeout: 30_000 });
  });
});

describe('the HTTP server', () => {
  it('accepts only POST with JSON', async () => {
    expect((await fetch(url)).status).toBe(405);
    expect((await fetch(url, { method: 'PUT', body: '{}' })).status).toBe(405);
    expect((await fetch(url, { method: 'POST', body: GET_SLOT })).status).toBe(415);
  });

  it('accepts any path and query', async () => {
    expect(await callRpc(`${url}/v1/rpc?api-key=secret`, 'getSlot')).toHaveProperty('result');
  });

  it('rejects a body that is too large, and answers the next request', async () => {
    const { status, reply } = await post(url, `"${'x'.repeat(MAX_BODY_BYTES)}"`);
    expect(status).toBe(413);
    expect(reply).toMatchObject({ error: { code: -32600 } });
    const padding = 'x'.repeat(MAX_BODY_BYTES - 100);
    const largest = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getSlot', params: [padding] });
    expect(await post(url, largest)).toMatchObject({ status: 200, reply: { error: { code: -32602 } } });
  });

  it('answers a notification with 204', async () => {
    expect(await post(url, '{"jsonrpc":"2.0","method":"getSlot"}')).toEqual({ status: 204, reply: null });
  });

  it('answers with -32603 if a method throws, and reports the error', async () => {
    const errors: unknown[] = [];
    const account = () => {
      throw new Error('disk I/O error in /home/operator');
    };
    const server = await startRpcServer({ ...ledger.chain, account }, 0, (...error) => errors.push(error));
    expect(await callRpc(server.url, 'getBalance', [SYSTEM])).toEqual({
      jsonrpc: '2.0',
      error: { code: -32603, message: 'Internal error' },
      id: 1,
    });
    expect(errors).toEqual([['getBalance', expect.any(Error)]]);
    await server.close();
  });
});

type Headers = Readonly<Record<string, string>>;
type Answer = { readonly status: number; readonly headers: Record<string, unknown> };

/** Does not use `fetch`, because that does not let a caller set `Host` and `Origin`. */
function send(port: number, headers: Headers, method = 'POST'): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const options = { host: '127.0.0.1', port, method, path: '/', agent: false };
  httpRequest({ ...options, headers: { 'content-type': 'application/json', ...headers } }, (response) => {
    response.resume();
    resolve({ status: response.statusCode ?? 0, headers: response.headers });
  })
    .on('error', reject)
    .end(method === 'POST' ? GET_SLOT : undefined);
  return promise;
}

/** The HTTP status; 101 if the websocket opened. */
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

describe('a foreign caller is rejected with 403 on both ports, over HTTP and websocket:', () => {
  it.each<[string, Headers]>([
    ['a page on another site', { origin: 'https://evil.example' }],
    ['a page on a site with a similar name', { origin: 'http://localhost.evil.example:8899' }],
    ['a page whose origin has our name as its user name', { origin: 'http://localhost@evil.example' }],
    ['a sandboxed page, or a page from a file', { origin: 'null' }],
    ['a browser extension', { origin: 'chrome-extension://aaaabbbbccccddddeeeeffffgggghhhh' }],
    ['a program that names another host that resolves to this machine', { host: 'evil.example' }],
    ['a program that names such a host and our port', { host: 'evil.example:8899' }],
    [
      'a page on a domain that resolves to this machine (DNS rebinding)',
      { host: 'evil.example:8899', origin: 'http://evil.example:8899' },
    ],
    ['a program that names a host that starts like ours', { host: '127.0.0.1.evil.example' }],
    ['a program that names an address on the local network', { host: '192.168.0.7:8899' }],
    [
      'a page on localhost that names another host',
      { host: 'evil.example', origin: 'http://localhost:4000' },
    ],
  ])('%s', async (_what, headers) => {
    for (const port of ports()) {
      for (const method of ['POST', 'GET', 'OPTIONS']) {
        const refused = await send(port, headers, method);
        expect(refused.status).toBe(403);
        expect(refused.headers).not.toHaveProperty('access-control-allow-origin');
      }
      expect(await upgradeStatus(port, headers)).toBe(403);
    }
  });
});

const ownOrigins = (): string[] =>
  ports().flatMap((port) => ['localhost', '127.0.0.1', '[::1]'].map((host) => `http://${host}:${port}`));

describe('a websocket on either port', () => {
  it('opens for a page from any of the ledger’s own origins', async () => {
    for (const origin of ownOrigins())
      for (const port of ports()) expect(await upgradeStatus(port, { origin }), origin).toBe(101);
  });

  it('is refused to a page of another program on this machine', async () => {
    const [own = ''] = ownOrigins();
    const others = ['http://localhost:4000', 'http://127.0.0.1:4321', 'https://[::1]', 'http://localhost'];
    for (const origin of [...others, own.replace('http:', 'https:'), `${own}0`, `${own}/`])
      for (const port of ports()) expect(await upgradeStatus(port, { origin }), origin).toBe(403);
  });
});

describe('a caller on this machine is served over HTTP on both ports, and a program also over websocket:', () => {
  it.each<[string, Headers]>([
    ['a program that names the address', {}],
    ['a program that names localhost, in any case', { host: 'LocalHost:8899' }],
    ['a program that names no port', { host: 'localhost' }],
    ['a program that names the IPv6 address', { host: '[::1]:8899' }],
    ['a page on localhost', { origin: 'http://localhost:4000' }],
    ['a page on 127.0.0.1', { origin: 'http://127.0.0.1:4321' }],
    ['a page on the IPv6 address', { origin: 'https://[::1]' }],
  ])('%s', async (_what, headers) => {
    for (const port of ports()) {
      const answer = await send(port, headers);
      expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, headers.origin]);
      if (headers.origin === undefined) expect(await upgradeStatus(port, headers)).toBe(101);
    }
  });

  it('a page that sends a CORS preflight to the HTTP port', async () => {
    const preflight = {
      origin: 'http://localhost:4000',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,solana-client',
    };
    expect(await send(ledger.server.port, preflight, 'OPTIONS')).toMatchObject({
      status: 204,
      headers: {
        'access-control-allow-origin': 'http://localhost:4000',
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'content-type,solana-client',
        vary: 'origin',
      },
    });
  });
});
