import { EXACT_DECIMALS, exactUnits, toDecimalText, tokensToBaseUnits } from '../../../data/model/amounts.ts';
import { formatCount, groupDecimalText } from '../../../data/model/digit-grouping.ts';
import { MINIMUM_STAKE_BD } from '../../../data/model/tiers.ts';
import type { Toast } from '../../shell/toasts/toast-region.ts';
import type { StakeVerification } from './verify-stake.ts';

const MINIMUM_STAKE_TEXT = formatCount(MINIMUM_STAKE_BD);

type Detection = Pick<StakeVerification, 'detectionMethod' | 'stakedAmount'>;

/** Says how much more BD the wallet must stake; for a wallet without a stake, says what the minimum stake is. */
export function denialHint({ detectionMethod, stakedAmount }: Detection): string {
  const stakedUnits = exactUnits(stakedAmount);
  if (detectionMethod === 'token_account_analysis' || stakedUnits === 0n) {
    return `Must stake ${MINIMUM_STAKE_TEXT} BD tokens for virtual card eligibility`;
  }
  const missingUnits = tokensToBaseUnits(MINIMUM_STAKE_BD, EXACT_DECIMALS) - stakedUnits;
  return `Need ${groupDecimalText(toDecimalText(missingUnits, EXACT_DECIMALS))} more BD staked`;
}

/** @param marketUrl the URL of a page where visitors can buy BD */
export function denialToast(detection: Detection, marketUrl: string): Toast {
  return {
    title: 'ACCESS DENIED - INSUFFICIENT STAKING',
    text: `MINIMUM ${MINIMUM_STAKE_TEXT} BD TOKENS REQUIRED FOR STAKING. ${denialHint(detection)}`,
    kind: 'failure',
    seconds: 15,
    actions: [{ label: 'Buy BD Tokens', href: marketUrl }],
  };
}
