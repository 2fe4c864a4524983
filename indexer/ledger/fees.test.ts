import { ComputeBudgetProgram, Ed25519Program, type TransactionInstruction } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { accepted, openTestLedger } from './testing/test-ledger.ts';
import { lamportsInstruction, signedWire } from './transactions.ts';
import { ledgerKeypair } from './wallets.ts';
import { parseTransaction } from './wire.ts';

const { chain } = openTestLedger();
const HOLDER = ledgerKeypair('holder-1');
const OTHER = ledgerKeypair('holder-2');
const pay = lamportsInstruction(HOLDER, OTHER, 1n);
const price = (microLamports: number) => ComputeBudgetProgram.setComputeUnitPrice({ microLamports });
const limit = (units: number) => ComputeBudgetProgram.setComputeUnitLimit({ units });
const seal = Ed25519Program.createInstructionWithPrivateKey({
  privateKey: HOLDER.secretKey,
  message: Buffer.from('sealed'),
});

describe('the fee quoted for a message', () => {
  it.each<readonly [string, TransactionInstruction[], bigint]>([
    ['one signature', [pay], 5_000n],
    ['two signatures', [pay, lamportsInstruction(OTHER, HOLDER, 2n)], 10_000n],
    ['a priority fee with a limit', [limit(50_000), price(300_000), pay], 20_000n],
    ['a priority fee rounded up', [limit(3), price(1), pay], 5_001n],
    ['a price without a limit, for built-in programs', [price(1_000_000), pay], 11_000n],
    ['a limit over the most', [limit(4_000_000), price(1_000_000), pay], 1_405_000n],
    ['a signature that a program verifies', [seal, pay], 10_000n],
  ])('is what the ledger takes: %s', (_, instructions, fee) => {
    const { blockhash } = chain.latestBlockhash();
    const isTwo = instructions.some((instruction) => instruction.keys[0]?.pubkey.equals(OTHER.publicKey));
    const wire = signedWire(instructions, isTwo ? [HOLDER, OTHER] : [HOLDER], blockhash);
    const parsed = parseTransaction(wire);
    const quoted = parsed.kind === 'parsed' ? chain.feeForMessage(parsed.value.message.bytes) : null;
    const transaction = accepted(chain.send(wire, { skipPreflight: true }));
    expect([quoted, transaction.fee]).toEqual([fee, fee]);
  });

  it('is none where the blockhash is not valid', () => {
    const parsed = parseTransaction(signedWire([pay], [HOLDER], HOLDER.publicKey.toBase58()));
    expect(parsed.kind === 'parsed' && chain.feeForMessage(parsed.value.message.bytes)).toBeNull();
  });
});
