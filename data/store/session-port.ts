import type { CardTier } from '../model/tiers.ts';

/** A sign-in message issued to a wallet. Times are Unix milliseconds, addresses base58. */
export interface IssuedChallenge {
  readonly nonce: string;
  readonly walletAddress: string;
  /** The complete text. Only its hash is stored. */
  readonly message: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/**
 * `accepted`: the message was issued to this wallet with this text, and was unused. `used`: the message was consumed before.
 * `other`: it was issued to another wallet or with another text. `unknown`: it was never issued, or it has been deleted.
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
  /** The session that a token belongs to; null if there is none, or if it has ended or expired. */
  sessionByToken(token: string, now: number): Promise<WalletSession | null>;
  endSession(token: string, now: number): Promise<void>;
  /** All wallets that were proven at least once or are whitelisted. */
  provenWallets(): Promise<ReadonlySet<string>>;
  /** The card tier that the team whitelisted a wallet for; null if the wallet is not whitelisted. */
  whitelistedTier(walletAddress: string): Promise<CardTier | null>;
  /** Deletes challenges and sessions that are no longer valid at `now`. */
  sweepSessions(now: number): Promise<void>;
}
