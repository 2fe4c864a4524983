import bs58 from 'bs58';
import { LEDGER_SEED_PREFIX } from '../../../../data/model/demo-wallets.ts';

/** How PKCS #8 begins for the 32 bytes of an Ed25519 key (RFC 8410). */
const PKCS8_HEAD = [
  0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];

export interface DemoKey {
  readonly publicKey: Uint8Array;
  /** Base58. */
  readonly address: string;
  readonly sign: (bytes: Uint8Array) => Promise<Uint8Array>;
}

/** Bytes of base64url, as a JSON Web Key writes them. */
function bytesOf(base64url: string): Uint8Array {
  const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(text, (sign) => sign.charCodeAt(0));
}

/**
 * The public key of a named wallet of the embedded ledger, and how to sign with it.
 * @throws {DOMException} where the browser has no Ed25519
 */
export async function demoKey(name: string): Promise<DemoKey> {
  const seed = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(LEDGER_SEED_PREFIX + name));
  const pkcs8 = Uint8Array.from([...PKCS8_HEAD, ...new Uint8Array(seed)]);
  const key = await crypto.subtle.importKey('pkcs8', pkcs8, 'Ed25519', true, ['sign']);
  const { x = '' } = await crypto.subtle.exportKey('jwk', key);
  const publicKey = bytesOf(x);
  return {
    publicKey,
    address: bs58.encode(publicKey),
    sign: async (bytes) => new Uint8Array(await crypto.subtle.sign('Ed25519', key, new Uint8Array(bytes))),
  };
}
