import { z } from 'zod';
import { PASSWORD_ERRORS, successBody, typedPassword } from './admin-session.ts';
import type { Call } from './call.ts';
import * as PATHS from './paths.ts';

/* The calls for the second factor: codes from an authenticator app (TOTP, RFC 6238). */

const SIX_DIGITS = 'Enter the six digits from the authenticator app.';
const recoveryCodes = z
  .array(z.string())
  .describe('Ten codes, each of which works once in place of the app. Returned only once.');

const code = z.string({ error: SIX_DIGITS }).max(64, SIX_DIGITS);

export const beginTotp = {
  method: 'POST',
  path: PATHS.beginTotp,
  summary: 'Creates a secret for the authenticator app. It takes effect once its first code is confirmed',
  access: 'viewer',
  body: z.strictObject({ password: typedPassword }),
  response: z.object({
    secret: z.string().describe('In base32, to type into the app.'),
    otpauthUri: z.string().describe('The same secret as an otpauth:// URI, for a QR code.'),
  }),
  errors: [...PASSWORD_ERRORS, 'totp-state'],
} as const satisfies Call;

export const confirmTotp = {
  method: 'POST',
  path: PATHS.confirmTotp,
  summary: 'Confirms the first code. From then on, signing in needs a code. Ends the caller’s other sessions',
  access: 'viewer',
  body: z.strictObject({ code }),
  response: z.object({ success: z.literal(true), recoveryCodes }),
  errors: ['totp-state', 'wrong-password', 'too-many-attempts', 'secrets-unavailable'],
} as const satisfies Call;

export const disableTotp = {
  method: 'POST',
  path: PATHS.disableTotp,
  summary: 'Turns off the second factor and deletes its recovery codes. Ends the caller’s other sessions',
  access: 'viewer',
  body: z.strictObject({
    password: typedPassword,
    code: code.describe('A code from the app, or a recovery code.'),
  }),
  response: successBody,
  errors: [...PASSWORD_ERRORS, 'totp-state'],
} as const satisfies Call;

export const renewRecoveryCodes = {
  method: 'POST',
  path: PATHS.renewRecoveryCodes,
  summary: 'Creates new recovery codes. The old ones stop working',
  access: 'viewer',
  body: z.strictObject({ password: typedPassword, code: code.describe('A code from the app.') }),
  response: z.object({ success: z.literal(true), recoveryCodes }),
  errors: [...PASSWORD_ERRORS, 'totp-state'],
} as const satisfies Call;
