import { on, once } from 'node:events';
import { createCloseAccountInstruction } from '@solana/spl-token';
import { Keypair, PublicKey, type TransactionInstruction } from '@solana/web3.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { LEDGER, ledgerKeypair } from '../addresses.ts';
import { SYSTEM_PROGRAM } from '../programs.ts';
import {
  acceptedTransaction,
  type ServedLedger,
  sendInstructions,
  startServedLedger,
} from '../testing/test-ledger.ts';
import { bdAccountOf, openTokenAccountInstruction, transferLamportsInstruction } from '../transactions.ts';
import { startRpcServer } from './server.ts';
import { MAX_SUBSCRIPTIONS } from './subscriptions.ts';

const payer = ledgerKeypair('holder-1');
const gift = (to = Keypair.generate()) => transferLamportsInstruction(payer, to, 1_000_000n);

interface Client {
  next(): Promise<unknown>;
  ask(message: string): Promise<unknown>;
  call(method: string, params?: readonly unknown[]): Promise<unknown>;
  close(): Promise<void>;
}

const request = (method: string, params: readonly unknown[] = [], id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

async function openClient(url: string): Promise<Client> {
  const socket = new WebSocket(url);
  const messages = on(socket, 'message');
  await once(socket, 'open');
  const next = async (): Promise<unknown> => {
    const { value = [] } = await messages.next();
    return JSON.parse(String(value[0]));
  };
  const ask = (message: string): Promise<unknown> => {
    socket.send(message);
    return next();
  };
  return {
    next,
    ask,
    call: (method, params) => ask(request(method, params)),
    async close() {
      socket.close();
      await once(socket, 'close');
    },
  };
}

let ledger: ServedLedger;
let client: Client;
beforeAll(async () => {
  ledger = await startServedLedger();
});
afterAll(async () => {
  expect(ledger.errors).toEqual([]);
  await ledger.close();
});
beforeEach(async () => {
  ledger.advance(1);
  client = await openClient(ledger.server.websocketUrl);
});
afterEach(() => client.close());

function send(instructions: readonly TransactionInstruction[], signers = [payer]): string {
  return acceptedTransaction(sendInstructions(ledger.chain, signers, instructions)).signature;
}

describe('a subscription to a signature', () => {
  it('replies with its id, announces a transaction that is already stored, and ends', async () => {
    const signature = send([gift()]);
    expect(await client.call('signatureSubscribe', [signature, { commitment: 'confirmed' }])).toMatchObject({
      result: 1,
    });
    expect(await client.next()).toMatchObject({
      jsonrpc: '2.0',
      method: 'signatureNotification',
      params: { subscription: 1, result: { context: { slot: expect.any(Number) }, value: { err: null } } },
    });
    expect(await client.call('signatureUnsubscribe', [1])).toMatchObject({ error: { code: -32602 } });
  });
});

describe('a subscription to an account', () => {
  it('announces data in base64 if it is too long for base58', async () => {
    const friend = Keypair.generate().publicKey.toBase58();
    await client.call('accountSubscribe', [bdAccountOf(friend), { encoding: 'base58' }]);
    send([openTokenAccountInstruction(payer.publicKey.toBase58(), friend, LEDGER.mint)]);
    expect(await client.next()).toMatchObject({
      method: 'accountNotification',
      params: { result: { value: { data: [expect.any(String), 'base64'], space: 165 } } },
    });
  });

  it('announces a closed account with zero lamports and no data', async () => {
    const own = Keypair.generate();
    const owner = own.publicKey;
    const account = bdAccountOf(owner.toBase58());
    send([openTokenAccountInstruction(payer.publicKey.toBase58(), owner.toBase58(), LEDGER.mint)]);
    await client.call('accountSubscribe', [account, { encoding: 'base64' }]);
    send([createCloseAccountInstruction(new PublicKey(account), payer.publicKey, owner)], [payer, own]);
    expect(await client.next()).toMatchObject({
      params: { result: { value: { lamports: 0, owner: SYSTEM_PROGRAM, data: ['', 'base64'], space: 0 } } },
    });
  });

  it('announces nothing after accountUnsubscribe', async () => {
    await client.call('accountSubscribe', [payer.publicKey.toBase58(), { encoding: 'base64' }]);
    expect(await client.call('accountUnsubscribe', [1])).toMatchObject({ result: true });
    send([gift()]);
    expect(await client.call('slotSubscribe')).toMatchObject({ result: 2 });
  });
});

describe('a logs subscription', () => {
  it('for one address announces only the transactions that mention it', async () => {
    const friend = Keypair.generate();
    await client.call('logsSubscribe', [{ mentions: [friend.publicKey.toBase58()] }]);
    send([gift()]);
    const signature = send([gift(friend)]);
    expect(await client.next()).toMatchObject({
      method: 'logsNotification',
      params: { result: { value: { signature, err: null, logs: expect.any(Array) } } },
    });
  });

  it('for all transactions announces each of them', async () => {
    await client.call('logsSubscribe', ['all']);
    const signature = send([gift()]);
    expect(await client.next()).toMatchObject({ params: { result: { value: { signature } } } });
  });
});

describe('a connection', () => {
  it('stays open after invalid messages, which are answered with errors', async () => {
    for (const [message, code] of [
      ['garbage', -32700],
      [request('voteSubscribe'), -32601],
      [request('getSlot'), -32601],
      [request('accountSubscribe', ['short']), -32602],
      [request('accountUnsubscribe', [99]), -32602],
      [request('logsSubscribe', [{ mentions: [] }]), -32602],
    ] as const) {
      expect(await client.ask(message)).toMatchObject({ error: { code } });
    }
    expect(await client.call('slotSubscribe')).toMatchObject({ result: 1 });
    expect(await client.call('slotUnsubscribe', [1])).toMatchObject({ result: true });
    expect(await client.call('slotUnsubscribe', [1])).toMatchObject({ error: { code: -32602 } });
  });

  it('ignores the ping of web3.js', async () => {
    const reply = client.ask('{"jsonrpc":"2.0","method":"ping"}');
    void client.ask(request('slotSubscribe', [], 'after'));
    expect(await reply).toMatchObject({ id: 'after' });
  });

  it('accepts a limited number of subscriptions', async () => {
    const batch = Array.from({ length: MAX_SUBSCRIPTIONS }, () => JSON.parse(request('slotSubscribe')));
    expect(await client.ask(JSON.stringify(batch))).toHaveLength(MAX_SUBSCRIPTIONS);
    expect(await client.call('slotSubscribe')).toMatchObject({ error: { code: -32600 } });
  });

  it('answers its messages one at a time', async () => {
    const readSignatures: string[] = [];
    const recordingChain = {
      ...ledger.chain,
      transaction(signature: string) {
        readSignatures.push(signature);
        return null;
      },
    };
    const server = await startRpcServer(recordingChain, 0);
    const other = await openClient(server.websocketUrl);
    const [first, second] = ['1'.repeat(64), `${'1'.repeat(63)}2`].map((signature) =>
      JSON.stringify(
        Array.from({ length: 50 }, () => JSON.parse(request('signatureSubscribe', [signature]))),
      ),
    );
    await Promise.all([other.ask(first ?? ''), other.ask(second ?? '')]);
    // Each call reads one transaction. The first message is answered before the second, so the first 50 reads have one
    // signature.
    expect(new Set(readSignatures.slice(0, 50)).size).toBe(1);
    await other.close();
    await server.close();
  });

  it('leaves no listener on the ledger when it closes', async () => {
    let listeners = 0;
    const countingChain = {
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
    const server = await startRpcServer(countingChain, 0);
    const other = await openClient(server.websocketUrl);
    await other.call('slotSubscribe');
    await other.call('signatureSubscribe', ['1'.repeat(64)]);
    await other.call('accountSubscribe', [SYSTEM_PROGRAM]);
    await other.call('accountUnsubscribe', [99]);
    // A signature subscription has two listeners: one for transactions and one for slots.
    expect(listeners).toBe(4);
    await other.close();
    await server.close();
    // The server's side of a connection may close a little later.
    await expect.poll(() => listeners).toBe(0);
  });
});
