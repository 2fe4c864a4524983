import { Connection, PublicKey } from '@solana/web3.js';
import { createHelius } from 'helius-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LEDGER } from '../addresses.ts';
import { type LedgerUnderTest, startLedgerUnderTest } from '../testing/ledger-under-test.ts';
import { bdAccountOf } from '../token-instructions.ts';
import { depositWire, transferWire } from '../transactions.ts';
import { ledgerAddress, ledgerKeypair } from '../wallets.ts';

const DEPOSITS = 230;
const wallet = ledgerKeypair('holder-1');

let ledger: LedgerUnderTest;
let helius: ReturnType<typeof createHelius>;
let connection: Connection;

beforeAll(async () => {
  ledger = await startLedgerUnderTest();
  // Three to a slot, so that positions within a slot matter.
  for (let count = 1; count <= DEPOSITS; count++) {
    if (count % 3 === 0) ledger.advance(1);
    const wire = depositWire(wallet, { amount: BigInt(count) }, ledger.chain.latestBlockhash().blockhash);
    expect(ledger.chain.send(wire, { skipPreflight: false }).kind).toBe('accepted');
  }
  const tooMuch = depositWire(wallet, { amount: 10n ** 15n }, ledger.chain.latestBlockhash().blockhash);
  expect(ledger.chain.send(tooMuch, { skipPreflight: true }).kind).toBe('accepted');
  ledger.finalize();
  helius = createHelius({ apiKey: 'any', baseUrl: ledger.server.url });
  connection = new Connection(ledger.server.url, 'confirmed');
});
afterAll(async () => {
  expect(ledger.faults).toEqual([]);
  await ledger.close();
});

type SignatureConfig = Exclude<Parameters<typeof helius.getTransactionsForAddress>[0][1], undefined>;

interface SignaturePage {
  readonly data: readonly { readonly signature: string }[];
  readonly paginationToken: string | null;
}

async function readAll(config: SignatureConfig): Promise<string[]> {
  const signatures: string[] = [];
  let paginationToken: string | null = null;
  do {
    const page: SignaturePage = await helius.getTransactionsForAddress([
      LEDGER.vault,
      { ...config, transactionDetails: 'signatures', paginationToken },
    ]);
    signatures.push(...page.data.map((row) => row.signature));
    paginationToken = page.paginationToken;
  } while (paginationToken !== null);
  return signatures;
}

async function history(address: string): Promise<string[]> {
  const rows = await connection.getSignaturesForAddress(new PublicKey(address));
  return rows.map((row) => row.signature);
}

describe('getTransactionsForAddress of helius-sdk', () => {
  it.each([
    [1000, 'desc'],
    [100, 'desc'],
    [7, 'desc'],
    [100, 'asc'],
    [7, 'asc'],
  ] as const)('pages of %d, %s, together are getSignaturesForAddress', async (limit, sortOrder) => {
    const newestFirst = await history(LEDGER.vault);
    expect(newestFirst.length).toBeGreaterThan(DEPOSITS);
    const all = await readAll({ limit, sortOrder });
    expect(all).toEqual(sortOrder === 'desc' ? newestFirst : newestFirst.toReversed());
  });

  it('a page of whole transactions has what getTransaction has', async () => {
    const page = await helius.getTransactionsForAddress([
      LEDGER.vault,
      { transactionDetails: 'full', encoding: 'jsonParsed', limit: 3, maxSupportedTransactionVersion: 0 },
    ]);
    expect(page.data).toHaveLength(3);
    const signatures = (await history(LEDGER.vault)).slice(0, 3);
    for (const [index, signature] of signatures.entries()) {
      const found = await connection.getParsedTransaction(signature, { maxSupportedTransactionVersion: 0 });
      expect(page.data[index]).toMatchObject({
        slot: found?.slot,
        blockTime: found?.blockTime,
        transaction: { signatures: [signature] },
        meta: { fee: found?.meta?.fee, err: found?.meta?.err, postBalances: found?.meta?.postBalances },
      });
    }
  });

  it('keeps to the ranges of slot and time, and to the outcome', async () => {
    const rows = await connection.getSignaturesForAddress(new PublicKey(LEDGER.vault));
    const middle = rows[Math.floor(rows.length / 2)];
    const slot = middle?.slot ?? 0;
    const time = middle?.blockTime ?? 0;
    const pick = (keep: (row: (typeof rows)[number]) => boolean): string[] =>
      rows.filter(keep).map((row) => row.signature);
    const limit = 11;
    expect(await readAll({ limit, filters: { slot: { eq: slot } } })).toEqual(
      pick((row) => row.slot === slot),
    );
    expect(await readAll({ limit, filters: { slot: { gte: slot, lt: slot + 5 } } })).toEqual(
      pick((row) => row.slot >= slot && row.slot < slot + 5),
    );
    expect(await readAll({ limit, sortOrder: 'asc', filters: { slot: { lte: slot } } })).toEqual(
      pick((row) => row.slot <= slot).toReversed(),
    );
    expect(await readAll({ limit, sortOrder: 'asc', filters: { slot: { gt: slot } } })).toEqual(
      pick((row) => row.slot > slot).toReversed(),
    );
    expect(await readAll({ limit, sortOrder: 'asc', filters: { blockTime: { lte: time } } })).toEqual(
      pick((row) => (row.blockTime ?? 0) <= time).toReversed(),
    );
    expect(await readAll({ limit, filters: { status: 'failed' } })).toEqual(pick((row) => row.err !== null));
    expect(await readAll({ limit, filters: { status: 'succeeded' } })).toEqual(
      pick((row) => row.err === null),
    );
    const cut = middle?.signature ?? '';
    expect(await readAll({ limit, filters: { signature: { gt: cut } } })).toEqual(
      pick((row) => row.signature > cut),
    );
  });

  it('adds the history of token accounts where it is asked for', async () => {
    const owner = ledgerAddress('vault-owner');
    const own = await history(owner);
    const held = await history(bdAccountOf(owner));
    const read = async (tokenAccounts: 'none' | 'balanceChanged' | 'all'): Promise<string[]> => {
      const { data } = await helius.getTransactionsForAddress([owner, { filters: { tokenAccounts } }]);
      return data.map((row) => row.signature);
    };
    expect(await read('none')).toEqual(own);
    expect((await read('all')).toSorted()).toEqual([...new Set([...own, ...held])].toSorted());
    const failed = held[0] ?? '';
    expect(await read('all')).toContain(failed);
    expect(await read('balanceChanged')).not.toContain(failed);
  });

  it('sees only what is final, unless it asks for less', async () => {
    const { blockhash } = ledger.chain.latestBlockhash();
    const sent = ledger.chain.send(
      transferWire(wallet, { to: ledgerAddress('vault-owner'), amount: 5n }, blockhash),
      { skipPreflight: false },
    );
    expect(sent.kind).toBe('accepted');
    const final = await readAll({ limit: 1000 });
    const confirmed = await readAll({ limit: 1000, commitment: 'confirmed' });
    expect(confirmed.slice(1)).toEqual(final);
  });

  it('is told what is wrong with its parameters', async () => {
    const full = { transactionDetails: 'full', limit: 101 } as const;
    await expect(helius.getTransactionsForAddress([LEDGER.vault, full])).rejects.toThrow(
      'params[1].limit must be an integer from 1 to 100',
    );
    await expect(
      helius.getTransactionsForAddress([LEDGER.vault, { paginationToken: 'next' }]),
    ).rejects.toThrow('slot:position');
  });
});
