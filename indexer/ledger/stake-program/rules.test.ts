// @module-tag slow
import { PublicKey, type TransactionInstruction } from '@solana/web3.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { STAKE_ENTRY, STAKE_POOL } from '../../../data/model/stake-layout.ts';
import { STAKING_PROGRAM } from '../../../data/model/staking-terms.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../chain/accounts.ts';
import {
  associatedTokenAddress,
  LEDGER,
  ledgerAddress,
  ledgerKeypair,
  stakeEntryAddress,
} from '../addresses.ts';
import type { LedgerChain, SendOutcome } from '../chain.ts';
import {
  acceptedTransaction,
  openTestLedger,
  sendInstructions,
  tokenAmount,
} from '../testing/test-ledger.ts';
import {
  bdAccountOf,
  createInstruction,
  LOCK_SECONDS,
  openTokenAccountInstruction,
  signerAccount,
  stakeInstruction,
  transferLamportsInstruction,
  unstakeInstruction,
  writableAccount,
} from '../transactions.ts';
import { encodeUnstake, STAKE_ERRORS, type StakeErrorName } from './idl.ts';

const HOLDER = ledgerKeypair('holder-1');
const OWNER = HOLDER.publicKey.toBase58();
const OTHER = ledgerKeypair('holder-2');
const OTHER_OWNER = OTHER.publicKey.toBase58();
const AMOUNT = 1_500_000_000_000n;
const DAY_MS = 86_400_000;
const otherEntry = stakeEntryAddress(LEDGER.stakePool, OWNER, 9);

let chain: LedgerChain;
let advance: (milliseconds: number) => void;
beforeEach(() => {
  ({ chain, advance } = openTestLedger());
  for (const wallet of [HOLDER, OTHER]) {
    const owner = wallet.publicKey.toBase58();
    acceptedTransaction(
      sendInstructions(chain, [wallet], [openTokenAccountInstruction(owner, owner, LEDGER.stakeMint)]),
    );
  }
});
afterEach(() => chain.close());

function stake(nonce = 0, amount = AMOUNT, duration = LOCK_SECONDS): TransactionInstruction {
  return stakeInstruction(OWNER, { nonce, amount, duration });
}

const withKeys = (original: TransactionInstruction, keys: TransactionInstruction['keys']) =>
  createInstruction(STAKING_PROGRAM, keys, original.data);
const withData = (data: Uint8Array) => createInstruction(STAKING_PROGRAM, stake().keys, data);

function replaceKey(original: TransactionInstruction, position: number, address: string) {
  const pubkey = new PublicKey(address);
  return withKeys(
    original,
    original.keys.map((key, index) => (index === position ? { ...key, pubkey } : key)),
  );
}

/**
 * A stake with different flags for the account at a position. At position 5, the stake's payer is also replaced with another
 * wallet, because the transaction's fee payer always signs.
 */
function stakeWithFlags(position: number, flags: object) {
  const { keys } = replaceKey(stake(), 5, position === 5 ? LEDGER.creator : OWNER);
  return withKeys(
    stake(),
    keys.map((key, index) => (index === position ? { ...key, ...flags } : key)),
  );
}

function expectError(outcome: SendOutcome, error: StakeErrorName): void {
  expect(outcome).toMatchObject({ err: { InstructionError: [0, { Custom: STAKE_ERRORS[error].code }] } });
}

function readPool() {
  const decoded = STAKE_POOL.decode(chain.account(LEDGER.stakePool)?.data ?? new Uint8Array());
  if (decoded === null) throw new Error('There is no stake pool');
  return decoded;
}

function readEntry(nonce = 0) {
  const account = chain.account(stakeEntryAddress(LEDGER.stakePool, OWNER, nonce));
  return account === null ? null : STAKE_ENTRY.decode(account.data);
}

