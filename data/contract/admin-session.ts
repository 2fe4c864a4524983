import { z } from 'zod';
import { ADMIN_ROLES } from '../model/admin-roles.ts';
import { PASSWORD_AT_LEAST } from '../model/admin-rules.ts';
import type { Call } from './call.ts';
import { line, mailAddress } from './form-fields.ts';

/** The header in which the token of the one-time set-up link is sent. */
export const SETUP_TOKEN_HEADER = 'X-Setup-Token';
/** The page that the link opens; the token follows as `#token=…`, which browsers send nowhere. */
export const SETUP_PAGE = '/admin/setup';

/** Characters of the longest password that is read: long enough for any sentence, short enough to hash at once. */
const PASSWORD_AT_MOST = 256;
const USERNAME_NEEDED = 'Give the username.';
const PASSWORD_NEEDED = 'Give the password.';

export const username = line({ what: 'the username', atMost: 64, words: USERNAME_NEEDED });

/** A password as it is typed: never trimmed, cut or changed. */
export const typedPassword = z
  .string({ error: PASSWORD_NEEDED })
  .min(1, PASSWORD_NEEDED)
  .max(PASSWORD_AT_MOST, `Use a password of ${PASSWORD_AT_MOST} characters at most.`);

/** A password that somebody chooses. The server refuses a weak one in words of its own. */
export const newPassword = typedPassword.describe(
  `${PASSWORD_AT_LEAST} characters at least, and none of the commonest.`,
);

export const adminEmail = mailAddress('Give a mail address such as name@example.com, or leave it empty.');

/** What stands in for an id that the portal gave out. */
export const adminId = z.uuid({ error: 'Give the id as the portal lists it.' });

const adminUser = z.object({ username: z.string(), role: z.enum(ADMIN_ROLES) });

/** What every call of a signed-in admin may answer. */
export const ADMIN_ERRORS = {
  401: 'No session is sent, or it has ended. Sign in.',
  403: 'The role of the account may not do that.',
  429: 'Too many calls from this address.',
} as const;

export const done = z.object({ success: z.literal(true) });

export const adminSetupState = {
  method: 'GET',
  path: '/api/admin/setup-state',
  summary: 'Whether the first admin is still to be created',
  response: z.object({
    isOpen: z.boolean().describe('False once an admin exists: then the way in is the login.'),
    needsLink: z
      .boolean()
      .describe('Whether the caller needs the one-time link that the server printed when it started.'),
  }),
  errors: { 429: 'Too many calls from this address.' },
  live: false,
} as const satisfies Call;

export const adminSetup = {
  method: 'POST',
  path: '/api/admin/setup',
  summary: `Creates the first admin, an owner. From another machine it takes the token of the printed link, in ${SETUP_TOKEN_HEADER}`,
  body: z.strictObject({ username, password: newPassword, email: adminEmail.optional() }),
  response: done,
  errors: {
    400: 'A field is missing or wrong, or the password is too short or among the commonest (`weak-password`).',
    403: 'The caller is on another machine and sent no valid token.',
    409: 'An admin exists already: sign in.',
    429: 'Too many calls from this address.',
    503: 'Too many passwords are being checked at the moment.',
  },
  live: false,
} as const satisfies Call;

export const adminLogin = {
  method: 'POST',
  path: '/api/admin/login',
  summary: 'Opens the session of an admin. Its id is sent with every further call as a bearer token',
  body: z.strictObject({
    username,
    password: typedPassword,
    code: z
      .string({ error: 'Give the code as text.' })
      .max(64, 'Give the six digits of the app, or one recovery code.')
      .optional()
      .describe('The six digits of the authenticator app, or a recovery code; where one is set up.'),
  }),
  response: z.object({
    success: z.literal(true),
    sessionId: z.string().describe('The bearer token: 256 random bits. It is told this once.'),
    user: adminUser,
    expiresAt: z.iso
      .datetime()
      .describe('When the session ends at the latest; unused for 30 minutes it ends.'),
    recoveryCodesLeft: z
      .int()
      .nullable()
      .describe('How many recovery codes are unused; null where no second factor is set up.'),
  }),
  errors: {
    400: 'A field is missing.',
    401: 'The username, the password or the code is wrong (`sign-in-refused`), or a code is still to be given (`code-needed`).',
    429: 'Too many attempts on this account or from this address. Retry-After says when to try again.',
    503: 'Too many passwords are being checked at the moment.',
  },
  live: false,
} as const satisfies Call;

export const adminLogout = {
  method: 'POST',
  path: '/api/admin/logout',
  summary: 'Ends the session of the caller',
  access: 'viewer',
  response: done,
  errors: ADMIN_ERRORS,
  live: false,
} as const satisfies Call;

export const adminSession = {
  method: 'GET',
  path: '/api/admin/session',
  summary: 'Who is signed in',
  access: 'viewer',
  response: z.object({
    id: adminId.describe('Names the session in lists; it is not the token.'),
    user: adminUser.extend({ id: adminId, email: z.string().nullable() }),
    hasTotp: z.boolean().describe('Whether a second factor is set up.'),
    recoveryCodesLeft: z.int(),
    startedAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
  }),
  errors: ADMIN_ERRORS,
  live: false,
} as const satisfies Call;

export const adminSessions = {
  method: 'GET',
  path: '/api/admin/sessions',
  summary: 'Open sessions of the caller; of the whole team for an owner. The one used last comes first',
  access: 'viewer',
  response: z.object({
    sessions: z.array(
      z.object({
        id: adminId,
        username: z.string(),
        isOwn: z.boolean().describe('Whether it is of the account that asks.'),
        isThis: z.boolean().describe('Whether it is the session that asks.'),
        address: z.string().describe('The network address that it was opened from.'),
        userAgent: z.string().describe('What the browser calls itself.'),
        startedAt: z.iso.datetime(),
        lastSeenAt: z.iso.datetime(),
        expiresAt: z.iso.datetime(),
      }),
    ),
  }),
  errors: ADMIN_ERRORS,
  live: false,
} as const satisfies Call;

export const revokeAdminSession = {
  method: 'POST',
  path: '/api/admin/sessions/revoke',
  summary: 'Ends a session of one’s own, or all of them but this; an owner may end any session of the team',
  access: 'viewer',
  body: z.strictObject({
    id: z
      .union([adminId, z.literal('others')], { error: 'Give the id of a session, or others.' })
      .describe('A session’s id, or `others` for every session of one’s own but this.'),
  }),
  response: done.extend({ ended: z.int().describe('How many sessions ended.') }),
  errors: { ...ADMIN_ERRORS, 400: 'No id is given.', 404: 'There is no such open session.' },
  live: false,
} as const satisfies Call;

export const changeOwnPassword = {
  method: 'POST',
  path: '/api/admin/password',
  summary: 'Changes one’s own password, and ends every other session of one’s own',
  access: 'viewer',
  body: z.strictObject({ password: typedPassword.describe('The one that holds now.'), newPassword }),
  response: done,
  errors: {
    ...ADMIN_ERRORS,
    400: 'A field is missing, or the new password is too short or among the commonest.',
    403: 'The password that was given is not the one that holds.',
    503: 'Too many passwords are being checked at the moment.',
  },
  live: false,
} as const satisfies Call;
