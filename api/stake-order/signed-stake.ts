import type { VersionedMessage } from '@solana/web3.js';
import { COMPUTE_BUDGET_PROGRAM, LIGHTHOUSE_PROGRAM } from '../../data/model/solana-programs.ts';
import type { Web3 } from '../chain/chain-reads.ts';
import { ApiError } from '../errors.ts';
import { isSignedBy } from '../wallet/signature.ts';
import {
  isUnstakeData,
  readStakeData,
  type StakeInstructions,
  UNSTAKE_ENTRY_INDEX,
} from './stake-instructions.ts';

/** The network's limit. */
const MAX_TRANSACTION_BYTES = 1_232;
/** Wallets may add instructions for these programs before they sign. Such instructions move no tokens. */
const WALLET_PROGRAMS: ReadonlySet<string> = new Set([COMPUTE_BUDGET_PROGRAM, LIGHTHOUSE_PROGRAM]);

interface PlainInstruction {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
}

function listInstructions(message: VersionedMessage): readonly PlainInstruction[] {
  const keys = message.staticAccountKeys.map((key) => key.toBase58());
  const keyAt = (index: number) => keys[index] ?? '';
  return message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
    program: keyAt(programIdIndex),
    accounts: accountKeyIndexes.map(keyAt),
    data,
  }));
}

function isSameInstruction(one: PlainInstruction, other: PlainInstruction): boolean {
  return (
    one.program === other.program &&
    one.accounts.join() === other.accounts.join() &&
    Buffer.compare(one.data, other.data) === 0
  );
}

/** The portal's instructions for the stake or withdrawal that the last instruction requests; null if it requests neither. */
function rebuildInstructions(
  stakeInstructions: StakeInstructions,
  wallet: string,
  lastInstruction: PlainInstruction | undefined,
) {
  if (lastInstruction === undefined) return null;
  const entry = lastInstruction.accounts[UNSTAKE_ENTRY_INDEX];
  if (isUnstakeData(lastInstruction.data))
    return entry ? stakeInstructions.buildUnstake({ wallet, entry }) : null;
  const stake = readStakeData(lastInstruction.data);
  return stake === null || stake.amount === 0n ? null : stakeInstructions.build({ wallet, ...stake });
}

/** The wallet, if the message is exactly a stake or withdrawal as the portal builds it; otherwise null. */
function findStakingWallet(message: VersionedMessage, stakeInstructions: StakeInstructions): string | null {
  if (message.addressTableLookups.length > 0 || message.header.numRequiredSignatures !== 1) return null;
  const wallet = message.staticAccountKeys[0]?.toBase58();
  const relevantInstructions = listInstructions(message).filter(
    ({ program }) => !WALLET_PROGRAMS.has(program),
  );
  if (wallet === undefined) return null;
  const expected = rebuildInstructions(stakeInstructions, wallet, relevantInstructions.at(-1))?.map(
    ({ programId, keys, data }) => ({
      program: programId.toBase58(),
      accounts: keys.map(({ pubkey }) => pubkey.toBase58()),
      data,
    }),
  );
  if (!expected) return null;
  const isExpected =
    relevantInstructions.length === expected.length &&
    relevantInstructions.every((one, index) => {
      const other = expected[index];
      return other !== undefined && isSameInstruction(one, other);
    });
  return isExpected ? wallet : null;
}

/** Parses a transaction; null unless the bytes are its canonical encoding. */
function parseTransaction({ VersionedTransaction }: Web3, bytes: Uint8Array) {
  if (bytes.length > MAX_TRANSACTION_BYTES) return null;
  try {
    const transaction = VersionedTransaction.deserialize(bytes);
    return Buffer.compare(transaction.serialize(), bytes) === 0 ? transaction : null;
  } catch {
    return null;
  }
}

/**
 * Checks that a transaction is a stake in the portal's pool, or the withdrawal of one, exactly as the portal builds it, and
 * that the wallet has signed it.
 * @returns the signature, which is the transaction's id
 * @throws {ApiError} `not-a-stake-of-this-portal` otherwise
 */
export async function checkSignedStake(
  web3: Web3,
  bytes: Uint8Array,
  stakeInstructions: StakeInstructions,
): Promise<Uint8Array> {
  const transaction = parseTransaction(web3, bytes);
  const wallet = transaction && findStakingWallet(transaction.message, stakeInstructions);
  const [signature] = transaction?.signatures ?? [];
  if (!transaction || !wallet || !signature) throw new ApiError('not-a-stake-of-this-portal');
  const key = new web3.PublicKey(wallet).toBytes();
  if (!(await isSignedBy(key, transaction.message.serialize(), signature))) {
    throw new ApiError('not-a-stake-of-this-portal', {
      text: 'The transaction is not signed by the wallet that stakes. Nothing was sent. Sign it, then send it again.',
    });
  }
  return signature;
}
