import type { AdminRole } from '../model/admin-roles.ts';
import type { AuditRecord } from './audit-port.ts';

/**
 * The part of `app.db` about the team: accounts and their sessions. Times are Unix milliseconds. What changes something
 * takes the record of it, which is kept in the same transaction, and only where something changed.
 */

export interface AdminAccount {
  readonly id: string;
  /** As it was typed. */
  readonly username: string;
  readonly email: string | null;
  readonly role: AdminRole;
  /** Whether a second factor is set up and proved. */
  readonly hasTotp: boolean;
  readonly createdAt: number;
  /** When it was shut out; null while it may sign in. */
  readonly disabledAt: number | null;
}

/** What signing in is checked against. */
export interface AdminCredentials extends AdminAccount {
  /** Argon2id, in PHC form. */
  readonly passwordHash: string;
  readonly totp: TotpState | null;
}

export interface TotpState {
  /** The secret, encrypted. */
  readonly sealedSecret: Uint8Array;
  /** When the first code was proved; null while it is only offered. */
  readonly confirmedAt: number | null;
  /** The time step of the newest code that was taken: no code is taken twice. */
  readonly lastStep: number | null;
}

export interface NewAdmin {
  readonly id: string;
  readonly username: string;
  readonly email: string | null;
  readonly role: AdminRole;
  readonly passwordHash: string;
  readonly createdAt: number;
}

export interface AdminSession {
  /** Names the session in lists; it is not the token. */
  readonly id: string;
  readonly adminId: string;
  readonly startedAt: number;
  readonly lastSeenAt: number;
  /** When it ends, however much it is used. */
  readonly expiresAt: number;
  readonly address: string;
  readonly userAgent: string;
}

/** What a call has to know of the session that it is made in. */
export interface HeldSession {
  readonly sessionId: string;
  readonly admin: Pick<AdminAccount, 'id' | 'username' | 'role'>;
}

/** The second factor that a sign-in uses up: a code holds once. */
export type SecondFactor =
  | { readonly kind: 'totp'; readonly step: number }
  | { readonly kind: 'recovery'; readonly code: string };

export interface SignIn {
  /** 256 random bits; only what it hashes to is kept. */
  readonly token: string;
  readonly session: AdminSession;
  /** What was checked: an account that was changed meanwhile is not signed in. */
  readonly passwordHash: string;
  readonly secondFactor: SecondFactor | null;
}

/** `refused`: the account was changed or shut out since it was read, or the code was used already. */
export type SignInOutcome = 'opened' | 'refused';

export type TeamChange = 'changed' | 'unknown' | 'last-owner';

/** What a failed attempt counts for: an account's or an address's name, of which only the hash is kept. */
export type AttemptSubject = `account:${string}` | `address:${string}`;

export interface AttemptRule {
  readonly subject: AttemptSubject;
  /** Milliseconds for which no further attempt is taken after so many failures. */
  readonly delayAfter: (failures: number) => number;
}

export interface AdminStore {
  hasAdmins(): Promise<boolean>;
  /** Creates the first admin; of any number at once one at most. */
  createFirst(admin: NewAdmin, audit: AuditRecord): Promise<'created' | 'closed'>;
  add(admin: NewAdmin, audit: AuditRecord): Promise<'added' | 'name-taken'>;
  /** Every admin, the one created first before the others. */
  all(): Promise<readonly AdminAccount[]>;
  /** @param name as it was typed; found whatever its case */
  byName(name: string): Promise<AdminCredentials | null>;
  byId(id: string): Promise<AdminCredentials | null>;

  /** Gives another role. The last owner who may sign in stays one. */
  changeRole(id: string, role: AdminRole, audit: AuditRecord): Promise<TeamChange>;
  /** Shuts an admin out and ends its sessions. The last owner who may sign in stays. */
  disable(id: string, audit: AuditRecord): Promise<TeamChange>;
  enable(id: string, audit: AuditRecord): Promise<TeamChange>;
  /**
   * Sets another password and ends the account's sessions but one.
   * @returns false where there is no such admin
   */
  setPassword(
    id: string,
    change: {
      readonly passwordHash: string;
      readonly keepSession: string | null;
      readonly removeTotp: boolean;
    },
    audit: AuditRecord,
  ): Promise<boolean>;

  /** Offers a secret, in place of one that was only offered. @returns false where one is confirmed */
  offerTotp(id: string, sealedSecret: Uint8Array, audit: AuditRecord): Promise<boolean>;
  /**
   * Confirms the secret that was offered, with the recovery codes, and ends the account's sessions but one.
   * @returns false where the secret is no longer the one that was checked
   */
  confirmTotp(
    id: string,
    confirmed: {
      readonly sealedSecret: Uint8Array;
      readonly step: number;
      readonly recoveryCodes: readonly string[];
      readonly keepSession: string;
    },
    audit: AuditRecord,
  ): Promise<boolean>;
  /** Uses the code up and takes the second factor away. @returns false where the code was used already */
  removeTotp(id: string, using: SecondFactor, audit: AuditRecord): Promise<boolean>;
  /** Uses the code up and replaces every recovery code. @returns false where the code was used already */
  renewRecoveryCodes(
    id: string,
    using: SecondFactor,
    codes: readonly string[],
    audit: AuditRecord,
  ): Promise<boolean>;
  recoveryCodesLeft(id: string): Promise<number>;
  isRecoveryCode(id: string, code: string): Promise<boolean>;

  /**
   * Opens a session, uses the second factor up and forgets the account's failures, in one transaction.
   * @throws {RangeError} where the token is taken.
   */
  signIn(signIn: SignIn, audit: AuditRecord): Promise<SignInOutcome>;
  /**
   * The open session of a token and whose it is. It counts as used now.
   * @param unusedSince a session last used before this moment has ended
   */
  touchSession(token: string, now: number, unusedSince: number): Promise<HeldSession | null>;
  /** Open sessions, the one used last first; of one admin, or of all. */
  sessions(adminId: string | null, now: number, unusedSince: number): Promise<readonly AdminSession[]>;
  /**
   * Ends open sessions: one by its id, or all of an admin's but one.
   * @returns how many ended; where none did, nothing is recorded
   */
  endSessions(
    which: { readonly id: string } | { readonly adminId: string; readonly but: string },
    audit: AuditRecord,
  ): Promise<number>;

  /**
   * Counts an attempt as failed before it is checked, so that attempts at one time cannot outrun the count. Where one of
   * the subjects is still blocked nothing is counted.
   * @param forgetBefore failures that are all older are forgotten
   * @returns the moment until which no attempt is taken; null where this one may be checked
   */
  countAttempt(rules: readonly AttemptRule[], now: number, forgetBefore: number): Promise<number | null>;
  /** Takes back a count of `countAttempt`, where the attempt turned out to be no failure. */
  forgiveAttempt(rules: readonly AttemptRule[]): Promise<void>;
  /** Forgets every failure of a subject. */
  forgetFailures(subject: AttemptSubject): Promise<void>;
  /** Forgets sessions that ended, and failures, before a moment. */
  sweepAdmins(before: number): Promise<void>;
}
