import type { z } from 'zod';
import type { beginPasskey, passkeyChallenge } from '../../data/contract/admin-passkeys.ts';
import type { ResponseOf } from '../../data/contract/call.ts';
import type { newPasskeyAnswer, passkeyAnswer } from '../../data/contract/passkey-response.ts';

const fromBase64Url = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0));
const toBase64Url = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

export async function hasPasskeyAutofill(): Promise<boolean> {
  if (typeof PublicKeyCredential !== 'function') return false;
  return (await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false;
}

/** @throws {DOMException} if the person cancels, or has no passkey */
export async function requestPasskey(
  { challenge, rpId }: ResponseOf<typeof passkeyChallenge>,
  mediation: 'conditional' | 'optional',
  signal: AbortSignal,
): Promise<z.input<typeof passkeyAnswer>> {
  const credential = await navigator.credentials.get({
    publicKey: { challenge: fromBase64Url(challenge), rpId, userVerification: 'required' },
    mediation,
    signal,
  });
  if (!(credential instanceof PublicKeyCredential)) throw new DOMException('', 'NotAllowedError');
  const { clientDataJSON, authenticatorData, signature, userHandle } =
    credential.response as AuthenticatorAssertionResponse;
  return {
    id: credential.id,
    clientDataJSON: toBase64Url(clientDataJSON),
    authenticatorData: toBase64Url(authenticatorData),
    signature: toBase64Url(signature),
    userHandle: userHandle === null ? null : toBase64Url(userHandle),
  };
}

/** The algorithms that the server accepts: Ed25519, ES256, RS256. */
const ALGORITHMS = [-8, -7, -257];

/** @throws {DOMException} if the person cancels, or the device already has a passkey for the account */
export async function createPasskey({
  challenge,
  rpId,
  userId,
  username,
  known,
}: ResponseOf<typeof beginPasskey>): Promise<z.input<typeof newPasskeyAnswer>> {
  const credential = await navigator.credentials.create({
    publicKey: {
      challenge: fromBase64Url(challenge),
      rp: { id: rpId, name: 'BlackDuck' },
      user: { id: fromBase64Url(userId), name: username, displayName: username },
      pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
      excludeCredentials: known.map((id) => ({ type: 'public-key', id: fromBase64Url(id) })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
    },
  });
  if (!(credential instanceof PublicKeyCredential)) throw new DOMException('', 'NotAllowedError');
  const { clientDataJSON, attestationObject } = credential.response as AuthenticatorAttestationResponse;
  return { clientDataJSON: toBase64Url(clientDataJSON), attestationObject: toBase64Url(attestationObject) };
}
