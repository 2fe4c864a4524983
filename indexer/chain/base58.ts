import bs58 from 'bs58';
import { ShapeError } from '../rpc/json-shape.ts';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Digits per group. For a signature, a group's sum is at most 58⁵ × 2¹⁶ × 32, which is exact in a JavaScript number. */
const GROUP_DIGITS = 5;
const GROUP_VALUE = 58 ** GROUP_DIGITS;
const ALPHABET_BYTES = Buffer.from(ALPHABET, 'latin1');

interface ConversionTables {
  /** The place value of each pair of bytes, the last pair first. Each value is a list of digit groups, the lowest first. */
  readonly weights: readonly Float64Array[];
  /** Buffers that each call overwrites: the sum of each group, and the digits. */
  readonly sums: Float64Array;
  readonly digits: Buffer;
}

function createTables(length: number): ConversionTables {
  const pairs = length / 2;
  const groups = Math.ceil((length * Math.log(256)) / Math.log(GROUP_VALUE));
  const weights = Array.from({ length: pairs }, (_, pair) => {
    const digitGroups: number[] = [];
    for (let rest = 1n << BigInt(16 * pair); rest > 0n; rest /= BigInt(GROUP_VALUE)) {
      digitGroups.push(Number(rest % BigInt(GROUP_VALUE)));
    }
    return Float64Array.from(digitGroups);
  });
  return { weights, sums: new Float64Array(groups), digits: Buffer.alloc(groups * GROUP_DIGITS) };
}

const TABLES_BY_LENGTH = new Map([64, 32].map((length) => [length, createTables(length)]));

/**
 * Encodes a signature or a key in base58. Every transaction needs its signature encoded, and `bs58` converts byte by byte and
 * digit by digit, which would take longer than all other work on the transaction. For bytes as long as a signature or a key,
 * this function instead adds up tables of place values, with one division per group of digits.
 */
export function encodeBase58(bytes: Uint8Array): string {
  const conversion = TABLES_BY_LENGTH.get(bytes.length);
  if (conversion === undefined) return bs58.encode(bytes);
  const { weights, sums, digits } = conversion;
  sums.fill(0);
  for (let pair = 0, at = bytes.length - 2; at >= 0; pair += 1, at -= 2) {
    const value = (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0);
    const weight = weights[pair];
    if (value === 0 || weight === undefined) continue;
    for (let group = 0; group < weight.length; group += 1) {
      sums[group] = (sums[group] ?? 0) + value * (weight[group] ?? 0);
    }
  }
  let carry = 0;
  let end = digits.length;
  for (let group = 0; group < sums.length; group += 1) {
    const sum = (sums[group] ?? 0) + carry;
    carry = Math.floor(sum / GROUP_VALUE);
    let remaining = (sum - carry * GROUP_VALUE) | 0;
    for (let digit = 1; digit <= GROUP_DIGITS; digit += 1) {
      const quotient = (remaining / 58) | 0;
      digits[end - digit] = ALPHABET_BYTES[remaining - quotient * 58] ?? 0;
      remaining = quotient;
    }
    end -= GROUP_DIGITS;
  }
  return digits.toString('latin1', firstDigitIndex(bytes, digits));
}

/** The index of the first digit to keep: leading zeros are dropped, except one for each leading zero byte. */
function firstDigitIndex(bytes: Uint8Array, digits: Buffer): number {
  let begin = 0;
  while (digits[begin] === ALPHABET_BYTES[0]) begin += 1;
  for (let at = 0; bytes[at] === 0; at += 1) begin -= 1;
  return begin;
}

/** `bs58` is fast up to this many characters. Its time grows with the square of their number. */
const MAX_FAST_LENGTH = 256;
/** Ten kilobytes, the longest data that one program may pass to another, need fewer digits than this. */
const MAX_TEXT_LENGTH = 14_000;
const PIECE_DIGITS = 64;
const PIECE_VALUE = 58n ** BigInt(PIECE_DIGITS);

/**
 * Decodes the base58 data of an instruction. Anyone may pad an instruction to ten kilobytes, which takes `bs58` a tenth of a
 * second. Long texts are therefore converted in pieces.
 *
 * @throws {ShapeError} if the text is not base58, or longer than an instruction can be
 */
export function decodeInstructionData(text: string): Uint8Array {
  if (text.length > MAX_TEXT_LENGTH) throw new ShapeError("an instruction's data is longer than the maximum");
  const bytes = text.length <= MAX_FAST_LENGTH ? bs58.decodeUnsafe(text) : decodeLong(text);
  if (!bytes) throw new ShapeError("an instruction's data is not base58");
  return bytes;
}

function decodeLong(text: string): Uint8Array | undefined {
  let zeros = 0;
  while (text[zeros] === '1') zeros += 1;
  // The first piece may be shorter than the others.
  let end = zeros + ((text.length - zeros) % PIECE_DIGITS);
  let value = 0n;
  for (let from = zeros; from < text.length; from = end, end += PIECE_DIGITS) {
    const bytes = bs58.decodeUnsafe(text.slice(from, end));
    if (!bytes) return undefined;
    value = value * PIECE_VALUE + BigInt(`0x0${Buffer.from(bytes).toString('hex')}`);
  }
  const hex = value === 0n ? '' : value.toString(16);
  const significant = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return Buffer.concat([new Uint8Array(zeros), significant]);
}
