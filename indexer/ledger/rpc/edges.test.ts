import bs58 from 'bs58';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LEDGER } from '../addresses.ts';
import { callRpc, type LedgerUnderTest, startLedgerUnderTest } from '../testing/ledger-under-test.ts';
import { transferWire } from '../transactions.ts';
import { ledgerAddress, ledgerKeypair } from '../wallets.ts';

const BD = LEDGER.mint;
const SIGNATURE = '1'.repeat(64);

let ledger: LedgerUnderTest;
beforeAll(async () => {
  ledger = await startLedgerUnderTest();
});
afterAll(async () => {
  expect(ledger.faults).toEqual([]);
  await ledger.close();
});

describe('wrong parameters are -32602 and say where', () => {
  it.each<[method: string, params: unknown[], says: string]>([
    ['getBalance', [], 'params[0] must be a string, got nothing'],
    ['getBalance', [7], 'params[0] must be a string, got 7'],
    ['getBalance', ['short'], 'params[0] must be an address'],
    ['getBalance', ['0'.repeat(44)], 'params[0] must be an address'],
    ['getBalance', ['1'.repeat(100_000)], 'params[0] must be an address'],
    ['getBalance', [BD, 'confirmed'], 'params[1] must be an object'],
    ['getBalance', [BD, []], 'params[1] must be an object, got an array'],
    ['getBalance', [BD, { commitment: 'recent' }], 'params[1].commitment must be one of processed'],
    ['getBalance', [BD, { minContextSlot: '5' }], 'params[1].minContextSlot must be an integer'],
    ['getBalance', [BD, { minContextSlot: -1 }], 'params[1].minContextSlot must be an integer'],
    ['getBalance', [BD, { minContextSlot: 1.5 }], 'params[1].minContextSlot must be an integer'],
    ['getBalance', [BD, {}, 1], 'at most 2 parameters'],
    ['getSlot', [7], 'params[0] must be an object'],
    ['getBlockTime', ['7'], 'params[0] must be an integer'],
    ['getBlockTime', [], 'params[0] must be an integer of at least 0, got nothing'],
    ['getAccountInfo', [BD, { encoding: 'hex' }], 'params[1].encoding must be one of'],
    ['getAccountInfo', [BD, { dataSlice: { offset: 0 } }], 'params[1].dataSlice.length'],
    ['getMultipleAccounts', [BD], 'params[0] must be an array'],
    ['getMultipleAccounts', [[BD, 'x']], 'params[0][1] must be an address'],
    ['getMultipleAccounts', [Array(101).fill(BD)], 'max 100'],
    ['getProgramAccounts', [BD, { filters: {} }], 'params[1].filters must be an array'],
    ['getProgramAccounts', [BD, { filters: Array(5).fill({ dataSize: 1 }) }], 'max 4'],
    ['getProgramAccounts', [BD, { filters: [{}] }], 'params[1].filters[0] must have dataSize or memcmp'],
    ['getProgramAccounts', [BD, { filters: [{ memcmp: { offset: 0 } }] }], 'filters[0].memcmp.bytes'],
    ['getProgramAccounts', [BD, { filters: [{ memcmp: { offset: 0, bytes: 'O0l' } }] }], 'must be base58'],
    [
      'getProgramAccounts',
      [BD, { filters: [{ memcmp: { offset: 0, bytes: '1'.repeat(129) } }] }],
      'at most 128',
    ],
    [
      'getProgramAccounts',
      [BD, { filters: [{ memcmp: { offset: 0, bytes: '=', encoding: 'base64' } }] }],
      'base64',
    ],
    ['getTokenAccountsByOwner', [BD, {}], 'params[1] must have mint or programId'],
    ['getTokenAccountsByOwner', [BD, { mint: ledgerAddress('holder-1') }], 'not a Token mint'],
    ['getTokenAccountBalance', [BD], 'not a Token account'],
    ['getSignaturesForAddress', [BD, { limit: 0 }], 'params[1].limit must be an integer from 1 to 1000'],
    ['getSignaturesForAddress', [BD, { limit: 1001 }], 'params[1].limit'],
    ['getSignaturesForAddress', [BD, { before: 'x' }], 'params[1].before must be a transaction signature'],
    ['getSignaturesForAddress', [BD, { commitment: 'processed' }], 'below `confirmed`'],
    ['getTransaction', [BD], 'params[0] must be a transaction signature'],
    ['getTransaction', [SIGNATURE, { encoding: 'xml' }], 'params[1].encoding'],
    [
      'getTransaction',
      [SIGNATURE, { maxSupportedTransactionVersion: 'legacy' }],
      'maxSupportedTransactionVersion',
    ],
    ['getSignatureStatuses', [[SIGNATURE], { searchTransactionHistory: 1 }], 'must be true or false'],
    ['getSignatureStatuses', [Array(257).fill(SIGNATURE)], 'max 256'],
    ['getFeeForMessage', ['####'], 'params[0] must be a message in base64'],
    ['getFeeForMessage', ['AAAA'], 'params[0] is not a message'],
    ['sendTransaction', ['AAAA', { encoding: 'hex' }], 'unsupported encoding'],
    ['sendTransaction', ['A*', { encoding: 'base64' }], 'params[0] is not base64'],
    ['sendTransaction', ['1'.repeat(2000)], 'too large'],
    ['sendTransaction', ['AAAA', { encoding: 'base64' }], 'failed to deserialize a transaction'],
    ['simulateTransaction', ['AAAA', { encoding: 'base64' }], 'failed to deserialize a transaction'],
    [
      'simulateTransaction',
      ['AA==', { encoding: 'base64', sigVerify: true, replaceRecentBlockhash: true }],
      'sigVerify may not be used with replaceRecentBlockhash',
    ],
    ['getMinimumBalanceForRentExemption', [-1], 'params[0] must be an integer'],
    ['getMinimumBalanceForRentExemption', [2 ** 40], 'params[0] must be an integer'],
    ['getRecentPrioritizationFees', [['x']], 'params[0][0] must be an address'],
    ['requestAirdrop', [BD, 0], 'lamports; at most 100 SOL'],
    ['requestAirdrop', [BD, '5'], 'lamports; at most 100 SOL'],
    ['requestAirdrop', ['11111111111111111111111111111111', 5_000_000], 'is a reserved address'],
    ['requestAirdrop', ['SysvarC1ock11111111111111111111111111111111', 5_000_000], 'is a reserved address'],
    ['requestAirdrop', ['SysvarC1ock11111111111111111111111111111112', 1], 'a new account needs at least'],
    ['isBlockhashValid', ['x'], 'params[0] must be a blockhash'],
    ['getTransactionsForAddress', [BD, { filters: { slot: { gte: 'x' } } }], 'params[1].filters.slot.gte'],
    ['getTransactionsForAddress', [BD, { transactionDetails: 'accounts' }], 'params[1].transactionDetails'],
  ])('%s %j', async (method, params, says) => {
    const reply = await callRpc(ledger.server.url, method, params);
    expect(reply).toMatchObject({ error: { code: -32602, message: expect.stringContaining(says) } });
  });
});

