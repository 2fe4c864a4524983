import bs58 from 'bs58';
import { ShapeError } from '../rpc/json-shape.ts';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Digits that are worked out at a time: 58⁵ × 2¹⁶ is exact in a number. */
const GROUP_DIGITS = 5;
const GROUP = 58 ** GROUP_DIGITS;
/** Every two digits, by their value: a group is a digit and two pairs. */
const PAIRS = Array.from(ALPHABET, (high) => Array.from(ALPHABET, (low) => high + low)).flat();
const PAIR = PAIRS.length;

/**
 * The base58 text of a signature or a key. Every transaction that is read is known by its signature, and the library,
 * which goes byte by byte and digit by digit, would take more time for it than for all the rest.
 */
export function base58Text(bytes: Uint8Array): string {
  let zeros = 0;
  while (bytes[zeros] === 0) zeros += 1;
  // Groups of digits, the lowest first.
  const groups: number[] = [];
  // An even number of bytes is left to be read in pairs.
  for (let at = zeros - ((bytes.length - zeros) % 2); at < bytes.length; at += 2) {
    let carry = (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0);
    for (let index = 0; index < groups.length; index += 1) {
      const value = (groups[index] ?? 0) * 65_536 + carry;
      carry = Math.floor(value / GROUP);
      groups[index] = value - carry * GROUP;
    }
    if (carry > 0) groups.push(carry);
  }
  let digits = '';
  for (let index = groups.length - 1; index >= 0; index -= 1) {
    const group = groups[index] ?? 0;
    const upper = Math.floor(group / PAIR);
    const first = Math.floor(upper / PAIR);
    digits += (ALPHABET[first] ?? '') + (PAIRS[upper % PAIR] ?? '') + (PAIRS[group % PAIR] ?? '');
  }
  return '1'.repeat(zeros) + digits.replace(/^1+/, '');
}

/** Up to here the library is quick; its time grows with the square of the length. */
const LONG_TEXT = 256;
/** Ten kilobytes, the most that one program may hand to another, have no more digits. */
const LONGEST_TEXT = 14_000;
/** A piece of a long text: quick for the library, and few enough of them. */
const PIECE_DIGITS = 64;
const PIECE = 58n ** BigInt(PIECE_DIGITS);

/**
 * The bytes of an instruction that a node tells as base58. Anyone may pad an instruction to ten kilobytes, which takes
 * the library a tenth of a second: long ones are converted in large pieces.
 *
 * @throws {ShapeError} where the text is not base58, or longer than an instruction can be
 */
export function instructionData(text: string): Uint8Array {
  if (text.length > LONGEST_TEXT) throw new ShapeError("an instruction's data is longer than any can be");
  const bytes = text.length <= LONG_TEXT ? bs58.decodeUnsafe(text) : decodeLong(text);
  if (!bytes) throw new ShapeError("an instruction's data is not base58");
  return bytes;
}

function decodeLong(text: string): Uint8Array | undefined {
  let zeros = 0;
  while (text[zeros] === '1') zeros += 1;
  // The first piece is the short one.
  let end = zeros + ((text.length - zeros) % PIECE_DIGITS);
  let value = 0n;
  for (let from = zeros; from < text.length; from = end, end += PIECE_DIGITS) {
    const bytes = bs58.decodeUnsafe(text.slice(from, end));
    if (!bytes) return undefined;
    value = value * PIECE + BigInt(`0x0${Buffer.from(bytes).toString('hex')}`);
  }
  const hex = value === 0n ? '' : value.toString(16);
  const significant = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return Buffer.concat([new Uint8Array(zeros), significant]);
}
