import type { Call } from './call.ts';
import {
  analyticsOverview,
  realStaking,
  stakingTotal,
  tokenMarketData,
  tradingMarketData,
  transactions,
  vaultLiveBalance,
  vaultMetrics,
} from './metrics.ts';
import { networkHealth } from './network.ts';

/** Every call of the API. A call that is not listed here is not served. */
export const CALLS: readonly Call[] = [
  vaultLiveBalance,
  vaultMetrics,
  stakingTotal,
  realStaking,
  analyticsOverview,
  tradingMarketData,
  tokenMarketData,
  transactions,
  networkHealth,
];
