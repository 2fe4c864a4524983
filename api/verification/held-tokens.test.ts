import { createServer, type RequestListener } from 'node:http';
import { Connection, PublicKey } from '@solana/web3.js';
import bs58 from 'bs58';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EMBEDDED_ADDRESSES } from '../../data/config/environment.ts';
import type { ReadOptions } from '../chain/chain-reads.ts';
import { listen } from '../listen.ts';
import { type LedgerProcess, startLedger } from '../testing/ledger-process.ts';
import { walletOf } from '../testing/sample-stakes.ts';
import { createHeldTokensReader } from './held-tokens.ts';

const { mint, stakePool } = EMBEDDED_ADDRESSES;

/** No known endpoint health, and no minimum slot. */
const TERMS: ReadOptions = { minSlot: 0, health: [] };

let ledger: LedgerProcess;
let url: string;
/** A wallet of the ledger with BD, and its amount. */
let holder: { readonly wallet: string; readonly amount: bigint };

async function largestHolder(connection: Connection): Promise<typeof holder> {
  const { value } = await connection.getTokenLargestAccounts(new PublicKey(mint));
  for (const { address, amount } of value) {
    const account = await connection.getAccountInfo(address);
    // The owner of a token account follows its mint.
    const owner = bs58.encode(account?.data.subarray(32, 64) ?? new Uint8Array());
    if (owner !== stakePool) return { wallet: owner, amount: BigInt(amount) };
  }
  throw new Error('the ledger has no holder');
}

beforeAll(async () => {
  ledger = await startLedger();
  url = ledger.url;
  holder = await largestHolder(new Connection(url));
});

afterAll(() => ledger.stop());

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function endpoint(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  const port = await listen(server, '127.0.0.1', 0);
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${port}`;
}

const silent = () => endpoint(() => {});
const failing = () => endpoint((_request, response) => response.writeHead(500).end('no'));
const answering = (slot: number, value: readonly unknown[]) =>
  endpoint(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { id } = JSON.parse(text);
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { context: { slot }, value } }));
  });
/** Returns no token account, always at one slot. */
const holdingNothing = (slot: number) => answering(slot, []);
/** Returns an account of another wallet. */
const lying = () => {
  const account = {
    data: [Buffer.alloc(165, 7).toString('base64'), 'base64'],
    executable: false,
    lamports: 1,
    owner: walletOf(1),
    rentEpoch: 0,
  };
  return answering(1, [{ pubkey: walletOf(2), account }]);
};

describe('the tokens of a wallet', () => {
  it('are read from the chain, with slot and time', async () => {
    const reader = createHeldTokensReader([url], { now: () => 5 });
    const held = await reader.read(holder.wallet, mint, TERMS);
    expect(held).toEqual({ amount: holder.amount, slot: expect.any(Number), readAt: 5 });
    expect(holder.amount).toBeGreaterThan(0n);
  });

  it('are zero when the wallet has no account of the mint', async () => {
    expect((await createHeldTokensReader([url]).read(walletOf(3), mint, TERMS)).amount).toBe(0n);
  });

  it.each([
    ['fails', failing],
    ['does not answer', silent],
    ['answers with another wallet’s account', lying],
  ])('are read from the next endpoint when one %s', async (_case, broken) => {
    const reader = createHeldTokensReader([await broken(), url], { readTimeoutMs: 2_000 });
    expect((await reader.read(holder.wallet, mint, TERMS)).amount).toBe(holder.amount);
  });

  it.each([
    ['every endpoint fails', failing],
    ['no endpoint answers in time', silent],
    ['an endpoint answers with another wallet’s account', lying],
  ])('are unknown, not zero, when %s', async (_case, broken) => {
    const reader = createHeldTokensReader([await broken()], { readTimeoutMs: 300 });
    await expect(reader.read(holder.wallet, mint, TERMS)).rejects.toMatchObject({ code: 'chain-unreadable' });
    expect(reader.readsInProgress).toBe(0);
  });

  it('are unknown when the chain has no such mint', async () => {
    await expect(createHeldTokensReader([url]).read(holder.wallet, walletOf(9), TERMS)).rejects.toMatchObject(
      { code: 'chain-unreadable' },
    );
  });

  it('are read for a limited number of wallets at a time', async () => {
    const reader = createHeldTokensReader([await silent()], { readTimeoutMs: 300, maxConcurrentReads: 2 });
    const waiting = [reader.read(holder.wallet, mint, TERMS), reader.read(walletOf(1), mint, TERMS)];
    expect(reader.readsInProgress).toBe(2);
    await expect(reader.read(walletOf(2), mint, TERMS)).rejects.toMatchObject({ code: 'chain-unreadable' });
    expect((await Promise.allSettled(waiting)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(reader.readsInProgress).toBe(0);
  });

  it('are no longer read once the caller aborts, which frees the place', async () => {
    const asked: string[] = [];
    const leave = new AbortController();
    const slow = (name: string) =>
      endpoint(() => {
        asked.push(name);
        leave.abort();
      });
    const reader = createHeldTokensReader([await slow('first'), await slow('second')]);
    const reading = reader.read(holder.wallet, mint, { ...TERMS, signal: leave.signal });
    await expect(reading).rejects.toMatchObject({ code: 'chain-unreadable' });
    expect([asked, reader.readsInProgress]).toEqual([['first'], 0]);
  });

  it('are read from healthy endpoints first, and never from distrusted ones', async () => {
    const asked: string[] = [];
    const refusing = (name: string) =>
      endpoint((_request, response) => {
        asked.push(name);
        response.writeHead(500).end('no');
      });
    const [distrusted, backoff, active] = [
      await refusing('distrusted'),
      await refusing('backoff'),
      await refusing('active'),
    ];
    const health = [
      { name: new URL(distrusted).host, active: false, state: 'distrusted' as const },
      { name: new URL(backoff).host, active: true, state: 'backoff' as const },
      { name: new URL(active).host, active: true, state: 'active' as const },
    ];
    const reader = createHeldTokensReader([distrusted, backoff, active]);
    await expect(reader.read(holder.wallet, mint, { minSlot: 0, health })).rejects.toMatchObject({
      code: 'chain-unreadable',
    });
    expect(asked).toEqual(['active', 'backoff']);
  });

  it('are unknown when no endpoint has reached the slot of the stakes, whether it reports so or not', async () => {
    const { slot } = await createHeldTokensReader([url]).read(holder.wallet, mint, TERMS);
    const ahead = { minSlot: slot + 1_000_000, health: [] };
    await expect(createHeldTokensReader([url]).read(holder.wallet, mint, ahead)).rejects.toMatchObject({
      code: 'chain-unreadable',
    });
    const old = createHeldTokensReader([await holdingNothing(5)]);
    expect(await old.read(holder.wallet, mint, { minSlot: 5, health: [] })).toMatchObject({
      amount: 0n,
      slot: 5,
    });
    await expect(old.read(holder.wallet, mint, { minSlot: 6, health: [] })).rejects.toMatchObject({
      code: 'chain-unreadable',
    });
  });

  it('are not read from an endpoint that redirects', async () => {
    const elsewhere = await holdingNothing(5);
    const sending = await endpoint((_request, response) =>
      response.writeHead(307, { Location: elsewhere }).end(),
    );
    await expect(createHeldTokensReader([sending]).read(holder.wallet, mint, TERMS)).rejects.toMatchObject({
      code: 'chain-unreadable',
    });
  });
});
