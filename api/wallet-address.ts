import bs58 from 'bs58';
import { ApiError } from './errors.ts';

const ADDRESS_BYTES = 32;
const NOT_AN_ADDRESS = 'That isn’t a valid Solana address. Copy the full address.';

function decodeAddress(text: string): Uint8Array | null {
  const bytes = bs58.decodeUnsafe(text);
  return bytes?.length === ADDRESS_BYTES ? bytes : null;
}

export function isAddress(text: string): boolean {
  return decodeAddress(text) !== null;
}

/** @throws {ApiError} `invalid-query` if the text is not a base58 address */
export function checkAddress(text: string): void {
  if (!decodeAddress(text)) throw new ApiError('invalid-query', { text: NOT_AN_ADDRESS });
}

/** @throws {ApiError} `invalid-body` if the text is not a base58 address */
export function addressBytes(text: string): Uint8Array {
  const bytes = decodeAddress(text);
  if (!bytes) throw new ApiError('invalid-body', { text: NOT_AN_ADDRESS });
  return bytes;
}
