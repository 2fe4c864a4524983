/**
 * Verifies an ed25519 signature according to the chain's rules, which reject keys of small order and malleable signatures.
 * @param publicKey the wallet's decoded address, 32 bytes
 */
export async function isSignedBy(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  // Imported here, so that the portal starts without loading the library.
  const { ed25519 } = await import('@noble/curves/ed25519.js');
  try {
    return ed25519.verify(signature, message, publicKey, { zip215: false });
  } catch {
    // The bytes are not a valid signature or public key.
    return false;
  }
}
