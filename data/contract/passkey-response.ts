import { z } from 'zod';

const ANSWER_ERROR = 'Send the passkey’s response exactly as the browser returns it.';
/** Base64url without padding, at most 8 KB. */
const bytes = z
  .string({ error: ANSWER_ERROR })
  .max(11_000, ANSWER_ERROR)
  .regex(/^[\w-]+$/, ANSWER_ERROR);

/** The id of a credential in base64url, at most 1,023 bytes. */
export const passkeyId = z
  .string({ error: ANSWER_ERROR })
  .max(1_364, ANSWER_ERROR)
  .regex(/^[\w-]+$/, ANSWER_ERROR)
  .describe('The id of the credential, in base64url.');

/** The result of `navigator.credentials.get`, with its binary fields in base64url. */
export const passkeyAnswer = z.strictObject({
  id: passkeyId,
  clientDataJSON: bytes,
  authenticatorData: bytes,
  signature: bytes,
  userHandle: bytes.nullable().describe('The id of the account, as stored by the authenticator.'),
});

/** The result of `navigator.credentials.create`, with its binary fields in base64url. */
export const newPasskeyAnswer = z.strictObject({
  clientDataJSON: bytes,
  attestationObject: bytes,
});
