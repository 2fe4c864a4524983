import type { AppStore } from '../../data/store/ports.ts';
import type { MasterKey } from '../documents/master-key.ts';
import type { ApiRoute } from '../known-calls.ts';
import { limitCalls } from '../security/rate-limit.ts';
import type { AdminDesk } from './admin-desk.ts';
import { adminAdmission } from './admit-admin.ts';
import { AdminPasswords } from './passwords.ts';
import { SecondFactors } from './second-factor.ts';
import { createSecretBox } from './secret-box.ts';
import { adminSessionRoutes } from './session-routes.ts';
import { setupRoutes } from './setup-routes.ts';
import type { AdmitAdmin } from './signed-in-admin.ts';
import { teamRoutes } from './team-routes.ts';
import { totpRoutes } from './totp-routes.ts';

/** Changes to accounts and sessions from one address a minute. */
const CHANGES_PER_MINUTE = 30;

export interface AdminOptions {
  readonly store: AppStore;
  readonly now: () => number;
  /** The token of the one-time set-up link; null where none was printed. */
  readonly setupToken: string | null;
  /** What secrets of second factors are kept under. */
  readonly masterKey: MasterKey;
  readonly callsPerMinute?: number | undefined;
}

/** The calls of the team about itself, and what admits admins to every other call. */
export function adminArea(options: AdminOptions): {
  readonly admit: AdmitAdmin;
  readonly routes: readonly ApiRoute[];
} {
  const { store, now, setupToken, masterKey, callsPerMinute: perMinute } = options;
  const desk: AdminDesk = {
    store: store.admins,
    audit: (record) => store.recordAudit(record),
    passwords: new AdminPasswords(),
    now,
  };
  const admit = adminAdmission(desk);
  const factors = new SecondFactors({ box: createSecretBox(masterKey.bytes), store: store.admins, now });
  const limit = limitCalls(perMinute ?? CHANGES_PER_MINUTE, 'admin-changes');
  return {
    admit,
    routes: [
      ...setupRoutes(desk, { setupToken, perMinute }),
      ...adminSessionRoutes(desk, admit, { factors, limit, loginsPerMinute: perMinute }),
      ...totpRoutes(desk, admit, { factors, limit }),
      ...teamRoutes(desk, admit, limit),
    ],
  };
}
