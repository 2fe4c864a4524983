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
  /** The last signature counter that was accepted; 0 if the authenticator does not have a counter. */
  readonly counter: number;
}

export type NewPasskey = Omit<Passkey, 'lastUsedAt'>;

/** `sign-in`: for anyone. `register`: for a signed-in admin who is adding a passkey. */
export interface PasskeyChallenge {
  readonly purpose: 'sign-in' | 'register';
  /** The admin who is adding a passkey; null for a sign-in, because then the passkey identifies the admin. */
  readonly adminId: string | null;
}

export interface PasskeyStore {
  /**
   * Stores a challenge. Also deletes the challenges that have expired by `now`. They would otherwise pile up, because anybody
   * can request challenges.
   * @param text 256 random bits; only their hash is stored
   */
  addChallenge(text: string, challenge: PasskeyChallenge, now: number, expiresAt: number): Promise<void>;
  /**
   * Consumes a challenge. Of several concurrent calls, at most one gets it.
   * @returns null if the challenge was used, has expired or is unknown
   */
  consumeChallenge(text: string, now: number): Promise<PasskeyChallenge | null>;
  /** Oldest first. */
  passkeysOf(adminId: string): Promise<readonly Passkey[]>;
  passkey(id: string): Promise<Passkey | null>;
  /**
   * Adds a passkey, and ends all sessions of the admin except `keptSessionId`.
   * @returns `taken` if the credential is already registered; `full` if the admin already has `limit` passkeys
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
