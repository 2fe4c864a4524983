import { ASSOCIATED_TOKEN_PROGRAM_ID } from '@solana/spl-token';
import {
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LIGHTHOUSE_PROGRAM } from '../../../data/model/solana-programs.ts';
import { STAKING_PROGRAM } from '../../../data/model/staking-terms.ts';
import { matchesShownStake, matchesShownWithdrawal, readTransaction } from './transaction-check.ts';

const owner = Keypair.generate();
const BLOCKHASH = Keypair.generate().publicKey.toBase58();
const LOCK_SECONDS = 180n * 86_400n;
const shown = { walletAddress: owner.publicKey.toBase58(), amount: '1500000.25', lockDays: 180 };

function stake(amount = 1_500_000_250_000n, durationSeconds = LOCK_SECONDS, programId = STAKING_PROGRAM) {
  const data = Buffer.alloc(28);
  data.set([206, 176, 202, 18, 200, 209, 179, 108]);
  data.writeBigUInt64LE(amount, 12);
  data.writeBigUInt64LE(durationSeconds, 20);
  const keys = [{ pubkey: owner.publicKey, isSigner: true, isWritable: true }];
  return new TransactionInstruction({ programId: new PublicKey(programId), keys, data });
}
const ownAccount = Keypair.generate().publicKey;
const openAccountOf = (wallet: PublicKey) =>
  new TransactionInstruction({
    programId: ASSOCIATED_TOKEN_PROGRAM_ID,
    keys: [
      { pubkey: owner.publicKey, isSigner: true, isWritable: true },
      { pubkey: ownAccount, isSigner: false, isWritable: true },
      { pubkey: wallet, isSigner: false, isWritable: false },
    ],
    data: Buffer.of(1),
  });
const openAccount = openAccountOf(owner.publicKey);

const transfer = SystemProgram.transfer({
  fromPubkey: owner.publicKey,
  toPubkey: ASSOCIATED_TOKEN_PROGRAM_ID,
  lamports: 1,
});

function legacy(...instructions: TransactionInstruction[]): Uint8Array {
  const transaction = new Transaction({ feePayer: owner.publicKey, recentBlockhash: BLOCKHASH });
  transaction.add(...instructions);
  return transaction.serialize({ requireAllSignatures: false });
}
function versioned(...instructions: TransactionInstruction[]): Uint8Array {
  const message = new TransactionMessage({
    payerKey: owner.publicKey,
    recentBlockhash: BLOCKHASH,
    instructions,
  }).compileToV0Message();
  return new VersionedTransaction(message).serialize();
}