describe('a stake', () => {
  it('moves the tokens, mints receipts, opens the entry and adds to the pool', () => {
    const before = tokenAmount(chain, bdAccountOf(OWNER));
    const transaction = acceptedTransaction(sendInstructions(chain, [HOLDER], [stake()]));
    const receipts = associatedTokenAddress(OWNER, LEDGER.stakeMint, TOKEN_PROGRAM);
    expect(tokenAmount(chain, bdAccountOf(OWNER))).toBe(before - AMOUNT);
    expect(tokenAmount(chain, LEDGER.stakeVault)).toBe(AMOUNT);
    expect(tokenAmount(chain, receipts)).toBe(AMOUNT);
    expect(readPool()).toMatchObject({ totalStake: AMOUNT, totalEffectiveStake: AMOUNT * 1_000_000_000n });
    expect(readEntry()).toMatchObject({
      nonce: 0,
      stakePool: LEDGER.stakePool,
      payer: OWNER,
      authority: OWNER,
      amount: AMOUNT,
      duration: LOCK_SECONDS,
      effectiveAmount: AMOUNT * 1_000_000_000n,
      createdAt: BigInt(transaction.blockTime),
      closedAt: 0n,
      priorTotalEffectiveStake: 0n,
    });
  });

  it('is stored with inner instructions, logs, token balances and the fee for one signature', () => {
    const transaction = acceptedTransaction(sendInstructions(chain, [HOLDER], [stake()]));
    const [group] = transaction.innerInstructions;
    // The first byte of each call's data identifies the call: createAccount (0), transferChecked (12) and mintTo (7).
    expect(group?.index).toBe(0);
    expect(group?.instructions.map((call) => [call.data[0], call.stackHeight])).toEqual([
      [0, 2],
      [12, 2],
      [7, 2],
    ]);
    expect(transaction.fee).toBe(5_000n);
    expect(transaction.logs[0]).toBe(`Program ${STAKING_PROGRAM} invoke [1]`);
    expect(transaction.logs[1]).toBe('Program log: Instruction: Stake');
    expect(transaction.logs[2]).toMatch(/invoke \[2\]$/);
    expect(transaction.logs.at(-1)).toBe(`Program ${STAKING_PROGRAM} success`);
    const change = transaction.postTokenBalances.map(
      (post) =>
        post.amount -
        (transaction.preTokenBalances.find((pre) => pre.accountIndex === post.accountIndex)?.amount ?? 0n),
    );
    expect(change.toSorted()).toEqual([-AMOUNT, AMOUNT, AMOUNT].toSorted());
  });

  it('can be one of several in a transaction, each with its own nonce', () => {
    acceptedTransaction(sendInstructions(chain, [HOLDER], [stake(0, 5n), stake(1, 7n)]));
    expect([readEntry(0)?.amount, readEntry(1)?.amount]).toEqual([5n, 7n]);
    expect(readEntry(1)?.priorTotalEffectiveStake).toBe(5_000_000_000n);
    expect(readPool().totalStake).toBe(12n);
  });

  it('can be paid for by another wallet', () => {
    const paidByOther = replaceKey(replaceKey(stake(), 2, bdAccountOf(OTHER_OWNER)), 5, OTHER_OWNER);
    acceptedTransaction(sendInstructions(chain, [OTHER], [paidByOther]));
    expect(readEntry()).toMatchObject({ payer: OTHER_OWNER, authority: OWNER });
  });

  it('succeeds even if lamports were sent to the entry beforehand', () => {
    const address = stakeEntryAddress(LEDGER.stakePool, OWNER, 0);
    chain.airdrop(address, 1_000_000n);
    const transaction = acceptedTransaction(sendInstructions(chain, [HOLDER], [stake()]));
    expect(transaction.err).toBeNull();
    expect(chain.account(address)?.lamports).toBe(chain.rentExemption(220));
  });

  it('is undone except for the fee if a later instruction fails', () => {
    const lamports = chain.account(OWNER)?.lamports ?? 0n;
    const tooMuch = transferLamportsInstruction(HOLDER, OTHER, 10n ** 15n);
    const transaction = acceptedTransaction(
      sendInstructions(chain, [HOLDER], [stake(), tooMuch], { skipPreflight: true }),
    );
    expect(transaction.err).toEqual({ InstructionError: [1, { Custom: 1 }] });
    expect(readEntry()).toBeNull();
    expect(readPool().totalStake).toBe(0n);
    expect(chain.account(OWNER)?.lamports).toBe(lamports - 5_000n);
  });

  it('is undone except for the fee if the program rejects a later instruction', () => {
    const lamports = chain.account(OWNER)?.lamports ?? 0n;
    const gift = transferLamportsInstruction(HOLDER, OTHER, 1_000_000n);
    const wrong = [gift, stake(0), stake(1, 0n)];
    const transaction = acceptedTransaction(
      sendInstructions(chain, [HOLDER], wrong, { skipPreflight: true }),
    );
    expect(transaction.err).toEqual({ InstructionError: [2, { Custom: 6003 }] });
    expect(transaction.logs.at(-1)).toMatch(/failed: custom program error: 0x1773$/);
    expect([readEntry(0), readPool().totalStake, tokenAmount(chain, LEDGER.stakeVault)]).toEqual([
      null,
      0n,
      0n,
    ]);
    expect(chain.account(OWNER)?.lamports).toBe(lamports - 5_000n);
  });

  it('that is invalid does not hide the error of an earlier instruction', () => {
    const tooMuch = transferLamportsInstruction(HOLDER, OTHER, 10n ** 15n);
    const outcome = sendInstructions(chain, [HOLDER], [tooMuch, stake(0, 0n)]);
    expect(outcome).toMatchObject({ err: { InstructionError: [0, { Custom: 1 }] } });
  });

  it.each<[string, position: number, address: string, StakeErrorName]>([
    ['a pool that does not exist', 0, ledgerAddress('no pool'), 'AccountNotInitialized'],
    ['an account that is not a pool', 0, LEDGER.vault, 'AccountOwnedByWrongProgram'],
    ['an entry for another nonce', 1, otherEntry, 'ConstraintSeeds'],
    ["another wallet's tokens", 2, bdAccountOf(OTHER_OWNER), 'OwnerMismatch'],
    ['another vault', 3, LEDGER.vault, 'InvalidStakeVault'],
    ['another receipt account', 4, bdAccountOf(OWNER), 'ConstraintSeeds'],
    ['another mint', 7, LEDGER.stakeMint, 'InvalidMint'],
    ['another receipt mint', 8, LEDGER.mint, 'InvalidStakeMint'],
    ['another rent sponsor', 9, OWNER, 'ConstraintSeeds'],
    ['another token program', 10, TOKEN_2022_PROGRAM, 'InvalidProgramId'],
    ['another system program', 11, TOKEN_2022_PROGRAM, 'InvalidProgramId'],
  ])('is rejected with %s', (_, position, address, error) => {
    expectError(sendInstructions(chain, [HOLDER], [replaceKey(stake(), position, address)]), error);
  });

  it.each<[string, () => TransactionInstruction, StakeErrorName]>([
    ['nothing to stake', () => stake(0, 0n), 'InvalidStakeAmount'],
    ['a shorter lock than the pool requires', () => stake(0, 1n, LOCK_SECONDS - 1n), 'DurationTooShort'],
    ['a longer lock than the pool allows', () => stake(0, 1n, LOCK_SECONDS + 1n), 'InvalidDuration'],
    ['a payer that does not sign', () => stakeWithFlags(5, { isSigner: false }), 'AccountNotSigner'],
    ['a read-only pool', () => stakeWithFlags(0, { isWritable: false }), 'ConstraintMut'],
    ['too few accounts', () => withKeys(stake(), stake().keys.slice(0, 8)), 'AccountNotEnoughKeys'],
    ['truncated arguments', () => withData(stake().data.subarray(0, 20)), 'InstructionDidNotDeserialize'],
    ['an unknown instruction', () => withData(Uint8Array.of(1, 2, 3)), 'InstructionFallbackNotFound'],
  ])('is rejected with %s', (_, build, error) => {
    expectError(sendInstructions(chain, [HOLDER], [build()]), error);
  });

  it('fails with the error of the called program if the nonce is used or the balance is too low', () => {
    acceptedTransaction(sendInstructions(chain, [HOLDER], [stake(0, 1n)]));
    const again = sendInstructions(chain, [HOLDER], [stake(0, 2n)]);
    const tooMuch = sendInstructions(chain, [HOLDER], [stake(1, 10n ** 15n)]);
    expect(again).toMatchObject({ err: { InstructionError: [0, { Custom: 0 }] } });
    expect(tooMuch).toMatchObject({ err: { InstructionError: [0, { Custom: 1 }] } });
  });
});

