import { groupDecimalText } from './digit-grouping.ts';

const METHOD_LABELS: Readonly<Record<string, string>> = { stake_entry: 'found on-chain' };

/**
 * Describes what was detected for a wallet, as text for a verification request. Amounts are BD as decimal text. `held` is the
 * unstaked amount; null if it was not read.
 */
export function detectionText(detection: {
  readonly staked: string;
  readonly held: string | null;
  readonly method?: string;
}): string {
  const { staked, held, method = 'automated_scan' } = detection;
  const label = METHOD_LABELS[method] ?? method;
  if (Number(staked) > 0) return `${groupDecimalText(staked)} BD staked (${label})`;
  if (held !== null && Number(held) > 0)
    return `${groupDecimalText(held)} BD in wallet (not staked) (${label})`;
  return 'No BD tokens found';
}
