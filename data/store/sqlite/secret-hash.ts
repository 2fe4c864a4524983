import { createHash } from 'node:crypto';

/** SHA-256 in hex, of what is random and long: neither salt nor a slow hash is called for. */
export function secretHash(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
