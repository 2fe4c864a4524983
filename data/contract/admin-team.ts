import { z } from 'zod';
import { ADMIN_ROLES } from '../model/admin-rules.ts';
import {
  adminEmail,
  adminId,
  done,
  newPassword,
  ownPassword,
  PASSWORD_ERRORS,
  username,
} from './admin-session.ts';
import type { Call } from './call.ts';
import * as PATHS from './paths.ts';
import { moment } from './provenance.ts';

const role = z.enum(ADMIN_ROLES, { error: `Set role to one of ${ADMIN_ROLES.join(', ')}.` });

export const team = {
  method: 'GET',
  path: PATHS.team,
  summary: 'Every admin, oldest account first',
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
        createdAt: moment,
        disabledAt: moment.nullable().describe('When the account was deactivated; null while it is active.'),
        lastSeenAt: moment.nullable().describe('When one of the account’s open sessions was last used.'),
      }),
    ),
  }),
} as const satisfies Call;

export const addToTeam = {
  method: 'POST',
  path: PATHS.addToTeam,
  summary: 'Creates an admin',
  access: 'owner',
  body: z.strictObject({ username, password: newPassword, email: z.optional(adminEmail), role, ownPassword }),
  response: z.object({ success: z.literal(true), id: adminId }),
  errors: [...PASSWORD_ERRORS, 'username-reserved', 'weak-password', 'username-taken'],
} as const satisfies Call;

export const changeRole = {
  method: 'POST',
  path: PATHS.changeRole,
  summary: 'Changes the role of an admin. It applies from that admin’s next call',
  access: 'owner',
  body: z.strictObject({ id: adminId, role, ownPassword }),
  response: done,
  errors: [...PASSWORD_ERRORS, 'no-such-admin', 'last-owner'],
} as const satisfies Call;

const disableOrEnable = {
  method: 'POST',
  access: 'owner',
  body: z.strictObject({ id: adminId }),
  response: done,
  errors: ['no-such-admin', 'last-owner'],
} as const;

export const disableAdmin = {
  ...disableOrEnable,
  path: PATHS.disableAdmin,
  summary: 'Deactivates an admin and ends all sessions of the account',
} as const satisfies Call;

export const enableAdmin = {
  ...disableOrEnable,
  path: PATHS.enableAdmin,
  summary: 'Reactivates an admin',
} as const satisfies Call;

export const resetPassword = {
  method: 'POST',
  path: PATHS.resetPassword,
  summary: 'Resets the password of another admin and ends all sessions of the account',
  access: 'owner',
  body: z.strictObject({
    id: adminId,
    newPassword,
    ownPassword,
    removeTotp: z
      .boolean({ error: 'Set removeTotp to true or false.' })
      .optional()
      .describe(
        'Whether to turn off the second factor too, for an admin who lost the app and the recovery codes.',
      ),
  }),
  response: done,
  errors: [...PASSWORD_ERRORS, 'no-such-admin', 'own-password', 'weak-password'],
} as const satisfies Call;
