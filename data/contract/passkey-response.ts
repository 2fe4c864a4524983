import { z } from 'zod';

const WRONG = 'Send the passkey’s answer as the browser gives it.';
/** Base64url without padding, at most 8 KB. */
const bytes = z
  .string({ error: WRONG })
  .max(11_000, WRONG)
  .regex(/^[\w-]+$/, WRONG);

/** The id of a credential, at most 1,023 bytes. */
export const passkeyId = z
  .string({ error: WRONG })
  .max(1_364, WRONG)
  .regex(/^[\w-]+$/, WRONG)
  .describe('The id of the credential, in base64url.');

/** The result of `navigator.credentials.get`, in base64url. */
export const passkeyAnswer = z.strictObject({
  id: passkeyId,
  clientDataJSON: bytes,
  authenticatorData: bytes,
  signature: bytes,
  userHandle: bytes.nullable().describe('The id of the account, which the authenticator keeps.'),
});

/** The result of `navigator.credentials.create`, in base64url. */
export const newPasskeyAnswer = z.strictObject({
  clientDataJSON: bytes,
  attestationObject: bytes,
});
