import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { NewPasskeyAnswer, PasskeyAnswer } from '../webauthn.ts';

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');

/** A CBOR byte string of up to 65,535 bytes. */
const cborBytes = (bytes: Uint8Array) =>
  Buffer.concat([Buffer.from([0x59, bytes.length >> 8, bytes.length & 255]), bytes]);
const cborText = (shortText: string) =>
  Buffer.concat([Buffer.from([0x60 + shortText.length]), Buffer.from(shortText)]);

const USER_PRESENT = 1;
const USER_VERIFIED = 4;
const HAS_CREDENTIAL = 64;

interface Ceremony {
  readonly challenge: string;
  readonly rpId?: string;
  readonly origin?: string;
  readonly isVerified?: boolean;
}

export function createAuthenticator() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const credentialId = randomBytes(16);
  const clientData = (type: string, { challenge, origin = 'http://localhost:4321' }: Ceremony) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const authenticatorData = (
    { rpId = 'localhost', isVerified = true }: Ceremony,
    extraFlags: number,
    counter: number,
  ) => {
    const counterBytes = Buffer.alloc(4);
    counterBytes.writeUInt32BE(counter);
    const flags = USER_PRESENT | (isVerified ? USER_VERIFIED : 0) | extraFlags;
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flags]), counterBytes]);
  };
  return {
    id: base64url(credentialId),
    create(ceremony: Ceremony): NewPasskeyAnswer {
      // The COSE key: EC2, ES256, P-256, x, y.
      const key = Buffer.concat([
        Buffer.from([0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21]),
        cborBytes(Buffer.from(x, 'base64url')),
        Buffer.from([0x22]),
        cborBytes(Buffer.from(y, 'base64url')),
      ]);
      const length = Buffer.from([0, credentialId.length]);
      const data = Buffer.concat([
        authenticatorData(ceremony, HAS_CREDENTIAL, 0),
        Buffer.alloc(16),
        length,
        credentialId,
        key,
      ]);
      const attestationObject = Buffer.concat([
        Buffer.from([0xa3]),
        ...[cborText('fmt'), cborText('none')],
        ...[cborText('attStmt'), Buffer.from([0xa0])],
        ...[cborText('authData'), cborBytes(data)],
      ]);
      return {
        clientDataJSON: base64url(clientData('webauthn.create', ceremony)),
        attestationObject: base64url(attestationObject),
      };
    },
    answer(ceremony: Ceremony, counter = 0, userHandle: string | null = null): PasskeyAnswer {
      const [client, data] = [clientData('webauthn.get', ceremony), authenticatorData(ceremony, 0, counter)];
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()]);
      return {
        id: base64url(credentialId),
        clientDataJSON: base64url(client),
        authenticatorData: base64url(data),
        signature: base64url(sign('sha256', signed, privateKey)),
        userHandle,
      };
    },
  };
}
