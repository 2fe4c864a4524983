import {
  AddressLookupTableAccount,
  AddressLookupTableProgram,
  ComputeBudgetProgram,
  Ed25519Program,
  Keypair,
  NonceAccount,
  PublicKey,
  SystemProgram,
  type TransactionInstruction,
} from '@solana/web3.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ledgerAddress, ledgerKeypair } from './addresses.ts';
import { type LedgerChain, SLOT_MILLISECONDS } from './chain.ts';
import {
  acceptedTransaction,
  openTestLedger,
  sendInstructions,
  signedWireV0,
} from './testing/test-ledger.ts';
import { signedTransactionBytes, transferLamportsInstruction } from './transactions.ts';
import { parseTransaction } from './wire.ts';

const HOLDER = ledgerKeypair('holder-1');
const OTHER = ledgerKeypair('holder-2');
const pay = transferLamportsInstruction(HOLDER, OTHER, 1n);

let chain: LedgerChain;
let advance: (milliseconds: number) => void;
beforeEach(() => {
  ({ chain, advance } = openTestLedger());
});
afterEach(() => chain.close());

function quotedFee(wire: Uint8Array): bigint | null {
  const parsed = parseTransaction(wire);
  if (parsed.kind === 'malformed') throw new Error(parsed.reason);
  return chain.feeForMessage(parsed.value.message.bytes);
}

describe('the fee quoted for a message', () => {
  const price = (microLamports: number) => ComputeBudgetProgram.setComputeUnitPrice({ microLamports });
  const limit = (units: number) => ComputeBudgetProgram.setComputeUnitLimit({ units });
  const verifyInstruction = Ed25519Program.createInstructionWithPrivateKey({
    privateKey: HOLDER.secretKey,
    message: Buffer.from('sealed'),
  });

  it.each<readonly [string, TransactionInstruction[], bigint]>([
    ['one signature', [pay], 5_000n],
    ['two signatures', [pay, transferLamportsInstruction(OTHER, HOLDER, 2n)], 10_000n],
    ['a priority fee with a limit', [limit(50_000), price(300_000), pay], 20_000n],
    ['a priority fee rounded up', [limit(3), price(1), pay], 5_001n],
    ['a price without a limit, for built-in programs', [price(1_000_000), pay], 11_000n],
    ['a limit over the maximum', [limit(4_000_000), price(1_000_000), pay], 1_405_000n],
    ['a signature that a program verifies', [verifyInstruction, pay], 10_000n],
  ])('is the fee that the ledger charges: %s', (_, instructions, fee) => {
    const hasTwoSigners = instructions.some((instruction) =>
      instruction.keys[0]?.pubkey.equals(OTHER.publicKey),
    );
    const signers = hasTwoSigners ? [HOLDER, OTHER] : [HOLDER];
    const wire = signedTransactionBytes(instructions, signers, chain.latestBlockhash().blockhash);
    const quoted = quotedFee(wire);
    const transaction = acceptedTransaction(chain.send(wire, { skipPreflight: true }));
    expect([quoted, transaction.fee]).toEqual([fee, fee]);
  });

  it('is null if the blockhash is not valid', () => {
    expect(quotedFee(signedTransactionBytes([pay], [HOLDER], HOLDER.publicKey.toBase58()))).toBeNull();
  });
});

