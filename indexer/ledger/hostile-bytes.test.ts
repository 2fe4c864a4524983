// @module-tag slow
import { createHash } from 'node:crypto';
import { AddressLookupTableProgram, PublicKey } from '@solana/web3.js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STAKING_PROGRAM } from '../../data/model/staking-terms.ts';
import { LEDGER, ledgerAddress, ledgerKeypair } from './addresses.ts';
import { keyBytes } from './base58-cache.ts';
import { type LedgerChain, SLOT_MILLISECONDS } from './chain.ts';
import { MEMO_PROGRAMS } from './programs.ts';
import { acceptedTransaction, openTestLedger, sendInstructions } from './testing/test-ledger.ts';
import {
  bdAccountOf,
  depositTransactionBytes,
  stakeTransactionBytes,
  transferTransactionBytes,
  unstakeTransactionBytes,
  withdrawalTransactionBytes,
} from './transactions.ts';

/** `npm run test:hostile` sets `FUZZ_RUNS` to 200,000. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 150);

const PROGRAMS = [
  '11111111111111111111111111111111',
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'AddressLookupTab1e1111111111111111111111111',
  'ComputeBudget111111111111111111111111111111',
  'Stake11111111111111111111111111111111111111',
  'Vote111111111111111111111111111111111111111',
  'BPFLoaderUpgradeab1e11111111111111111111111',
  'BPFLoader2111111111111111111111111111111111',
  'NativeLoader1111111111111111111111111111111',
  'Ed25519SigVerify111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
  'Secp256r1SigVerify1111111111111111111111111',
  'ZkE1Gama1Proof11111111111111111111111111111',
  STAKING_PROGRAM,
  ...MEMO_PROGRAMS,
];

const SYSVARS = [
  'SysvarC1ock11111111111111111111111111111111',
  'SysvarRent111111111111111111111111111111111',
  'SysvarS1otHashes111111111111111111111111111',
  'SysvarRecentB1ockHashes11111111111111111111',
  'Sysvar1nstructions1111111111111111111111111',
];

let chain: LedgerChain;
let specimens: Uint8Array[];
let tables: readonly string[];
let accounts: readonly string[];
let addresses: readonly string[];

beforeAll(() => {
  const ledger = openTestLedger();
  chain = ledger.chain;
  const wallet = ledgerKeypair('holder-1');
  const owner = wallet.publicKey;
  const recentSlot = chain.clock().slot;
  const [create, table] = AddressLookupTableProgram.createLookupTable({
    authority: owner,
    payer: owner,
    recentSlot,
  });
  const listed = [LEDGER.vault, LEDGER.stakePool, ledgerAddress('holder-9')];
  const extend = {
    authority: owner,
    payer: owner,
    lookupTable: table,
    addresses: listed.map((text) => new PublicKey(text)),
  };
  acceptedTransaction(
    sendInstructions(chain, [wallet], [create, AddressLookupTableProgram.extendLookupTable(extend)]),
  );
  ledger.advance(SLOT_MILLISECONDS);

  const { blockhash } = chain.latestBlockhash();
  specimens = [
    depositTransactionBytes(wallet, { amount: 1n }, blockhash),
    withdrawalTransactionBytes({ to: ledgerAddress('holder-2'), amount: 2n }, blockhash),
    transferTransactionBytes(wallet, { to: ledgerAddress('holder-3'), amount: 3n }, blockhash),
    stakeTransactionBytes(wallet, { nonce: 0, amount: 4n }, blockhash),
    unstakeTransactionBytes(wallet, { nonce: 0 }, blockhash),
  ];
  tables = [table.toBase58(), LEDGER.vault, ledgerAddress('no table')];
  accounts = [
    ...SYSVARS,
    ...Object.values(LEDGER).filter((address) => address !== STAKING_PROGRAM),
    ...tables,
    ...['holder-2', 'holder-3', 'stranger'].flatMap((name) => {
      const address = ledgerAddress(name);
      return [address, bdAccountOf(address)];
    }),
  ];
  addresses = [...new Set([...PROGRAMS, ...accounts, owner.toBase58()])];
});
afterAll(() => chain.close());

/** Asserts nothing: if LiteSVM cannot handle the bytes, the process aborts. */
function passToAllMethods(bytes: Uint8Array): void {
  chain.send(bytes, { skipPreflight: true });
  for (const verifySignatures of [true, false]) {
    chain.simulate(bytes, { verifySignatures, replaceBlockhash: true, accounts: [LEDGER.vault] });
  }
  chain.feeForMessage(bytes);
  chain.feeForMessage(bytes.subarray(65));
}

const compactLength = fc.oneof(
  { weight: 6, arbitrary: fc.nat(12).map((value) => [value]) },
  {
    weight: 1,
    arbitrary: fc.constantFrom([0x80, 1], [0xff, 0xff, 3], [0xff, 0xff, 0xff], [0x80, 0], [0xff, 1]),
  },
);

/** Instruction data, most of which starts like a real instruction of one of the programs. */
const instructionData = fc.oneof(
  fc.uint8Array({ maxLength: 120 }),
  fc
    .tuple(fc.nat(40), fc.uint8Array({ maxLength: 80 }))
    .map(([head, rest]) => Uint8Array.from([head, 0, 0, 0, ...rest])),
  fc
    .tuple(fc.nat(40), fc.uint8Array({ maxLength: 80 }))
    .map(([head, rest]) => Uint8Array.from([head, ...rest])),
  fc
    .tuple(fc.constantFrom('stake', 'unstake'), fc.uint8Array({ maxLength: 24 }))
    .map(([name, rest]) => Uint8Array.from([...STAKE_DISCRIMINATORS[name], ...rest])),
);
const STAKE_DISCRIMINATORS = {
  stake: [206, 176, 202, 18, 200, 209, 179, 108],
  unstake: [90, 95, 107, 42, 205, 124, 50, 225],
} as const;

