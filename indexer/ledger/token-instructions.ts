import { PublicKey, TransactionInstruction } from '@solana/web3.js';
import { BD_DECIMALS, LEDGER } from './addresses.ts';
import { ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM } from './programs.ts';
import { associatedTokenAddress } from './stake-program/addresses.ts';

type AccountMeta = TransactionInstruction['keys'][number];

/** Bytes of a mint's account. */
export const MINT_BYTES = 82;

/** The BD token account of a wallet. */
export function bdAccountOf(wallet: string): string {
  return associatedTokenAddress(wallet, LEDGER.mint, TOKEN_PROGRAM);
}

/** Makes a wallet's associated token account unless it is there; the payer pays its rent. */
export function openTokenAccount(payer: string, owner: string, mint: string): TransactionInstruction {
  const keys = [
    signer(payer),
    writable(associatedTokenAddress(owner, mint, TOKEN_PROGRAM)),
    readonly(owner),
    readonly(mint),
    readonly(SYSTEM_PROGRAM),
    readonly(TOKEN_PROGRAM),
  ];
  return instruction(ASSOCIATED_TOKEN_PROGRAM, keys, Uint8Array.of(1));
}

/** Moves base units of BD from a token account that the wallet owns to another token account. */
export function moveBd(
  wallet: string,
  source: string,
  destination: string,
  amount: bigint,
): TransactionInstruction {
  const keys = [writable(source), readonly(LEDGER.mint), writable(destination), signer(wallet)];
  return instruction(TOKEN_PROGRAM, keys, Uint8Array.of(12), u64(amount), Uint8Array.of(BD_DECIMALS));
}

/** Turns an account of `MINT_BYTES` into the BD mint; nobody can freeze its accounts. */
export function initializeBdMint(mintAuthority: string): TransactionInstruction {
  const data = [Uint8Array.of(20, BD_DECIMALS), new PublicKey(mintAuthority).toBytes(), Uint8Array.of(0)];
  return instruction(TOKEN_PROGRAM, [writable(LEDGER.mint)], ...data);
}

/** Makes base units of BD. */
export function mintBd(mintAuthority: string, destination: string, amount: bigint): TransactionInstruction {
  const keys = [writable(LEDGER.mint), writable(destination), signer(mintAuthority)];
  return instruction(TOKEN_PROGRAM, keys, Uint8Array.of(7), u64(amount));
}

/** Gives up the right to make BD, for good. */
export function revokeMintAuthority(mintAuthority: string): TransactionInstruction {
  return instruction(TOKEN_PROGRAM, [writable(LEDGER.mint), signer(mintAuthority)], Uint8Array.of(6, 0, 0));
}

export function instruction(
  program: string,
  keys: AccountMeta[],
  ...data: readonly Uint8Array[]
): TransactionInstruction {
  return new TransactionInstruction({ programId: new PublicKey(program), keys, data: Buffer.concat(data) });
}

export function writable(address: string): AccountMeta {
  return { pubkey: new PublicKey(address), isSigner: false, isWritable: true };
}

export function readonly(address: string): AccountMeta {
  return { pubkey: new PublicKey(address), isSigner: false, isWritable: false };
}

/** A signer that is writable too. */
export function signer(address: string): AccountMeta {
  return { pubkey: new PublicKey(address), isSigner: true, isWritable: true };
}

function u64(value: bigint): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}
