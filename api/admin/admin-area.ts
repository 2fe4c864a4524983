import type { RateLimits } from '../../data/config/rate-limits.ts';
import type { AppStore } from '../../data/store/ports.ts';
import type { MasterKey } from '../documents/master-key.ts';
import type { ApiRoute } from '../known-calls.ts';
import type { AdminContext } from './admin-context.ts';
import type { AdmitAdmin } from './admit-admin.ts';
import { auditTrailRoute } from './audit-trail-route.ts';
import { AdminPasswords } from './passwords.ts';
import { SecondFactors } from './second-factor.ts';
import { createSecretBox } from './secret-box.ts';
import { adminSessionRoutes } from './session-routes.ts';
import { setupRoutes } from './setup-routes.ts';
import { teamRoutes } from './team-routes.ts';
import { totpRoutes } from './totp-routes.ts';

/** The calls about admin accounts, sessions and the audit trail. */
export function teamAccountRoutes(options: {
  readonly store: AppStore;
  readonly admit: AdmitAdmin;
  readonly now: () => number;
  readonly rateLimits: RateLimits;
  /** The token of the one-time setup link; null if none was printed. */
  readonly setupToken: string | null;
  /** Encrypts two-factor secrets. */
  readonly masterKey: MasterKey;
}): readonly ApiRoute[] {
  const { store, admit, now, rateLimits, setupToken, masterKey } = options;
  const context: AdminContext = {
    store: store.admins,
    audit: (record) => store.recordAudit(record),
    passwords: new AdminPasswords(),
    rateLimits,
    now,
  };
  const factors = new SecondFactors({ box: createSecretBox(masterKey.bytes), store: store.admins, now });
  return [
    ...setupRoutes(context, setupToken),
    ...adminSessionRoutes(context, admit, factors),
    ...totpRoutes(context, admit, factors),
    ...teamRoutes(context, admit),
    auditTrailRoute({ store, admit }),
  ];
}
