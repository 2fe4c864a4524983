import { createCloseAccountInstruction } from '@solana/spl-token';
import { Keypair, PublicKey, type TransactionInstruction } from '@solana/web3.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { LEDGER } from '../addresses.ts';
import { SYSTEM_PROGRAM } from '../programs.ts';
import { type LedgerUnderTest, startLedgerUnderTest } from '../testing/ledger-under-test.ts';
import { bdAccountOf, openTokenAccount } from '../token-instructions.ts';
import { lamportsInstruction, signedWire } from '../transactions.ts';
import { ledgerKeypair } from '../wallets.ts';

const payer = ledgerKeypair('holder-1');

let ledger: LedgerUnderTest;
let socket: WebSocket;
/** Everything that came over the socket and was not looked at yet, and who waits for more. */
let arrived: unknown[];
let wake: () => void;

beforeAll(async () => {
  ledger = await startLedgerUnderTest();
});
afterAll(async () => {
  expect(ledger.faults).toEqual([]);
  await ledger.close();
});
beforeEach(async () => {
  ledger.advance(1);
  arrived = [];
  wake = () => undefined;
  socket = new WebSocket(ledger.server.websocketUrl);
  socket.on('message', (data) => {
    arrived.push(JSON.parse(String(data)));
    wake();
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
});
afterEach(() => socket.close());

async function next(): Promise<unknown> {
  while (arrived.length === 0) {
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
  return arrived.shift();
}

async function subscribe(method: string, params: unknown[]): Promise<unknown> {
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 'subscribe', method, params }));
  return next();
}

function send(instructions: readonly TransactionInstruction[]): string {
  const wire = signedWire(instructions, [payer], ledger.chain.latestBlockhash().blockhash);
  const outcome = ledger.chain.send(wire, { skipPreflight: false });
  if (outcome.kind !== 'accepted') throw new Error(JSON.stringify(outcome));
  return outcome.transaction.signature;
}

describe('a subscription to a signature', () => {
  it('is told at once of what is there already, after its id, and is over then', async () => {
    const signature = send([lamportsInstruction(payer, Keypair.generate(), 1_000_000n)]);
    expect(await subscribe('signatureSubscribe', [signature, { commitment: 'confirmed' }])).toMatchObject({
      result: 1,
    });
    expect(await next()).toMatchObject({
      jsonrpc: '2.0',
      method: 'signatureNotification',
      params: { subscription: 1, result: { context: { slot: expect.any(Number) }, value: { err: null } } },
    });
    expect(await subscribe('signatureUnsubscribe', [1])).toMatchObject({ error: { code: -32602 } });
  });

  it('tells the receipt too where that is asked for', async () => {
    const wire = signedWire(
      [lamportsInstruction(payer, Keypair.generate(), 1_000_000n)],
      [payer],
      ledger.chain.latestBlockhash().blockhash,
    );
    const simulated = ledger.chain.send(wire, { skipPreflight: false });
    const signature = simulated.kind === 'accepted' ? simulated.transaction.signature : '';
    await subscribe('signatureSubscribe', [
      signature,
      { commitment: 'finalized', enableReceivedNotification: true },
    ]);
    expect(await next()).toMatchObject({ params: { result: { value: 'receivedSignature' } } });
    ledger.finalize();
    expect(await next()).toMatchObject({ params: { result: { value: { err: null } } } });
  });
});

describe('a subscription to an account', () => {
  const friend = Keypair.generate();
  const holding = bdAccountOf(friend.publicKey.toBase58());
  const own = Keypair.generate();

  it('gets states too long for base58 in base64', async () => {
    await subscribe('accountSubscribe', [holding, { encoding: 'base58' }]);
    send([openTokenAccount(payer.publicKey.toBase58(), friend.publicKey.toBase58(), LEDGER.mint)]);
    expect(await next()).toMatchObject({
      method: 'accountNotification',
      params: { result: { value: { data: [expect.any(String), 'base64'], space: 165 } } },
    });
  });

  it('learns that the account is gone: no lamports, no data', async () => {
    const owner = own.publicKey;
    const account = bdAccountOf(owner.toBase58());
    send([openTokenAccount(payer.publicKey.toBase58(), owner.toBase58(), LEDGER.mint)]);
    await subscribe('accountSubscribe', [account, { encoding: 'base64' }]);
    const close = createCloseAccountInstruction(new PublicKey(account), payer.publicKey, owner);
    const wire = signedWire([close], [payer, own], ledger.chain.latestBlockhash().blockhash);
    expect(ledger.chain.send(wire, { skipPreflight: false }).kind).toBe('accepted');
    expect(await next()).toMatchObject({
      params: { result: { value: { lamports: 0, owner: SYSTEM_PROGRAM, data: ['', 'base64'], space: 0 } } },
    });
  });

  it('that is ended hears nothing more', async () => {
    await subscribe('accountSubscribe', [payer.publicKey.toBase58(), { encoding: 'base64' }]);
    expect(await subscribe('accountUnsubscribe', [1])).toMatchObject({ result: true });
    send([lamportsInstruction(payer, Keypair.generate(), 1_000_000n)]);
    expect(await subscribe('getHealth', [])).toMatchObject({ result: 'ok' });
  });
});

describe('a subscription to logs', () => {
  it('of one address hears only of transactions that name it', async () => {
    const friend = Keypair.generate();
    await subscribe('logsSubscribe', [{ mentions: [friend.publicKey.toBase58()] }]);
    send([lamportsInstruction(payer, Keypair.generate(), 1_000_000n)]);
    const signature = send([lamportsInstruction(payer, friend, 1_000_000n)]);
    expect(await next()).toMatchObject({
      method: 'logsNotification',
      params: { result: { value: { signature, err: null, logs: expect.any(Array) } } },
    });
  });

  it('of all hears of every transaction', async () => {
    await subscribe('logsSubscribe', ['all']);
    const signature = send([lamportsInstruction(payer, Keypair.generate(), 1_000_000n)]);
    expect(await next()).toMatchObject({ params: { result: { value: { signature } } } });
  });
});
