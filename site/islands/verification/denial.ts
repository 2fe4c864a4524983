import { fromDecimalText, toDecimalText, wholeTokens } from '../../../data/model/amounts.ts';
import { TIERS } from '../../../data/model/tiers.ts';
import type { Toast } from '../../shell/toasts/toast-region.ts';
import { groupDecimalText } from '../../../data/model/count.ts';
import type { StakeVerification } from './verify-stake.ts';

/** More decimals than any mint has. */
const DECIMALS = 18;

const minimum = () => TIERS[0]?.minimumStakeBd ?? 0n;

type Found = Pick<StakeVerification, 'detectionMethod' | 'stakedAmount'>;

/** The exact missing amount, or that a stake is required if there is none. */
export function denialHint({ detectionMethod, stakedAmount }: Found): string {
  const staked = fromDecimalText(stakedAmount, DECIMALS);
  const lowest = minimum();
  if (detectionMethod === 'token_account_analysis' || staked === 0n) {
    return `Must stake ${groupDecimalText(lowest.toString())} BD tokens for virtual card eligibility`;
  }
  const difference = wholeTokens(lowest, DECIMALS) - staked;
  return `Need ${groupDecimalText(toDecimalText(difference, DECIMALS))} more BD staked`;
}

/** The toast for a wallet that does not qualify. `market`: the page that sells BD. */
export function denialToast(found: Found, market: string): Toast {
  return {
    title: 'ACCESS DENIED - INSUFFICIENT STAKING',
    text: `MINIMUM ${groupDecimalText(minimum().toString())} BD TOKENS REQUIRED FOR STAKING. ${denialHint(found)}`,
    kind: 'failure',
    seconds: 15,
    actions: [{ label: 'Buy BD Tokens', href: market }],
  };
}
