import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { keyBytes } from './base58-cache.ts';
import type { WireTransaction } from './wire.ts';

/** DER head of an ed25519 public key (RFC 8410); the 32 bytes of the key follow. */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');
const CACHE_LIMIT = 10_000;
const keyObjects = new Map<string, KeyObject>();

/**
 * Whether every required signature is the named key's own over the message (ed25519). OpenSSL refuses keys of small order,
 * as the cluster's strict verification does.
 */
export function signaturesVerify(transaction: WireTransaction): boolean {
  return transaction.signatures.every((signature, index) => {
    const signer = transaction.message.staticKeys[index];
    return signer !== undefined && verify(null, transaction.message.bytes, publicKey(signer), signature);
  });
}

function publicKey(address: string): KeyObject {
  const known = keyObjects.get(address);
  if (known !== undefined) return known;
  if (keyObjects.size >= CACHE_LIMIT) keyObjects.clear();
  const key = createPublicKey({
    key: Buffer.concat([SPKI_HEAD, keyBytes(address)]),
    format: 'der',
    type: 'spki',
  });
  keyObjects.set(address, key);
  return key;
}
