import bs58 from 'bs58';
import { InvalidQueryError } from './errors.ts';

const ADDRESS_BYTES = 32;

/** Whether a text is the base58 of an address. */
export function isAddress(text: string): boolean {
  return bs58.decodeUnsafe(text)?.length === ADDRESS_BYTES;
}

/** @throws {InvalidQueryError} where the text is the base58 of no address. */
export function checkAddress(text: string): void {
  if (!isAddress(text)) {
    throw new InvalidQueryError('That is not a Solana address. Copy it from the wallet, whole.');
  }
}
