import { z } from 'zod';
import { ADMIN_ROLES, MIN_PASSWORD_LENGTH } from '../model/admin-rules.ts';
import { FACTS } from '../model/facts/facts.ts';
import type { Call } from './call.ts';
import type { ErrorCode } from './errors.ts';
import { textSchema } from './form-schema.ts';
import { passkeyAnswer } from './passkey-response.ts';
import * as PATHS from './paths.ts';
import { SETUP_TOKEN_HEADER } from './paths.ts';
import { moment } from './provenance.ts';

/** The page that the one-time setup link opens. The link ends with `#token=…`, a fragment, which browsers do not send. */
export const SETUP_PAGE = '/admin/setup';

/** In characters. Long enough for a sentence, short enough to hash quickly. */
const MAX_PASSWORD_LENGTH = 256;
const PASSWORD_NEEDED = 'Enter the password.';

export const username = textSchema({
  kind: 'line',
  label: 'Username',
  maxLength: 64,
  missing: 'Enter the username.',
});

/** A password exactly as typed: never trimmed, cut or changed. */
export const typedPassword = z
  .string({ error: PASSWORD_NEEDED })
  .min(1, PASSWORD_NEEDED)
  .max(MAX_PASSWORD_LENGTH, `Use a password of at most ${MAX_PASSWORD_LENGTH} characters.`);

/** Proves that the caller is the admin, and not someone else using the admin's open session. */
export const ownPassword = typedPassword.describe('The caller’s own password.');

/** A weak password passes this schema: the server checks its strength and rejects it with `weak-password`. */
export const newPassword = typedPassword.describe(
  `At least ${MIN_PASSWORD_LENGTH} characters, and not easy to guess.`,
);

export const adminEmail = textSchema({
  kind: 'email',
  label: 'Email',
  invalid: 'Enter an email address such as name@example.com, or leave it empty.',
});

export const adminId = z.uuid({ error: 'Set id to an id from the list.' });

const adminUser = z.object({ username: z.string(), role: z.enum(ADMIN_ROLES) });

/** Errors of every call that asks signed-in admins for their password again. */
export const PASSWORD_ERRORS = [
  'wrong-password',
  'too-many-attempts',
  'passwords-busy',
  'secrets-unavailable',
] as const satisfies readonly ErrorCode[];

export const successBody = z.object({ success: z.literal(true) });

export const adminSetupState = {
  method: 'GET',
  path: PATHS.adminSetupState,
  summary: 'Whether the first admin can be created',
  response: z.object({
    isOpen: z.boolean().describe('False once an admin exists.'),
    needsLink: z
      .boolean()
      .describe('Whether the caller needs the one-time link that the server printed at its start.'),
  }),
} as const satisfies Call;

export const adminSetup = {
  method: 'POST',
  path: PATHS.adminSetup,
  summary: `Creates the first admin, an owner. Unless the portal is local, ${SETUP_TOKEN_HEADER} must contain the token from the link that the server printed`,
  body: z.strictObject({ username, password: newPassword, email: z.optional(adminEmail) }),
  response: successBody,
  errors: ['username-reserved', 'weak-password', 'setup-closed', 'setup-link-needed', 'passwords-busy'],
} as const satisfies Call;

export const adminLogin = {
  method: 'POST',
  path: PATHS.adminLogin,
  summary: 'Signs an admin in. Every further call sends the session id as a bearer token',
  body: z.strictObject({
    username,
    password: typedPassword,
    code: z
      .string({ error: 'Set code to a string.' })
      .max(64, 'Enter the six digits from the app, or a recovery code.')
      .optional()
      .describe(
        'The six digits from the authenticator app, or a recovery code, if a second factor is set up.',
      ),
    passkey: passkeyAnswer.optional().describe('A passkey as the second factor, instead of a code.'),
  }),
  response: z.object({
    success: z.literal(true),
    sessionId: z.string().describe('The bearer token: 256 random bits. Returned only once.'),
    user: adminUser,
    expiresAt: moment.describe(
      `When the session ends at the latest. It ends earlier after ${FACTS.adminIdle} without use.`,
    ),
    recoveryCodesLeft: z.int().nullable().describe('Unused recovery codes; null without a second factor.'),
  }),
  errors: [
    'sign-in-refused',
    'code-needed',
    'passkey-needed',
    'too-many-attempts',
    'passwords-busy',
    'secrets-unavailable',
  ],
} as const satisfies Call;

export const adminLogout = {
  method: 'POST',
  path: PATHS.adminLogout,
  summary: 'Ends the session of the caller',
  access: 'viewer',
  response: successBody,
} as const satisfies Call;

export const adminSession = {
  method: 'GET',
  path: PATHS.adminSession,
  summary: 'Who is signed in',
  access: 'viewer',
  response: z.object({
    id: adminId.describe('The id of the session in lists, not the token.'),
    user: adminUser.extend({ id: adminId, email: z.string().nullable() }),
    hasTotp: z.boolean().describe('Whether codes from an authenticator app are set up.'),
    recoveryCodesLeft: z.int(),
    startedAt: moment,
    expiresAt: moment,
  }),
} as const satisfies Call;

export const adminSessions = {
  method: 'GET',
  path: PATHS.adminSessions,
  summary: 'The open sessions of the caller or, for an owner, of the whole team, most recently used first',
  access: 'viewer',
  response: z.object({
    sessions: z.array(
      z.object({
        id: adminId,
        username: z.string(),
        isOwn: z.boolean().describe('Whether the session belongs to the caller.'),
        isThis: z.boolean().describe('Whether this call uses the session.'),
        address: z.string().describe('The IP address that opened the session.'),
        userAgent: z.string().describe('The user agent of the browser.'),
        startedAt: moment,
        lastSeenAt: moment,
        expiresAt: moment,
      }),
    ),
  }),
} as const satisfies Call;

export const revokeAdminSession = {
  method: 'POST',
  path: PATHS.revokeAdminSession,
  summary: 'Ends a session of the caller, or all except this one. An owner can end any session of the team',
  access: 'viewer',
  body: z.strictObject({
    id: z
      .union([adminId, z.literal('others')], { error: 'Set id to the id of a session, or to "others".' })
      .describe('A session’s id, or `others` for all sessions of the caller except this one.'),
  }),
  response: successBody.extend({ ended: z.int().describe('Number of sessions that ended.') }),
  errors: ['no-such-session'],
} as const satisfies Call;

export const changeOwnPassword = {
  method: 'POST',
  path: PATHS.changeOwnPassword,
  summary: 'Changes the caller’s password and ends the caller’s other sessions',
  access: 'viewer',
  body: z.strictObject({ password: typedPassword.describe('The current one.'), newPassword }),
  response: successBody,
  errors: [...PASSWORD_ERRORS, 'weak-password'],
} as const satisfies Call;
