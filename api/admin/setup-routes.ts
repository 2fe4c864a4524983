import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { apiOriginOf, type PublicOrigins } from '../../data/config/api-origin.ts';
import { adminSetup, adminSetupState, SETUP_PAGE } from '../../data/contract/admin-session.ts';
import { SETUP_TOKEN_HEADER } from '../../data/contract/paths.ts';
import { type ApiRoute, callRoute } from '../call-router.ts';
import { ApiError } from '../errors.ts';
import { isLocalRequest } from '../operations/local-requests.ts';
import type { PortalDependencies } from '../portal-context.ts';
import { readBody } from '../request-input.ts';
import { isEqualSecret } from '../security/equal-secret.ts';
import { adminAuditRecord, requestAddress } from './admin-audit.ts';
import type { AdminContext } from './admin-context.ts';
import { requireAllowedCredentials } from './passwords.ts';

const TOKEN_BYTES = 32;

export function newSetupToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** The link for creating the first admin from any machine. The token is in the fragment, which browsers never send. */
export function setupLink(origin: string, token: string): string {
  return `${origin}${SETUP_PAGE}#token=${token}`;
}

/** The hash of the setup token. Replicas share it through the store. */
export function setupDigest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

type SetupContext = Pick<PortalDependencies, 'setupToken' | keyof PublicOrigins> & {
  readonly store: Pick<PortalDependencies['store'], 'setupLinks'>;
};

/** Whether a request has the token of the link that this process or another replica printed. */
async function hasToken(request: IncomingMessage, { setupToken, store }: SetupContext): Promise<boolean> {
  const token = request.headers[SETUP_TOKEN_HEADER.toLowerCase()];
  if (typeof token !== 'string') return false;
  if (store.setupLinks !== null) return store.setupLinks.isOffered(setupDigest(token));
  return setupToken !== null && isEqualSecret(token, setupToken);
}

/**
 * The calls that create the first admin, from this machine or with the one-time link. Once an admin exists, they respond that
 * setup is closed.
 */
export function setupRoutes(context: AdminContext, portal: SetupContext): readonly ApiRoute[] {
  const { store, passwordHasher, now } = context;
  const needsLink = (request: IncomingMessage) => !isLocalRequest(request, apiOriginOf(portal));
  return [
    callRoute(adminSetupState, {}, async (request, response) => {
      const isOpen = !(await store.hasAdmins());
      response.json({ isOpen, needsLink: isOpen && needsLink(request) });
    }),
    callRoute(adminSetup, { limit: 'admin-setups' }, async (request, response) => {
      if (await store.hasAdmins()) throw new ApiError('setup-closed');
      if (needsLink(request) && !(await hasToken(request, portal))) throw new ApiError('setup-link-needed');
      const { username, password, email = null } = readBody(adminSetup.body, request.body);
      await requireAllowedCredentials(username, password);
      const [id, at] = [randomUUID(), now()];
      const role = 'owner';
      const passwordHash = await passwordHasher.hash(password);
      const admin = { id, username, email, role, passwordHash, createdAt: at, addedBy: null } as const;
      const details = { adminId: id, role };
      const sender = { id, address: requestAddress(request) };
      const record = adminAuditRecord(sender, { action: 'admin.set-up', at, details });
      if ((await store.createFirst(admin, record)) === 'closed') throw new ApiError('setup-closed');
      response.json({ success: true });
    }),
  ];
}
