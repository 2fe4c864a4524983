import type { AdminRole } from '../model/admin-rules.ts';
import type { AuditRecord } from './audit-port.ts';

/*
 * The team's accounts and sessions. Times are Unix milliseconds. A method that takes an audit record adds it in the same
 * transaction, and only if something changed.
 */

export interface AdminAccount {
  readonly id: string;
  /** As typed. */
  readonly username: string;
  readonly email: string | null;
  readonly role: AdminRole;
  /** Whether an authenticator app is set up and confirmed. */
  readonly hasTotp: boolean;
  readonly passkeys: number;
  readonly createdAt: number;
  readonly disabledAt: number | null;
}

export interface AdminCredentials extends AdminAccount {
  /** Argon2id, in PHC string format. */
  readonly passwordHash: string;
  readonly totp: TotpState | null;
}

interface TotpState {
  readonly sealedSecret: Uint8Array;
  readonly confirmedAt: number | null;
  /** The time step of the newest accepted code, so that no code is accepted twice. */
  readonly lastStep: number | null;
}

export type NewAdmin = Pick<
  AdminCredentials,
  'id' | 'username' | 'email' | 'role' | 'passwordHash' | 'createdAt'
> & {
  /** The id of the owner who adds the account; null if the setup page or a command adds it. */
  readonly addedBy: string | null;
};

export interface PasswordChange {
  readonly passwordHash: string;
  /** The session that stays open, and its IP address; null to end all sessions. */
  readonly keep: { readonly session: string; readonly address: string } | null;
  readonly removeSecondFactors: boolean;
}

export interface AdminSession {
  /** Identifies the session in lists. It is not the token. */
  readonly id: string;
  readonly adminId: string;
  readonly startedAt: number;
  readonly lastSeenAt: number;
  /** The session ends no later than this, even if it is in use. */
  readonly expiresAt: number;
  /** The IP address that opened the session. */
  readonly address: string;
  readonly userAgent: string;
}

export interface ActiveSession {
  readonly sessionId: string;
  readonly admin: Pick<AdminAccount, 'id' | 'username' | 'role'>;
}

export type CodeFactor =
  | { readonly kind: 'totp'; readonly step: number }
  | { readonly kind: 'recovery'; readonly code: string };

export type SecondFactor =
  | CodeFactor
  /** `counter`: the authenticator's new signature counter. */
  | { readonly kind: 'passkey'; readonly id: string; readonly counter: number };

export interface SignIn {
  /** 256 random bits. Only the hash is stored. */
  readonly token: string;
  readonly session: AdminSession;
  /** The hash that the password was checked against. If the account's hash has changed since, the sign-in is refused. */
  readonly passwordHash: string;
  readonly secondFactor: SecondFactor | null;
  /** The IP address that the sign-in comes from. It becomes a known address of the account. */
  readonly address: string;
}

/**
 * `refused`: the account was changed or deactivated in the meantime, the code was used before, or the passkey's counter has
 * not increased.
 */
export type SignInOutcome = 'opened' | 'refused';

export type TeamChangeOutcome = 'changed' | 'unknown' | 'last-owner';

/**
 * A subject that has its own count of failed attempts: an account, an account's codes, an IP address, a browser, or an admin's
 * identity proofs. Only the subject's hash is stored.
 */
export type AttemptSubject = `${'account' | 'codes' | 'address' | 'device' | 'proof'}:${string}`;

export interface AttemptRule {
  readonly subject: AttemptSubject;
  /** How long (ms) further attempts are blocked after this number of failures. */
  readonly delayAfter: (failures: number) => number;
  /** Whether the subject's earlier failures can block this attempt. If not, the attempt is only counted. */
  readonly blocks: boolean;
}

export interface AttemptCheck {
  readonly blockedUntil: number | null;
  /** True if a subject is delayed but the attempt is allowed because `blocks` is false in that subject's rule. */
  readonly isExempt: boolean;
}

export interface AdminStore {
  hasAdmins(): Promise<boolean>;
  /** Creates the first admin. If called concurrently, at most one call succeeds. */
  createFirst(admin: NewAdmin, audit: AuditRecord): Promise<'created' | 'closed'>;
  /** @returns `name-taken` when an account already has the name, or a name that looks like it */
  add(admin: NewAdmin, audit: AuditRecord): Promise<'added' | 'name-taken'>;
  /** Oldest first. */
  all(): Promise<readonly AdminAccount[]>;
  /** @param name case-insensitive */
  byName(name: string): Promise<AdminCredentials | null>;
  byId(id: string): Promise<AdminCredentials | null>;

