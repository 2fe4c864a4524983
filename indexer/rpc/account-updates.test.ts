import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { LEDGER, ledgerKeypair } from '../ledger/addresses.ts';
import { acceptedTransaction } from '../ledger/testing/test-ledger.ts';
import { depositTransactionBytes } from '../ledger/transactions.ts';
import { endpointsAt } from '../testing/fake-server.ts';
import { startTestChain, type TestChain } from '../testing/test-chain.ts';
import { followAccountUpdates, subscriptionUrl } from './account-updates.ts';

const log = pino({ level: 'silent' });

let ledger: TestChain;
let controller: AbortController;
let updates: ReturnType<typeof followAccountUpdates>;
let changeCount: number;
let distrusted: string[];
beforeEach(async () => {
  ledger = await startTestChain();
  controller = new AbortController();
  changeCount = 0;
  distrusted = [];
});
afterEach(async () => {
  controller.abort();
  await updates.ended;
  await ledger.close();
});

function follow(...urls: readonly string[]): void {
  const { signal } = controller;
  const onChange = (): void => {
    changeCount += 1;
  };
  const endpoints = endpointsAt(...urls);
  const isTrusted = (name: string) => !distrusted.includes(name);
  updates = followAccountUpdates({ endpoints, isTrusted, addresses: [LEDGER.vault], onChange, log, signal });
}

const deposit = () => {
  const { blockhash } = ledger.chain.latestBlockhash();
  const wire = depositTransactionBytes(ledgerKeypair('holder-1'), { amount: 1n }, blockhash);
  acceptedTransaction(ledger.chain.send(wire, { skipPreflight: false }));
};

/** A websocket server. The port in its `url` is one below its own, because the client adds 1 to the port of an RPC URL. */
async function startSocketServer(
  onMessage: (request: { id: number }, send: (reply: object) => void) => void,
) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  let connectionCount = 0;
  server.on('connection', (socket) => {
    connectionCount += 1;
    const send = (reply: object): void => socket.send(JSON.stringify({ jsonrpc: '2.0', ...reply }));
    socket.on('message', (text) => onMessage(JSON.parse(String(text)), send));
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port - 1}`,
    connectionCount: () => connectionCount,
    drop: () => {
      for (const client of server.clients) client.terminate();
    },
    close: async () => {
      for (const client of server.clients) client.terminate();
      server.close();
      await once(server, 'close');
    },
  };
}

describe('account updates', () => {
  it('trigger a read when the subscription begins and after each change', async () => {
    follow(ledger.url);
    await expect.poll(() => updates.isLive()).toBe(true);
    expect(changeCount).toBe(1);
    deposit();
    await expect.poll(() => changeCount).toBe(2);
  });

  it('come from the next endpoint if one has no websocket, or refuses a subscription', async () => {
    const refusing = await startSocketServer(({ id }, send) =>
      send({ id, error: { code: -32601, message: 'no' } }),
    );
    follow('http://127.0.0.1:9', refusing.url, ledger.url);
    await expect.poll(() => updates.isLive()).toBe(true);
    deposit();
    await expect.poll(() => changeCount).toBe(2);
    expect(refusing.connectionCount()).toBe(1);
    await refusing.close();
  });

  it('do not come from a distrusted endpoint, which may be on another chain', async () => {
    const silent = await startSocketServer(({ id }, send) => send({ id, result: id }));
    distrusted = [new URL(silent.url).host];
    follow(silent.url, ledger.url);
    await expect.poll(() => updates.isLive()).toBe(true);
    expect(silent.connectionCount()).toBe(0);
    await silent.close();
  });

  it('trigger a read when the connection ends, and continue once it is back', async () => {
    const server = await startSocketServer(({ id }, send) => send({ id, result: id }));
    follow(server.url);
    await expect.poll(() => updates.isLive()).toBe(true);
    server.drop();
    await expect.poll(() => changeCount).toBe(3);
    expect(updates.isLive()).toBe(true);
    expect(server.connectionCount()).toBe(2);
    await server.close();
    await expect.poll(() => updates.isLive()).toBe(false);
  });
});

// Source: web3.js 1.99, `makeWebsocketUrl`.
it.each([
  ['https://mainnet.helius-rpc.com/?api-key=key', 'wss://mainnet.helius-rpc.com/?api-key=key'],
  ['http://127.0.0.1:8899', 'ws://127.0.0.1:8900/'],
  ['https://node.example:8443/path', 'wss://node.example:8444/path'],
])('subscriptions to %s go to %s', (url, expected) => {
  expect(subscriptionUrl(url)).toBe(expected);
});
