import {
  createAssociatedTokenAccountInstruction,
  createInitializeMint2Instruction,
  createInitializeTransferFeeConfigInstruction,
  createMintToInstruction,
  ExtensionType,
  getAssociatedTokenAddressSync,
  getMintLen,
} from '@solana/spl-token';
import { type Keypair, type PublicKey, SystemProgram } from '@solana/web3.js';
import { ledgerKeypair } from '../../ledger/wallets.ts';
import type { WatchedAccount } from '../classify.ts';
import type { LedgerToRead } from './read-back.ts';

export const DECIMALS = 6;
/** What a wallet of the world holds at first. */
const HELD = 1_000_000n;

/** For tests: a mint of either token program whose authority is at hand, with a vault and two wallets that hold some. */
export interface TokenWorld {
  readonly program: PublicKey;
  readonly mint: PublicKey;
  readonly minter: Keypair;
  readonly owner: Keypair;
  readonly alice: Keypair;
  readonly bob: Keypair;
  readonly vault: PublicKey;
  readonly watched: WatchedAccount;
  /** A wallet's associated token account. */
  account(wallet: PublicKey): PublicKey;
}

/** @param feeBasisPoints what a transfer of Token-2022 withholds of each amount; none unless given */
export function makeTokenWorld(
  ledger: LedgerToRead,
  program: PublicKey,
  feeBasisPoints: number | null = null,
): TokenWorld {
  const mintKey = ledgerKeypair(`world-mint-${program.toBase58()}-${feeBasisPoints}`);
  const minter = ledgerKeypair('holder-3');
  const owner = ledgerKeypair('vault-owner');
  const alice = ledgerKeypair('holder-1');
  const bob = ledgerKeypair('holder-2');
  const mint = mintKey.publicKey;
  const account = (wallet: PublicKey) => getAssociatedTokenAddressSync(mint, wallet, true, program);
  const space = getMintLen(feeBasisPoints === null ? [] : [ExtensionType.TransferFeeConfig]);
  const withholding = (basisPoints: number) =>
    createInitializeTransferFeeConfigInstruction(
      mint,
      minter.publicKey,
      minter.publicKey,
      basisPoints,
      HELD,
      program,
    );
  const made = ledger.send(
    [minter, mintKey],
    SystemProgram.createAccount({
      fromPubkey: minter.publicKey,
      newAccountPubkey: mint,
      lamports: Number(ledger.chain.rentExemption(space)),
      space,
      programId: program,
    }),
    ...(feeBasisPoints === null ? [] : [withholding(feeBasisPoints)]),
    createInitializeMint2Instruction(mint, DECIMALS, minter.publicKey, minter.publicKey, program),
  );
  if (made.err !== null) throw new Error(`The mint was not made: ${JSON.stringify(made.err)}`);
  for (const { publicKey } of [owner, alice, bob]) {
    const held = account(publicKey);
    const funded = ledger.send(
      [minter],
      createAssociatedTokenAccountInstruction(minter.publicKey, held, publicKey, mint, program),
      createMintToInstruction(mint, held, minter.publicKey, HELD, [], program),
    );
    if (funded.err !== null) throw new Error(`A wallet was not funded: ${JSON.stringify(funded.err)}`);
  }
  const vault = account(owner.publicKey);
  return {
    program,
    mint,
    minter,
    owner,
    alice,
    bob,
    vault,
    watched: { address: vault.toBase58(), role: 'vault' },
    account,
  };
}
