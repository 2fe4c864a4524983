import bs58 from 'bs58';
import { STAKING_PROGRAM } from '../../../data/model/staking-program.ts';

/** What is read of a serialized transaction before it is signed (https://solana.com/docs/core/transactions). */
export interface ReadTransaction {
  /** Base58; all zero where it is not signed. */
  readonly signatures: readonly string[];
  /** Who pays the fee: the first account of the message. */
  readonly feePayer: string;
  /** Whether accounts are looked up in tables on the chain, which only the chain can resolve. */
  readonly looksUpAccounts: boolean;
  readonly instructions: readonly { readonly program: string; readonly data: Uint8Array }[];
}

/**
 * Programs that a stake may call beside the staking program: they open its token account, bound its cost, and (by
 * Lighthouse, which Phantom and Solflare put beside what they sign) assert its outcome.
 */
const BESIDE = new Set([
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'ComputeBudget111111111111111111111111111111',
  'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95',
]);

/** Of `stake` in Streamflow's IDL 2.4.0; nonce u32, amount u64 and duration u64 follow. */
const STAKE = Uint8Array.of(206, 176, 202, 18, 200, 209, 179, 108);
const STAKE_DATA_BYTES = 28;
const SECONDS_A_DAY = 86_400n;

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** The first bit of a message marks one with a version. */
const VERSIONED = 0x80;

/** Reads a serialized transaction, legacy or of version 0. @throws {RangeError} where the bytes are none. */
export function readTransaction(bytes: Uint8Array): ReadTransaction {
  let at = 0;
  const take = (count: number): Uint8Array => {
    if (at + count > bytes.length) throw new RangeError('The transaction ends too early.');
    at += count;
    return bytes.subarray(at - count, at);
  };
  const byte = () => take(1)[0] ?? 0;
  /** Solana's compact-u16: seven bits a byte, three bytes at most. */
  const count = (): number => {
    let value = 0;
    for (let shift = 0; shift < 21; shift += 7) {
      const next = byte();
      value |= (next & 0x7f) << shift;
      if (next < VERSIONED) return value;
    }
    throw new RangeError('The transaction holds a count that is none.');
  };
  const list = <Item>(item: () => Item): readonly Item[] => Array.from({ length: count() }, item);

  const signatures = list(() => bs58.encode(take(SIGNATURE_BYTES)));
  const hasVersion = (bytes[at] ?? 0) >= VERSIONED;
  if (hasVersion && byte() !== VERSIONED) throw new RangeError('The transaction has an unknown version.');
  take(3);
  const keys = list(() => bs58.encode(take(KEY_BYTES)));
  take(KEY_BYTES);
  const instructions = list(() => {
    const program = keys[byte()];
    list(byte);
    const data = take(count());
    // A program that is looked up in a table has no key here; it is none of those that a stake calls.
    return { program: program ?? '', data };
  });
  const looksUpAccounts = hasVersion && count() > 0;
  if (!looksUpAccounts && at < bytes.length) throw new RangeError('The transaction ends too late.');
  const [feePayer] = keys;
  if (feePayer === undefined) throw new RangeError('The transaction names no account.');
  return { signatures, feePayer, looksUpAccounts, instructions };
}

/** The digits of an amount without the zeros that only say how fine it is counted: `'1500000.50'` and 15000005n → `'15000005'`. */
function significantDigits(amount: string): string {
  return amount.replace('.', '').replace(/^0+|0+$/g, '');
}

/** What was shown of a stake before it is signed. */
export interface ShownStake {
  readonly walletAddress: string;
  /** BD, decimal text. */
  readonly amount: string;
  readonly lockDays: number;
}

/**
 * Whether a transaction does what was shown and nothing else: one stake of that amount for that long, paid by that
 * wallet. The amount is compared digit by digit; how many decimals BD has is not told to the page.
 */
export function stakesAsShown(bytes: Uint8Array, shown: ShownStake): boolean {
  let read: ReadTransaction;
  try {
    read = readTransaction(bytes);
  } catch {
    return false;
  }
  if (read.looksUpAccounts || read.feePayer !== shown.walletAddress) return false;
  const own = read.instructions.filter(({ program }) => program === STAKING_PROGRAM);
  const others = read.instructions.filter(({ program }) => program !== STAKING_PROGRAM);
  const [stake, ...more] = own;
  if (!stake || more.length > 0 || others.some(({ program }) => !BESIDE.has(program))) return false;
  const { data } = stake;
  if (data.length < STAKE_DATA_BYTES || STAKE.some((value, index) => data[index] !== value)) return false;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const amount = view.getBigUint64(12, true);
  const duration = view.getBigUint64(20, true);
  return (
    amount > 0n &&
    significantDigits(String(amount)) === significantDigits(shown.amount) &&
    duration === BigInt(shown.lockDays) * SECONDS_A_DAY
  );
}

/** The bytes of base64 text. @throws where it is none. */
export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}
