import type { CardTier } from '../model/tiers.ts';

/** A sign-in message that was given to a wallet. Times are Unix milliseconds, addresses base58. */
export interface IssuedChallenge {
  /** The nonce in the message. Only its hash is stored. */
  readonly nonce: string;
  readonly walletAddress: string;
  /** The whole text. Only its hash is stored. */
  readonly message: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/**
 * `accepted`: the message was issued to this wallet with this text, and was unused. `used`: it was consumed before. `other`: it
 * was issued for another wallet or text. `unknown`: it was never issued, or has been deleted.
 */
export type ChallengeOutcome = 'accepted' | 'used' | 'expired' | 'other' | 'unknown';

export interface WalletSession {
  readonly walletAddress: string;
  readonly provedAt: number;
  readonly expiresAt: number;
}

/** Nonces and tokens are stored as hashes only. */
export interface SessionStore {
  /** @throws {RangeError} when the nonce was issued before. */
  issueChallenge(challenge: IssuedChallenge): Promise<void>;
  /** Consumes the nonce; at most one caller succeeds. */
  consumeChallenge(
    challenge: Pick<IssuedChallenge, 'nonce' | 'walletAddress' | 'message'>,
    now: number,
  ): Promise<ChallengeOutcome>;
  /**
   * Opens a session and records the wallet as proven, in one transaction.
   * @throws {RangeError} when the token is taken.
   */
  openSession(session: WalletSession & { readonly token: string }): Promise<void>;
  /** The session of a token. Null when there is none, or it ended or expired. */
  sessionByToken(token: string, now: number): Promise<WalletSession | null>;
  /** Does nothing if there is no such session. */
  endSession(token: string, now: number): Promise<void>;
  /** Wallets that were proven at least once, and whitelisted ones. */
  provenWallets(): Promise<ReadonlySet<string>>;
  /** The card tier that the team whitelisted a wallet for; null if the wallet is not whitelisted. */
  whitelistedTier(walletAddress: string): Promise<CardTier | null>;
  /** Deletes challenges and sessions that are invalid at `now`. */
  sweepSessions(now: number): Promise<void>;
}
