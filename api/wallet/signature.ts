/**
 * Whether a wallet signed these bytes: ed25519 by the rules of the chain itself, which refuses keys of small order and
 * signatures that could be written in another way.
 * @param publicKey 32 bytes: what the wallet's address is the base58 of
 */
export async function isSignedBy(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  // Loaded at the first proof: the portal starts without it.
  const { ed25519 } = await import('@noble/curves/ed25519.js');
  try {
    return ed25519.verify(signature, message, publicKey, { zip215: false });
  } catch {
    // Bytes that are no signature or no key at all.
    return false;
  }
}
