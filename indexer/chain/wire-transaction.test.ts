// @module-tag slow
import {
  AddressLookupTableAccount,
  Keypair,
  type Message,
  PublicKey,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import bs58 from 'bs58';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ShapeError } from '../rpc/json-shape.ts';
import { wireVersion1 } from './testing/wire-version-1.ts';
import { keysFromBytes, readWireTransaction } from './wire-transaction.ts';

const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => new PublicKey(bytes));
const seed = fc.uint8Array({ minLength: 32, maxLength: 32 });
const BLOCKHASH = bs58.encode(new Uint8Array(32).fill(9));

/** Bits of the config mask: a priority fee (two bits), and limits on compute units, account data and heap. */
const CONFIG_MASKS = [0, 0b11, 0b100, 0b1_1000, 0b1_1111] as const;

function asVersion1({ header, accountKeys, compiledInstructions }: Message, mask: number): Buffer {
  return wireVersion1({
    signatures: Array.from({ length: header.numRequiredSignatures }, () => new Uint8Array(64).fill(2)),
    readonlySignedCount: header.numReadonlySignedAccounts,
    readonlyUnsignedCount: header.numReadonlyUnsignedAccounts,
    configMask: mask,
    keys: accountKeys.map((one) => one.toBase58()),
    instructions: compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
      programIndex: programIdIndex,
      accounts: Uint8Array.from(accountKeyIndexes),
      data,
    })),
  });
}

const transaction = fc
  .record({
    signers: fc.uniqueArray(seed, { minLength: 1, maxLength: 3, selector: (bytes) => String(bytes) }),
    keys: fc.uniqueArray(key, { minLength: 3, maxLength: 12, selector: (one) => one.toBase58() }),
    calls: fc.array(
      fc.record({
        accounts: fc.array(fc.tuple(fc.nat(), fc.boolean()), { maxLength: 6 }),
        data: fc.uint8Array({ maxLength: 200 }),
      }),
      { maxLength: 4 },
    ),
    version: fc.constantFrom('legacy', 0, 1),
    mask: fc.constantFrom(...CONFIG_MASKS),
    lookupCount: fc.nat(3),
  })
  .map(({ signers, keys, calls, version, mask, lookupCount }) => {
    const keypairs = signers.map((bytes) => Keypair.fromSeed(bytes));
    const [payer] = keypairs;
    const programId = keys[0] ?? PublicKey.default;
    if (!payer) throw new RangeError('There is no payer.');
    const instructions = calls.map(
      ({ accounts, data }) =>
        new TransactionInstruction({
          programId,
          keys: [
            ...keypairs.map(({ publicKey }) => ({ pubkey: publicKey, isSigner: true, isWritable: true })),
            ...accounts.map(([at, isWritable]) => ({
              pubkey: keys[1 + (at % (keys.length - 1))] ?? programId,
              isSigner: false,
              isWritable,
            })),
          ],
          data: Buffer.from(data),
        }),
    );
    const message = new TransactionMessage({
      payerKey: payer.publicKey,
      recentBlockhash: BLOCKHASH,
      instructions,
    });
    const table = new AddressLookupTableAccount({
      key: PublicKey.unique(),
      state: {
        deactivationSlot: 2n ** 64n - 1n,
        lastExtendedSlot: 0,
        lastExtendedSlotStartIndex: 0,
        addresses: keys.slice(1, 1 + lookupCount),
      },
    });
    if (version === 1) return asVersion1(message.compileToLegacyMessage(), mask);
    const compiled = version === 0 ? message.compileToV0Message([table]) : message.compileToLegacyMessage();
    const made = new VersionedTransaction(compiled);
    const needed = made.message.header.numRequiredSignatures;
    made.sign(keypairs.slice(0, needed));
    return Buffer.from(made.serialize());
  });

