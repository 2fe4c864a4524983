import { createServer, type RequestListener } from 'node:http';
import { Connection, PublicKey } from '@solana/web3.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EMBEDDED_ADDRESSES } from '../../data/config/embedded.ts';
import type { ReadingTerms } from '../chain/chain-reads.ts';
import { ChainUnreadableError } from '../errors.ts';
import { listen } from '../listen.ts';
import { type LedgerProcess, startLedger } from '../testing/ledger-process.ts';
import { walletOf } from '../testing/sample-stakes.ts';
import { createHeldTokensReader } from './held-tokens.ts';

const { mint, stakePool } = EMBEDDED_ADDRESSES;

/** Nothing is known of any endpoint, and any slot will do. */
const TERMS: ReadingTerms = { minSlot: 0, health: [] };

let ledger: LedgerProcess;
let url: string;
/** A wallet of the ledger that holds BD, and how much. */
let holder: { readonly wallet: string; readonly amount: bigint };

async function largestHolder(connection: Connection): Promise<typeof holder> {
  const { value } = await connection.getTokenLargestAccounts(new PublicKey(mint));
  for (const { address } of value) {
    const { value: account } = await connection.getParsedAccountInfo(address);
    const data = account?.data;
    if (!data || !('parsed' in data)) continue;
    const { owner, tokenAmount } = data.parsed.info;
    if (owner !== stakePool) return { wallet: owner, amount: BigInt(tokenAmount.amount) };
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
/** Knows no token account, at a slot, whatever slot it is asked for. */
const holdingNothing = (slot: number) => answering(slot, []);
/** Answers with an account that is another wallet's. */
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

describe('what a wallet holds', () => {
  it('is read from the chain, with its slot and moment', async () => {
    const reader = createHeldTokensReader([url], { now: () => 5 });
    const held = await reader.read(holder.wallet, mint, TERMS);
    expect(held).toEqual({ amount: holder.amount, slot: expect.any(Number), readAt: 5 });
    expect(holder.amount).toBeGreaterThan(0n);
  });

  it('is nothing where the wallet has no account of the mint', async () => {
    expect((await createHeldTokensReader([url]).read(walletOf(3), mint, TERMS)).amount).toBe(0n);
  });

  it.each([
    ['fails', failing],
    ['does not answer', silent],
    ['tells another wallet’s account', lying],
  ])('is read from the next endpoint where one %s', async (_case, broken) => {
    const reader = createHeldTokensReader([await broken(), url], { readWithinMs: 2_000 });
    expect((await reader.read(holder.wallet, mint, TERMS)).amount).toBe(holder.amount);
  });

  it.each([
    ['every endpoint fails', failing],
    ['no endpoint answers in time', silent],
    ['an endpoint tells another wallet’s account', lying],
  ])('is unknown, not nothing, where %s', async (_case, broken) => {
    const reader = createHeldTokensReader([await broken()], { readWithinMs: 300 });
    await expect(reader.read(holder.wallet, mint, TERMS)).rejects.toThrow(ChainUnreadableError);
    expect(reader.underWay).toBe(0);
  });

  it('is unknown where the chain has no such mint', async () => {
    await expect(createHeldTokensReader([url]).read(holder.wallet, walletOf(9), TERMS)).rejects.toThrow(
      ChainUnreadableError,
    );
  });

  it('is read for so many wallets at a time, and refused beyond', async () => {
    const reader = createHeldTokensReader([await silent()], { readWithinMs: 300, readsAtMost: 2 });
    const waiting = [reader.read(holder.wallet, mint, TERMS), reader.read(walletOf(1), mint, TERMS)];
    expect(reader.underWay).toBe(2);
    await expect(reader.read(walletOf(2), mint, TERMS)).rejects.toThrow(ChainUnreadableError);
    expect((await Promise.allSettled(waiting)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(reader.underWay).toBe(0);
  });

  it('is read no further, of any endpoint, once nobody waits for it, and holds no place', async () => {
    const asked: string[] = [];
    const leave = new AbortController();
    const slow = (name: string) =>
      endpoint(() => {
        asked.push(name);
        leave.abort();
      });
    const reader = createHeldTokensReader([await slow('first'), await slow('second')]);
    const reading = reader.read(holder.wallet, mint, { ...TERMS, signal: leave.signal });
    await expect(reading).rejects.toThrow(ChainUnreadableError);
    expect([asked, reader.underWay]).toEqual([['first'], 0]);
  });

  it('is read first where the indexer gets answers, and never where it put the endpoint aside', async () => {
    const asked: string[] = [];
    const refusing = (name: string) =>
      endpoint((_request, response) => {
        asked.push(name);
        response.writeHead(500).end('no');
      });
    const [aside, resting, active] = [
      await refusing('aside'),
      await refusing('resting'),
      await refusing('active'),
    ];
    const health = [
      { name: new URL(aside).host, active: false, state: 'put-aside' as const },
      { name: new URL(resting).host, active: true, state: 'resting' as const },
      { name: new URL(active).host, active: true, state: 'active' as const },
    ];
    const reader = createHeldTokensReader([aside, resting, active]);
    await expect(reader.read(holder.wallet, mint, { minSlot: 0, health })).rejects.toThrow(
      ChainUnreadableError,
    );
    expect(asked).toEqual(['active', 'resting']);
  });

  it('is unknown where no endpoint is at the slot of the stakes, whether it says so or not', async () => {
    const { slot } = await createHeldTokensReader([url]).read(holder.wallet, mint, TERMS);
    const ahead = { minSlot: slot + 1_000_000, health: [] };
    await expect(createHeldTokensReader([url]).read(holder.wallet, mint, ahead)).rejects.toThrow(
      ChainUnreadableError,
    );
    const old = createHeldTokensReader([await holdingNothing(5)]);
    expect(await old.read(holder.wallet, mint, { minSlot: 5, health: [] })).toMatchObject({
      amount: 0n,
      slot: 5,
    });
    await expect(old.read(holder.wallet, mint, { minSlot: 6, health: [] })).rejects.toThrow(
      ChainUnreadableError,
    );
  });

  it('is not read where an endpoint sends to another one', async () => {
    const elsewhere = await holdingNothing(5);
    const sending = await endpoint((_request, response) =>
      response.writeHead(307, { Location: elsewhere }).end(),
    );
    await expect(createHeldTokensReader([sending]).read(holder.wallet, mint, TERMS)).rejects.toThrow(
      ChainUnreadableError,
    );
  });
});
