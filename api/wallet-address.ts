import bs58 from 'bs58';
import { InvalidBodyError, InvalidQueryError } from './errors.ts';

const ADDRESS_BYTES = 32;
const FAULT = 'That is not a Solana address. Copy it from the wallet, whole.';

function decoded(text: string): Uint8Array | null {
  const bytes = bs58.decodeUnsafe(text);
  return bytes?.length === ADDRESS_BYTES ? bytes : null;
}

/** Whether a text is the base58 of an address. */
export function isAddress(text: string): boolean {
  return decoded(text) !== null;
}

/** @throws {InvalidQueryError} where the text is the base58 of no address. */
export function checkAddress(text: string): void {
  if (!decoded(text)) throw new InvalidQueryError(FAULT);
}

/** The 32 bytes of an address that came in a body. @throws {InvalidBodyError} where the text is the base58 of none. */
export function addressBytes(text: string): Uint8Array {
  const bytes = decoded(text);
  if (!bytes) throw new InvalidBodyError(FAULT);
  return bytes;
}
