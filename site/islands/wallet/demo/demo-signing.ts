import type { SolanaSignInInput } from '@solana/wallet-standard-features';
import bs58 from 'bs58';
import { LEDGER_SEED_PREFIX } from '../../../../data/model/demo-wallets.ts';
import { fromBase64 } from '../base64.ts';

const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;
/** The top bit of a message's first byte, set if the message has a version. Otherwise, the first byte belongs to the header. */
const VERSION_FLAG = 0x80;
const HEADER_BYTES = 3;

/** Decodes a length in Solana's compact-u16 encoding. `size`: the number of bytes that the encoded length takes up. */
function compactLength(bytes: Uint8Array, offset: number): readonly [length: number, size: number] {
  let length = 0;
  for (let size = 0; size < 3; size += 1) {
    const byte = bytes[offset + size];
    if (byte === undefined) break;
    length |= (byte & 0x7f) << (size * 7);
    if (byte < 0x80) return [length, size + 1];
  }
  throw new Error('The transaction is truncated.');
}

/** The index of the key among the signers; -1 if it is not a signer. */
function signerIndex(message: Uint8Array, signatureCount: number, key: Uint8Array): number {
  const headerOffset = (message[0] ?? 0) & VERSION_FLAG ? 1 : 0;
  if (message[headerOffset] !== signatureCount) {
    throw new Error('The transaction has the wrong number of signatures.');
  }
  const [, size] = compactLength(message, headerOffset + HEADER_BYTES);
  const keysOffset = headerOffset + HEADER_BYTES + size;
  return Array.from({ length: signatureCount }, (_, index) => keysOffset + index * KEY_BYTES).findIndex(
    (start) => key.every((byte, index) => message[start + index] === byte),
  );
}

/**
 * Adds the key's signature to a serialized transaction, legacy or version 0.
 * @throws {Error} if the bytes are not a transaction, or the transaction does not need this key's signature
 */
export async function signTransactionBytes(transaction: Uint8Array, key: DemoKey): Promise<Uint8Array> {
  const [signatureCount, size] = compactLength(transaction, 0);
  const message = transaction.subarray(size + signatureCount * SIGNATURE_BYTES);
  const index = signerIndex(message, signatureCount, key.publicKey);
  if (index < 0) throw new Error('The transaction does not need this wallet’s signature.');
  const signedTransaction = new Uint8Array(transaction);
  signedTransaction.set(await key.sign(message), size + index * SIGNATURE_BYTES);
  return signedTransaction;
}

/** The lines of the sign-in text, in order. Each has a label, and the name of the input field that contains its value. */
const LINES = [
  ['URI', 'uri'],
  ['Version', 'version'],
  ['Chain ID', 'chainId'],
  ['Nonce', 'nonce'],
  ['Issued At', 'issuedAt'],
  ['Expiration Time', 'expirationTime'],
  ['Not Before', 'notBefore'],
  ['Request ID', 'requestId'],
] as const;

/** The text of a Sign In With Solana message (format: Phantom's `siws.md`). */
export function signInText(input: SolanaSignInInput, domain: string, address: string): string {
  const firstLines = `${input.domain ?? domain} wants you to sign in with your Solana account:\n${address}`;
  const lines = LINES.flatMap(([label, field]) => {
    const value = input[field];
    return value === undefined ? [] : [`${label}: ${value}`];
  });
  if (input.resources) lines.push(['Resources:', ...input.resources.map((one) => `- ${one}`)].join('\n'));
  return [firstLines, ...(input.statement === undefined ? [] : [input.statement]), lines.join('\n')]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** The PKCS #8 prefix for a 32-byte Ed25519 key (RFC 8410). */
const PKCS8_PREFIX = [
  0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];

export interface DemoKey {
  readonly publicKey: Uint8Array;
  /** Base58. */
  readonly address: string;
  readonly sign: (bytes: Uint8Array) => Promise<Uint8Array>;
}

/** The key of a named wallet on the embedded ledger. @throws {DOMException} if the browser does not support Ed25519 */
export async function deriveDemoKey(name: string): Promise<DemoKey> {
  const seed = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(LEDGER_SEED_PREFIX + name));
  const pkcs8 = Uint8Array.from([...PKCS8_PREFIX, ...new Uint8Array(seed)]);
  const key = await crypto.subtle.importKey('pkcs8', pkcs8, 'Ed25519', true, ['sign']);
  const { x = '' } = await crypto.subtle.exportKey('jwk', key);
  // JSON Web Keys use base64url.
  const publicKey = fromBase64(x.replaceAll('-', '+').replaceAll('_', '/'));
  return {
    publicKey,
    address: bs58.encode(publicKey),
    sign: async (bytes) => new Uint8Array(await crypto.subtle.sign('Ed25519', key, new Uint8Array(bytes))),
  };
}
