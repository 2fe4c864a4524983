/** Signed transactions as callers send them: base58 (the default of the interface, slow) or base64. */
import bs58 from 'bs58';
import { decodeBase64, readText, shown } from './params.ts';
import { invalidParams } from './rpc-error.ts';

/** The longest texts that a packet of 1,232 bytes can have; longer ones are refused undecoded. */
export const MOST_BASE64_TEXT = 1644;
const MOST_BASE58_TEXT = 1683;

/**
 * The wire bytes of a transaction; whether they are one is for the ledger to say.
 *
 * @param encoding the configuration's member; absent is base58
 */
export function readTransactionText(value: unknown, encoding: unknown, at: string): Uint8Array {
  const text = readText(value, at);
  const isBase64 = encoding === 'base64';
  if (!isBase64 && encoding !== undefined && encoding !== null && encoding !== 'base58') {
    throw invalidParams(`unsupported encoding: ${shown(encoding)}. Supported encodings: base58, base64`);
  }
  const most = isBase64 ? MOST_BASE64_TEXT : MOST_BASE58_TEXT;
  const name = isBase64 ? 'base64' : 'base58';
  if (text.length > most) {
    throw invalidParams(`${name} encoded transaction too large: ${text.length} characters (max ${most})`);
  }
  const bytes = isBase64 ? decodeBase64(text) : bs58.decodeUnsafe(text);
  if (bytes === null || bytes === undefined) throw invalidParams(`${at} is not ${name}`);
  return bytes;
}
