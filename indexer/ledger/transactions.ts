import {
  ComputeBudgetProgram,
  type Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { LOCK_DAYS, STAKING_PROGRAM } from '../../data/model/staking-terms.ts';
import { TOKEN_PROGRAM } from '../chain/accounts.ts';
import {
  associatedTokenAddress,
  BD_DECIMALS,
  FAUCET_NAME,
  LEDGER,
  ledgerAddress,
  ledgerKeypair,
  rentSponsorAddress,
  stakeEntryAddress,
} from './addresses.ts';
import type { LedgerChain } from './chain.ts';
import { signatureOf } from './ed25519.ts';
import { ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM } from './programs.ts';
import { encodeStake, encodeUnstake } from './stake-program/idl.ts';

type AccountMeta = TransactionInstruction['keys'][number];

export function bdAccountOf(wallet: string): string {
  return associatedTokenAddress(wallet, LEDGER.mint, TOKEN_PROGRAM);
}

/** Opens a wallet's associated token account if there is none; the payer pays its rent. */
export function openTokenAccountInstruction(
  payer: string,
  owner: string,
  mint: string,
): TransactionInstruction {
  const keys = [
    signerAccount(payer),
    writableAccount(associatedTokenAddress(owner, mint, TOKEN_PROGRAM)),
    readonlyAccount(owner),
    readonlyAccount(mint),
    readonlyAccount(SYSTEM_PROGRAM),
    readonlyAccount(TOKEN_PROGRAM),
  ];
  return createInstruction(ASSOCIATED_TOKEN_PROGRAM, keys, Uint8Array.of(1));
}

/** Moves base units of BD from a token account that the wallet owns to another token account. */
export function moveBdInstruction(
  wallet: string,
  source: string,
  destination: string,
  amount: bigint,
): TransactionInstruction {
  const keys = [
    writableAccount(source),
    readonlyAccount(LEDGER.mint),
    writableAccount(destination),
    signerAccount(wallet),
  ];
  return createInstruction(TOKEN_PROGRAM, keys, Uint8Array.of(12), u64(amount), Uint8Array.of(BD_DECIMALS));
}

/** Turns an account of `MINT_SIZE` bytes into the BD mint, without a freeze authority. */
export function initializeBdMintInstruction(mintAuthority: string): TransactionInstruction {
  const data = [Uint8Array.of(20, BD_DECIMALS), new PublicKey(mintAuthority).toBytes(), Uint8Array.of(0)];
  return createInstruction(TOKEN_PROGRAM, [writableAccount(LEDGER.mint)], ...data);
}

/** @param amount base units */
export function mintBdInstruction(
  mintAuthority: string,
  destination: string,
  amount: bigint,
): TransactionInstruction {
  const keys = [writableAccount(LEDGER.mint), writableAccount(destination), signerAccount(mintAuthority)];
  return createInstruction(TOKEN_PROGRAM, keys, Uint8Array.of(7), u64(amount));
}

/** Nobody can mint BD afterwards. */
export function revokeMintAuthorityInstruction(mintAuthority: string): TransactionInstruction {
  return createInstruction(
    TOKEN_PROGRAM,
    [writableAccount(LEDGER.mint), signerAccount(mintAuthority)],
    Uint8Array.of(6, 0, 0),
  );
}

export function createInstruction(
  program: string,
  keys: AccountMeta[],
  ...data: readonly Uint8Array[]
): TransactionInstruction {
  return new TransactionInstruction({ programId: new PublicKey(program), keys, data: Buffer.concat(data) });
}

export function writableAccount(address: string): AccountMeta {
  return { pubkey: new PublicKey(address), isSigner: false, isWritable: true };
}

export function readonlyAccount(address: string): AccountMeta {
  return { pubkey: new PublicKey(address), isSigner: false, isWritable: false };
}

export function signerAccount(address: string): AccountMeta {
  return { pubkey: new PublicKey(address), isSigner: true, isWritable: true };
}

function u64(value: bigint): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

export const LOCK_SECONDS = BigInt(LOCK_DAYS) * 86_400n;

/** Signs instructions as one legacy transaction; the first signer pays. @returns the wire bytes */
export function signedTransactionBytes(
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
  const bytes = message.serialize();
  for (const signer of signers) transaction.addSignature(signer.publicKey, signatureOf(bytes, signer));
  return transaction.serialize();
}

/** The stake program's `stake`, as Streamflow's SDK builds it. Amount in base units, duration in seconds. */
export function stakeInstruction(
  authority: string,
  stake: { readonly nonce: number; readonly amount: bigint; readonly duration: bigint },
): TransactionInstruction {
  const keys = [
    writableAccount(LEDGER.stakePool),
    writableAccount(stakeEntryAddress(LEDGER.stakePool, authority, stake.nonce)),
    writableAccount(bdAccountOf(authority)),
    writableAccount(LEDGER.stakeVault),
    writableAccount(associatedTokenAddress(authority, LEDGER.stakeMint, TOKEN_PROGRAM)),
    signerAccount(authority),
    readonlyAccount(authority),
    writableAccount(LEDGER.mint),
    writableAccount(LEDGER.stakeMint),
    writableAccount(rentSponsorAddress()),
    readonlyAccount(TOKEN_PROGRAM),
    readonlyAccount(SYSTEM_PROGRAM),
  ];
  return createInstruction(STAKING_PROGRAM, keys, encodeStake(stake.nonce, stake.amount, stake.duration));
}

/** The stake program's `unstake`, as Streamflow's SDK builds it. */
export function unstakeInstruction(
  authority: string,
  stake: { readonly nonce: number; readonly closesEntry?: boolean },
): TransactionInstruction {
  const keys = [
    writableAccount(LEDGER.stakePool),
    writableAccount(stakeEntryAddress(LEDGER.stakePool, authority, stake.nonce)),
    writableAccount(associatedTokenAddress(authority, LEDGER.stakeMint, TOKEN_PROGRAM)),
    writableAccount(LEDGER.stakeVault),
    writableAccount(bdAccountOf(authority)),
    signerAccount(authority),
    writableAccount(LEDGER.mint),
    writableAccount(LEDGER.stakeMint),
    writableAccount(rentSponsorAddress()),
    readonlyAccount(TOKEN_PROGRAM),
  ];
  return createInstruction(STAKING_PROGRAM, keys, encodeUnstake(stake.closesEntry ?? false));
}

/** Stakes base units of BD for one lock. The nonce must be new for the wallet. Opens the receipt token account if needed. */
export function stakeTransactionBytes(
  wallet: Keypair,
  stake: { readonly amount: bigint; readonly nonce: number },
  blockhash: string,
): Uint8Array {
  const authority = wallet.publicKey.toBase58();
  const instructions = [
    openTokenAccountInstruction(authority, authority, LEDGER.stakeMint),
    stakeInstruction(authority, { ...stake, duration: LOCK_SECONDS }),
  ];
  return signedTransactionBytes(instructions, [wallet], blockhash);
}

/** The transaction fails until the stake's lock ends. */
export function unstakeTransactionBytes(
  wallet: Keypair,
  stake: { readonly nonce: number },
  blockhash: string,
): Uint8Array {
  return signedTransactionBytes(
    [unstakeInstruction(wallet.publicKey.toBase58(), stake)],
    [wallet],
    blockhash,
  );
}

/** Moves base units of BD from a wallet into the vault. */
export function depositTransactionBytes(
  wallet: Keypair,
  deposit: { readonly amount: bigint },
  blockhash: string,
): Uint8Array {
  const owner = wallet.publicKey.toBase58();
  const move = moveBdInstruction(owner, bdAccountOf(owner), LEDGER.vault, deposit.amount);
  return signedTransactionBytes([move], [wallet], blockhash);
}

/** Moves base units of BD out of the vault. The vault's owner signs. Opens the receiver's account if needed. */
export function withdrawalTransactionBytes(
  withdrawal: { readonly to: string; readonly amount: bigint },
  blockhash: string,
): Uint8Array {
  return transferTransactionBytes(ledgerKeypair('vault-owner'), withdrawal, blockhash);
}

/** Moves base units of BD between wallets. Opens the receiver's account if needed. */
export function transferTransactionBytes(
  wallet: Keypair,
  transfer: { readonly to: string; readonly amount: bigint },
  blockhash: string,
): Uint8Array {
  const owner = wallet.publicKey.toBase58();
  const instructions = [
    openTokenAccountInstruction(owner, transfer.to, LEDGER.mint),
    moveBdInstruction(owner, bdAccountOf(owner), bdAccountOf(transfer.to), transfer.amount),
  ];
  return signedTransactionBytes(instructions, [wallet], blockhash);
}

export function transferLamportsInstruction(
  from: Keypair,
  to: Keypair,
  lamports: bigint,
): TransactionInstruction {
  return SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to.publicKey, lamports });
}

