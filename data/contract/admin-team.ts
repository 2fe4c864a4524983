import { z } from 'zod';
import { ADMIN_ROLES } from '../model/admin-rules.ts';
import { PORTAL_LIMITS } from '../model/portal-terms.ts';
import { adminEmail, adminId, ownPassword, PASSWORD_ERRORS, successBody, username } from './admin-session.ts';
import type { Call } from './call.ts';
import * as PATHS from './paths.ts';
import { moment } from './provenance.ts';

/** The one-time link of an invitation or a password reset, which the owner passes on. */
const link = z
  .url()
  .nullable()
  .describe('The link, if it cannot be sent by email. Returned only once. Null if it was sent.');

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
        passkeys: z.int().describe('Number of passkeys.'),
        createdAt: moment,
        disabledAt: moment.nullable().describe('When the account was deactivated; null while it is active.'),
        lastSeenAt: moment.nullable().describe('When one of the account’s open sessions was last used.'),
      }),
    ),
    links: z
      .array(
        z.object({
          id: adminId,
          kind: z.enum(['invitation', 'password-reset']),
          email: z.string().nullable(),
          username: z.string().nullable().describe('Null if the invited person chooses it.'),
          role: z.enum(ADMIN_ROLES),
          createdBy: z.string().describe('The username of the owner who created the link.'),
          createdAt: moment,
          expiresAt: moment,
          hasExpired: z.boolean(),
        }),
      )
      .describe('One-time links that have not been used, newest first.'),
    sendsMail: z.boolean().describe('Whether links are sent by email.'),
  }),
} as const satisfies Call;

export const inviteToTeam = {
  method: 'POST',
  path: PATHS.inviteToTeam,
  summary: `Invites a person with a one-time link, valid for ${PORTAL_LIMITS.adminLinkHours} hours. It replaces an earlier invitation to the address`,
  access: 'owner',
  body: z.strictObject({
    email: adminEmail,
    username: z.optional(username).describe('Without it, the invited person chooses the name.'),
    role,
    ownPassword,
  }),
  response: successBody.extend({ id: adminId.describe('The id of the link.'), link }),
  errors: [...PASSWORD_ERRORS, 'username-reserved', 'username-taken'],
} as const satisfies Call;

export const changeRole = {
  method: 'POST',
  path: PATHS.changeRole,
  summary: 'Changes the role of an admin. It applies from that admin’s next call',
  access: 'owner',
  body: z.strictObject({ id: adminId, role, ownPassword }),
  response: successBody,
  errors: [...PASSWORD_ERRORS, 'no-such-admin', 'last-owner'],
} as const satisfies Call;

const disableOrEnableCall = {
  method: 'POST',
  access: 'owner',
  body: z.strictObject({ id: adminId }),
  response: successBody,
  errors: ['no-such-admin', 'last-owner'],
} as const;

export const disableAdmin = {
  ...disableOrEnableCall,
  path: PATHS.disableAdmin,
  summary: 'Deactivates an admin and ends all sessions of the account',
} as const satisfies Call;

export const enableAdmin = {
  ...disableOrEnableCall,
  path: PATHS.enableAdmin,
  summary: 'Reactivates an admin',
} as const satisfies Call;

export const resetPassword = {
  method: 'POST',
  path: PATHS.resetPassword,
  summary: `Creates a one-time link, valid for ${PORTAL_LIMITS.adminLinkHours} hours, that lets another admin set a new password. Nothing changes until the link is used`,
  access: 'owner',
  body: z.strictObject({
    id: adminId,
    ownPassword,
    removeSecondFactors: z
      .boolean({ error: 'Set removeSecondFactors to true or false.' })
      .optional()
      .describe('Whether to remove the second factors too: the app, the recovery codes and the passkeys.'),
  }),
  response: successBody.extend({ link }),
  errors: [...PASSWORD_ERRORS, 'no-such-admin', 'own-password'],
} as const satisfies Call;

export const withdrawLink = {
  method: 'POST',
  path: PATHS.withdrawLink,
  summary: 'Ends a one-time link before it is used',
  access: 'owner',
  body: z.strictObject({ id: adminId }),
  response: successBody,
  errors: ['no-such-link'],
} as const satisfies Call;
