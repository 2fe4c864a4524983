import { createHash, timingSafeEqual } from 'node:crypto';

const digest = (text: string) => createHash('sha256').update(text).digest();

/** How long the comparison takes reveals neither the content nor the length of the expected secret. */
export function isEqualSecret(received: string, expected: string): boolean {
  return timingSafeEqual(digest(received), digest(expected));
}
