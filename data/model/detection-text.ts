/**
 * What was detected in a wallet, as text for a verification request. Amounts are BD as decimal text. `held` is the unstaked
 * amount; null if it was not read.
 */
export function detectionText(found: {
  readonly staked: string;
  readonly held: string | null;
  readonly method?: string;
}): string {
  const { staked, held, method = 'automated_scan' } = found;
  if (Number(staked) > 0) return `${staked} BD staked (${method})`;
  if (held !== null && Number(held) > 0) return `${held} BD in wallet (not staked) (${method})`;
  return 'No BD tokens found';
}
