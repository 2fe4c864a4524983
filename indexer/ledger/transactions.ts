import {
  type Keypair,
  SystemProgram,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { LOCK_DAYS } from '../../data/model/staking-terms.ts';
import { LEDGER } from './addresses.ts';
import { STAKE_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM } from './programs.ts';
import { associatedTokenAddress, rentSponsorAddress, stakeEntryAddress } from './stake-program/addresses.ts';
import { encodeStake, encodeUnstake } from './stake-program/instructions.ts';
import {
  bdAccountOf,
  instruction,
  moveBd,
  openTokenAccount,
  readonly,
  signer,
  writable,
} from './token-instructions.ts';
import { ledgerKeypair } from './wallets.ts';

/** Seconds a stake is locked. */
export const LOCK_SECONDS = BigInt(LOCK_DAYS) * 86_400n;

/** Signs instructions as one legacy transaction; the first signer pays. Answers the wire bytes. */
export function signedWire(
  instructions: readonly TransactionInstruction[],
  signers: readonly Keypair[],
  blockhash: string,
): Uint8Array {
  const [payer] = signers;
  if (payer === undefined) throw new RangeError('A transaction needs at least one signer');
  const message = new TransactionMessage({
    payerKey: payer.publicKey,
    recentBlockhash: blockhash,
    instructions: [...instructions],
  }).compileToLegacyMessage();
  const transaction = new VersionedTransaction(message);
  transaction.sign([...signers]);
  return transaction.serialize();
}

/** The stake program's `stake`, as Streamflow's SDK builds it. Amount in base units, duration in seconds. */
export function stakeInstruction(
  authority: string,
  stake: { readonly nonce: number; readonly amount: bigint; readonly duration: bigint },
): TransactionInstruction {
  const keys = [
    writable(LEDGER.stakePool),
    writable(stakeEntryAddress(LEDGER.stakePool, authority, stake.nonce)),
    writable(bdAccountOf(authority)),
    writable(LEDGER.stakeVault),
    writable(associatedTokenAddress(authority, LEDGER.stakeMint, TOKEN_PROGRAM)),
    signer(authority),
    readonly(authority),
    writable(LEDGER.mint),
    writable(LEDGER.stakeMint),
    writable(rentSponsorAddress()),
    readonly(TOKEN_PROGRAM),
    readonly(SYSTEM_PROGRAM),
  ];
  return instruction(STAKE_PROGRAM, keys, encodeStake(stake.nonce, stake.amount, stake.duration));
}

/** The stake program's `unstake`, as Streamflow's SDK builds it. */
export function unstakeInstruction(
  authority: string,
  stake: { readonly nonce: number; readonly closesEntry?: boolean },
): TransactionInstruction {
  const keys = [
    writable(LEDGER.stakePool),
    writable(stakeEntryAddress(LEDGER.stakePool, authority, stake.nonce)),
    writable(associatedTokenAddress(authority, LEDGER.stakeMint, TOKEN_PROGRAM)),
    writable(LEDGER.stakeVault),
    writable(bdAccountOf(authority)),
    signer(authority),
    writable(LEDGER.mint),
    writable(LEDGER.stakeMint),
    writable(rentSponsorAddress()),
    readonly(TOKEN_PROGRAM),
  ];
  return instruction(STAKE_PROGRAM, keys, encodeUnstake(stake.closesEntry ?? false));
}

/**
 * Stakes base units of BD for 180 days. The nonce has to be one that the wallet never used. Makes the account for the
 * receipt tokens if need be.
 */
export function stakeWire(
  wallet: Keypair,
  stake: { readonly amount: bigint; readonly nonce: number },
  blockhash: string,
): Uint8Array {
  const authority = wallet.publicKey.toBase58();
  const instructions = [
    openTokenAccount(authority, authority, LEDGER.stakeMint),
    stakeInstruction(authority, { ...stake, duration: LOCK_SECONDS }),
  ];
  return signedWire(instructions, [wallet], blockhash);
}

/** Ends the stake of that nonce, which succeeds only after its lock. */
export function unstakeWire(
  wallet: Keypair,
  stake: { readonly nonce: number },
  blockhash: string,
): Uint8Array {
  return signedWire([unstakeInstruction(wallet.publicKey.toBase58(), stake)], [wallet], blockhash);
}

/** Moves base units of BD from a wallet into the community vault. */
export function depositWire(
  wallet: Keypair,
  deposit: { readonly amount: bigint },
  blockhash: string,
): Uint8Array {
  const owner = wallet.publicKey.toBase58();
  const move = moveBd(owner, bdAccountOf(owner), LEDGER.vault, deposit.amount);
  return signedWire([move], [wallet], blockhash);
}

/** Moves base units of BD out of the community vault, signed by its owner. Makes the receiver's account if need be. */
export function withdrawWire(
  withdrawal: { readonly to: string; readonly amount: bigint },
  blockhash: string,
): Uint8Array {
  return transferWire(ledgerKeypair('vault-owner'), withdrawal, blockhash);
}

/** Moves base units of BD between wallets. Makes the receiver's account if need be. */
export function transferWire(
  wallet: Keypair,
  transfer: { readonly to: string; readonly amount: bigint },
  blockhash: string,
): Uint8Array {
  const owner = wallet.publicKey.toBase58();
  const instructions = [
    openTokenAccount(owner, transfer.to, LEDGER.mint),
    moveBd(owner, bdAccountOf(owner), bdAccountOf(transfer.to), transfer.amount),
  ];
  return signedWire(instructions, [wallet], blockhash);
}

/** Moves lamports between wallets. */
export function lamportsInstruction(from: Keypair, to: Keypair, lamports: bigint): TransactionInstruction {
  return SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to.publicKey, lamports });
}
