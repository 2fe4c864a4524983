/**
 * Amounts that the project has stated in writing. They are its own, they age, and no live figure is ever made from them;
 * wherever one is shown, the words "as stated" and the date stand beside it.
 */
export const STATED_FIGURES = {
  /** When the amounts were given. */
  statedOn: { year: 2026, month: 11 },
  /** Whole BD held by the vault, in two statements that do not agree. */
  vaultHeldBd: 102_000_000n,
  vaultHeldOtherBd: 122_000_000n,
  /** Whole BD staked. */
  stakedBd: 24_600_000n,
  /** Between whom the sales of NFTs are split is not stated. */
  nftSplitPercent: [50, 50],
  ipoTargetYear: 2027,
} as const;
