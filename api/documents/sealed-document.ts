import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { MasterKey } from './master-key.ts';

/** AES-256-GCM, NIST SP 800-38D: a nonce of 12 bytes, a tag of 16. */
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** An encrypted document, with its own data key encrypted by the master key. */
interface SealedDocument {
  /** The name of the master key that encrypted the data key. */
  readonly masterKey: string;
  /** Nonce, encrypted data key, tag. */
  readonly wrappedKey: Buffer;
  /** Nonce, encrypted document, tag. */
  readonly content: Buffer;
  /** SHA-256 of the decrypted document, in hex. */
  readonly contentHash: string;
  /** Bytes of the decrypted document. */
  readonly byteLength: number;
}

export class OtherMasterKeyError extends Error {
  override readonly name = 'OtherMasterKeyError';
  constructor(wrappedBy: string, present: string) {
    super(
      `The document is encrypted with the master key ${wrappedBy}, but the portal has the key ${present}. Set DOCUMENT_KEY to that key or restore document.key.`,
    );
  }
}

export class DamagedDocumentError extends Error {
  override readonly name = 'DamagedDocumentError';
  constructor(id: string, options?: ErrorOptions) {
    super(
      `The stored document ${id} cannot be decrypted: it is damaged or was replaced. Restore app.db from a backup.`,
      options,
    );
  }
}

function encrypt(key: Buffer, clear: Buffer, about: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(about));
  return Buffer.concat([nonce, cipher.update(clear), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Buffer, sealed: Buffer, about: string): Buffer {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) throw new RangeError('There is no nonce or no tag.');
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(about))
    .setAuthTag(sealed.subarray(-TAG_BYTES));
  const body = sealed.subarray(NONCE_BYTES, -TAG_BYTES);
  return Buffer.concat([decipher.update(body), decipher.final()]);
}

/** The context that each ciphertext is bound to. A ciphertext that was moved to another field or row does not decrypt. */
const keyOf = (id: string) => `data-key:${id}`;
const contentOf = (id: string) => `document:${id}`;

/** Encrypts a document with a new data key, and the data key with the master key. Both are bound to the document's id. */
export function sealDocument(master: MasterKey, id: string, clear: Buffer): SealedDocument {
  const dataKey = randomBytes(KEY_BYTES);
  return {
    masterKey: master.name,
    wrappedKey: encrypt(master.bytes, dataKey, keyOf(id)),
    content: encrypt(dataKey, clear, contentOf(id)),
    contentHash: createHash('sha256').update(clear).digest('hex'),
    byteLength: clear.length,
  };
}

/**
 * @throws {OtherMasterKeyError} if the document needs another master key
 * @throws {DamagedDocumentError} if any part of it changed, or it belongs to another id
 */
export function openDocument(master: MasterKey, id: string, sealed: SealedDocument): Buffer {
  if (sealed.masterKey !== master.name) throw new OtherMasterKeyError(sealed.masterKey, master.name);
  let clear: Buffer;
  try {
    clear = decrypt(decrypt(master.bytes, sealed.wrappedKey, keyOf(id)), sealed.content, contentOf(id));
  } catch (error) {
    throw new DamagedDocumentError(id, { cause: error });
  }
  const isWhole =
    clear.length === sealed.byteLength &&
    createHash('sha256').update(clear).digest('hex') === sealed.contentHash;
  if (!isWhole) throw new DamagedDocumentError(id);
  return clear;
}
