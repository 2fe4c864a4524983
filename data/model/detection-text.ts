/** The text when neither a stake nor a token was found. */
const NOTHING_DETECTED = 'No BD tokens found';

/** The text without a method. */
const DEFAULT_DETECTION_METHOD = 'automated_scan';

/**
 * The detection of a wallet as text, for verification requests. Amounts are BD as decimal text; `held` is null if the
 * wallet's own tokens were not read.
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
