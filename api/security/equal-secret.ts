import { createHash, timingSafeEqual } from 'node:crypto';

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Compares a received secret with the expected one. The time that this takes reveals neither content nor length. */
export function isEqualSecret(received: string, expected: string): boolean {
  return timingSafeEqual(digest(received), digest(expected));
}
