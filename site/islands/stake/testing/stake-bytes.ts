import { PublicKey, Transaction, TransactionInstruction } from '@solana/web3.js';
import { STAKING_PROGRAM } from '../../../../data/model/staking-program.ts';

const LOCK_SECONDS = 180n * 86_400n;
const SIGNATURE_BYTES = 64;

/** A serialized transaction that stakes base units for 180 days; every byte of its signature is `signedWith`. */
export function stakeBytes(walletAddress: string, amount: bigint, signedWith = 0): Uint8Array {
  const owner = new PublicKey(walletAddress);
  const data = Buffer.alloc(28);
  data.set([206, 176, 202, 18, 200, 209, 179, 108]);
  data.writeBigUInt64LE(amount, 12);
  data.writeBigUInt64LE(LOCK_SECONDS, 20);
  const transaction = new Transaction({ feePayer: owner, recentBlockhash: STAKING_PROGRAM }).add(
    new TransactionInstruction({
      programId: new PublicKey(STAKING_PROGRAM),
      keys: [{ pubkey: owner, isSigner: true, isWritable: true }],
      data,
    }),
  );
  const bytes = Uint8Array.from(transaction.serialize({ requireAllSignatures: false }));
  bytes.fill(signedWith, 1, 1 + SIGNATURE_BYTES);
  return bytes;
}
