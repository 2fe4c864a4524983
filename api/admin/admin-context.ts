import type { RateLimits } from '../../data/config/rate-limits.ts';
import { PORTAL_LIMITS } from '../../data/model/portal-terms.ts';
import type { AppStore } from '../../data/store/ports.ts';
import type { AdminPasswords } from './passwords.ts';

/** The dependencies of the calls about admins. */
export interface AdminContext {
  readonly store: AppStore['admins'];
  readonly audit: AppStore['recordAudit'];
  readonly passwords: AdminPasswords;
  readonly rateLimits: RateLimits;
  /** Now, in Unix milliseconds. */
  readonly now: () => number;
}

/** Milliseconds after which an unused session ends. */
export const SESSION_IDLE = PORTAL_LIMITS.adminIdleMinutes * 60_000;
/** Milliseconds after which every session ends. */
export const SESSION_LIFE = PORTAL_LIMITS.adminSessionHours * 3_600_000;