/**
 * A signed transfer from the faucet. `airdropNumber` varies the compute limit, so that equal airdrops get different
 * signatures.
 */
export function airdropTransactionBytes(
  address: string,
  lamports: bigint,
  blockhash: string,
  airdropNumber: number,
): Uint8Array {
  const faucet = ledgerKeypair(FAUCET_NAME);
  const instructions = [
    ComputeBudgetProgram.setComputeUnitLimit({ units: 10_000 + (airdropNumber % 1_000_000) }),
    SystemProgram.transfer({ fromPubkey: faucet.publicKey, toPubkey: new PublicKey(address), lamports }),
  ];
  return signedTransactionBytes(instructions, [faucet], blockhash);
}

/** A transaction by a named wallet. Amounts are base units of BD. */
export type WalletAction = { readonly wallet: string } & (
  | { readonly kind: 'stake'; readonly nonce: number; readonly amount: bigint }
  | { readonly kind: 'unstake'; readonly nonce: number }
  | { readonly kind: 'deposit' | 'withdraw'; readonly amount: bigint }
  | { readonly kind: 'transfer'; readonly to: string; readonly amount: bigint }
);

/** @throws {Error} if the ledger rejects the transaction */
export function sendAction(chain: Pick<LedgerChain, 'send' | 'latestBlockhash'>, action: WalletAction): void {
  const outcome = chain.send(actionTransactionBytes(action, chain.latestBlockhash().blockhash));
  if (outcome.kind === 'accepted') return;
  const reason = outcome.kind === 'malformed' ? outcome.reason : JSON.stringify(outcome.err);
  throw new Error(`${action.kind} by ${action.wallet}: ${reason}`);
}

function actionTransactionBytes(action: WalletAction, blockhash: string): Uint8Array {
  const wallet = ledgerKeypair(action.wallet);
  switch (action.kind) {
    case 'stake':
      return stakeTransactionBytes(wallet, action, blockhash);
    case 'unstake':
      return unstakeTransactionBytes(wallet, action, blockhash);
    case 'deposit':
      return depositTransactionBytes(wallet, action, blockhash);
    case 'withdraw':
      return withdrawalTransactionBytes(
        { to: ledgerAddress(action.wallet), amount: action.amount },
        blockhash,
      );
    case 'transfer':
      return transferTransactionBytes(
        wallet,
        { to: ledgerAddress(action.to), amount: action.amount },
        blockhash,
      );
  }
}
