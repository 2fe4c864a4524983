/**
 * Whether a wallet signed these bytes: ed25519 by the rules of the chain, which refuses keys of small order and malleable
 * signatures.
 * @param publicKey 32 bytes: the decoded address of the wallet
 */
export async function isSignedBy(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  // Loaded at the first use, so that the portal starts faster.
  const { ed25519 } = await import('@noble/curves/ed25519.js');
  try {
    return ed25519.verify(signature, message, publicKey, { zip215: false });
  } catch {
    // Not a signature or not a key.
    return false;
  }
}
