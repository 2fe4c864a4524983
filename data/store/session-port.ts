import type { CardTier } from '../model/tiers.ts';

/** A sign-in message that was handed out. Times are Unix milliseconds, addresses base58. */
export interface IssuedChallenge {
  /** As the message carries it; only what it hashes to is kept. */
  readonly nonce: string;
  readonly walletAddress: string;
  /** The whole text; only what it hashes to is kept. */
  readonly message: string;
  readonly issuedAt: number;
  /** The first moment at which it holds no more. */
  readonly expiresAt: number;
}

/**
 * What a challenge came to. `accepted`: it was issued for this wallet and text, and this was its one use. `used`: it had
 * its use before. `other`: it was issued for another wallet or text. `unknown`: never issued, or forgotten since.
 */
export type ChallengeOutcome = 'accepted' | 'used' | 'expired' | 'other' | 'unknown';

/** Whose wallet a token speaks for. */
export interface WalletSession {
  readonly walletAddress: string;
  readonly provedAt: number;
  /** The first moment at which it holds no more. */
  readonly expiresAt: number;
}

/** What the portal remembers of wallets that prove themselves. Nonces and tokens are kept as hashes only. */
export interface SessionStore {
  /** @throws {RangeError} where the nonce was issued before. */
  issueChallenge(challenge: IssuedChallenge): Promise<void>;
  /** Uses a challenge up, whatever comes of it: of any number of calls with one nonce one at most is `accepted`. */
  spendChallenge(
    use: Pick<IssuedChallenge, 'nonce' | 'walletAddress' | 'message'>,
    now: number,
  ): Promise<ChallengeOutcome>;
  /**
   * Opens a session, and remembers that the wallet proved itself, in one transaction.
   * @throws {RangeError} where the token is taken.
   */
  openSession(session: WalletSession & { readonly token: string }): Promise<void>;
  /** Null where there is none, or it has ended or expired. */
  sessionByToken(token: string, now: number): Promise<WalletSession | null>;
  /** Ends a session for ever; without one nothing happens. */
  endSession(token: string, now: number): Promise<void>;
  /** Wallets that proved themselves at least once, and those that the team has whitelisted. */
  provenWallets(): Promise<ReadonlySet<string>>;
  /** The card tier that the team admitted a wallet to; null where it did not. */
  whitelistedTier(walletAddress: string): Promise<CardTier | null>;
  /** Forgets challenges and sessions that hold no more at `now`. */
  sweepSessions(now: number): Promise<void>;
}
