import { createHash } from 'node:crypto';

/** SHA-256 in hex. Only for long random secrets, which need neither a salt nor a slow hash. */
export function secretHash(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
