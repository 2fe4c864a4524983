import type { AdminRole } from '../model/admin-rules.ts';
import type { AdminStore, NewAdmin } from './admin-port.ts';
import type { AuditRecord } from './audit-port.ts';
import type { PasskeyStore } from './passkey-port.ts';

/* One-time links to set the password of a new account, or to reset the password of an existing one. */

interface LinkBase {
  /** Identifies the link in lists, emails and the audit trail. It is not the token. */
  readonly id: string;
  /** The id of the owner who created the link. */
  readonly createdBy: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

interface Invitation extends LinkBase {
  readonly kind: 'invitation';
  readonly email: string;
  /** Null if the invited person chooses the name. */
  readonly username: string | null;
  readonly role: AdminRole;
}

interface PasswordReset extends LinkBase {
  readonly kind: 'password-reset';
  readonly email: string | null;
  readonly adminId: string;
  /** Whether the reset also removes the second factors: the authenticator app, its recovery codes and the passkeys. */
  readonly removeSecondFactors: boolean;
}

export type AdminLink = Invitation | PasswordReset;

/**
 * A link ends when it is used, withdrawn or replaced by a newer one for the same address or account. It also ends when the owner
 * who created it is deactivated or loses the owner role. Ended links are deleted. Times are Unix ms.
 */
interface AdminLinkStore {
  /**
   * Adds a link, which replaces any earlier link for the same address or account.
   * @param token only its hash is stored
   * @param isMailed whether to queue an email with the link
   * @returns `name-taken` if an account already has the invitation's username, or one that looks like it; `unknown` if the
   * account of a password reset does not exist
   */
  offerLink(
    link: AdminLink,
    token: string,
    isMailed: boolean,
    audit: AuditRecord,
  ): Promise<'offered' | 'name-taken' | 'unknown'>;
  /** Newest first. Includes expired links until `sweepAdminData` deletes them. */
  links(): Promise<readonly AdminLink[]>;
  /** The link with this token; null if the link has ended or expired. */
  linkOf(token: string, now: number): Promise<AdminLink | null>;
  /** @returns false if the link has ended */
  withdrawLink(id: string, audit: AuditRecord): Promise<boolean>;
  /** Adds the invited admin and ends the link, unless the name is taken. Of concurrent calls, at most one succeeds. */
  joinByLink(token: string, admin: NewAdmin, audit: AuditRecord): Promise<'added' | 'name-taken' | 'ended'>;
  /** Resets the password, with the same effects as `setPassword`. @returns false if the link has ended */
  resetByLink(token: string, passwordHash: string, audit: AuditRecord): Promise<boolean>;
}

export type TeamStore = AdminStore & AdminLinkStore & PasskeyStore;
