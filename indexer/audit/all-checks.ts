import { ACCOUNT_CHECKS } from './account-checks.ts';
import { CHART_CHECKS } from './chart-checks.ts';
import type { Check } from './checks.ts';
import { HISTORY_CHECKS } from './history-checks.ts';
import { HOLDER_CHECKS } from './holder-checks.ts';
import { PROGRAM_CHECKS } from './program-checks.ts';
import { STAKE_CHECKS } from './stake-checks.ts';
import { WALLET_CHECKS } from './wallet-checks.ts';

/** Every public figure that the chain tells. */
export const CHECKS: readonly Check[] = [
  ...ACCOUNT_CHECKS,
  ...HOLDER_CHECKS,
  ...HISTORY_CHECKS,
  ...CHART_CHECKS,
  ...STAKE_CHECKS,
  ...PROGRAM_CHECKS,
  ...WALLET_CHECKS,
];
