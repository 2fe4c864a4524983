import type { Call, ResponseOf } from '../../data/contract/call.ts';
import type {
  analyticsOverview,
  realStaking,
  stakingTotal,
  tokenMarketData,
  tradingMarketData,
  transactions,
  vaultLiveBalance,
  vaultMetrics,
} from '../../data/contract/metrics.ts';
import type { networkHealth } from '../../data/contract/network.ts';
import * as PATHS from '../../data/contract/paths.ts';
import type { enhancedStakers, programSummary, stakingTransfers } from '../../data/contract/stakes.ts';

type BodiesOf<C extends Call> = { readonly [Each in C as Each['path']]: ResponseOf<Each> };

/** Every live figure that a screen reads: the path of its call and the body that it returns. */
export type FigureBodies = BodiesOf<
  | typeof vaultLiveBalance
  | typeof vaultMetrics
  | typeof stakingTotal
  | typeof realStaking
  | typeof analyticsOverview
  | typeof tradingMarketData
  | typeof tokenMarketData
  | typeof transactions
  | typeof enhancedStakers
  | typeof stakingTransfers
  | typeof programSummary
  | typeof networkHealth
>;
export type FigurePath = keyof FigureBodies;

/** How a screen keeps a figure fresh while the event stream is down. All times are milliseconds. */
export interface FigureStrategy<Path extends FigurePath> {
  readonly path: Path;
  /** Between two reads. */
  readonly interval: number;
  /** How long a read counts as fresh. Default: the client's. */
  readonly staleTime?: number;
  /** Attempts after the first failure. */
  readonly retry: number;
  /** Pause before retry number `attempt` (from 0). Default: the client's. */
  readonly retryDelay?: (attempt: number) => number;
}

type Timing = Omit<FigureStrategy<FigurePath>, 'path'>;

const SECOND = 1_000;
const RETRY_CAP = 30 * SECOND;

/** 1, 2, 4 … seconds, at most 30. */
export function cappedBackoff(attempt: number): number {
  return Math.min(SECOND * 2 ** attempt, RETRY_CAP);
}

function strategy<Path extends FigurePath>(
  path: Path,
  intervalSeconds: number,
  timing: Partial<Timing> = {},
): FigureStrategy<Path> {
  return { path, interval: intervalSeconds * SECOND, retry: 2, ...timing };
}

const MARKET = { retry: 3, retryDelay: cappedBackoff } as const;
const DASHBOARD = { staleTime: 15 * SECOND } as const;

// The dashboard.
export const DASHBOARD_VAULT_BALANCE = strategy(PATHS.vaultLiveBalance, 15, DASHBOARD);
export const DASHBOARD_STAKING_TOTAL = strategy(PATHS.stakingTotal, 15, DASHBOARD);
export const DASHBOARD_MARKET_DATA = strategy(PATHS.tradingMarketData, 10, {
  ...MARKET,
  staleTime: 5 * SECOND,
});
export const ACTIVITY_FEED = strategy(PATHS.transactions, 10);
export const VAULT_METRICS = strategy(PATHS.vaultMetrics, 180);

// The market overview.
export const MARKET_OVERVIEW = strategy(PATHS.tradingMarketData, 30, MARKET);

// The staking portal.
export const STAKING_PORTAL_TOTAL = strategy(PATHS.stakingTotal, 300, { staleTime: 240 * SECOND });
export const STAKING_PORTAL_VAULT_BALANCE = strategy(PATHS.vaultLiveBalance, 30);
export const STAKING_PORTAL_PROGRAM = strategy(PATHS.programSummary, 60);

// Tokenomics.
export const TOKEN_MARKET_DATA = strategy(PATHS.tokenMarketData, 180);

// Analytics.
export const ANALYTICS_VAULT_BALANCE = strategy(PATHS.vaultLiveBalance, 10);
export const ANALYTICS_STAKING_TOTAL = strategy(PATHS.stakingTotal, 30);
export const ANALYTICS_REAL_STAKING = strategy(PATHS.realStaking, 30);
export const ANALYTICS_OVERVIEW = strategy(PATHS.analyticsOverview, 30);
export const ANALYTICS_MARKET_DATA = strategy(PATHS.tradingMarketData, 60, MARKET);
export const ANALYTICS_TRANSACTIONS = strategy(PATHS.transactions, 15);
export const ANALYTICS_STAKERS = strategy(PATHS.enhancedStakers, 30);

// Enhanced analytics.
export const ENHANCED_VAULT_BALANCE = strategy(PATHS.vaultLiveBalance, 3);
export const ENHANCED_REAL_STAKING = strategy(PATHS.realStaking, 5);
export const ENHANCED_OVERVIEW = strategy(PATHS.analyticsOverview, 5);
export const ENHANCED_STAKERS = strategy(PATHS.enhancedStakers, 30);
export const STAKING_TRANSFERS = strategy(PATHS.stakingTransfers, 5);
export const PROGRAM_SUMMARY = strategy(PATHS.programSummary, 60);

// Every page.
export const NETWORK_HEALTH = strategy(PATHS.networkHealth, 30);
