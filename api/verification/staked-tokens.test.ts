import { createServer } from 'node:http';
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
import { createStakedTokensReader } from './staked-tokens.ts';

const { stakePool } = EMBEDDED_ADDRESSES;
const TERMS: ReadOptions = { minSlot: 0, health: [] };

let ledger: LedgerProcess;
beforeAll(async () => {
  ledger = await startLedger();
});
afterAll(() => ledger.stop());

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** The bytes of a stake entry. */
function entry(changes: {
  readonly pool?: string;
  readonly wallet?: string;
  readonly amount?: bigint;
  readonly closedAt?: bigint;
}): Buffer {
  const { pool = stakePool, wallet = walletOf(1), amount = 5n, closedAt = 0n } = changes;
  const data = Buffer.alloc(STAKE_ENTRY.size);
  data.set(STAKE_ENTRY.discriminator);
  data.set(bs58.decode(pool), 12);
  data.set(bs58.decode(wallet), 76);
  data.writeBigUInt64LE(amount, 108);
  data.writeBigUInt64LE(closedAt, 148);
  return data;
}

/** An endpoint that returns these accounts at a slot for every request. */
async function listing(
  datas: readonly Buffer[],
  { slot = 9, owner = STAKING_PROGRAM } = {},
): Promise<string> {
  const value = datas.map((data, index) => ({
    pubkey: walletOf(100 + index),
    account: {
      data: [data.toString('base64'), 'base64'],
      executable: false,
      lamports: 1,
      owner,
      rentEpoch: 0,
    },
  }));
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { id } = JSON.parse(text);
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { context: { slot }, value } }));
  });
  const port = await listen(server, '127.0.0.1', 0);
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${port}`;
}

const read = (url: string, terms = TERMS) =>
  createStakedTokensReader([url], { readTimeoutMs: 2_000, now: () => 5 }).read(walletOf(1), stakePool, terms);

describe('the stake of a wallet', () => {
  it('is the sum of its open entries on the ledger', async () => {
    const connection = new Connection(ledger.url);
    const accounts = await connection.getProgramAccounts(new PublicKey(STAKING_PROGRAM), {
      filters: [{ dataSize: STAKE_ENTRY.size }],
    });
    const expected = new Map<string, bigint | null>();
    for (const { account } of accounts) {
      const wallet = bs58.encode(account.data.subarray(76, 108));
      const before = expected.get(wallet) ?? null;
      const isOpen = account.data.readBigUInt64LE(148) === 0n;
      expected.set(wallet, isOpen ? (before ?? 0n) + account.data.readBigUInt64LE(108) : before);
    }
    expect([...expected.values()].filter((staked) => staked !== null).length).toBeGreaterThan(3);
    const reader = createStakedTokensReader([ledger.url]);
    for (const [wallet, staked] of expected) {
      expect((await reader.read(wallet, stakePool, TERMS)).staked, wallet).toBe(staked);
    }
    expect((await reader.read(walletOf(1), stakePool, TERMS)).staked).toBeNull();
  });

  it('has its slot and time; closed entries do not count', async () => {
    const url = await listing([entry({}), entry({ amount: 7n }), entry({ amount: 100n, closedAt: 1n })]);
    expect(await read(url)).toEqual({ staked: 12n, slot: 9, readAt: 5 });
    expect((await read(await listing([entry({ closedAt: 1n })]))).staked).toBeNull();
  });

  it.each([
    ['of another wallet', [entry({ wallet: walletOf(2) })], {}],
    ['of another pool', [entry({ pool: walletOf(2) })], {}],
    ['of another program', [entry({})], { owner: walletOf(2) }],
    ['that is not a stake entry', [Buffer.alloc(STAKE_ENTRY.size)], {}],
  ])('is unknown, not zero, when an endpoint lists an entry %s', async (_case, datas, options) => {
    await expect(read(await listing(datas, options))).rejects.toMatchObject({ code: 'chain-unreadable' });
  });

  it('is unknown when the endpoint is behind the requested slot', async () => {
    await expect(read(await listing([entry({})]), { minSlot: 10, health: [] })).rejects.toMatchObject({
      code: 'chain-unreadable',
    });
  });
});
