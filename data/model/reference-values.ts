/**
 * The published fixed fallbacks. They are shown where a live value is missing, always labelled "Reference value"; they
 * never count as live and never enter a derived figure.
 */
export const REFERENCE_VALUES = {
  dashboard: {
    vaultBalance: '99998436.01',
    totalStaked: '20887580.31',
    activeStakers: 8,
    priceUsd: '0.0001137',
  },
  /** Growth of the vault in percent by window; shown, labelled "Example", while a window has no history. */
  vaultGrowth: [
    { hours: 6, percent: '5.2' },
    { hours: 12, percent: '12.8' },
    { hours: 18, percent: '18.4' },
    { hours: 24, percent: '23.1' },
  ],
  market: { priceUsd: '0.0001133', marketCapUsd: '112170' },
} as const;
