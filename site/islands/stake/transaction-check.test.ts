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
const shownStake = { walletAddress: owner.publicKey.toBase58(), amount: '1500000.25' };

function stakeInstruction(
  amount = 1_500_000_250_000n,
  durationSeconds = LOCK_SECONDS,
  programId = STAKING_PROGRAM,
) {
  const data = Buffer.alloc(28);
  data.set([206, 176, 202, 18, 200, 209, 179, 108]);
  data.writeBigUInt64LE(amount, 12);
  data.writeBigUInt64LE(durationSeconds, 20);
  const keys = [{ pubkey: owner.publicKey, isSigner: true, isWritable: true }];
  return new TransactionInstruction({ programId: new PublicKey(programId), keys, data });
}
const ownAccount = Keypair.generate().publicKey;
const accountOpeningOf = (wallet: PublicKey) =>
  new TransactionInstruction({
    programId: ASSOCIATED_TOKEN_PROGRAM_ID,
    keys: [
      { pubkey: owner.publicKey, isSigner: true, isWritable: true },
      { pubkey: ownAccount, isSigner: false, isWritable: true },
      { pubkey: wallet, isSigner: false, isWritable: false },
    ],
    data: Buffer.of(1),
  });
const accountOpening = accountOpeningOf(owner.publicKey);

const transfer = SystemProgram.transfer({
  fromPubkey: owner.publicKey,
  toPubkey: ASSOCIATED_TOKEN_PROGRAM_ID,
  lamports: 1,
});

function legacyBytes(...instructions: TransactionInstruction[]): Uint8Array {
  const transaction = new Transaction({ feePayer: owner.publicKey, recentBlockhash: BLOCKHASH });
  transaction.add(...instructions);
  return transaction.serialize({ requireAllSignatures: false });
}
function versionedBytes(...instructions: TransactionInstruction[]): Uint8Array {
  const message = new TransactionMessage({
    payerKey: owner.publicKey,
    recentBlockhash: BLOCKHASH,
    instructions,
  }).compileToV0Message();
  return new VersionedTransaction(message).serialize();
}

