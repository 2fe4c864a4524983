import { hkdfSync } from 'node:crypto';
import { decrypt, encrypt } from '../documents/aes-gcm.ts';

export interface SecretBox {
  /** @param context what the secret belongs to; the secret opens only with the same context */
  seal(secret: Uint8Array, context: string): Uint8Array;
  /** @throws {Error} if the key or the context differs, or the bytes were changed */
  open(sealed: Uint8Array, context: string): Uint8Array;
}

/** The HKDF info. Each use of the master key has its own info, and therefore its own derived key. */
const PURPOSE = 'portal admin secrets 1';

/** Encrypts and decrypts with a key that HKDF (SHA-256) derives from the master key. */
export function createSecretBox(masterKey: Uint8Array): SecretBox {
  const key = Buffer.from(hkdfSync('sha256', masterKey, '', PURPOSE, 32));
  return {
    seal: (secret, context) => encrypt(key, secret, context),
    open: (sealed, context) => decrypt(key, sealed, context),
  };
}
