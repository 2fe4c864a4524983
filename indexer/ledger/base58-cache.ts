import bs58 from 'bs58';

/** Each cache is emptied when it reaches this number of entries, which limits its memory. */
const CACHE_LIMIT = 100_000;
const textByBytes = new Map<string, string>();
const bytesByText = new Map<string, Uint8Array>();

/** Returns a 32-byte key in base58. Cached: each encoding takes microseconds, and most transactions share keys. */
export function encodeKey(bytes: Uint8Array): string {
  const lookup = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const cached = textByBytes.get(lookup);
  if (cached !== undefined) return cached;
  if (textByBytes.size >= CACHE_LIMIT) textByBytes.clear();
  const text = bs58.encode(bytes);
  textByBytes.set(lookup, text);
  return text;
}

/** The 32 bytes of a base58 key, or null if the string is not a key. Do not write to the bytes: they are shared. */
export function decodeKey(text: string): Uint8Array | null {
  const cached = bytesByText.get(text);
  if (cached !== undefined) return cached;
  if (text.length < 32 || text.length > 44) return null;
  const bytes = bs58.decodeUnsafe(text);
  if (bytes === undefined || bytes.length !== 32) return null;
  if (bytesByText.size >= CACHE_LIMIT) bytesByText.clear();
  bytesByText.set(text, bytes);
  return bytes;
}

/** Like `decodeKey`, for strings from the ledger itself. @throws {RangeError} if the string is not a key */
export function keyBytes(text: string): Uint8Array {
  const bytes = decodeKey(text);
  if (bytes === null) throw new RangeError(`"${text}" is not a base58 key of 32 bytes`);
  return bytes;
}
