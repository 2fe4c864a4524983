import bs58 from 'bs58';
import { COMPUTE_BUDGET_PROGRAM, LIGHTHOUSE_PROGRAM } from '../../../data/model/solana-programs.ts';
import { LOCK_DAYS, STAKING_PROGRAM } from '../../../data/model/staking-terms.ts';
import type { StakeOrder, WithdrawalOrder } from '../../data/stake-calls.ts';

/**
 * The associated token program, which creates a wallet's token account. It rejects any account other than the wallet's own.
 */
const TOKEN_ACCOUNTS_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
/** The indexes of two accounts in an instruction of the associated token program: the created account and its owner. */
const CREATED_ACCOUNT_INDEX = 1;
const CREATED_OWNER_INDEX = 2;

const ALLOWED_PROGRAMS = new Set([
  STAKING_PROGRAM,
  TOKEN_ACCOUNTS_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  LIGHTHOUSE_PROGRAM,
]);

/** The discriminator of `stake` in Streamflow's IDL 2.4.0. A nonce (u32), an amount (u64) and a duration (u64) follow it. */
const STAKE_DISCRIMINATOR = Uint8Array.of(206, 176, 202, 18, 200, 209, 179, 108);
const STAKE_DATA_BYTES = 28;
/** The complete data of `unstake`: its discriminator, and an optional flag to close the entry, here present and false. */
const UNSTAKE_DATA = Uint8Array.of(90, 95, 107, 42, 205, 124, 50, 225, 1, 0);
/** The indexes of two accounts of `unstake`: the stake entry, and the token account that receives the BD. */
const UNSTAKE_ENTRY_INDEX = 1;
const UNSTAKE_RECEIVER_INDEX = 4;
const SECONDS_PER_DAY = 86_400n;

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
/**
 * In the first byte of a message, this bit means that the message has a version. In a count, it means that another byte
 * follows.
 */
const HIGH_BIT = 0x80;

/**
 * Decodes the parts of a transaction that must be checked before it is signed
 * (https://solana.com/docs/core/transactions). Supports legacy and version 0 transactions.
 * @throws {RangeError} if the bytes are invalid
 */
export function readTransaction(bytes: Uint8Array) {
  let offset = 0;
  const readBytes = (count: number): Uint8Array => {
    if (offset + count > bytes.length) throw new RangeError('The transaction is truncated.');
    offset += count;
    return bytes.subarray(offset - count, offset);
  };
  const readByte = () => readBytes(1)[0] ?? 0;
  /** Solana's compact-u16: seven bits per byte, at most three bytes. */
  const readCount = (): number => {
    let value = 0;
    for (let shift = 0; shift < 21; shift += 7) {
      const next = readByte();
      value |= (next & 0x7f) << shift;
      if (next < HIGH_BIT) return value;
    }
    throw new RangeError('The transaction has an invalid count.');
  };
  const readList = <Item>(readItem: () => Item): readonly Item[] =>
    Array.from({ length: readCount() }, readItem);

  const signatures = readList(() => bs58.encode(readBytes(SIGNATURE_BYTES)));
  const hasVersion = (bytes[offset] ?? 0) >= HIGH_BIT;
  if (hasVersion && readByte() !== HIGH_BIT) throw new RangeError('The transaction has an unknown version.');
  // Skips the header of the message.
  readBytes(3);
  const keys = readList(() => bs58.encode(readBytes(KEY_BYTES)));
  // Skips the blockhash.
  readBytes(KEY_BYTES);
  const instructions = readList(() => {
    const program = keys[readByte()];
    const accounts = readList(readByte).map((index) => keys[index] ?? '');
    const data = readBytes(readCount());
    // A program from a lookup table gets an empty key, because its key is unknown here. The check rejects it.
    return { program: program ?? '', accounts, data };
  });
  const usesLookupTables = hasVersion && readCount() > 0;
  if (!usesLookupTables && offset < bytes.length) throw new RangeError('The transaction has trailing bytes.');
  // The first account pays the fee.
  const [feePayer] = keys;
  if (feePayer === undefined) throw new RangeError('The transaction has no accounts.');
  return {
    /** Base58. A missing signature is all zeros. */
    signatures,
    feePayer,
    /** If true, the transaction cannot be checked: only the chain can resolve accounts from lookup tables. */
    usesLookupTables,
    instructions,
  };
}

/** The significant digits of an amount: `'1500000.50'` and `'1500000500000'` → `'15000005'`. */
function significantDigits(amount: string): string {
  return amount.replace('.', '').replace(/^0+|0+$/g, '');
}

/**
 * Returns the transaction's only staking instruction, and the token account that the transaction creates for the wallet.
 * Null if there is not exactly one staking instruction, another wallet pays the fee, or the transaction cannot be
 * checked or contains anything that is not allowed.
 */
function findStakingInstruction(bytes: Uint8Array, walletAddress: string) {
  let transaction: ReturnType<typeof readTransaction>;
  try {
    transaction = readTransaction(bytes);
  } catch {
    return null;
  }
  if (transaction.usesLookupTables || transaction.feePayer !== walletAddress) return null;
  if (!transaction.instructions.every(({ program }) => ALLOWED_PROGRAMS.has(program))) return null;
  const instructionsOf = (wantedProgram: string) =>
    transaction.instructions.filter(({ program }) => program === wantedProgram);
  const [instruction, ...otherInstructions] = instructionsOf(STAKING_PROGRAM);
  const [creation, ...otherCreations] = instructionsOf(TOKEN_ACCOUNTS_PROGRAM);
  if (!instruction || otherInstructions.length > 0 || otherCreations.length > 0) return null;
  if (creation && creation.accounts[CREATED_OWNER_INDEX] !== walletAddress) return null;
  return { ...instruction, createdAccount: creation?.accounts[CREATED_ACCOUNT_INDEX] };
}

/**
 * Whether a transaction is the stake that the visitor saw: a single stake of this amount for the stated lock, with this wallet
 * as the fee payer. Compares only the significant digits of the amount, not its power of ten, because the page does not know
 * the decimals of BD.
 */
export function matchesShownStake(
  bytes: Uint8Array,
  order: Pick<StakeOrder, 'walletAddress' | 'amount'>,
): boolean {
  const data = findStakingInstruction(bytes, order.walletAddress)?.data;
  if (
    !data ||
    data.length < STAKE_DATA_BYTES ||
    STAKE_DISCRIMINATOR.some((value, index) => data[index] !== value)
  )
    return false;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const amount = view.getBigUint64(12, true);
  const durationSeconds = view.getBigUint64(20, true);
  return (
    amount > 0n &&
    significantDigits(String(amount)) === significantDigits(order.amount) &&
    durationSeconds === BigInt(LOCK_DAYS) * SECONDS_PER_DAY
  );
}

/**
 * Whether a transaction does exactly what the visitor saw: one withdrawal of this stake to this wallet, which also pays the fee.
 */
export function matchesShownWithdrawal(
  bytes: Uint8Array,
  order: Pick<WithdrawalOrder, 'walletAddress' | 'entry'>,
): boolean {
  const unstake = findStakingInstruction(bytes, order.walletAddress);
  return (
    unstake !== null &&
    unstake.accounts[UNSTAKE_ENTRY_INDEX] === order.entry &&
    unstake.createdAccount !== undefined &&
    unstake.accounts[UNSTAKE_RECEIVER_INDEX] === unstake.createdAccount &&
    unstake.data.length === UNSTAKE_DATA.length &&
    UNSTAKE_DATA.every((value, index) => unstake.data[index] === value)
  );
}
