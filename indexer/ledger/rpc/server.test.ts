import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { callRpc, type LedgerUnderTest, post, startLedgerUnderTest } from '../testing/ledger-under-test.ts';
import { MOST_BODY_BYTES } from './http.ts';
import { startRpcServer } from './server.ts';
import { MOST_SUBSCRIPTIONS } from './websocket.ts';

let ledger: LedgerUnderTest;
let url: string;

beforeAll(async () => {
  ledger = await startLedgerUnderTest();
  url = ledger.server.url;
});
afterAll(async () => {
  expect(ledger.faults).toEqual([]);
  await ledger.close();
});

describe('ports', () => {
  it('picked freely are adjacent, as web3.js expects them', () => {
    expect(ledger.server.websocketPort).toBe(ledger.server.port + 1);
    expect(ledger.server.url).toBe(`http://127.0.0.1:${ledger.server.port}`);
  });

  it('may be set apart from one another', async () => {
    const server = await startRpcServer(ledger.chain, { port: 0, websocketPort: 0 });
    expect(await callRpc(server.url, 'getHealth', [])).toMatchObject({ result: 'ok' });
    await server.close();
    await expect(fetch(`${server.url}/health`)).rejects.toThrow();
  });

  it('taken already: says so, and leaves the other port free', async () => {
    const taken = createServer();
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, '127.0.0.1', () => {
        const address = taken.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
    const free = await startRpcServer(ledger.chain, { port: 0, websocketPort: 0 });
    await free.close();
    await expect(
      startRpcServer(ledger.chain, { port: free.port, websocketPort: port }),
    ).rejects.toMatchObject({ code: 'EADDRINUSE' });
    const again = await startRpcServer(ledger.chain, { port: free.port, websocketPort: 0 });
    await again.close();
    taken.close();
  });
});

describe('HTTP', () => {
  it('answers its health', async () => {
    const response = await fetch(`${url}/health`);
    expect([response.status, await response.text()]).toEqual([200, 'ok']);
  });

  it('takes nothing but POST, and nothing but JSON', async () => {
    expect((await fetch(url)).status).toBe(405);
    expect((await fetch(url, { method: 'PUT', body: '{}' })).status).toBe(405);
    const body = '{"jsonrpc":"2.0","id":1,"method":"getHealth"}';
    expect((await fetch(url, { method: 'POST', body })).status).toBe(415);
  });

  it('takes a request at any path, with any query', async () => {
    expect(await callRpc(`${url}/v1/rpc?api-key=secret`, 'getHealth', [])).toMatchObject({ result: 'ok' });
  });

  it('a body that is too large is refused, and the next one is not', async () => {
    const { status, reply } = await post(url, `"${'x'.repeat(MOST_BODY_BYTES)}"`);
    expect(status).toBe(413);
    expect(reply).toMatchObject({ error: { code: -32600 } });
    expect(await callRpc(url, 'getHealth', [])).toMatchObject({ result: 'ok' });
  });

  it('a large body within the limit is read', async () => {
    const padding = 'x'.repeat(MOST_BODY_BYTES - 100);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getHealth', params: [padding] });
    expect((await post(url, body)).status).toBe(200);
  });

  it('bytes that are no text are a parse error', async () => {
    const { status, reply } = await post(url, Uint8Array.from([0xff, 0x00, 0xfe]));
    expect([status, reply]).toMatchObject([200, { error: { code: -32700 }, id: null }]);
  });

  it('a notification is answered with no content', async () => {
    expect(await post(url, '{"jsonrpc":"2.0","method":"getHealth"}')).toEqual({ status: 204, reply: null });
  });

  it('a batch is answered member by member', async () => {
    const batch = [
      { jsonrpc: '2.0', id: 'a', method: 'getHealth' },
      { jsonrpc: '2.0', id: 'b', method: 'getBalance', params: [7] },
      { jsonrpc: '2.0', id: 'c', method: 'getBlock', params: [1] },
    ];
    const { reply } = await post(url, JSON.stringify(batch));
    expect(reply).toMatchObject([
      { id: 'a', result: 'ok' },
      { id: 'b', error: { code: -32602 } },
      { id: 'c', error: { code: -32601 } },
    ]);
  });
});

/** A websocket that is asked and answered in turn. */
async function openSocket(address: string): Promise<{
  ask: (message: string) => Promise<unknown>;
  close: () => Promise<void>;
}> {
  const socket = new WebSocket(address);
  const waiting: ((reply: unknown) => void)[] = [];
  socket.on('message', (data) => waiting.shift()?.(JSON.parse(String(data))));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return {
    ask(message) {
      const { promise, resolve } = Promise.withResolvers<unknown>();
      waiting.push(resolve);
      socket.send(message);
      return promise;
    },
    close() {
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      socket.close();
      return closed;
    },
  };
}

const request = (method: string, params: unknown[] = [], id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

describe('websocket', () => {
  it('is served on both ports', async () => {
    for (const port of [ledger.server.port, ledger.server.websocketPort]) {
      const socket = await openSocket(`ws://127.0.0.1:${port}/`);
      expect(await socket.ask(request('getHealth'))).toEqual({ jsonrpc: '2.0', result: 'ok', id: 1 });
      await socket.close();
    }
  });

  it('answers what is wrong and goes on', async () => {
    const socket = await openSocket(ledger.server.websocketUrl);
    expect(await socket.ask('garbage')).toMatchObject({ error: { code: -32700 } });
    expect(await socket.ask(request('voteSubscribe'))).toMatchObject({ error: { code: -32601 } });
    expect(await socket.ask(request('accountSubscribe', ['short']))).toMatchObject({
      error: { code: -32602 },
    });
    expect(await socket.ask(request('accountUnsubscribe', [99]))).toMatchObject({ error: { code: -32602 } });
    expect(await socket.ask(request('logsSubscribe', [{ mentions: [] }]))).toMatchObject({
      error: { code: -32602 },
    });
    expect(await socket.ask(request('slotSubscribe'))).toMatchObject({ result: 1 });
    expect(await socket.ask(request('slotUnsubscribe', [1]))).toMatchObject({ result: true });
    expect(await socket.ask(request('slotUnsubscribe', [1]))).toMatchObject({ error: { code: -32602 } });
    await socket.close();
  });

  it('does not answer the ping of clients', async () => {
    const socket = await openSocket(ledger.server.websocketUrl);
    const reply = socket.ask('{"jsonrpc":"2.0","method":"ping"}');
    void socket.ask(request('getHealth', [], 'after'));
    expect(await reply).toMatchObject({ id: 'after' });
    await socket.close();
  });

  it('is read no further than it is answered, one message after the other', async () => {
    const calls: string[] = [];
    const counted = {
      ...ledger.chain,
      isBlockhashValid: (blockhash: string) => {
        calls.push(blockhash);
        return true;
      },
    };
    const server = await startRpcServer(counted, { port: 0 });
    const socket = await openSocket(server.websocketUrl);
    const [one, other] = ['1'.repeat(32), ledger.chain.genesisHash].map((blockhash) =>
      JSON.stringify(
        Array.from({ length: 50 }, (_, id) => JSON.parse(request('isBlockhashValid', [blockhash], id))),
      ),
    );
    await Promise.all([socket.ask(one ?? ''), socket.ask(other ?? '')]);
    expect(new Set(calls.slice(0, 50)).size).toBe(1);
    expect(calls).toHaveLength(100);
    expect(await socket.ask(request('getHealth'))).toMatchObject({ result: 'ok' });
    await socket.close();
    await server.close();
  });

  it('holds a bounded number of subscriptions', async () => {
    const socket = await openSocket(ledger.server.websocketUrl);
    const batch = Array.from({ length: MOST_SUBSCRIPTIONS }, (_, id) =>
      JSON.parse(request('slotSubscribe', [], id)),
    );
    expect(await socket.ask(JSON.stringify(batch))).toHaveLength(MOST_SUBSCRIPTIONS);
    expect(await socket.ask(request('slotSubscribe'))).toMatchObject({ error: { code: -32600 } });
    await socket.close();
  });

  it('that closes leaves no listener on the ledger', async () => {
    let listeners = 0;
    const counted = {
      ...ledger.chain,
      on: (...[event, listener]: Parameters<typeof ledger.chain.on>) => {
        listeners += 1;
        const stop = ledger.chain.on(event, listener);
        return () => {
          listeners -= 1;
          stop();
        };
      },
    };
    const server = await startRpcServer(counted, { port: 0 });
    const socket = await openSocket(server.websocketUrl);
    await socket.ask(request('slotSubscribe'));
    await socket.ask(request('signatureSubscribe', ['1'.repeat(64)]));
    await socket.ask(request('accountSubscribe', ['11111111111111111111111111111111']));
    await socket.ask(request('getHealth'));
    expect(listeners).toBe(4);
    await socket.close();
    await server.close();
    expect(listeners).toBe(0);
  });
});

describe('a fault inside a method', () => {
  it('is -32603 to the caller, who learns nothing of it, and is reported to the operator', async () => {
    const faults: unknown[] = [];
    const broken = {
      ...ledger.chain,
      account: () => {
        throw new Error('disk I/O error in /home/operator');
      },
    };
    const server = await startRpcServer(broken, { port: 0, reportFault: (...fault) => faults.push(fault) });
    const address = '11111111111111111111111111111111';
    expect(await callRpc(server.url, 'getBalance', [address])).toEqual({
      jsonrpc: '2.0',
      error: { code: -32603, message: 'Internal error' },
      id: 1,
    });
    expect(faults).toEqual([['getBalance', expect.any(Error)]]);
    expect(await callRpc(server.url, 'getHealth', [])).toMatchObject({ result: 'ok' });
    await server.close();
  });
});
