import { apiOriginOf } from '../../data/config/api-origin.ts';
import type { ApiRoute } from '../call-router.ts';
import { teamCardRoute } from '../cards/team-card-route.ts';
import type { PortalContext } from '../portal-context.ts';
import { erasureRoute } from '../retention/erasure-route.ts';
import type { AdminContext } from './admin-context.ts';
import { adminLinkRoutes, adminLinkTokenDeriver } from './admin-links.ts';
import { auditTrailRoute } from './audit-trail-route.ts';
import type { SignedInAdmin } from './authorize-admin.ts';
import { createCodeFactors } from './code-factor.ts';
import { createDeviceMarks } from './device-mark.ts';
import { createPasskeyFactors } from './passkey-factor.ts';
import { passkeyRoutes } from './passkey-routes.ts';
import { PasswordHasher } from './passwords.ts';
import { reauthenticateWithPassword } from './reauthenticate.ts';
import { relyingParty } from './relying-party.ts';
import { createSecretBox } from './secret-box.ts';
import { adminSessionRoutes } from './session-routes.ts';
import { setupRoutes } from './setup-routes.ts';
import { teamRoutes } from './team-routes.ts';
import { totpRoutes } from './totp-routes.ts';
import { webhookRoutes } from './webhook-routes.ts';

export function teamAccountRoutes(portal: PortalContext): readonly ApiRoute[] {
  const { store, authorize, nonDecreasingNow: now, rateLimits, masterKey, log, alertTeam } = portal;
  const { sendsMail, teamOrigin } = portal;
  const box = createSecretBox(masterKey.bytes);
  const context: AdminContext = {
    store: store.admins,
    audit: (record) => store.recordAudit(record),
    passwordHasher: new PasswordHasher(),
    deviceMarks: createDeviceMarks({ box, apiOrigin: apiOriginOf(portal), now }),
    rateLimits,
    log,
    alertTeam,
    now,
  };
  const codeFactors = createCodeFactors({ box, store: store.admins, now });
  const party = relyingParty(apiOriginOf(portal));
  const passkeyFactors = createPasskeyFactors({ ...context, party });
  const confirmOwnPassword = (admin: SignedInAdmin, password: string) =>
    // No second factor is required here.
    reauthenticateWithPassword(admin, password, context, async () => true);
  return [
    erasureRoute(portal, confirmOwnPassword),
    teamCardRoute(portal, confirmOwnPassword),
    ...setupRoutes(context, portal),
    ...adminSessionRoutes(context, authorize, codeFactors, passkeyFactors),
    ...totpRoutes(context, authorize, codeFactors),
    ...passkeyRoutes(context, authorize, passkeyFactors, party),
    ...teamRoutes(
      context,
      authorize,
      { sendsMail, teamOrigin, tokenOf: adminLinkTokenDeriver(masterKey) },
      confirmOwnPassword,
    ),
    ...adminLinkRoutes(context),
    ...webhookRoutes(portal, box, confirmOwnPassword),
    auditTrailRoute(portal),
  ];
}