describe('limits that have codes of their own', () => {
  it('a slot that is not reached is -32016, with the slot that is', async () => {
    const { slot } = ledger.chain.clock();
    for (const [method, first] of [
      ['getAccountInfo', BD],
      ['getSignaturesForAddress', BD],
    ]) {
      const reply = await callRpc(ledger.server.url, method ?? '', [
        first,
        { commitment: 'confirmed', minContextSlot: slot + 1 },
      ]);
      expect(reply).toMatchObject({ error: { code: -32016, data: { contextSlot: slot } } });
      const reached = await callRpc(ledger.server.url, method ?? '', [
        first,
        { commitment: 'confirmed', minContextSlot: slot },
      ]);
      expect(reached).not.toHaveProperty('error');
    }
  });

  it('a cursor that is not there is -32020, and named', async () => {
    for (const cursor of ['before', 'until']) {
      const reply = await callRpc(ledger.server.url, 'getSignaturesForAddress', [
        BD,
        { [cursor]: SIGNATURE },
      ]);
      expect(reply).toMatchObject({ error: { code: -32020, message: `Transaction ${SIGNATURE} not found` } });
    }
  });

  it('data too long for base58 is -32600, and a slice of it is given', async () => {
    const account = LEDGER.vault;
    const whole = await callRpc(ledger.server.url, 'getAccountInfo', [account, { encoding: 'base58' }]);
    expect(whole).toMatchObject({ error: { code: -32600, message: expect.stringContaining('128 bytes') } });
    const slice = { encoding: 'base58', dataSlice: { offset: 0, length: 32 } };
    const mint = await callRpc(ledger.server.url, 'getAccountInfo', [account, slice]);
    expect(mint).toMatchObject({ result: { value: { data: [BD, 'base58'], space: 165 } } });
    const legacy = await callRpc(ledger.server.url, 'getAccountInfo', [
      account,
      { dataSlice: slice.dataSlice },
    ]);
    expect(legacy).toMatchObject({ result: { value: { data: BD } } });
  });
});

