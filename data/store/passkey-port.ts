import type { AuditRecord } from './audit-port.ts';

/* The team's passkeys (WebAuthn credentials). Times are Unix ms. */

interface ListedPasskey {
  /** The id of the credential, in base64url. */
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

export interface Passkey extends ListedPasskey {
  readonly adminId: string;
  /** A JSON Web Key. */
  readonly publicKey: string;
  /** The newest signature counter that was accepted; 0 if the authenticator does not count. */
  readonly counter: number;
}

export type NewPasskey = Omit<Passkey, 'lastUsedAt'>;

/** `sign-in`: for anyone. `register`: for a signed-in admin who adds a passkey. */
export interface PasskeyChallenge {
  readonly purpose: 'sign-in' | 'register';
  /** The admin who registers; null for a sign-in, in which the passkey identifies the admin. */
  readonly adminId: string | null;
}

export interface PasskeyStore {
  /**
   * Stores a challenge, and deletes the challenges that expired by `now`. Otherwise they would pile up, because anybody can
   * request challenges.
   * @param text 256 random bits; only their hash is stored
   */
  addChallenge(text: string, challenge: PasskeyChallenge, now: number, expiresAt: number): Promise<void>;
  /**
   * Consumes a challenge. If called concurrently, at most one call gets it. @returns null if it was used, has expired or is
   * unknown
   */
  consumeChallenge(text: string, now: number): Promise<PasskeyChallenge | null>;
  /** The passkeys of an admin, oldest first. */
  passkeysOf(adminId: string): Promise<readonly Passkey[]>;
  passkey(id: string): Promise<Passkey | null>;
  /**
   * Adds a passkey, and ends all sessions of the admin except `keptSessionId`.
   * @returns `taken` if the credential is registered already; `full` if the admin has `limit` passkeys
   */
  addPasskey(
    passkey: NewPasskey,
    limit: number,
    keptSessionId: string,
    audit: AuditRecord,
  ): Promise<'added' | 'taken' | 'full'>;
  /**
   * Removes a passkey, and ends all sessions of the admin except `keptSessionId`.
   * @returns false if the admin has no such passkey
   */
  removePasskey(adminId: string, id: string, keptSessionId: string, audit: AuditRecord): Promise<boolean>;
}