  /**
   * Refuses to demote the last owner who may sign in. Ends the links that a demoted owner created. Unassigns the
   * records of an admin who becomes a viewer.
   */
  changeRole(id: string, role: AdminRole, audit: AuditRecord): Promise<TeamChangeOutcome>;
  /**
   * Deactivates an admin. Ends the admin's sessions, the links that the admin created, and the links for the admin.
   * Removes the admin's assignments, mentions, unshared filters and report subscription. Refuses to deactivate the last
   * owner who may sign in.
   */
  disable(id: string, audit: AuditRecord): Promise<TeamChangeOutcome>;
  enable(id: string, audit: AuditRecord): Promise<TeamChangeOutcome>;
  /**
   * Changes the password. Ends the account's password-reset link, and all its sessions except the one in `keep`. Forgets its
   * known IP addresses, except the one in `keep`.
   * @returns false when there is no such admin
   */
  setPassword(id: string, change: PasswordChange, audit: AuditRecord): Promise<boolean>;

  /**
   * Stores an unconfirmed secret, which replaces any earlier unconfirmed secret.
   * @returns false when the account has a confirmed secret
   */
  offerTotp(id: string, sealedSecret: Uint8Array, audit: AuditRecord): Promise<boolean>;
  /**
   * Confirms the secret, stores the recovery codes, and ends all sessions of the account except `keptSessionId`.
   * @returns false when another unconfirmed secret was stored in the meantime
   */
  confirmTotp(
    id: string,
    confirmation: {
      readonly sealedSecret: Uint8Array;
      readonly step: number;
      readonly recoveryCodes: readonly string[];
      readonly keptSessionId: string;
    },
    audit: AuditRecord,
  ): Promise<boolean>;
  /**
   * Consumes the code, removes the authenticator app with its recovery codes, and ends all sessions of the account except
   * `keptSessionId`.
   * @returns false when the code was used before
   */
  removeTotp(id: string, factor: CodeFactor, keptSessionId: string, audit: AuditRecord): Promise<boolean>;
  /** Consumes the code and replaces all recovery codes. @returns false when the code was used before */
  renewRecoveryCodes(
    id: string,
    factor: CodeFactor,
    codes: readonly string[],
    audit: AuditRecord,
  ): Promise<boolean>;
  recoveryCodesLeft(id: string): Promise<number>;
  isRecoveryCode(id: string, code: string): Promise<boolean>;

  /**
   * Opens a session and consumes the second factor, in one transaction.
   * @throws {RangeError} when a session with this token exists.
   */
  signIn(signIn: SignIn, audit: AuditRecord): Promise<SignInOutcome>;
  /**
   * Finds the open session with this token and marks it as used now.
   * @param unusedSince a session that was last used before this time counts as ended
   */
  touchSession(token: string, now: number, unusedSince: number): Promise<ActiveSession | null>;
  /** The open sessions of one admin or of all admins, most recently used first. */
  sessions(adminId: string | null, now: number, unusedSince: number): Promise<readonly AdminSession[]>;
  /**
   * Ends one open session by its id, or all sessions of an admin except one.
   * @returns the number of sessions that were ended
   */
  endSessions(
    which: { readonly id: string } | { readonly adminId: string; readonly exceptId: string },
    audit: AuditRecord,
  ): Promise<number>;

  /**
   * Counts an attempt as failed before it is checked, so that concurrent attempts cannot bypass the limit. A blocked
   * attempt is not counted.
   * @param forgetBefore failures before this time do not count
   */
  countAttempt(rules: readonly AttemptRule[], now: number, forgetBefore: number): Promise<AttemptCheck>;
  /** Undoes `countAttempt` for an attempt that did not fail. */
  forgiveAttempt(rules: readonly AttemptRule[]): Promise<void>;
  forgetFailures(subject: AttemptSubject): Promise<void>;
  /**
   * Marks the failures of a subject as an attack once there are at least `minFailures` of them.
   * @returns whether an attack began: true at most once until the failures are forgotten
   */
  flagAttack(subject: AttemptSubject, minFailures: number, audit: AuditRecord): Promise<boolean>;
  isKnownAddress(id: string, address: string, since: number): Promise<boolean>;
  /**
   * Deletes sessions and links that expired or ended by `before`, and failures whose last attempt was before that time. Also
   * deletes known addresses without a sign-in since `addressesBefore`.
   */
  sweepAdminData(before: number, addressesBefore: number): Promise<void>;
}
