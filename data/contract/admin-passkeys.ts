import { z } from 'zod';
import { PORTAL_LIMITS } from '../model/portal-terms.ts';
import { adminLogin, PASSWORD_ERRORS, successBody, typedPassword } from './admin-session.ts';
import type { Call } from './call.ts';
import { textSchema } from './form-schema.ts';
import { newPasskeyAnswer, passkeyAnswer, passkeyId } from './passkey-response.ts';
import * as PATHS from './paths.ts';
import { moment } from './provenance.ts';

/* The calls for passkeys (WebAuthn). A passkey verifies its user, so it counts as both factors. */

const challenge = z
  .string()
  .describe(`256 random bits in base64url. Valid once, for ${PORTAL_LIMITS.signInMinutes} minutes.`);
const rpId = z.string().describe('The host name that passkeys are for (the RP ID).');

export const passkeyChallenge = {
  method: 'POST',
  path: PATHS.passkeyChallenge,
  summary: 'A challenge to sign in with a passkey',
  response: z.object({ challenge, rpId }),
} as const satisfies Call;

export const signInWithPasskey = {
  method: 'POST',
  path: PATHS.signInWithPasskey,
  summary: 'Signs an admin in with a passkey alone',
  body: z.strictObject({ passkey: passkeyAnswer }),
  response: adminLogin.response,
  errors: ['passkey-refused', 'too-many-attempts'],
} as const satisfies Call;

export const passkeys = {
  method: 'GET',
  path: PATHS.passkeys,
  summary: 'The caller’s passkeys, oldest first',
  access: 'viewer',
  response: z.object({
    passkeys: z.array(
      z.object({ id: passkeyId, name: z.string(), createdAt: moment, lastUsedAt: moment.nullable() }),
    ),
  }),
} as const satisfies Call;

export const beginPasskey = {
  method: 'POST',
  path: PATHS.beginPasskey,
  summary: 'A challenge to create a passkey',
  access: 'viewer',
  body: z.strictObject({ password: typedPassword }),
  response: z.object({
    challenge,
    rpId,
    userId: z.string().describe('The id of the account, in base64url. The authenticator stores it.'),
    username: z.string(),
    known: z.array(passkeyId).describe('The passkeys that the caller already has.'),
  }),
  errors: [...PASSWORD_ERRORS, 'too-many-passkeys'],
} as const satisfies Call;

export const addPasskey = {
  method: 'POST',
  path: PATHS.addPasskey,
  summary:
    'Adds a passkey. From then on, signing in with the password needs a second factor. Ends the caller’s other sessions',
  access: 'viewer',
  body: z.strictObject({
    name: textSchema({
      kind: 'line',
      label: 'Name',
      maxLength: 64,
      missing: 'Enter a name for the passkey.',
    }),
    passkey: newPasskeyAnswer,
  }),
  response: successBody,
  errors: ['passkey-invalid', 'passkey-known', 'too-many-passkeys'],
} as const satisfies Call;

export const removePasskey = {
  method: 'POST',
  path: PATHS.removePasskey,
  summary: 'Removes one of the caller’s passkeys and ends the caller’s other sessions',
  access: 'viewer',
  body: z.strictObject({ id: passkeyId, password: typedPassword }),
  response: successBody,
  errors: [...PASSWORD_ERRORS, 'no-such-passkey'],
} as const satisfies Call;
