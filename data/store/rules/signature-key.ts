/**
 * A hash of a signature, from 0 to 2^53 − 1. An index on these numbers is a tenth of the size of an index on the signatures, and
 * stays in memory. Two signatures may have the same hash, so the signatures are compared as well.
 */
function signatureKey(signature: string): number {
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

export const transactionKey = (signature: string) => ({ signature, signatureKey: signatureKey(signature) });
export type TransactionKey = Readonly<ReturnType<typeof transactionKey>>;
