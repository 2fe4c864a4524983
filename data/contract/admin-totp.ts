import { z } from 'zod';
import { ADMIN_ERRORS, done, typedPassword } from './admin-session.ts';
import type { Call } from './call.ts';

/** The calls by which an admin sets a second factor up: codes of an authenticator app (TOTP, RFC 6238). */

const SIX_DIGITS = 'Give the six digits that the authenticator app shows.';
const recoveryCodes = z
  .array(z.string())
  .describe('Ten codes, each of which stands in for the app once. They are told this once.');

const WITH_PASSWORD_ERRORS = {
  ...ADMIN_ERRORS,
  400: 'A field is missing.',
  403: 'The password or the code is wrong.',
  409: 'The second factor is not in the state that the call needs.',
  503: 'Too many passwords are being checked at the moment, or secrets were kept under another key.',
} as const;

const code = z.string({ error: SIX_DIGITS }).max(64, SIX_DIGITS);

export const beginTotp = {
  method: 'POST',
  path: '/api/admin/totp/begin',
  summary: 'Offers a new secret for the authenticator app. It counts once its first code is confirmed',
  access: 'viewer',
  body: z.strictObject({ password: typedPassword }),
  response: z.object({
    secret: z.string().describe('In base32, to be typed into the app.'),
    otpauthUri: z.string().describe('The same as an otpauth:// address, to be shown as a QR code.'),
  }),
  errors: WITH_PASSWORD_ERRORS,
  live: false,
} as const satisfies Call;

export const confirmTotp = {
  method: 'POST',
  path: '/api/admin/totp/confirm',
  summary:
    'Proves the first code: from now on signing in asks for one. Ends every other session of one’s own',
  access: 'viewer',
  body: z.strictObject({ code }),
  response: z.object({ success: z.literal(true), recoveryCodes }),
  errors: WITH_PASSWORD_ERRORS,
  live: false,
} as const satisfies Call;

export const disableTotp = {
  method: 'POST',
  path: '/api/admin/totp/disable',
  summary: 'Takes the second factor away, with its recovery codes',
  access: 'viewer',
  body: z.strictObject({
    password: typedPassword,
    code: code.describe('A code of the app, or a recovery code.'),
  }),
  response: done,
  errors: WITH_PASSWORD_ERRORS,
  live: false,
} as const satisfies Call;

export const renewRecoveryCodes = {
  method: 'POST',
  path: '/api/admin/totp/recovery-codes',
  summary: 'Makes new recovery codes. The old ones hold no more',
  access: 'viewer',
  body: z.strictObject({ password: typedPassword, code: code.describe('A code of the app.') }),
  response: z.object({ success: z.literal(true), recoveryCodes }),
  errors: WITH_PASSWORD_ERRORS,
  live: false,
} as const satisfies Call;
