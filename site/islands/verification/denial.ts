import { EXACT_DECIMALS, exactUnits, toDecimalText, wholeTokens } from '../../../data/model/amounts.ts';
import { formatCount, groupDecimalText } from '../../../data/model/count.ts';
import { MINIMUM_STAKE_BD } from '../../../data/model/tiers.ts';
import type { Toast } from '../../shell/toasts/toast-region.ts';
import type { StakeVerification } from './verify-stake.ts';

const MINIMUM = formatCount(MINIMUM_STAKE_BD);

type Detection = Pick<StakeVerification, 'detectionMethod' | 'stakedAmount'>;

/** Says how much more BD the wallet must stake, or, without a stake, the minimum stake. */
export function denialHint({ detectionMethod, stakedAmount }: Detection): string {
  const staked = exactUnits(stakedAmount);
  if (detectionMethod === 'token_account_analysis' || staked === 0n) {
    return `Must stake ${MINIMUM} BD tokens for virtual card eligibility`;
  }
  const missing = wholeTokens(MINIMUM_STAKE_BD, EXACT_DECIMALS) - staked;
  return `Need ${groupDecimalText(toDecimalText(missing, EXACT_DECIMALS))} more BD staked`;
}

/** The toast for a wallet that does not qualify. `market` is the URL of a page that sells BD. */
export function denialToast(detection: Detection, market: string): Toast {
  return {
    title: 'ACCESS DENIED - INSUFFICIENT STAKING',
    text: `MINIMUM ${MINIMUM} BD TOKENS REQUIRED FOR STAKING. ${denialHint(detection)}`,
    kind: 'failure',
    seconds: 15,
    actions: [{ label: 'Buy BD Tokens', href: market }],
  };
}