/** A legacy transaction without instructions: a signature, a header, two keys and a blockhash. */
function smallestTransaction(change: (bytes: Buffer) => void = () => {}): Buffer {
  const bytes = Buffer.alloc(1 + 64 + 3 + 1 + 64 + 32 + 1);
  bytes.set([1], 0);
  bytes.set([1, 0, 1, 2], 65);
  bytes.fill(5, 69, 101);
  bytes.fill(6, 101, 133);
  change(bytes);
  return bytes;
}

describe('a transaction in wire format', () => {
  it('is read as @solana/web3.js reads it, in every version', () => {
    fc.assert(
      fc.property(transaction, (bytes) => {
        const theirs = VersionedTransaction.deserialize(bytes);
        const ours = readWireTransaction(bytes);
        const { message } = theirs;
        expect(bs58.encode(ours.signature)).toBe(bs58.encode(theirs.signatures[0] ?? new Uint8Array()));
        const keys = keysFromBytes(ours.keys, []);
        expect(Array.from({ length: keys.count }, (_, index) => keys.addressAt(index))).toEqual(
          message.staticAccountKeys.map((one) => one.toBase58()),
        );
        expect(
          ours.instructions.map(({ programIndex, accounts, data }) => [
            programIndex,
            [...accounts],
            [...data],
          ]),
        ).toEqual(
          message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => [
            programIdIndex,
            [...accountKeyIndexes],
            [...data],
          ]),
        );
        const lookups = message.addressTableLookups;
        expect([ours.loadedWritableCount, ours.loadedReadonlyCount]).toEqual([
          lookups.reduce((sum, { writableIndexes }) => sum + writableIndexes.length, 0),
          lookups.reduce((sum, { readonlyIndexes }) => sum + readonlyIndexes.length, 0),
        ]);
      }),
    );
  });

  it('is rejected if it is truncated anywhere, or has trailing bytes', () => {
    fc.assert(
      fc.property(transaction, (bytes) => {
        for (let length = 0; length < bytes.length; length += 1) {
          expect(() => readWireTransaction(bytes.subarray(0, length))).toThrow(ShapeError);
        }
        expect(() => readWireTransaction(Buffer.concat([bytes, Buffer.alloc(1)]))).toThrow(ShapeError);
      }),
      { numRuns: 20 },
    );
  });

  it('is read or rejected, for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), transaction, (noise, bytes) => {
        for (const candidate of [noise, Buffer.concat([bytes.subarray(0, 200), noise])]) {
          try {
            readWireTransaction(Buffer.from(candidate));
          } catch (error) {
            expect(error).toBeInstanceOf(ShapeError);
          }
        }
      }),
    );
  });

  it('is read at its smallest size', () => {
    expect(readWireTransaction(smallestTransaction())).toMatchObject({
      instructions: [],
      loadedWritableCount: 0,
    });
  });

  it.each<[string, (bytes: Buffer) => void]>([
    ['no signature', (bytes) => bytes.set([0], 0)],
    ['a different number of signatures than the header requires', (bytes) => bytes.set([2], 65)],
    ['a payer that is not writable', (bytes) => bytes.set([1], 66)],
    ['more read-only keys than there are', (bytes) => bytes.set([2], 67)],
    ['more keys than bytes', (bytes) => bytes.set([3], 68)],
  ])('is rejected with %s', (_what, change) => {
    expect(() => readWireTransaction(smallestTransaction(change))).toThrow(ShapeError);
  });

  it.each([
    ['one byte more than needed', [0x81, 0]],
    ['two bytes more than needed', [0x81, 0x80, 0]],
    ['four bytes', [0x81, 0x80, 0x80, 0]],
  ])('is rejected with a length encoded in %s', (_what, length) => {
    const bytes = Buffer.concat([Buffer.from(length), smallestTransaction().subarray(1)]);
    expect(() => readWireTransaction(bytes)).toThrow(ShapeError);
  });

  it('is rejected with a length over 65,535, even with all its bytes', () => {
    const withDataOfSize = (size: number, length: readonly number[]) =>
      Buffer.concat([
        smallestTransaction((bytes) => bytes.set([1], bytes.length - 1)),
        Buffer.of(1, 0, ...length),
        Buffer.alloc(size),
      ]);
    expect(readWireTransaction(withDataOfSize(65_535, [0xff, 0xff, 3])).instructions[0]?.data).toHaveLength(
      65_535,
    );
    expect(() => readWireTransaction(withDataOfSize(65_536, [0x80, 0x80, 4]))).toThrow(ShapeError);
  });

  it('is rejected in an unknown version, or in version 1 with the layout of version 0', () => {
    const versioned = (version: number) =>
      Buffer.concat([
        smallestTransaction().subarray(0, 65),
        Buffer.of(version),
        smallestTransaction().subarray(65),
        Buffer.of(0),
      ]);
    expect(readWireTransaction(versioned(0x80))).toMatchObject({ loadedWritableCount: 0 });
    for (const version of [0x81, 0x82, 0xff]) {
      expect(() => readWireTransaction(versioned(version))).toThrow(ShapeError);
    }
  });

  it.each([
    ['a missing program', [2, 0, 0]],
    ['a missing account', [1, 1, 2, 0]],
    ['fewer accounts than it declares', [1, 9, 0]],
  ])('is rejected if an instruction has %s', (_what, instruction) => {
    const bytes = Buffer.concat([
      smallestTransaction((all) => all.set([1], all.length - 1)),
      Buffer.from(instruction),
    ]);
    expect(() => readWireTransaction(bytes)).toThrow(ShapeError);
  });

  it('is rejected if lookup tables add more accounts than a byte can address', () => {
    const lookup = (count: number) =>
      Buffer.concat([
        smallestTransaction().subarray(0, 65),
        Buffer.of(0x80),
        smallestTransaction().subarray(65),
        Buffer.of(1),
        Buffer.alloc(32),
        Buffer.of(0x80 | (count & 0x7f), count >> 7),
        Buffer.alloc(count),
        Buffer.of(0),
      ]);
    expect(readWireTransaction(lookup(254)).loadedWritableCount).toBe(254);
    expect(() => readWireTransaction(lookup(255))).toThrow(ShapeError);
  });
});

