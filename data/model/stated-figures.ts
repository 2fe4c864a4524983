/**
 * Values from the specification that are shown while a live value is missing. They are always labeled: `vaultGrowth` as
 * "Example", the other values as "Reference value". No other value is computed from them.
 */
export const REFERENCE_VALUES = {
  dashboard: {
    vaultBalance: '99998436.01',
    totalStaked: '20887580.31',
    activeStakers: 8,
    priceUsd: '0.0001137',
  },
  /** Growth of the vault in percent. A window's example is shown while the window has no history. */
  vaultGrowth: [
    { hours: 6, percent: '5.2' },
    { hours: 12, percent: '12.8' },
    { hours: 18, percent: '18.4' },
    { hours: 24, percent: '23.1' },
  ],
  market: { priceUsd: '0.0001133', marketCapUsd: '112170' },
} as const;

/**
 * Amounts that the project stated in writing. They become outdated, so no live value is computed from them. Each is shown
 * with "as stated" and the date.
 */
export const STATED_FIGURES = {
  statedOn: { year: 2026, month: 11 },
  /** Whole BD in the vault, according to two statements that contradict each other. */
  vaultHeldBd: 102_000_000n,
  vaultHeldOtherBd: 122_000_000n,
  /** Whole BD staked. */
  stakedBd: 24_600_000n,
  /** The project states the split, but not who receives which half. */
  nftSplitPercent: [50, 50],
  ipoTargetYear: 2027,
} as const;
