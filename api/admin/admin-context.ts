import type { RateLimits } from '../../data/config/rate-limits.ts';
import { PORTAL_LIMITS } from '../../data/model/portal-terms.ts';
import type { Logger } from '../../data/runtime/log.ts';
import type { AppStore } from '../../data/store/ports.ts';
import type { AlertTeam } from '../delivery/team-alerts.ts';
import type { DeviceMarks } from './device-mark.ts';
import type { PasswordHasher } from './passwords.ts';

export interface AdminContext {
  readonly store: AppStore['admins'];
  readonly audit: AppStore['recordAudit'];
  readonly passwordHasher: PasswordHasher;
  readonly deviceMarks: DeviceMarks;
  readonly rateLimits: RateLimits;
  readonly log: Logger;
  readonly alertTeam: AlertTeam;
  /** The current time in Unix milliseconds. */
  readonly now: () => number;
}

export const SESSION_IDLE_MS = PORTAL_LIMITS.adminIdleMinutes * 60_000;
export const SESSION_LIFE_MS = PORTAL_LIMITS.adminSessionHours * 3_600_000;