describe('the accounts of a transaction in wire format', () => {
  const keyBytes = (...fills: number[]) => Buffer.concat(fills.map((fill) => Buffer.alloc(32, fill)));
  const address = (fill: number) => bs58.encode(new Uint8Array(32).fill(fill));

  it('are found in the message and among those loaded from lookup tables', () => {
    const keys = keysFromBytes(keyBytes(1, 2), [address(3), address(4)]);
    expect(keys.count).toBe(4);
    for (const fill of [1, 2, 3, 4]) {
      expect(keys.indexOf(address(fill))).toBe(fill - 1);
      expect(keys.addressAt(fill - 1)).toBe(address(fill));
    }
    expect(keys.indexOf(address(9))).toBe(-1);
    expect(keys.indexOf('no address')).toBe(-1);
    expect(() => keys.addressAt(4)).toThrow(ShapeError);
  });

  it('do not match bytes that span two keys', () => {
    const across = Buffer.concat([Buffer.alloc(16, 1), Buffer.alloc(16, 2)]);
    expect(keysFromBytes(keyBytes(1, 2), []).indexOf(bs58.encode(across))).toBe(-1);
    const behind = Buffer.concat([keyBytes(1, 2), across]);
    expect(keysFromBytes(behind, []).indexOf(bs58.encode(across))).toBe(2);
  });

  it.each([
    ['twice in the message', keyBytes(1, 2, 1), []],
    ['in the message and loaded', keyBytes(1, 2), [address(2)]],
    ['loaded twice', keyBytes(1), [address(2), address(2)]],
    ['loaded and not an address', keyBytes(1), ['1111']],
  ])('are rejected if one is %s', (_what, keys, loaded) => {
    expect(() => keysFromBytes(keys, loaded)).toThrow(ShapeError);
  });
});
