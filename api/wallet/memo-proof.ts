import { createHash } from 'node:crypto';
import type { VersionedMessage } from '@solana/web3.js';
import { COMPUTE_BUDGET_PROGRAM, MEMO_PROGRAM } from '../../data/model/solana-programs.ts';
import type { Web3 } from '../chain/chain-reads.ts';

/** The network's size limit for a transaction, minus one signature and the byte that counts the signatures. */
const MAX_MESSAGE_BYTES = 1_232 - 65;

/** Null unless the bytes are the canonical encoding of a legacy or version 0 message. */
function parseMessage({ VersionedMessage }: Web3, bytes: Uint8Array): VersionedMessage | null {
  if (bytes.length > MAX_MESSAGE_BYTES) return null;
  try {
    const message = VersionedMessage.deserialize(bytes);
    return Buffer.compare(message.serialize(), bytes) === 0 ? message : null;
  } catch {
    return null;
  }
}

/**
 * Whether the wallet pays the fee and is the only signer, and the message names no other accounts except the memo program and
 * the compute-budget program.
 */
function hasOnlyWallet(message: VersionedMessage, keys: readonly string[], wallet: string): boolean {
  const { numRequiredSignatures, numReadonlySignedAccounts, numReadonlyUnsignedAccounts } = message.header;
  const [feePayer, ...programs] = keys;
  return (
    message.addressTableLookups.length === 0 &&
    numRequiredSignatures === 1 &&
    numReadonlySignedAccounts === 0 &&
    numReadonlyUnsignedAccounts === programs.length &&
    feePayer === wallet &&
    programs.every((key) => key === MEMO_PROGRAM || key === COMPUTE_BUDGET_PROGRAM) &&
    new Set(programs).size === programs.length
  );
}

/**
 * Reads the memo of a transaction that proves a wallet. Such a transaction contains one memo, and any compute-budget
 * instructions that the wallet adds. Its blockhash is the SHA-256 hash of the memo. No block has this hash, so no validator can
 * process the transaction.
 * @param bytes the transaction's message, which the wallet signed
 * @returns null for any other transaction
 */
export function readProofMemo(web3: Web3, bytes: Uint8Array, wallet: string): Buffer | null {
  const message = parseMessage(web3, bytes);
  if (!message) return null;
  const keys = message.staticAccountKeys.map((key) => key.toBase58());
  if (!hasOnlyWallet(message, keys, wallet)) return null;
  const calledInstructions = message.compiledInstructions.map(
    ({ programIdIndex, accountKeyIndexes, data }) => ({
      program: keys[programIdIndex],
      usesOtherAccounts: accountKeyIndexes.some((index) => keys[index] !== wallet),
      data,
    }),
  );
  const [memo, ...moreMemos] = calledInstructions.filter(({ program }) => program === MEMO_PROGRAM);
  const isHarmless = calledInstructions.every(
    ({ program, usesOtherAccounts }) =>
      !usesOtherAccounts && (program === MEMO_PROGRAM || program === COMPUTE_BUDGET_PROGRAM),
  );
  if (!memo || moreMemos.length > 0 || !isHarmless) return null;
  const expectedBlockhash = createHash('sha256').update(memo.data).digest();
  const blockhash = new web3.PublicKey(message.recentBlockhash).toBytes();
  return expectedBlockhash.equals(blockhash) ? Buffer.from(memo.data) : null;
}