describe('hostile bytes', () => {
  const answersAll = async (bytes: Uint8Array): Promise<void> => {
    const base64 = Buffer.from(bytes).toString('base64');
    const encodings = { encoding: 'base64' };
    const replies = await Promise.all([
      callRpc(ledger.server.url, 'sendTransaction', [base64, encodings]),
      callRpc(ledger.server.url, 'sendTransaction', [bs58.encode(bytes.subarray(0, 300))]),
      callRpc(ledger.server.url, 'sendTransaction', [base64, { ...encodings, skipPreflight: true }]),
      callRpc(ledger.server.url, 'simulateTransaction', [base64, encodings]),
      callRpc(ledger.server.url, 'simulateTransaction', [
        base64,
        { ...encodings, replaceRecentBlockhash: true },
      ]),
      callRpc(ledger.server.url, 'getFeeForMessage', [base64]),
    ]);
    for (const reply of replies) {
      expect(reply).toHaveProperty('id', 1);
      expect(reply).not.toMatchObject({ error: { code: -32603 } });
    }
    expect(await callRpc(ledger.server.url, 'getHealth', [])).toMatchObject({ result: 'ok' });
  };

  it('at random are answered, and the ledger lives', async () => {
    await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 1300 }), answersAll), { numRuns: 60 });
  });

  it('that are nearly a transaction are answered, and the ledger lives', async () => {
    const { blockhash } = ledger.chain.latestBlockhash();
    const sound = transferWire(
      ledgerKeypair('holder-1'),
      { to: ledgerAddress('holder-2'), amount: 1n },
      blockhash,
    );
    const edit = fc.record({ at: fc.nat({ max: sound.length - 1 }), byte: fc.nat({ max: 255 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(edit, { minLength: 1, maxLength: 4 }),
        fc.nat({ max: sound.length }),
        async (edits, length) => {
          const bytes = Uint8Array.from(sound);
          for (const { at, byte } of edits) bytes[at] = byte;
          await answersAll(bytes);
          await answersAll(bytes.subarray(0, length));
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('parameters at random', () => {
  it('never break a method from within', async () => {
    const methods = [
      'getAccountInfo',
      'getMultipleAccounts',
      'getProgramAccounts',
      'getSignaturesForAddress',
      'getSignatureStatuses',
      'getTokenAccountsByOwner',
      'getTransaction',
      'getTransactionsForAddress',
      'simulateTransaction',
      'requestAirdrop',
    ];
    const hostile = fc.oneof(
      fc.constantFrom<unknown>(
        BD,
        SIGNATURE,
        LEDGER.vault,
        [BD],
        [SIGNATURE],
        { mint: BD },
        '__proto__',
        2 ** 53,
      ),
      fc.jsonValue({ maxDepth: 2 }),
      fc.dictionary(
        fc.constantFrom(
          'encoding',
          'commitment',
          'limit',
          'before',
          'until',
          'filters',
          'dataSlice',
          'accounts',
          'paginationToken',
          '__proto__',
          'sortOrder',
        ),
        fc.oneof(
          fc.jsonValue({ maxDepth: 2 }),
          fc.constantFrom<unknown>('base64', 'jsonParsed', 'confirmed', 5, SIGNATURE, [{ dataSize: 82 }]),
        ),
      ),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...methods),
        fc.array(hostile, { maxLength: 3 }),
        async (method, params) => {
          const reply = await callRpc(ledger.server.url, method, params);
          expect(reply).not.toMatchObject({ error: { code: -32603 } });
        },
      ),
      { numRuns: 400 },
    );
  });
});
