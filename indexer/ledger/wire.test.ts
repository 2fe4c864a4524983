import { VersionedTransaction } from '@solana/web3.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LEDGER } from './addresses.ts';
import { depositWire, signedWire, stakeWire } from './transactions.ts';
import { ledgerKeypair } from './wallets.ts';
import { PACKET_BYTES, parseMessage, parseTransaction } from './wire.ts';

const WALLET = ledgerKeypair('holder-1');
const DEPOSIT = depositWire(WALLET, { amount: 1n }, LEDGER.mint);
const STAKE = stakeWire(WALLET, { nonce: 0, amount: 1n }, LEDGER.mint);

function reasonFor(bytes: Uint8Array): string {
  const parsed = parseTransaction(bytes);
  return parsed.kind === 'malformed' ? parsed.reason : 'parsed';
}

function edited(edit: (bytes: number[]) => void): Uint8Array {
  const bytes = [...DEPOSIT];
  edit(bytes);
  return Uint8Array.from(bytes);
}

// The deposit ends with its one instruction: program, 4, four accounts, 10, ten bytes of data.
describe('reading a transaction', () => {
  it('sees in it what web3.js sees', () => {
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
    expect(ours.value.signatures).toEqual(theirs.signatures);
  });

  it('accepts only what web3.js writes back byte for byte', () => {
    const edits = fc.array(fc.tuple(fc.nat(DEPOSIT.length - 1), fc.nat(255)), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(edits, (changes) => {
        const bytes = edited((copy) => {
          for (const [at, value] of changes) copy[at] = value;
        });
        if (parseTransaction(bytes).kind === 'malformed') return;
        expect(Buffer.from(VersionedTransaction.deserialize(bytes).serialize())).toEqual(Buffer.from(bytes));
      }),
      { numRuns: 2_000 },
    );
  });

  it('does not change when the bytes it was given change', () => {
    const bytes = Uint8Array.from(DEPOSIT);
    const parsed = parseTransaction(bytes);
    bytes.fill(0);
    expect(parsed.kind === 'parsed' && [...parsed.value.bytes]).toEqual([...DEPOSIT]);
  });

  const keyCount = 65 + 3;
  it.each([
    ['nothing', () => new Uint8Array(), /end too early/],
    ['a transaction cut off', () => DEPOSIT.subarray(0, -1), /end too early/],
    ['bytes after the end', () => Uint8Array.from([...DEPOSIT, 0]), /bytes follow/],
    ['more than a packet', () => new Uint8Array(PACKET_BYTES + 1), /1233 bytes, the limit is 1232/],
    ['a length longer than need be', () => edited((bytes) => bytes.splice(0, 1, 0x81, 0)), /shortest form/],
    [
      'a length of four bytes',
      () => edited((bytes) => bytes.splice(0, 1, 0x80, 0x80, 0x80, 1)),
      /more than three/,
    ],
    ['a length over 65,535', () => edited((bytes) => bytes.splice(0, 1, 0xff, 0xff, 0x7f)), /over 65,535/],
    [
      'no signature',
      () => edited((bytes) => bytes.splice(0, 65, 0)),
      /0 signatures where the header requires 1/,
    ],
    ['a header that requires none', () => edited((bytes) => bytes.splice(65, 1, 0)), /requires no signature/],
    ['a payer that cannot pay', () => edited((bytes) => bytes.splice(66, 1, 1)), /payer is not writable/],
    [
      'a header over the keys',
      () => edited((bytes) => bytes.splice(67, 1, 9)),
      /more keys than the message has/,
    ],
    ['fewer keys than named', () => edited((bytes) => bytes.splice(keyCount, 33, 4)), /./],
    ['another version', () => edited((bytes) => bytes.splice(65, 0, 0x81)), /version 1 is not supported/],
    [
      'an account that is not there',
      () => edited((bytes) => bytes.splice(-14, 1, 99)),
      /account that is not there/,
    ],
    [
      'a program that is not there',
      () => edited((bytes) => bytes.splice(-17, 1, 99)),
      /not among the static keys/,
    ],
    ['the payer as program', () => edited((bytes) => bytes.splice(-17, 1, 0)), /payer cannot be a program/],
  ] as const)('refuses %s', (_, build, reason) => {
    expect(reasonFor(build())).toMatch(reason);
  });

  it('refuses a lookup table from which nothing is taken', () => {
    const legacy = signedWire([], [WALLET], LEDGER.mint);
    const table = [...WALLET.publicKey.toBytes(), 0, 0];
    const bytes = [...legacy.subarray(0, 65), 0x80, ...legacy.subarray(65), 1, ...table];
    expect(reasonFor(Uint8Array.from(bytes))).toMatch(/nothing is taken/);
  });

  it('reads a message alone by the same rules', () => {
    expect(parseMessage(DEPOSIT.subarray(65)).kind).toBe('parsed');
    expect(parseMessage(DEPOSIT).kind).toBe('malformed');
  });
});
