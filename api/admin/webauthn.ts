import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import {
  type AuthenticatorData,
  ClientDataType,
  COSEKeyType,
  type COSEPublicKey,
  coseAlgorithmEdDSA,
  coseAlgorithmES256,
  coseAlgorithmRS256,
  coseEllipticCurveEd25519,
  coseEllipticCurveP256,
  parseAttestationObject,
  parseAuthenticatorData,
  parseClientDataJSON,
} from '@oslojs/webauthn';
import type { z } from 'zod';
import type { newPasskeyAnswer, passkeyAnswer } from '../../data/contract/passkey-response.ts';
import type { Passkey } from '../../data/store/passkey-port.ts';
import { passkeyUserId, type RelyingParty } from './relying-party.ts';

/* Checks passkey responses as specified in https://www.w3.org/TR/webauthn-3/#sctn-rp-operations. */

export type PasskeyAnswer = z.output<typeof passkeyAnswer>;
export type NewPasskeyAnswer = z.output<typeof newPasskeyAnswer>;

/** Why an answer is refused. Visitors get the same error for every reason; `counter` also alerts the team. */
export type RefusalReason =
  | 'malformed'
  | 'challenge'
  | 'origin'
  | 'rp-id'
  | 'user'
  | 'signature'
  | 'counter'
  | 'key';

export class PasskeyRefusedError extends Error {
  readonly reason: RefusalReason;
  constructor(reason: RefusalReason, options?: ErrorOptions) {
    super(`The passkey was refused: ${reason}`, options);
    this.reason = reason;
  }
}

const fromBase64Url = (text: string) => Uint8Array.from(Buffer.from(text, 'base64url'));
const toBase64Url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');

function parseOrRefuse<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new PasskeyRefusedError('malformed', { cause: error });
  }
}

/**
 * Reads the challenge in an answer. Callers must consume the challenge before they verify the answer.
 * @throws {PasskeyRefusedError}
 */
export function readChallenge({ clientDataJSON }: Pick<PasskeyAnswer, 'clientDataJSON'>): string {
  return toBase64Url(parseOrRefuse(() => parseClientDataJSON(fromBase64Url(clientDataJSON))).challenge);
}

function checkClientData(json: string, type: ClientDataType, { isOwnOrigin }: RelyingParty): void {
  const clientData = parseOrRefuse(() => parseClientDataJSON(fromBase64Url(json)));
  if (clientData.type !== type) throw new PasskeyRefusedError('malformed');
  // Rejects other origins, and the portal's own pages when another site embeds them in a frame.
  if (!isOwnOrigin(clientData.origin) || clientData.crossOrigin === true)
    throw new PasskeyRefusedError('origin');
}

function checkAuthenticator(data: AuthenticatorData, { id }: RelyingParty): void {
  if (!data.verifyRelyingPartyIdHash(id)) throw new PasskeyRefusedError('rp-id');
  if (!data.userPresent || !data.userVerified) throw new PasskeyRefusedError('user');
}

/** A big integer in base64url, as in a JSON Web Key. @param length in bytes; 0 for as many as needed */
function toBase64UrlInteger(value: bigint, length = 0): string {
  const hex = value.toString(16);
  return toBase64Url(
    Buffer.from(hex.padStart(Math.max(length * 2, hex.length + (hex.length % 2)), '0'), 'hex'),
  );
}

/** @throws {PasskeyRefusedError} if the portal does not offer the key's algorithm */
function webKeyOf(key: COSEPublicKey): JsonWebKey {
  const [type, algorithm] = [key.type(), key.algorithm()];
  if (type === COSEKeyType.EC2 && algorithm === coseAlgorithmES256) {
    const { curve, x, y } = key.ec2();
    if (curve === coseEllipticCurveP256) {
      return { kty: 'EC', crv: 'P-256', x: toBase64UrlInteger(x, 32), y: toBase64UrlInteger(y, 32) };
    }
  }
  if (type === COSEKeyType.RSA && algorithm === coseAlgorithmRS256) {
    const { n, e } = key.rsa();
    return { kty: 'RSA', n: toBase64UrlInteger(n), e: toBase64UrlInteger(e) };
  }
  if (type === COSEKeyType.OKP && algorithm === coseAlgorithmEdDSA) {
    const { curve, x } = key.okp();
    if (curve === coseEllipticCurveEd25519) return { kty: 'OKP', crv: 'Ed25519', x: toBase64Url(x) };
  }
  throw new PasskeyRefusedError('key');
}

/**
 * The portal does not request attestation, so it accepts authenticators from any manufacturer.
 * @throws {PasskeyRefusedError}
 */
export function readNewPasskey(
  { clientDataJSON, attestationObject }: NewPasskeyAnswer,
  party: RelyingParty,
): Pick<Passkey, 'id' | 'publicKey' | 'counter'> {
  checkClientData(clientDataJSON, ClientDataType.Create, party);
  const { authenticatorData } = parseOrRefuse(() => parseAttestationObject(fromBase64Url(attestationObject)));
  checkAuthenticator(authenticatorData, party);
  const { credential, signatureCounter: counter } = authenticatorData;
  if (credential === null) throw new PasskeyRefusedError('malformed');
  const webKey = parseOrRefuse(() => webKeyOf(credential.publicKey));
  // Refuses a key if its point is not on the curve.
  parseOrRefuse(() => createPublicKey({ key: webKey, format: 'jwk' }));
  return { id: toBase64Url(credential.id), publicKey: JSON.stringify(webKey), counter };
}

/** @returns the authenticator's new signature counter @throws {PasskeyRefusedError} */
export function checkPasskey(answer: PasskeyAnswer, passkey: Passkey, party: RelyingParty): number {
  const { clientDataJSON, authenticatorData, signature, userHandle } = answer;
  checkClientData(clientDataJSON, ClientDataType.Get, party);
  const data = parseOrRefuse(() => parseAuthenticatorData(fromBase64Url(authenticatorData)));
  checkAuthenticator(data, party);
  if (userHandle !== null && userHandle !== passkeyUserId(passkey.adminId))
    throw new PasskeyRefusedError('user');
  const signedBytes = Buffer.concat([
    fromBase64Url(authenticatorData),
    createHash('sha256').update(fromBase64Url(clientDataJSON)).digest(),
  ]);
  const webKey: JsonWebKey = JSON.parse(passkey.publicKey);
  const key = createPublicKey({ key: webKey, format: 'jwk' });
  const hashAlgorithm = webKey.kty === 'OKP' ? null : 'sha256';
  if (!verify(hashAlgorithm, signedBytes, key, fromBase64Url(signature)))
    throw new PasskeyRefusedError('signature');
  // If the counter does not increase, the passkey may have been copied. Most passkeys have no counter and send 0.
  const { signatureCounter: counter } = data;
  const usesCounter = counter !== 0 || passkey.counter !== 0;
  if (usesCounter && counter <= passkey.counter) throw new PasskeyRefusedError('counter');
  return counter;
}