describe('a transaction', () => {
  it.each([
    ['legacy', legacy(openAccount, stake())],
    ['version 0', versioned(openAccount, stake())],
  ])('is decoded: %s', (_, bytes) => {
    const { feePayer, instructions, signatures, usesLookupTables } = readTransaction(bytes);
    expect(feePayer).toBe(shown.walletAddress);
    expect(instructions.map(({ program }) => program)).toEqual([
      ASSOCIATED_TOKEN_PROGRAM_ID.toBase58(),
      STAKING_PROGRAM,
    ]);
    expect(signatures).toHaveLength(1);
    expect(usesLookupTables).toBe(false);
    expect(matchesShownStake(bytes, shown)).toBe(true);
  });

  it('that is signed still matches the stake shown', () => {
    const transaction = VersionedTransaction.deserialize(versioned(stake()));
    transaction.sign([owner]);
    const bytes = transaction.serialize();
    expect(matchesShownStake(bytes, shown)).toBe(true);
    expect(readTransaction(bytes).signatures[0]).not.toMatch(/^1+$/);
  });

  it.each([
    ['no amount', legacy(stake(0n))],
    ['a longer lock', legacy(stake(undefined, LOCK_SECONDS * 2n))],
    ['a different program', legacy(stake(undefined, undefined, BLOCKHASH))],
    ['a second stake', legacy(stake(), stake())],
    ['a transfer', legacy(stake(), transfer)],
    ['no stake', legacy(openAccount)],
    ['an account for another wallet', legacy(openAccountOf(ownAccount), stake())],
    ['two accounts', legacy(openAccount, openAccount, stake())],
  ])('with %s does not match', (_, bytes) => {
    expect(matchesShownStake(bytes, shown)).toBe(false);
  });

  it('may set a compute unit limit', () => {
    const bytes = legacy(ComputeBudgetProgram.setComputeUnitLimit({ units: 200_000 }), stake());
    expect(matchesShownStake(bytes, shown)).toBe(true);
  });

  it('does not match if a different wallet pays', () => {
    const walletAddress = Keypair.generate().publicKey.toBase58();
    expect(matchesShownStake(legacy(stake()), { ...shown, walletAddress })).toBe(false);
  });

  it('does not match if any significant digit of its amount differs', () => {
    const amount = fc.bigInt({ min: 1n, max: 10n ** 15n });
    fc.assert(
      fc.property(amount, amount, (shownUnits, signedUnits) => {
        const text = `${shownUnits / 1_000_000n}.${String(shownUnits % 1_000_000n).padStart(6, '0')}`;
        const bytes = legacy(stake(signedUnits));
        const isSame = String(shownUnits).replace(/0+$/, '') === String(signedUnits).replace(/0+$/, '');
        expect(matchesShownStake(bytes, { ...shown, amount: text })).toBe(isSame);
        expect(matchesShownStake(legacy(stake(shownUnits)), { ...shown, amount: text })).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('does not match if its bytes are invalid, truncated or too many', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(matchesShownStake(bytes, shown)).toBe(false);
      }),
    );
    const complete = legacy(stake());
    for (let cut = 0; cut < complete.length; cut += 1)
      expect(matchesShownStake(complete.slice(0, cut), shown)).toBe(false);
    expect(matchesShownStake(Uint8Array.of(...complete, 0), shown)).toBe(false);
  });
});

describe('a withdrawal', () => {
  const entry = Keypair.generate().publicKey;
  const order = { walletAddress: owner.publicKey.toBase58(), entry: entry.toBase58() };
  const unstake = ({ stakeEntry = entry, close = 0, programId = STAKING_PROGRAM, to = ownAccount } = {}) =>
    new TransactionInstruction({
      programId: new PublicKey(programId),
      keys: [
        { pubkey: ASSOCIATED_TOKEN_PROGRAM_ID, isSigner: false, isWritable: true },
        { pubkey: stakeEntry, isSigner: false, isWritable: true },
        { pubkey: Keypair.generate().publicKey, isSigner: false, isWritable: true },
        { pubkey: Keypair.generate().publicKey, isSigner: false, isWritable: true },
        { pubkey: to, isSigner: false, isWritable: true },
        { pubkey: owner.publicKey, isSigner: true, isWritable: true },
      ],
      data: Buffer.of(90, 95, 107, 42, 205, 124, 50, 225, 1, close),
    });

  it.each([
    ['legacy', legacy(openAccount, unstake())],
    ['version 0', versioned(openAccount, unstake())],
    [
      'with a price',
      legacy(ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 5 }), openAccount, unstake()),
    ],
    [
      'with a Lighthouse assertion and a price behind it',
      legacy(
        openAccount,
        unstake(),
        new TransactionInstruction({
          programId: new PublicKey(LIGHTHOUSE_PROGRAM),
          keys: [],
          data: Buffer.of(5),
        }),
        ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 5 }),
      ),
    ],
  ])('that is shown is recognized: %s', (_, bytes) => {
    expect(matchesShownWithdrawal(bytes, order)).toBe(true);
  });

  it.each([
    ['of another stake', legacy(openAccount, unstake({ stakeEntry: owner.publicKey }))],
    ['that closes the entry', legacy(openAccount, unstake({ close: 1 }))],
    ['by a different program', legacy(openAccount, unstake({ programId: BLOCKHASH }))],
    ['with a second one', legacy(openAccount, unstake(), unstake())],
    ['with a stake', legacy(openAccount, unstake(), stake())],
    ['with a transfer', legacy(openAccount, unstake(), transfer)],
    ['that is a stake', legacy(stake())],
    ['to another account', legacy(openAccount, unstake({ to: ASSOCIATED_TOKEN_PROGRAM_ID }))],
    ["without opening the wallet's own account", legacy(unstake())],
    ['of no bytes', new Uint8Array()],
  ])('%s does not match', (_, bytes) => {
    expect(matchesShownWithdrawal(bytes, order)).toBe(false);
  });

  it('does not match if a different wallet pays', () => {
    const walletAddress = Keypair.generate().publicKey.toBase58();
    expect(matchesShownWithdrawal(legacy(openAccount, unstake()), { ...order, walletAddress })).toBe(false);
  });
});
