// @module-tag slow
import { createServer, type RequestListener } from 'node:http';
import { json } from 'node:stream/consumers';
import { Connection, PublicKey } from '@solana/web3.js';
import bs58 from 'bs58';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EMBEDDED_ADDRESSES } from '../../data/config/environment.ts';
import { STAKE_ENTRY } from '../../data/model/stake-layout.ts';
import { STAKING_PROGRAM } from '../../data/model/staking-terms.ts';
import type { ReadOptions } from '../chain/chain-reads.ts';
import { listen } from '../listen.ts';
import { type LedgerProcess, startLedger } from '../testing/ledger-process.ts';
import { walletOf } from '../testing/sample-stakes.ts';
import { createHeldTokensReader } from './held-tokens.ts';
import { createStakedTokensReader } from './staked-tokens.ts';

const { mint, stakePool } = EMBEDDED_ADDRESSES;
const ANY_SLOT: ReadOptions = { minSlot: 0, health: [] };
const UNREADABLE = { code: 'chain-unreadable' };

let ledger: LedgerProcess;
let url: string;
let holder: { readonly wallet: string; readonly amount: bigint };

async function largestHolder(connection: Connection): Promise<typeof holder> {
  const { value } = await connection.getTokenLargestAccounts(new PublicKey(mint));
  for (const { address, amount } of value) {
    const account = await connection.getAccountInfo(address);
    // In a token account, the owner comes right after the mint.
    const owner = bs58.encode(account?.data.subarray(32, 64) ?? new Uint8Array());
    if (owner !== stakePool) return { wallet: owner, amount: BigInt(amount) };
  }
  throw new Error('The ledger has no holder.');
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

async function startEndpoint(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  const port = await listen(server, '127.0.0.1', 0);
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${port}`;
}

const startSilentEndpoint = () => startEndpoint(() => {});
const startFailingEndpoint = () => startEndpoint((_request, response) => response.writeHead(500).end('no'));

/** Starts an endpoint that answers every request with a list of accounts that contain `accountBytes`, read at `slot`. */
function startListingEndpoint(
  accountBytes: readonly Buffer[],
  { slot = 9, owner = STAKING_PROGRAM } = {},
): Promise<string> {
  const value = accountBytes.map((data, index) => ({
    pubkey: walletOf(100 + index),
    account: {
      data: [data.toString('base64'), 'base64'],
      executable: false,
      lamports: 1,
      owner,
      rentEpoch: 0,
    },
  }));
  return startEndpoint(async (request, response) => {
    const { id } = Object(await json(request));
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { context: { slot }, value } }));
  });
}
const startForeignEndpoint = () => startListingEndpoint([Buffer.alloc(165, 7)]);

describe('the tokens in a wallet', () => {
  const read = (endpointUrl: string, wallet = holder.wallet, options = ANY_SLOT) =>
    createHeldTokensReader([endpointUrl], { now: () => 5 }).read(wallet, mint, options);

  it('are read from the chain, with slot and time', async () => {
    const slot = expect.any(Number);
    expect(await read(url)).toEqual({ amount: holder.amount, slot, readAt: 5 });
    expect(holder.amount).toBeGreaterThan(0n);
    expect((await read(url, walletOf(3))).amount).toBe(0n);
  });

  it.each([
    ['fails', startFailingEndpoint],
    ['does not respond', startSilentEndpoint],
    ['responds with another wallet’s account', startForeignEndpoint],
  ])(
    'are read from the next endpoint if one %s, and are unknown, not zero, if there is no other',
    async (_case, startBrokenEndpoint) => {
      const brokenUrl = await startBrokenEndpoint();
      const readerWithSpare = createHeldTokensReader([brokenUrl, url], { readTimeoutMs: 6_000 });
      expect((await readerWithSpare.read(holder.wallet, mint, ANY_SLOT)).amount).toBe(holder.amount);
      const brokenReader = createHeldTokensReader([brokenUrl], { readTimeoutMs: 300 });
      await expect(brokenReader.read(holder.wallet, mint, ANY_SLOT)).rejects.toMatchObject(UNREADABLE);
      expect(brokenReader.readsInProgress).toBe(0);
    },
  );

  it('are unknown if the chain has no such mint', async () => {
    const reading = createHeldTokensReader([url]).read(holder.wallet, walletOf(9), ANY_SLOT);
    await expect(reading).rejects.toMatchObject(UNREADABLE);
  });

  it('are read for a limited number of wallets at a time', async () => {
    const reader = createHeldTokensReader([await startSilentEndpoint()], {
      readTimeoutMs: 300,
      maxConcurrentReads: 2,
    });
    const waiting = [reader.read(holder.wallet, mint, ANY_SLOT), reader.read(walletOf(1), mint, ANY_SLOT)];
    expect(reader.readsInProgress).toBe(2);
    await expect(reader.read(walletOf(2), mint, ANY_SLOT)).rejects.toMatchObject(UNREADABLE);
    expect((await Promise.allSettled(waiting)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(reader.readsInProgress).toBe(0);
  });

  it('are no longer read once the caller aborts', async () => {
    const queriedEndpoints: string[] = [];
    const controller = new AbortController();
    const startAbortingEndpoint = (name: string) =>
      startEndpoint(() => {
        queriedEndpoints.push(name);
        controller.abort();
      });
    const reader = createHeldTokensReader([
      await startAbortingEndpoint('first'),
      await startAbortingEndpoint('second'),
    ]);
    const reading = reader.read(holder.wallet, mint, { ...ANY_SLOT, signal: controller.signal });
    await expect(reading).rejects.toMatchObject(UNREADABLE);
    expect([queriedEndpoints, reader.readsInProgress]).toEqual([['first'], 0]);
  });

  it('are read from healthy endpoints first, and never from distrusted ones', async () => {
    const queriedEndpoints: string[] = [];
    const states = ['distrusted', 'backoff', 'active'] as const;
    const urls = await Promise.all(
      states.map((state) =>
        startEndpoint((_request, response) => {
          queriedEndpoints.push(state);
          response.writeHead(500).end('no');
        }),
      ),
    );
    const health = states.map((state, index) => {
      return { name: new URL(urls[index] ?? '').host, active: state !== 'distrusted', state };
    });
    const reading = createHeldTokensReader(urls).read(holder.wallet, mint, { minSlot: 0, health });
    await expect(reading).rejects.toMatchObject(UNREADABLE);
    expect(queriedEndpoints).toEqual(['active', 'backoff']);
  });

  it('are unknown if no endpoint has reached the requested slot, even if one responds', async () => {
    const { slot } = await read(url);
    const futureOptions = { minSlot: slot + 1_000_000, health: [] };
    await expect(read(url, holder.wallet, futureOptions)).rejects.toMatchObject(UNREADABLE);
    const laggingUrl = await startListingEndpoint([], { slot: 5 });
    expect((await read(laggingUrl, holder.wallet, { minSlot: 5, health: [] })).slot).toBe(5);
    await expect(read(laggingUrl, holder.wallet, { minSlot: 6, health: [] })).rejects.toMatchObject(
      UNREADABLE,
    );
  });

  it('are not read from an endpoint that redirects', async () => {
    const target = await startListingEndpoint([]);
    const redirectingUrl = await startEndpoint((_request, response) =>
      response.writeHead(307, { Location: target }).end(),
    );
    await expect(read(redirectingUrl)).rejects.toMatchObject(UNREADABLE);
  });
});

describe('the stake of a wallet', () => {
  const read = (endpointUrl: string) =>
    createStakedTokensReader([endpointUrl], { now: () => 5 }).read(walletOf(1), stakePool, ANY_SLOT);

  function entryBytes({
    pool = String(stakePool),
    wallet = walletOf(1),
    amount = 5n,
    closedAt = 0n,
  } = {}): Buffer {
    const data = Buffer.alloc(STAKE_ENTRY.size);
    data.set(STAKE_ENTRY.discriminator);
    data.set(bs58.decode(pool), 12);
    data.set(bs58.decode(wallet), 76);
    data.writeBigUInt64LE(amount, 108);
    data.writeBigUInt64LE(closedAt, 148);
    return data;
  }

  it('is the sum of its open entries on the ledger', async () => {
    const connection = new Connection(url);
    const accounts = await connection.getProgramAccounts(new PublicKey(STAKING_PROGRAM), {
      filters: [{ dataSize: STAKE_ENTRY.size }],
    });
    const expected = new Map<string, bigint | null>();
    for (const { account } of accounts) {
      const wallet = bs58.encode(account.data.subarray(76, 108));
      const stakedSoFar = expected.get(wallet) ?? null;
      const isOpen = account.data.readBigUInt64LE(148) === 0n;
      expected.set(wallet, isOpen ? (stakedSoFar ?? 0n) + account.data.readBigUInt64LE(108) : stakedSoFar);
    }
    expect([...expected.values()].filter((staked) => staked !== null).length).toBeGreaterThan(3);
    const reader = createStakedTokensReader([url]);
    for (const [wallet, staked] of expected) {
      expect((await reader.read(wallet, stakePool, ANY_SLOT)).staked, wallet).toBe(staked);
    }
    expect((await read(url)).staked).toBeNull();
  });

  it('has a slot and a time, and closed entries do not count', async () => {
    const entries = [entryBytes(), entryBytes({ amount: 7n }), entryBytes({ amount: 100n, closedAt: 1n })];
    expect(await read(await startListingEndpoint(entries))).toEqual({
      staked: 12n,
      entries: [walletOf(100), walletOf(101)],
      slot: 9,
      readAt: 5,
    });
    expect((await read(await startListingEndpoint([entryBytes({ closedAt: 1n })]))).staked).toBeNull();
  });

  it.each([
    ['of another wallet', entryBytes({ wallet: walletOf(2) }), {}],
    ['of another pool', entryBytes({ pool: walletOf(2) }), {}],
    ['of another program', entryBytes(), { owner: walletOf(2) }],
    ['that is not a stake entry', Buffer.alloc(STAKE_ENTRY.size), {}],
  ])('is unknown, not zero, if an endpoint lists an account %s', async (_case, data, options) => {
    await expect(read(await startListingEndpoint([data], options))).rejects.toMatchObject(UNREADABLE);
  });
});
