import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import {
  Connection,
  Keypair,
  PublicKey,
  SystemProgram,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { EMBEDDED_ADDRESSES } from '../../data/config/environment.ts';
import { CHILD_ENV, programFile } from '../../data/runtime/testing/child-programs.ts';
import { newFolder } from '../../data/store/testing/temporary-folder.ts';

/** The embedded ledger with its own process, folder and port, and without demo actors. */
export interface LedgerProcess {
  readonly url: string;
  stop(): Promise<void>;
}

/** @param changeFolder changes the stopped ledger's folder before the ledger starts again */
export async function startLedger(changeFolder?: (folder: string) => void): Promise<LedgerProcess> {
  const folder = newFolder();
  const start = async () => {
    const ledger = fork(programFile('indexer/ledger/main.ts'), {
      env: { ...CHILD_ENV, DATA_DIR: folder, LEDGER_PORT: '0', LEDGER_ACTORS: 'off' },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const [message] = await once(ledger, 'message');
    return { ledger, url: String(message.details.url) };
  };
  const kill = async (ledger: ChildProcess) => {
    if (!ledger.kill('SIGKILL')) return;
    await once(ledger, 'exit');
  };
  let running = await start();
  if (changeFolder) {
    await kill(running.ledger);
    changeFolder(folder);
    running = await start();
  }
  const { ledger, url } = running;
  return {
    url,
    stop: async () => {
      await kill(ledger);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The key pair of a wallet on the embedded ledger. These keys are not secret. `treasury` has BD, and `faucet` has SOL. */
export function ledgerKeypair(name: string): Keypair {
  return Keypair.fromSeed(createHash('sha256').update(`blackduck-ledger:${name}`).digest());
}

/** Signs instructions, sends them and waits until they are confirmed. The first signer pays. */
export async function sendToLedger(
  url: string,
  instructions: TransactionInstruction[],
  signers: readonly [Keypair, ...Keypair[]],
): Promise<void> {
  const connection = new Connection(url, 'confirmed');
  const { blockhash } = await connection.getLatestBlockhash();
  const payerKey = signers[0].publicKey;
  const message = new TransactionMessage({ payerKey, recentBlockhash: blockhash, instructions });
  const transaction = new VersionedTransaction(message.compileToLegacyMessage());
  transaction.sign([...signers]);
  const signature = await connection.sendTransaction(transaction);
  for (;;) {
    const { value } = await connection.getSignatureStatus(signature);
    if (value?.err) throw new Error(`A transaction failed on the ledger: ${JSON.stringify(value.err)}`);
    if (value?.confirmationStatus === 'confirmed' || value?.confirmationStatus === 'finalized') return;
    await setTimeout(50);
  }
}

const BD_DECIMALS = 6;

/** Sends a wallet lamports, and optionally base units of BD. */
export async function fund(
  url: string,
  wallet: PublicKey,
  { lamports, bd = 0n }: { readonly lamports: bigint; readonly bd?: bigint },
): Promise<void> {
  const [treasury, mint] = [ledgerKeypair('treasury'), new PublicKey(EMBEDDED_ADDRESSES.mint)];
  const sourceAccount = getAssociatedTokenAddressSync(mint, treasury.publicKey);
  const targetAccount = getAssociatedTokenAddressSync(mint, wallet);
  const payer = treasury.publicKey;
  const tokenInstructions =
    bd === 0n
      ? []
      : [
          createAssociatedTokenAccountIdempotentInstruction(payer, targetAccount, wallet, mint),
          createTransferCheckedInstruction(sourceAccount, mint, targetAccount, payer, bd, BD_DECIMALS),
        ];
  const lamportTransfer = SystemProgram.transfer({ fromPubkey: payer, toPubkey: wallet, lamports });
  await sendToLedger(url, [lamportTransfer, ...tokenInstructions], [treasury]);
}
