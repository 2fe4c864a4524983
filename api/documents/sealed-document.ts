import { createHash, randomBytes } from 'node:crypto';
import { decrypt, encrypt, NONCE_BYTES, startCipher } from './aes-gcm.ts';
import type { MasterKey } from './master-key.ts';

const KEY_BYTES = 32;

/** An encrypted document, with its own data key encrypted by the master key. */
export interface SealedDocument {
  readonly masterKeyId: string;
  /** Nonce, encrypted data key, tag. */
  readonly wrappedKey: Buffer;
  /** Nonce, encrypted document, tag. */
  readonly content: Buffer;
  /** SHA-256 of the decrypted document, in hex. */
  readonly contentHash: string;
  /** The size of the decrypted document, in bytes. */
  readonly byteLength: number;
}

export class OtherMasterKeyError extends Error {
  override readonly name = 'OtherMasterKeyError';
  constructor(documentKeyId: string, presentKeyId: string) {
    super(
      `The document is encrypted with the master key ${documentKeyId}, but the portal has the key ${presentKeyId}. Set DOCUMENT_KEY to the key ${documentKeyId}, or restore the file document.key that contains it.`,
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

/** The context that each ciphertext is bound to. A ciphertext that was moved to another field or row does not decrypt. */
const keyContext = (id: string) => `data-key:${id}`;
const contentContext = (id: string) => `document:${id}`;

/** A document that is being encrypted piece by piece, so that it is never in memory as a whole. */
interface DocumentSealing {
  /** The nonce. The encrypted document begins with it. */
  readonly start: Buffer;
  update(plaintext: Buffer): Buffer;
  /** The last bytes of the encrypted document, and the metadata to store with it. */
  finish(): { readonly end: Buffer; readonly metadata: Omit<SealedDocument, 'content'> };
}

/** Encrypts a document with a new data key, and the data key with the master key. Both are bound to the document's id. */
export function startSealing(master: MasterKey, id: string): DocumentSealing {
  const dataKey = randomBytes(KEY_BYTES);
  const start = randomBytes(NONCE_BYTES);
  const cipher = startCipher(dataKey, start, contentContext(id));
  const hash = createHash('sha256');
  let byteLength = 0;
  return {
    start,
    update: (plaintext) => {
      hash.update(plaintext);
      byteLength += plaintext.length;
      return cipher.update(plaintext);
    },
    finish: () => ({
      end: Buffer.concat([cipher.final(), cipher.getAuthTag()]),
      metadata: {
        masterKeyId: master.id,
        wrappedKey: encrypt(master.bytes, dataKey, keyContext(id)),
        contentHash: hash.digest('hex'),
        byteLength,
      },
    }),
  };
}

export function sealDocument(master: MasterKey, id: string, plaintext: Buffer): SealedDocument {
  const sealing = startSealing(master, id);
  const body = sealing.update(plaintext);
  const { end, metadata } = sealing.finish();
  return { ...metadata, content: Buffer.concat([sealing.start, body, end]) };
}

/**
 * @throws {OtherMasterKeyError} if the document needs another master key
 * @throws {DamagedDocumentError} if any part of it changed, or it belongs to another id
 */
export function openDocument(master: MasterKey, id: string, sealed: SealedDocument): Buffer {
  if (sealed.masterKeyId !== master.id) throw new OtherMasterKeyError(sealed.masterKeyId, master.id);
  let plaintext: Buffer;
  try {
    plaintext = decrypt(
      decrypt(master.bytes, sealed.wrappedKey, keyContext(id)),
      sealed.content,
      contentContext(id),
    );
  } catch (error) {
    throw new DamagedDocumentError(id, { cause: error });
  }
  const isIntact =
    plaintext.length === sealed.byteLength &&
    createHash('sha256').update(plaintext).digest('hex') === sealed.contentHash;
  if (!isIntact) throw new DamagedDocumentError(id);
  return plaintext;
}
