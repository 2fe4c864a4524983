import bs58 from 'bs58';
import { InvalidQueryError } from './errors.ts';

const ADDRESS_BYTES = 32;

/** @throws {InvalidQueryError} where the text is the base58 of no address. */
export function checkAddress(text: string): void {
  if (bs58.decodeUnsafe(text)?.length !== ADDRESS_BYTES) {
    throw new InvalidQueryError('That is not a Solana address. Copy it from the wallet, whole.');
  }
}
