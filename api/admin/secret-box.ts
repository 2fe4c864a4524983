/** Keeps small secrets under the portal's master key. */
export interface SecretBox {
  /** @param context what the secret is of: it opens for nothing else */
  seal(secret: Uint8Array, context: string): Uint8Array;
  /** @throws {Error} where it was sealed under another key, for something else, or was changed */
  open(sealed: Uint8Array, context: string): Uint8Array;
}
