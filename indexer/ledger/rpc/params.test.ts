import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LEDGER, ledgerAddress } from '../addresses.ts';
import { callRpc, type ServedLedger, startServedLedger } from '../testing/test-ledger.ts';

const BD = LEDGER.mint;
const SIGNATURE = '1'.repeat(64);
const configWithMemcmp = (memcmp: object) => ({ filters: [{ memcmp: { offset: 0, ...memcmp } }] });

let ledger: ServedLedger;
beforeAll(async () => {
  ledger = await startServedLedger();
});
afterAll(async () => {
  expect(ledger.errors).toEqual([]);
  await ledger.close();
});

describe('the error -32602 says what is wrong with', () => {
  it.each<[method: string, params: unknown[], says: string]>([
    ['getBalance', [7], 'params[0] must be a string, got 7'],
    ['getBalance', ['0'.repeat(44)], 'params[0] must be an address'],
    ['getBalance', ['1'.repeat(100_000)], 'params[0] must be an address'],
    ['getBalance', [BD, 'confirmed'], 'params[1] must be an object'],
    ['getBalance', [BD, []], 'params[1] must be an object, got an array'],
    ['getBalance', [BD, { commitment: 'recent' }], 'params[1].commitment must be one of processed'],
    ['getBalance', [BD, { minContextSlot: -1 }], 'params[1].minContextSlot must be an integer'],
    ['getBalance', [BD, { minContextSlot: 1.5 }], 'params[1].minContextSlot must be an integer'],
    ['getBalance', [BD, {}, 1], 'at most 2 parameters'],
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
    ['getProgramAccounts', [BD, configWithMemcmp({})], 'filters[0].memcmp.bytes'],
    ['getProgramAccounts', [BD, configWithMemcmp({ bytes: 'O0l' })], 'must be base58'],
    ['getProgramAccounts', [BD, configWithMemcmp({ bytes: '1'.repeat(129) })], 'at most 128'],
    ['getProgramAccounts', [BD, configWithMemcmp({ bytes: '=', encoding: 'base64' })], 'base64'],
    ['getTokenAccountsByOwner', [BD, {}], 'params[1] must have mint or programId'],
    ['getTokenAccountsByOwner', [BD, { mint: ledgerAddress('holder-1') }], 'not a Token mint'],
    ['getTokenAccountBalance', [BD], 'not a Token account'],
    ['getSignaturesForAddress', [BD, { limit: 0 }], 'params[1].limit must be an integer from 1 to 1000'],
    ['getSignaturesForAddress', [BD, { limit: 1001 }], 'params[1].limit'],
    ['getSignaturesForAddress', [BD, { before: 'x' }], 'params[1].before must be a transaction signature'],
    ['getSignaturesForAddress', [BD, { commitment: 'processed' }], 'below `confirmed`'],
    ['getTransaction', [BD], 'params[0] must be a transaction signature'],
    ['getTransaction', [SIGNATURE, { encoding: 'jsonParsed' }], 'params[1].encoding'],
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
    ['getMinimumBalanceForRentExemption', [2 ** 40], 'params[0] must be an integer'],
    ['getRecentPrioritizationFees', [['x']], 'params[0][0] must be an address'],
    ['requestAirdrop', [BD, 0], 'lamports; at most 100 SOL'],
    ['requestAirdrop', ['11111111111111111111111111111111', 5_000_000], 'is a reserved address'],
    ['requestAirdrop', ['SysvarC1ock11111111111111111111111111111112', 1], 'a new account needs at least'],
    ['getTransactionCount', [{ commitment: 'recent' }], 'params[0].commitment must be one of'],
  ])('%s %j', async (method, params, expectedText) => {
    const reply = await callRpc(ledger.server.url, method, params);
    expect(reply).toMatchObject({ error: { code: -32602, message: expect.stringContaining(expectedText) } });
  });
});

describe('the error', () => {
  it('is -32016, with the newest slot, if minContextSlot is not reached', async () => {
    const { slot } = ledger.chain.clock();
    const call = (method: string, minContextSlot: number) =>
      callRpc(ledger.server.url, method, [BD, { commitment: 'confirmed', minContextSlot }]);
    for (const method of ['getAccountInfo', 'getSignaturesForAddress']) {
      const error = { code: -32016, data: { contextSlot: slot } };
      expect(await call(method, slot + 1)).toMatchObject({ error });
      expect(await call(method, slot)).not.toHaveProperty('error');
    }
  });

  it('is -32020, with the signature, if a cursor is unknown', async () => {
    for (const cursor of ['before', 'until']) {
      const params = [BD, { [cursor]: SIGNATURE }];
      const reply = await callRpc(ledger.server.url, 'getSignaturesForAddress', params);
      expect(reply).toMatchObject({ error: { code: -32020, message: `Transaction ${SIGNATURE} not found` } });
    }
  });
});

describe('random parameters', () => {
  it('never cause an internal error', async () => {
    const methods = fc.constantFrom(
      ...['getAccountInfo', 'getMultipleAccounts', 'getProgramAccounts', 'getSignaturesForAddress'],
      ...['getSignatureStatuses', 'getTokenAccountsByOwner', 'getTransaction', 'simulateTransaction'],
      'requestAirdrop',
    );
    const values = [BD, SIGNATURE, LEDGER.vault, [BD], [SIGNATURE], { mint: BD }, '__proto__', 2 ** 53];
    const members = [
      ...['encoding', 'commitment', 'limit', 'before', 'until', 'filters', 'dataSlice', 'accounts'],
      ...['paginationToken', '__proto__', 'sortOrder'],
    ];
    const memberValues = ['base64', 'jsonParsed', 'confirmed', 5, SIGNATURE, [{ dataSize: 82 }]];
    const anyJson = fc.jsonValue({ maxDepth: 2 });
    const hostile = fc.oneof(
      fc.constantFrom<unknown>(...values),
      anyJson,
      fc.dictionary(
        fc.constantFrom(...members),
        fc.oneof(anyJson, fc.constantFrom<unknown>(...memberValues)),
      ),
    );
    await fc.assert(
      fc.asyncProperty(methods, fc.array(hostile, { maxLength: 3 }), async (method, params) => {
        const reply = await callRpc(ledger.server.url, method, params);
        expect(reply).not.toMatchObject({ error: { code: -32603 } });
      }),
    );
  });
});
