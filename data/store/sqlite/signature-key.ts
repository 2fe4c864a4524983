/**
 * A number made of a signature, 0 to 2^53 − 1, by which its row is found: an index of such numbers is a tenth of one of
 * the texts, and stays in memory. Two signatures may make one number, so the text is compared as well.
 */
export function signatureKey(signature: string): number {
  let high = 0x811c9dc5;
  let low = 0x2545f491;
  for (let index = 0; index < signature.length; index += 1) {
    const code = signature.charCodeAt(index);
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ code, 0x85ebca6b);
    low ^= low >>> 15;
  }
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0);
}
