import bs58 from 'bs58';
import { MEMO_PROGRAM } from '../../../data/model/solana-programs.ts';

const SIGNATURE_BYTES = 64;

/** Encodes a length of at most 16,383 in Solana's compact-u16 encoding. */
const compactLength = (length: number) => (length < 0x80 ? [length] : [(length & 0x7f) | 0x80, length >> 7]);

/**
 * An unsigned transaction that contains only a text, as a memo, for wallets that cannot sign messages. No validator can
 * process it, because it has the hash of the text in place of a blockhash.
 */
export async function memoTransaction(publicKey: ArrayLike<number>, text: string): Promise<Uint8Array> {
  const memo = new TextEncoder().encode(text);
  const blockhash = new Uint8Array(await crypto.subtle.digest('SHA-256', memo));
  const header = [1, 0, 1];
  const keys = [2, ...Array.from(publicKey), ...bs58.decode(MEMO_PROGRAM)];
  // One instruction: the program's index, no accounts, the data.
  const instruction = [1, 1, 0, ...compactLength(memo.length), ...memo];
  return Uint8Array.from([
    1,
    ...new Uint8Array(SIGNATURE_BYTES),
    ...header,
    ...keys,
    ...blockhash,
    ...instruction,
  ]);
}

/** The signed part and the signature of a transaction with one signature; null for any other number of signatures. */
export function splitSignedTransaction(transaction: Uint8Array) {
  if (transaction[0] !== 1) return null;
  const messageOffset = 1 + SIGNATURE_BYTES;
  return {
    signedMessage: transaction.subarray(messageOffset),
    signature: transaction.subarray(1, messageOffset),
  };
}
