import { randomUUID } from 'node:crypto';
import { readAdminLink, useAdminLink } from '../../data/contract/admin-links.ts';
import type { ResponseOf } from '../../data/contract/call.ts';
import { PORTAL_LIMITS } from '../../data/model/portal-terms.ts';
import type { AdminLink } from '../../data/store/admin-link-port.ts';
import { type ApiRoute, callRoute } from '../call-router.ts';
import { keyedDigest, type MasterKey } from '../documents/master-key.ts';
import { ApiError } from '../errors.ts';
import { readBody } from '../request-input.ts';
import { adminAuditRecord, requestAddress } from './admin-audit.ts';
import type { AdminContext } from './admin-context.ts';
import { requireAllowedCredentials, requireStrength } from './passwords.ts';

export const LINK_LIFE_MS = PORTAL_LIMITS.adminLinkHours * 3_600_000;

export type DeriveAdminLinkToken = (linkId: string) => string;

/**
 * The token of a link is a keyed digest of the link's random id: 256 bits that cannot be computed without the master key. Only
 * the token's hash is stored, so the token is recomputed for each attempt to deliver the email.
 */
export function adminLinkTokenDeriver(masterKey: MasterKey): DeriveAdminLinkToken {
  const digest = keyedDigest(masterKey, 'admin links');
  return (linkId) => digest(linkId).toString('base64url');
}

/** Unknown, used, withdrawn and expired tokens all get the same response, so that nobody learns whom the team invited. */
export function adminLinkRoutes(context: AdminContext): readonly ApiRoute[] {
  const { store, passwordHasher, now } = context;

  const requireLink = async (token: string): Promise<AdminLink> => {
    const link = await store.linkOf(token, now());
    if (link === null) throw new ApiError('admin-link-ended');
    return link;
  };
  /** @throws {ApiError} `admin-link-ended` if the link is for a password reset and the account no longer exists */
  const describe = async (link: AdminLink): Promise<ResponseOf<typeof readAdminLink>> => {
    const expiresAt = new Date(link.expiresAt).toISOString();
    if (link.kind === 'invitation') {
      const { kind, username, role } = link;
      return { kind, username, role, expiresAt };
    }
    const account = await store.byId(link.adminId);
    if (!account) throw new ApiError('admin-link-ended');
    return { kind: link.kind, username: account.username, role: account.role, expiresAt };
  };

  return [
    callRoute(readAdminLink, { limit: 'admin-setups' }, async (request, response) => {
      const { token } = readBody(readAdminLink.body, request.body);
      response.json(await describe(await requireLink(token)));
    }),
    callRoute(useAdminLink, { limit: 'admin-setups' }, async (request, response) => {
      const { token, username: chosenUsername, password } = readBody(useAdminLink.body, request.body);
      const link = await requireLink(token);
      const at = now();
      const address = requestAddress(request);
      if (link.kind === 'password-reset') {
        const { username } = await describe(link);
        await requireStrength(password, username ?? '');
        const { adminId, removeSecondFactors, createdBy } = link;
        const details = { adminId, removeSecondFactors, link: link.id, offeredBy: createdBy };
        const record = adminAuditRecord(
          { id: adminId, address },
          { action: 'admin.password-reset', at, details },
        );
        const isReset = await store.resetByLink(token, await passwordHasher.hash(password), record);
        if (!isReset) throw new ApiError('admin-link-ended');
        response.json({ success: true, username });
        return;
      }
      const username = link.username ?? chosenUsername;
      if (username === undefined) throw new ApiError('username-needed');
      await requireAllowedCredentials(username, password);
      const { email, role, createdBy: addedBy } = link;
      const id: string = randomUUID();
      const passwordHash = await passwordHasher.hash(password);
      const admin = { id, username, email, role, passwordHash, createdAt: at, addedBy };
      const details = { adminId: id, role, link: link.id, invitedBy: addedBy };
      const record = adminAuditRecord({ id, address }, { action: 'admin.joined', at, details });
      const outcome = await store.joinByLink(token, admin, record);
      if (outcome === 'ended') throw new ApiError('admin-link-ended');
      if (outcome === 'name-taken') throw new ApiError('username-taken');
      response.json({ success: true, username });
    }),
  ];
}