describe('an unstake', () => {
  const unstake = (closesEntry = false) => unstakeInstruction(OWNER, { nonce: 0, closesEntry });
  beforeEach(() => {
    acceptedTransaction(sendInstructions(chain, [HOLDER], [stake(0)]));
  });

  it('is rejected until the lock ends, to the second', () => {
    advance(180 * DAY_MS - 1_000);
    expectError(sendInstructions(chain, [HOLDER], [unstake()]), 'LockedStake');
    advance(1_000);
    expect(sendInstructions(chain, [HOLDER], [unstake()]).kind).toBe('accepted');
  });

  it('burns the receipts, returns the tokens, closes the entry and subtracts from the pool', () => {
    advance(181 * DAY_MS);
    const before = tokenAmount(chain, bdAccountOf(OWNER));
    const transaction = acceptedTransaction(sendInstructions(chain, [HOLDER], [unstake()]));
    expect(tokenAmount(chain, bdAccountOf(OWNER))).toBe(before + AMOUNT);
    expect(tokenAmount(chain, LEDGER.stakeVault)).toBe(0n);
    expect(readPool()).toMatchObject({ totalStake: 0n, totalEffectiveStake: 0n });
    expect(readEntry()?.closedAt).toBe(BigInt(transaction.blockTime));
    expect(transaction.innerInstructions[0]?.instructions.map((call) => call.data[0])).toEqual([8, 12]);
  });

  it('removes the entry, returns its rent and frees the nonce if requested', () => {
    advance(181 * DAY_MS);
    const before = chain.account(OWNER)?.lamports ?? 0n;
    const transaction = acceptedTransaction(sendInstructions(chain, [HOLDER], [unstake(true)]));
    expect(readEntry()).toBeNull();
    expect(chain.account(OWNER)?.lamports).toBe(before + chain.rentExemption(220) - transaction.fee);
    expect(transaction.fee).toBe(5_000n);
    acceptedTransaction(sendInstructions(chain, [HOLDER], [stake(0)]));
  });

  it('leaves the nonce in use if the entry is not removed', () => {
    advance(181 * DAY_MS);
    acceptedTransaction(sendInstructions(chain, [HOLDER], [unstake()]));
    expect(sendInstructions(chain, [HOLDER], [stake(0)]).kind).toBe('rejected');
  });

  it('is rejected the second time', () => {
    advance(181 * DAY_MS);
    acceptedTransaction(sendInstructions(chain, [HOLDER], [unstake()]));
    const again = sendInstructions(
      chain,
      [HOLDER],
      [transferLamportsInstruction(HOLDER, OTHER, 1n), unstake()],
    );
    expect(again).toMatchObject({ err: { InstructionError: [1, { Custom: 6012 }] } });
  });

  it.each<[string, position: number, address: string, StakeErrorName]>([
    ["another wallet's account", 4, bdAccountOf(OTHER_OWNER), 'OwnerMismatch'],
    ['another vault', 3, LEDGER.vault, 'InvalidStakeVault'],
    ['another receipt account', 2, bdAccountOf(OWNER), 'ConstraintSeeds'],
    ['an entry that does not exist', 1, otherEntry, 'AccountNotInitialized'],
    ['an account that is not an entry', 1, LEDGER.stakePool, 'AccountDiscriminatorMismatch'],
  ])('is rejected with %s', (_, position, address, error) => {
    advance(181 * DAY_MS);
    expectError(sendInstructions(chain, [HOLDER], [replaceKey(unstake(), position, address)]), error);
  });

  it('is rejected for another wallet, and with an invalid flag', () => {
    advance(181 * DAY_MS);
    const byOther = replaceKey(replaceKey(unstake(), 5, OTHER_OWNER), 4, bdAccountOf(OTHER_OWNER));
    expectError(sendInstructions(chain, [OTHER], [byOther]), 'Unauthorized');
    const data = Uint8Array.from([...encodeUnstake(false).subarray(0, 8), 1, 2]);
    const withInvalidFlag = createInstruction(STAKING_PROGRAM, unstake().keys, data);
    expectError(sendInstructions(chain, [HOLDER], [withInvalidFlag]), 'InstructionDidNotDeserialize');
  });

  it('fails if the receipts are missing', () => {
    advance(181 * DAY_MS);
    const receipts = associatedTokenAddress(OWNER, LEDGER.stakeMint, TOKEN_PROGRAM);
    const otherReceipts = associatedTokenAddress(OTHER_OWNER, LEDGER.stakeMint, TOKEN_PROGRAM);
    const amount = Buffer.alloc(8);
    amount.writeBigUInt64LE(1n);
    const give = createInstruction(
      TOKEN_PROGRAM,
      [writableAccount(receipts), writableAccount(otherReceipts), signerAccount(OWNER)],
      Uint8Array.of(3),
      amount,
    );
    const outcome = sendInstructions(chain, [HOLDER], [give, unstake()]);
    expect(outcome).toMatchObject({ err: { InstructionError: [1, { Custom: 1 }] } });
  });
});
