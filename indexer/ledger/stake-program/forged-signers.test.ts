import { PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TOKEN_PROGRAM } from '../../chain/accounts.ts';
import { LEDGER, ledgerKeypair, stakeEntryAddress } from '../addresses.ts';
import type { LedgerChain } from '../chain.ts';
import { SYSTEM_PROGRAM } from '../programs.ts';
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
  readonlyAccount,
  signerAccount,
  stakeInstruction,
  stakeTransactionBytes,
  unstakeInstruction,
  writableAccount,
} from '../transactions.ts';

const VICTIM = ledgerKeypair('holder-1');
const THIEF = ledgerKeypair('holder-2');
const THIEF_ADDRESS = THIEF.publicKey.toBase58();
const STAKED = 5_000_000_000_000n;
const STAKED_BYTES = Buffer.alloc(8);
STAKED_BYTES.writeBigUInt64LE(STAKED);

let chain: LedgerChain;
let advance: (milliseconds: number) => void;
beforeEach(() => {
  ({ chain, advance } = openTestLedger());
  const { blockhash } = chain.latestBlockhash();
  acceptedTransaction(chain.send(stakeTransactionBytes(VICTIM, { nonce: 0, amount: STAKED }, blockhash)));
  acceptedTransaction(chain.send(stakeTransactionBytes(THIEF, { nonce: 0, amount: 1n }, blockhash)));
});
afterEach(() => chain.close());

/** Drains the stake vault without the pool's signature, which only the stake program can give. */
function drain(): TransactionInstruction {
  const keys = [
    writableAccount(LEDGER.stakeVault),
    writableAccount(bdAccountOf(THIEF_ADDRESS)),
    readonlyAccount(LEDGER.stakePool),
  ];
  return createInstruction(TOKEN_PROGRAM, keys, Uint8Array.of(3), STAKED_BYTES);
}

/** Mints receipt tokens without a stake, as if the pool had signed. */
function mintReceipts(): TransactionInstruction {
  const receipts = oneUnitStake().keys[4]?.pubkey.toBase58() ?? '';
  const keys = [
    writableAccount(LEDGER.stakeMint),
    writableAccount(receipts),
    readonlyAccount(LEDGER.stakePool),
  ];
  return createInstruction(TOKEN_PROGRAM, keys, Uint8Array.of(7), STAKED_BYTES);
}

const oneUnitStake = () => stakeInstruction(THIEF_ADDRESS, { nonce: 1, amount: 1n, duration: LOCK_SECONDS });

describe('a program address that the stake program signs for', () => {
  it.each([
    ['draining the vault after a stake', () => [oneUnitStake(), drain()], 1],
    ['draining the vault before a stake', () => [drain(), oneUnitStake()], 0],
    ['minting receipts after a stake', () => [oneUnitStake(), mintReceipts()], 1],
    [
      'draining the vault after an unstake',
      () => [unstakeInstruction(THIEF_ADDRESS, { nonce: 0 }), drain()],
      1,
    ],
  ] as const)('signs no other instruction: %s', (_, build, index) => {
    advance(181 * 86_400_000);
    const vault = tokenAmount(chain, LEDGER.stakeVault);
    const outcome = sendInstructions(chain, [THIEF], [...build()], { skipPreflight: true });
    expect(acceptedTransaction(outcome).err).toEqual({
      InstructionError: [index, 'MissingRequiredSignature'],
    });
    expect(tokenAmount(chain, LEDGER.stakeVault)).toBe(vault);
    expect(chain.account(stakeEntryAddress(LEDGER.stakePool, THIEF_ADDRESS, 1))).toBeNull();
  });

  it('signs no other instruction, even if it is the address of the new stake entry', () => {
    const entry = stakeEntryAddress(LEDGER.stakePool, THIEF_ADDRESS, 1);
    const { data } = SystemProgram.transfer({
      fromPubkey: new PublicKey(entry),
      toPubkey: THIEF.publicKey,
      lamports: 1,
    });
    const transferFromEntry = createInstruction(
      SYSTEM_PROGRAM,
      [writableAccount(entry), signerAccount(THIEF_ADDRESS)],
      data,
    );
    const outcome = sendInstructions(chain, [THIEF], [oneUnitStake(), transferFromEntry]);
    expect(outcome).toMatchObject({ err: { InstructionError: [1, 'MissingRequiredSignature'] } });
  });

  it('cannot pay for a stake, because it is not a signer of the message', () => {
    const stake = oneUnitStake();
    const keys = stake.keys.map((key, index) => {
      if (index === 2) return { ...key, pubkey: new PublicKey(LEDGER.stakeVault) };
      return index === 5 ? writableAccount(LEDGER.stakePool) : key;
    });
    const { data } = stakeInstruction(THIEF_ADDRESS, { nonce: 2, amount: STAKED, duration: LOCK_SECONDS });
    const paidByPool = createInstruction(LEDGER.stakeProgram, keys, data);
    const outcome = sendInstructions(chain, [THIEF], [oneUnitStake(), paidByPool]);
    expect(outcome).toMatchObject({ err: { InstructionError: [1, { Custom: 3010 }] } });
  });

  it('does not block instructions that do not use it', () => {
    const open = openTokenAccountInstruction(THIEF_ADDRESS, THIEF_ADDRESS, LEDGER.stakeMint);
    acceptedTransaction(sendInstructions(chain, [THIEF], [open, oneUnitStake(), open]));
  });
});
