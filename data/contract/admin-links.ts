import { z } from 'zod';
import { ADMIN_ROLES } from '../model/admin-rules.ts';
import { newPassword, successBody, username } from './admin-session.ts';
import type { Call } from './call.ts';
import * as PATHS from './paths.ts';
import { moment } from './provenance.ts';

/* The calls made with a one-time link: to join the team, or to set a new password. */

/** The page that a link opens. The link ends with `#token=…`, a fragment, which browsers do not send to the server. */
export const LINK_PAGE = '/admin/account-link';

const TOKEN_NEEDED = 'Open the link from the email again.';
const token = z.string({ error: TOKEN_NEEDED }).max(64, TOKEN_NEEDED).describe('The token of the link.');

export const readAdminLink = {
  method: 'POST',
  path: PATHS.readAdminLink,
  summary: 'What a one-time link is for. The call does not use up the link',
  body: z.strictObject({ token }),
  response: z.object({
    kind: z.enum(['invitation', 'password-reset']),
    username: z
      .string()
      .nullable()
      .describe('The name of the account; null if the invited person chooses it.'),
    role: z.enum(ADMIN_ROLES),
    expiresAt: moment,
  }),
  errors: ['admin-link-ended'],
} as const satisfies Call;

export const useAdminLink = {
  method: 'POST',
  path: PATHS.useAdminLink,
  summary:
    'Creates the invited account, or sets a new password and ends all sessions of the account. The link then stops working',
  body: z.strictObject({
    token,
    username: z.optional(username).describe('The name of the new account, if the invitation has none.'),
    password: newPassword,
  }),
  response: successBody.extend({ username: z.string() }),
  errors: [
    'admin-link-ended',
    'username-needed',
    'username-reserved',
    'username-taken',
    'weak-password',
    'passwords-busy',
  ],
} as const satisfies Call;
