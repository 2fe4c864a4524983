import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

export interface SecretBox {
  /**
   * @param context what the secret belongs to; the secret opens only with the same context
   * @returns nonce, ciphertext and tag, concatenated
   */
  seal(secret: Uint8Array, context: string): Uint8Array;
  /** @throws {Error} if the key or the context differs, or the bytes were changed */
  open(sealed: Uint8Array, context: string): Uint8Array;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** The HKDF info. Each use of the master key has its own info, and therefore its own derived key. */
const PURPOSE = 'portal admin secrets 1';

/** AES-256-GCM with a key derived from the master key by HKDF (SHA-256). */
export function createSecretBox(masterKey: Uint8Array): SecretBox {
  const key = Buffer.from(hkdfSync('sha256', masterKey, '', PURPOSE, 32));
  return {
    seal: (secret, context) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(context));
      return Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
    },
    open: (sealed, context) => {
      const nonce = sealed.subarray(0, NONCE_BYTES);
      const tag = sealed.subarray(-TAG_BYTES);
      const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(context))
        .setAuthTag(tag);
      return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
    },
  };
}
