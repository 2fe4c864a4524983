/** What is said where neither a stake nor a token was found. */
export const NOTHING_DETECTED = 'No BD tokens found';

/** Stands for the method where none is told. */
export const DEFAULT_DETECTION_METHOD = 'automated_scan';

/**
 * What was detected of a wallet, in the words of a verification request. Amounts are decimal text of BD; `held` is null
 * where the wallet's own tokens were not read.
 */
export function detectionText(found: {
  readonly staked: string;
  readonly held: string | null;
  readonly method?: string;
}): string {
  const { staked, held, method = DEFAULT_DETECTION_METHOD } = found;
  if (Number(staked) > 0) return `${staked} BD staked (${method})`;
  if (held !== null && Number(held) > 0) return `${held} BD in wallet (not staked) (${method})`;
  return NOTHING_DETECTED;
}