describe('a transaction', () => {
  it.each([
    ['legacy', legacyBytes(accountOpening, stakeInstruction())],
    ['version 0', versionedBytes(accountOpening, stakeInstruction())],
  ])('is decoded: %s', (_, bytes) => {
    const { feePayer, instructions, signatures, usesLookupTables } = readTransaction(bytes);
    expect(feePayer).toBe(shownStake.walletAddress);
    expect(instructions.map(({ program }) => program)).toEqual([
      ASSOCIATED_TOKEN_PROGRAM_ID.toBase58(),
      STAKING_PROGRAM,
    ]);
    expect(signatures).toHaveLength(1);
    expect(usesLookupTables).toBe(false);
    expect(matchesShownStake(bytes, shownStake)).toBe(true);
  });

  it('that is signed still matches the stake shown', () => {
    const transaction = VersionedTransaction.deserialize(versionedBytes(stakeInstruction()));
    transaction.sign([owner]);
    const bytes = transaction.serialize();
    expect(matchesShownStake(bytes, shownStake)).toBe(true);
    expect(readTransaction(bytes).signatures[0]).not.toMatch(/^1+$/);
  });

  it.each([
    ['no amount', legacyBytes(stakeInstruction(0n))],
    ['a shorter lock', legacyBytes(stakeInstruction(undefined, LOCK_SECONDS / 2n))],
    ['a different program', legacyBytes(stakeInstruction(undefined, undefined, BLOCKHASH))],
    ['a second stake', legacyBytes(stakeInstruction(), stakeInstruction())],
    ['a transfer', legacyBytes(stakeInstruction(), transfer)],
    ['no stake', legacyBytes(accountOpening)],
    ['an account for another wallet', legacyBytes(accountOpeningOf(ownAccount), stakeInstruction())],
    ['two accounts', legacyBytes(accountOpening, accountOpening, stakeInstruction())],
  ])('with %s does not match the stake shown', (_, bytes) => {
    expect(matchesShownStake(bytes, shownStake)).toBe(false);
  });

  it('does not match with a longer lock than the page states, even if the order states it', () => {
    const order = { ...shownStake, lockDays: 360 };
    expect(matchesShownStake(legacyBytes(stakeInstruction(undefined, LOCK_SECONDS * 2n)), order)).toBe(false);
  });

  it('may set a compute unit limit', () => {
    const bytes = legacyBytes(
      ComputeBudgetProgram.setComputeUnitLimit({ units: 200_000 }),
      stakeInstruction(),
    );
    expect(matchesShownStake(bytes, shownStake)).toBe(true);
  });

  it('does not match if a different wallet pays', () => {
    const walletAddress = Keypair.generate().publicKey.toBase58();
    expect(matchesShownStake(legacyBytes(stakeInstruction()), { ...shownStake, walletAddress })).toBe(false);
  });

  it('does not match if any significant digit of its amount differs', () => {
    const amount = fc.bigInt({ min: 1n, max: 10n ** 15n });
    fc.assert(
      fc.property(amount, amount, (shownUnits, signedUnits) => {
        const text = `${shownUnits / 1_000_000n}.${String(shownUnits % 1_000_000n).padStart(6, '0')}`;
        const bytes = legacyBytes(stakeInstruction(signedUnits));
        const isSame = String(shownUnits).replace(/0+$/, '') === String(signedUnits).replace(/0+$/, '');
        expect(matchesShownStake(bytes, { ...shownStake, amount: text })).toBe(isSame);
        expect(
          matchesShownStake(legacyBytes(stakeInstruction(shownUnits)), { ...shownStake, amount: text }),
        ).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('does not match if it has invalid, missing or extra bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(matchesShownStake(bytes, shownStake)).toBe(false);
      }),
    );
    const completeBytes = legacyBytes(stakeInstruction());
    for (let cut = 0; cut < completeBytes.length; cut += 1)
      expect(matchesShownStake(completeBytes.slice(0, cut), shownStake)).toBe(false);
    expect(matchesShownStake(Uint8Array.of(...completeBytes, 0), shownStake)).toBe(false);
  });
});

describe('a withdrawal', () => {
  const entry = Keypair.generate().publicKey;
  const shownWithdrawal = { walletAddress: owner.publicKey.toBase58(), entry: entry.toBase58() };
  const unstakeInstruction = ({
    stakeEntry = entry,
    close = 0,
    programId = STAKING_PROGRAM,
    to = ownAccount,
  } = {}) =>
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
    ['legacy', legacyBytes(accountOpening, unstakeInstruction())],
    ['version 0', versionedBytes(accountOpening, unstakeInstruction())],
    [
      'with a price',
      legacyBytes(
        ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 5 }),
        accountOpening,
        unstakeInstruction(),
      ),
    ],
    [
      'followed by a Lighthouse assertion and a price',
      legacyBytes(
        accountOpening,
        unstakeInstruction(),
        new TransactionInstruction({
          programId: new PublicKey(LIGHTHOUSE_PROGRAM),
          keys: [],
          data: Buffer.of(5),
        }),
        ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 5 }),
      ),
    ],
  ])('matches the one shown: %s', (_, bytes) => {
    expect(matchesShownWithdrawal(bytes, shownWithdrawal)).toBe(true);
  });

  it.each([
    ['of another stake', legacyBytes(accountOpening, unstakeInstruction({ stakeEntry: owner.publicKey }))],
    ['that closes the entry', legacyBytes(accountOpening, unstakeInstruction({ close: 1 }))],
    ['by a different program', legacyBytes(accountOpening, unstakeInstruction({ programId: BLOCKHASH }))],
    ['with a second one', legacyBytes(accountOpening, unstakeInstruction(), unstakeInstruction())],
    ['with a stake', legacyBytes(accountOpening, unstakeInstruction(), stakeInstruction())],
    ['with a transfer', legacyBytes(accountOpening, unstakeInstruction(), transfer)],
    ['that is a stake', legacyBytes(stakeInstruction())],
    [
      'to another account',
      legacyBytes(accountOpening, unstakeInstruction({ to: ASSOCIATED_TOKEN_PROGRAM_ID })),
    ],
    ["without opening the wallet's own account", legacyBytes(unstakeInstruction())],
    ['with no bytes', new Uint8Array()],
  ])('%s does not match the one shown', (_, bytes) => {
    expect(matchesShownWithdrawal(bytes, shownWithdrawal)).toBe(false);
  });

  it('does not match if a different wallet pays', () => {
    const walletAddress = Keypair.generate().publicKey.toBase58();
    expect(
      matchesShownWithdrawal(legacyBytes(accountOpening, unstakeInstruction()), {
        ...shownWithdrawal,
        walletAddress,
      }),
    ).toBe(false);
  });
});