/** Selects an item from a list: the index is taken modulo the list's length, which is known only once the ledger is open. */
const index = fc.nat(10_000);
const message = fc.record({
  version: fc.constantFrom('legacy', 'legacy', 'v0'),
  header: fc.tuple(fc.integer({ min: 1, max: 4 }), fc.nat(2), fc.nat(12)),
  payer: fc.constantFrom('holder-1', 'holder-1', 'holder-1', 'holder-1', 'stranger', 'anyone'),
  accounts: fc.array(index, { maxLength: 12 }),
  programs: fc.array(index, { minLength: 1, maxLength: 4 }),
  instructions: fc.array(
    fc.record({ program: index, accounts: fc.array(index, { maxLength: 16 }), data: instructionData }),
    { maxLength: 6 },
  ),
  lookups: fc.array(
    fc.tuple(
      fc.constantFrom(0, 0, 0, 1, 2),
      fc.array(fc.constantFrom(0, 1, 2, 200), { minLength: 1, maxLength: 2 }),
      fc.array(fc.nat(2), { maxLength: 2 }),
    ),
    { maxLength: 1 },
  ),
});

function pick<T>(items: readonly T[], position: number): T {
  const item = items[position % items.length];
  if (item === undefined) throw new RangeError('The list is empty');
  return item;
}

function wellFormedTransaction(parts: typeof message extends fc.Arbitrary<infer M> ? M : never): Uint8Array {
  const payer = parts.payer === 'anyone' ? pick(addresses, parts.header[2]) : ledgerAddress(parts.payer);
  const isOther = (address: string) => address !== payer;
  const named = new Set(parts.accounts.map((at) => pick(accounts, at)).filter(isOther));
  const programs = [...new Set(parts.programs.map((at) => pick(PROGRAMS, at)).filter(isOther))];
  const keys = [payer, ...named, ...programs];
  const signatureCount = Math.min(parts.header[0], 1 + named.size);
  const readonlySignedCount = Math.min(parts.header[1], signatureCount - 1);
  const readonlyUnsignedCount = Math.min(
    Math.max(parts.header[2], programs.length),
    keys.length - signatureCount,
  );
  const lookups = parts.version === 'legacy' ? [] : parts.lookups;
  const accountCount = lookups.reduce((sum, [, one, other]) => sum + one.length + other.length, keys.length);
  const version = parts.version === 'legacy' ? [] : [0x80];
  const head = [signatureCount, readonlySignedCount, readonlyUnsignedCount, keys.length];
  const calls = parts.instructions.filter(() => programs.length > 0);
  const body = calls.flatMap((call) => [
    1 + named.size + (call.program % programs.length),
    call.accounts.length,
    ...call.accounts.map((at) => at % accountCount),
    call.data.length,
    ...call.data,
  ]);
  const loads = lookups.flatMap(([table, writable, readonly]) => [
    ...keyBytes(pick(tables, table)),
    writable.length,
    ...writable,
    readonly.length,
    ...readonly,
  ]);
  return Uint8Array.from([
    signatureCount,
    ...new Uint8Array(signatureCount * 64),
    ...version,
    ...head,
    ...keys.flatMap((key) => [...keyBytes(key)]),
    ...new Uint8Array(32),
    calls.length,
    ...body,
    ...(parts.version === 'legacy' ? [] : [lookups.length, ...loads]),
  ]);
}

describe('the ledger survives', { timeout: 180_000 + RUNS * 10 }, () => {
  it('random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 1_400 }), (bytes) => passToAllMethods(bytes)),
      { numRuns: RUNS },
    );
  });

  it('real transactions with bytes changed, cut off, inserted or removed', () => {
    const mutation = fc.record({
      specimenIndex: fc.nat(4),
      edits: fc.array(
        fc.tuple(fc.constantFrom('set', 'cut', 'insert', 'drop'), fc.nat(1_300), compactLength),
        {
          minLength: 1,
          maxLength: 4,
        },
      ),
    });
    fc.assert(
      fc.property(mutation, ({ specimenIndex, edits }) => {
        let bytes = [...(specimens[specimenIndex] ?? [])];
        for (const [how, where, value] of edits) {
          const at = where % Math.max(1, bytes.length);
          if (how === 'cut') bytes = bytes.slice(0, at);
          else bytes.splice(at, how === 'insert' ? 0 : value.length, ...(how === 'drop' ? [] : value));
        }
        passToAllMethods(Uint8Array.from(bytes));
      }),
      { numRuns: RUNS },
    );
  });

  it('well-formed transactions that call any program with any accounts and data', () => {
    fc.assert(
      fc.property(message, (parts) => passToAllMethods(wellFormedTransaction(parts))),
      { numRuns: RUNS },
    );
  });

  it('simulations of well-formed transactions, which change no account', () => {
    const before = digest();
    fc.assert(
      fc.property(message, (parts) => {
        const options = { verifySignatures: false, replaceBlockhash: true, accounts: [] };
        chain.simulate(wellFormedTransaction(parts), options);
      }),
      { numRuns: Math.min(RUNS, 500) },
    );
    expect(digest()).toBe(before);
  });
});

/** A hash of all accounts in `addresses` except the sysvars, which change on their own. */
function digest(): string {
  const hash = createHash('sha256');
  for (const address of addresses.filter((key) => !key.startsWith('Sysvar'))) {
    const account = chain.account(address);
    hash.update(account === null ? '-' : `${account.lamports}:${account.owner}`).update(account?.data ?? '');
  }
  return hash.digest('hex');
}
