import { keccak_256 } from '@noble/hashes/sha3';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils';

/** An Ethereum address: `0x` and 40 hexadecimal digits. */
const ETHEREUM_ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/**
 * The address with the capitals that EIP-55 gives it: a letter is a capital where the digit at its place in the keccak-256
 * of the address in small letters is 8 or more (https://eips.ethereum.org/EIPS/eip-55). Null where the text is no address.
 */
function withChecksum(address: string): string | null {
  if (!ETHEREUM_ADDRESS.test(address)) return null;
  const small = address.slice(2).toLowerCase();
  const hash = bytesToHex(keccak_256(utf8ToBytes(small)));
  const digits = [...small].map((digit, place) =>
    Number.parseInt(hash.charAt(place), 16) >= 8 ? digit.toUpperCase() : digit,
  );
  return `0x${digits.join('')}`;
}

/**
 * What is wrong with an Ethereum address, or null. One in small letters alone carries no checksum, so a wrong digit in it
 * would not be found: it is a fault as well.
 */
export function ethereumAddressFault(text: string): string | null {
  const checked = withChecksum(text);
  if (checked === null) {
    return 'is not an Ethereum address. Write it as 0x and 40 hexadecimal digits, as the wallet shows it.';
  }
  if (checked === text) return null;
  return text === text.toLowerCase() || text.slice(2) === text.slice(2).toUpperCase()
    ? 'has no EIP-55 checksum. Copy the address from the wallet with its capital and small letters.'
    : 'does not match its EIP-55 checksum, so a character of it is wrong. Copy the address from the wallet again, whole.';
}
