/** The filters of getProgramAccounts and programSubscribe: data size and comparison of bytes at an offset. */
import bs58 from 'bs58';
import {
  type Config,
  decodeBase64,
  isAbsent,
  readArray,
  readInteger,
  readObject,
  readText,
  readWord,
} from './params.ts';
import { invalidParams } from './rpc-error.ts';

export type AccountFilter = (data: Uint8Array) => boolean;

const MOST_FILTERS = 4;
const MOST_COMPARED_BYTES = 128;
/** The longest texts of 128 bytes. */
const MOST_BASE58_TEXT = 175;
const MOST_BASE64_TEXT = 172;

function readComparedBytes(memcmp: Config, at: string): Uint8Array {
  const encoding = readWord(memcmp.encoding, `${at}.encoding`, ['base58', 'base64'], 'base58');
  const text = readText(memcmp.bytes, `${at}.bytes`);
  const isLong = text.length > (encoding === 'base58' ? MOST_BASE58_TEXT : MOST_BASE64_TEXT);
  const bytes = isLong ? null : encoding === 'base58' ? bs58.decodeUnsafe(text) : decodeBase64(text);
  if (isAbsent(bytes) || bytes.length > MOST_COMPARED_BYTES) {
    throw invalidParams(`${at}.bytes must be ${encoding} of at most ${MOST_COMPARED_BYTES} bytes`);
  }
  return bytes;
}

function readFilter(value: unknown, at: string): AccountFilter {
  const filter = readObject(value, at);
  if (!isAbsent(filter.dataSize)) {
    const size = readInteger(filter.dataSize, `${at}.dataSize`);
    return (data) => data.length === size;
  }
  if (isAbsent(filter.memcmp))
    throw invalidParams(`${at} must have dataSize or memcmp; no other filter is served`);
  const memcmp = readObject(filter.memcmp, `${at}.memcmp`);
  const offset = readInteger(memcmp.offset, `${at}.memcmp.offset`);
  const bytes = readComparedBytes(memcmp, `${at}.memcmp`);
  return (data) =>
    data.length >= offset + bytes.length && bytes.every((byte, index) => data[offset + index] === byte);
}

/** One predicate out of a `filters` member; absent accepts every account. */
export function readAccountFilters(value: unknown, at: string): AccountFilter {
  if (isAbsent(value)) return () => true;
  if (!Array.isArray(value)) throw invalidParams(`${at} must be an array of filters`);
  const filters = readArray(value, at, MOST_FILTERS).map((filter, index) =>
    readFilter(filter, `${at}[${index}]`),
  );
  return (data) => filters.every((accepts) => accepts(data));
}
