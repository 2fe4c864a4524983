import { z } from 'zod';
import { ADMIN_ROLES } from '../model/admin-roles.ts';
import { ADMIN_ERRORS, adminEmail, adminId, done, newPassword, username } from './admin-session.ts';
import type { Call } from './call.ts';

/** The calls by which an owner runs the team. */

const CHANGE_ERRORS = {
  ...ADMIN_ERRORS,
  400: 'A field is missing or wrong.',
  404: 'There is no such admin.',
  409: 'The portal would be left without an owner who can sign in, or the account is one’s own.',
} as const;

const role = z.enum(ADMIN_ROLES, { error: `Give the role: ${ADMIN_ROLES.join(', ')}.` });

export const team = {
  method: 'GET',
  path: '/api/admin/team',
  summary: 'Every admin, the one created first before the others',
  access: 'owner',
  response: z.object({
    team: z.array(
      z.object({
        id: adminId,
        username: z.string(),
        email: z.string().nullable(),
        role: z.enum(ADMIN_ROLES),
        isSelf: z.boolean(),
        hasTotp: z.boolean(),
        createdAt: z.iso.datetime(),
        disabledAt: z.iso.datetime().nullable().describe('When it was shut out; null while it may sign in.'),
        lastSeenAt: z.iso.datetime().nullable().describe('When an open session of it was last used.'),
      }),
    ),
  }),
  errors: ADMIN_ERRORS,
  live: false,
} as const satisfies Call;

export const addToTeam = {
  method: 'POST',
  path: '/api/admin/team/add',
  summary: 'Creates an admin',
  access: 'owner',
  body: z.strictObject({ username, password: newPassword, email: adminEmail.optional(), role }),
  response: z.object({ success: z.literal(true), id: adminId }),
  errors: {
    ...ADMIN_ERRORS,
    400: 'A field is missing or wrong, or the password is too short or among the commonest.',
    409: 'The username is taken.',
    503: 'Too many passwords are being checked at the moment.',
  },
  live: false,
} as const satisfies Call;

export const changeRole = {
  method: 'POST',
  path: '/api/admin/team/role',
  summary: 'Gives an admin another role. It counts from the next call of that admin on',
  access: 'owner',
  body: z.strictObject({ id: adminId, role }),
  response: done,
  errors: CHANGE_ERRORS,
  live: false,
} as const satisfies Call;

export const disableAdmin = {
  method: 'POST',
  path: '/api/admin/team/disable',
  summary: 'Shuts an admin out, and ends its sessions',
  access: 'owner',
  body: z.strictObject({ id: adminId }),
  response: done,
  errors: CHANGE_ERRORS,
  live: false,
} as const satisfies Call;

export const enableAdmin = {
  method: 'POST',
  path: '/api/admin/team/enable',
  summary: 'Lets an admin sign in again that was shut out',
  access: 'owner',
  body: z.strictObject({ id: adminId }),
  response: done,
  errors: CHANGE_ERRORS,
  live: false,
} as const satisfies Call;

export const resetPassword = {
  method: 'POST',
  path: '/api/admin/team/reset-password',
  summary:
    'Gives another admin a new password, and ends its sessions. Taking its second factor away has to be asked for',
  access: 'owner',
  body: z.strictObject({
    id: adminId,
    newPassword,
    removeTotp: z
      .boolean({ error: 'Say in removeTotp whether the second factor is taken away: true or false.' })
      .optional()
      .describe('Whether the second factor goes too, for who lost the app and the recovery codes.'),
  }),
  response: done,
  errors: { ...CHANGE_ERRORS, 503: 'Too many passwords are being checked at the moment.' },
  live: false,
} as const satisfies Call;
