import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { Keypair } from '@solana/web3.js';

/*
 * Creates keypairs and signatures with OpenSSL. web3.js computes both in JavaScript, which took a quarter of the time needed to
 * create a ledger.
 */

/** DER prefix of an ed25519 private key (RFC 8410); the 32 bytes of its seed follow. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const SEED_BYTES = 32;
const KEY_BYTES = 32;
const privateKeys = new WeakMap<Keypair, KeyObject>();

function privateKeyOf(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
}

/** @param seed 32 bytes */
export function keypairOf(seed: Uint8Array): Keypair {
  const publicKey = createPublicKey(privateKeyOf(seed))
    .export({ format: 'der', type: 'spki' })
    .subarray(-KEY_BYTES);
  return new Keypair({ publicKey, secretKey: Buffer.concat([seed, publicKey]) });
}

/** @returns 64 bytes */
export function signatureOf(message: Uint8Array, signer: Keypair): Uint8Array {
  const key = privateKeys.get(signer) ?? privateKeyOf(signer.secretKey.subarray(0, SEED_BYTES));
  privateKeys.set(signer, key);
  return sign(null, message, key);
}
