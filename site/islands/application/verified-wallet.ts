/** A wallet whose stake was read and qualifies. */
export interface VerifiedWallet {
  readonly walletAddress: string;
  readonly tier: string;
  /** BD, decimal text. */
  readonly stakedAmount: string;
}
