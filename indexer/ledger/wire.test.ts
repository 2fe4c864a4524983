import { VersionedTransaction } from '@solana/web3.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LEDGER, ledgerKeypair } from './addresses.ts';
import { depositTransactionBytes, signedTransactionBytes, stakeTransactionBytes } from './transactions.ts';
import { PACKET_BYTES, parseTransaction } from './wire.ts';

const WALLET = ledgerKeypair('holder-1');
const DEPOSIT = depositTransactionBytes(WALLET, { amount: 1n }, LEDGER.mint);
const STAKE = stakeTransactionBytes(WALLET, { nonce: 0, amount: 1n }, LEDGER.mint);

function reasonFor(bytes: Uint8Array): string {
  const parsed = parseTransaction(bytes);
  return parsed.kind === 'malformed' ? parsed.reason : 'parsed';
}

function editedDeposit(edit: (bytes: number[]) => void): Uint8Array {
  const bytes = [...DEPOSIT];
  edit(bytes);
  return Uint8Array.from(bytes);
}

// DEPOSIT ends with its only instruction: the program's index, the number of accounts (4), their indexes, the length of the
// data (10), and the data.
describe('the transaction parser', () => {
  it('reads the same values as web3.js', () => {
    const ours = parseTransaction(STAKE);
    const theirs = VersionedTransaction.deserialize(STAKE);
    if (ours.kind === 'malformed') throw new Error(ours.reason);
    const { message } = ours.value;
    expect(message.staticKeys).toEqual(theirs.message.staticAccountKeys.map(String));
    expect(message.blockhash).toBe(theirs.message.recentBlockhash);
    expect([...message.bytes]).toEqual([...theirs.message.serialize()]);
    expect(message.instructions.map((call) => [...call.data])).toEqual(
      theirs.message.compiledInstructions.map((call) => [...call.data]),
    );
    expect(ours.value.signatures.map((bytes) => [...bytes])).toEqual(
      theirs.signatures.map((bytes) => [...bytes]),
    );
  });

  it('accepts only bytes that web3.js serializes back unchanged', () => {
    const edits = fc.array(fc.tuple(fc.nat(DEPOSIT.length - 1), fc.nat(255)), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(edits, (changes) => {
        const bytes = editedDeposit((copy) => {
          for (const [at, value] of changes) copy[at] = value;
        });
        if (parseTransaction(bytes).kind === 'malformed') return;
        expect(Buffer.from(VersionedTransaction.deserialize(bytes).serialize())).toEqual(Buffer.from(bytes));
      }),
      { numRuns: 200 },
    );
  });

  it('copies the given bytes', () => {
    const bytes = Uint8Array.from(DEPOSIT);
    const parsed = parseTransaction(bytes);
    bytes.fill(0);
    expect(parsed.kind === 'parsed' && [...parsed.value.bytes]).toEqual([...DEPOSIT]);
  });

  const keyCountOffset = 65 + 3;
  it.each<[string, offset: number, deleted: number, inserted: number[], RegExp]>([
    ['a transaction cut off', -1, 1, [], /ends too early/],
    ['bytes after the end', DEPOSIT.length, 0, [0], /bytes follow/],
    ['a length not in its shortest form', 0, 1, [0x81, 0], /not well-formed/],
    ['a length of four bytes', 0, 1, [0x80, 0x80, 0x80, 1], /not well-formed/],
    ['a length over 65,535', 0, 1, [0xff, 0xff, 0x7f], /not well-formed/],
    ['no signature', 0, 65, [0], /0 signatures where the header requires 1/],
    ['a header that requires no signature', 65, 1, [0], /requires no signature/],
    ['a read-only fee payer', 66, 1, [1], /payer is not writable/],
    ['a header with more read-only keys than there are', 67, 1, [9], /more keys than the message has/],
    ['fewer keys than declared', keyCountOffset, 33, [4], /./],
    ['version 1', 65, 0, [0x81], /version 1 is not supported/],
    ['an unknown account', -14, 1, [99], /account that does not exist/],
    ['an unknown program', -17, 1, [99], /not among the static keys/],
    ['the fee payer as program', -17, 1, [0], /payer cannot be a program/],
  ])('rejects %s', (_, offset, deleted, inserted, reason) => {
    expect(reasonFor(editedDeposit((bytes) => bytes.splice(offset, deleted, ...inserted)))).toMatch(reason);
  });

  it('rejects an empty input, and an input that is longer than a packet', () => {
    expect(reasonFor(new Uint8Array())).toMatch(/ends too early/);
    expect(reasonFor(new Uint8Array(PACKET_BYTES + 1))).toMatch(/1233 bytes, the limit is 1232/);
  });

  it('rejects a lookup table from which no account is loaded', () => {
    const legacy = signedTransactionBytes([], [WALLET], LEDGER.mint);
    const table = [...WALLET.publicKey.toBytes(), 0, 0];
    const bytes = [...legacy.subarray(0, 65), 0x80, ...legacy.subarray(65), 1, ...table];
    expect(reasonFor(Uint8Array.from(bytes))).toMatch(/without an index/);
  });
});
