import type { AppStore } from '../../data/store/ports.ts';
import type { AdminPasswords } from './passwords.ts';

/** What the calls about the team share. */
export interface AdminDesk {
  readonly store: AppStore['admins'];
  readonly audit: AppStore['recordAudit'];
  readonly passwords: AdminPasswords;
  /** Now, in Unix milliseconds. */
  readonly now: () => number;
}

/** Milliseconds after which a session ends that nobody used, and after which it ends in any case. */
export const SESSION_IDLE = 30 * 60_000;
export const SESSION_LIFE = 12 * 60 * 60_000;