describe('a durable nonce', () => {
  const nonceKey = Keypair.generate();
  const noncePubkey = nonceKey.publicKey;
  const authorizedPubkey = HOLDER.publicKey;
  const advanceNonce = SystemProgram.nonceAdvance({ noncePubkey, authorizedPubkey });
  const rejectedOutcome = { kind: 'rejected', err: 'BlockhashNotFound' };

  function currentNonce(): string {
    const data = chain.account(noncePubkey.toBase58())?.data ?? new Uint8Array();
    return NonceAccount.fromAccountData(data).nonce;
  }

  function send(nonce: string, ...instructions: TransactionInstruction[]) {
    return chain.send(signedTransactionBytes(instructions, [HOLDER], nonce), { skipPreflight: true });
  }

  beforeEach(() => {
    const { instructions } = SystemProgram.createNonceAccount({
      fromPubkey: HOLDER.publicKey,
      noncePubkey,
      authorizedPubkey,
      lamports: Number(chain.rentExemption(80)) * 2,
    });
    acceptedTransaction(sendInstructions(chain, [HOLDER, nonceKey], instructions));
    advance(1_000 * SLOT_MILLISECONDS);
  });

  it('replaces a blockhash once, even after every blockhash has expired', () => {
    const nonce = currentNonce();
    expect(acceptedTransaction(send(nonce, advanceNonce, pay)).err).toBeNull();
    expect(currentNonce()).not.toBe(nonce);
    const again = transferLamportsInstruction(HOLDER, OTHER, 2n);
    expect(send(nonce, advanceNonce, again)).toMatchObject(rejectedOutcome);
    expect(acceptedTransaction(send(currentNonce(), advanceNonce, again)).err).toBeNull();
  });

  it('advances even if the transaction fails, to the same value as after a success', () => {
    const nonce = currentNonce();
    const tooMuch = transferLamportsInstruction(HOLDER, OTHER, 10n ** 15n);
    const simulated = chain.simulate(signedTransactionBytes([advanceNonce, pay], [HOLDER], nonce), {
      verifySignatures: true,
      replaceBlockhash: false,
      accounts: [noncePubkey.toBase58()],
    });
    const failed = acceptedTransaction(send(nonce, advanceNonce, tooMuch));
    expect(failed.err).toEqual({ InstructionError: [1, { Custom: 1 }] });
    expect(failed.fee).toBe(5_000n);
    const data = simulated.kind === 'simulated' ? simulated.result.accounts[0]?.data : undefined;
    expect(currentNonce()).toBe(NonceAccount.fromAccountData(data ?? new Uint8Array()).nonce);
    expect(send(nonce, advanceNonce, pay)).toMatchObject(rejectedOutcome);
  });

  it('does not change the fee', () => {
    expect(quotedFee(signedTransactionBytes([advanceNonce, pay], [HOLDER], currentNonce()))).toBe(5_000n);
  });

  it.each<readonly [string, () => TransactionInstruction[]]>([
    ['without an advance instruction', () => [pay]],
    ['with the advance instruction second', () => [pay, advanceNonce]],
    [
      'without an account',
      () => [SystemProgram.nonceAdvance({ noncePubkey: OTHER.publicKey, authorizedPubkey }), pay],
    ],
    [
      'with a read-only account',
      () => {
        const keys = advanceNonce.keys.map((key, index) =>
          index === 0 ? { ...key, isWritable: false } : key,
        );
        return [{ ...advanceNonce, keys } as TransactionInstruction, pay];
      },
    ],
  ])('is rejected %s', (_, build) => {
    expect(send(currentNonce(), ...build())).toMatchObject(rejectedOutcome);
  });

  it('is rejected if its authority does not sign', () => {
    const byOther = SystemProgram.nonceAdvance({ noncePubkey, authorizedPubkey: OTHER.publicKey });
    const wire = signedTransactionBytes(
      [byOther, transferLamportsInstruction(OTHER, HOLDER, 1n)],
      [OTHER],
      currentNonce(),
    );
    expect(chain.send(wire, { skipPreflight: true })).toMatchObject(rejectedOutcome);
  });
});

describe('a lookup table', () => {
  const FRIENDS = ['holder-5', 'holder-6', 'holder-7'].map((name) => new PublicKey(ledgerAddress(name)));
  const acceptedOutcome = { kind: 'accepted' };
  let table: PublicKey;

  function extendBy(addresses: PublicKey[]) {
    const owner = { authority: HOLDER.publicKey, payer: HOLDER.publicKey };
    return AddressLookupTableProgram.extendLookupTable({ ...owner, lookupTable: table, addresses });
  }

  /** Pays an address that the transaction takes from the lookup table. */
  function payThrough(key: PublicKey, friendIndex: number) {
    const state = {
      deactivationSlot: 2n ** 64n - 1n,
      lastExtendedSlot: 0,
      lastExtendedSlotStartIndex: 0,
      addresses: FRIENDS,
    };
    const toPubkey = FRIENDS[friendIndex] ?? HOLDER.publicKey;
    const transfer = SystemProgram.transfer({ fromPubkey: HOLDER.publicKey, toPubkey, lamports: 1_000 });
    const tables = [new AddressLookupTableAccount({ key, state })];
    return chain.send(signedWireV0(chain, HOLDER, [transfer], tables), { skipPreflight: true });
  }

  beforeEach(() => {
    const [create, address] = AddressLookupTableProgram.createLookupTable({
      authority: HOLDER.publicKey,
      payer: HOLDER.publicKey,
      recentSlot: chain.clock().slot,
    });
    table = address;
    acceptedTransaction(sendInstructions(chain, [HOLDER], [create, extendBy(FRIENDS.slice(0, 2))]));
    advance(SLOT_MILLISECONDS);
  });

  it('includes an appended entry from the next slot on', () => {
    acceptedTransaction(sendInstructions(chain, [HOLDER], [extendBy(FRIENDS.slice(2))]));
    expect(payThrough(table, 2)).toMatchObject({ err: 'InvalidAddressLookupTableIndex' });
    expect(payThrough(table, 0)).toMatchObject(acceptedOutcome);
    advance(SLOT_MILLISECONDS);
    expect(payThrough(table, 2)).toMatchObject(acceptedOutcome);
  });

  it('is rejected if it does not exist, is not a table, or was deactivated long ago', () => {
    const deactivate = AddressLookupTableProgram.deactivateLookupTable({
      authority: HOLDER.publicKey,
      lookupTable: table,
    });
    acceptedTransaction(sendInstructions(chain, [HOLDER], [deactivate]));
    expect(payThrough(table, 0)).toMatchObject(acceptedOutcome);
    advance(600 * SLOT_MILLISECONDS);
    const notFound = { err: 'AddressLookupTableNotFound' };
    expect(payThrough(table, 0)).toMatchObject(notFound);
    expect(payThrough(new PublicKey(ledgerAddress('no table')), 0)).toMatchObject(notFound);
    expect(payThrough(FRIENDS[0] ?? table, 1)).toMatchObject({ err: 'InvalidAddressLookupTableOwner' });
  });
});
