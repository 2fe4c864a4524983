import type { Call, ResponseOf } from '../../data/contract/call.ts';
import type * as Metrics from '../../data/contract/metrics.ts';
import type * as Network from '../../data/contract/network.ts';
import * as PATHS from '../../data/contract/paths.ts';
import type * as Stakes from '../../data/contract/stakes.ts';

type Exports = typeof Metrics & typeof Network & typeof Stakes;
type LiveCall = Extract<Exports[keyof Exports], Call & { readonly live: true | 'announced' }>;

export type FigureBodies = { readonly [Each in LiveCall as Each['path']]: ResponseOf<Each> };
/** All live figures except the network's health, which the shell reads on every page. */
export type FigurePath = Exclude<keyof FigureBodies, typeof PATHS.networkHealth>;

/** How a screen keeps a figure fresh while the event stream is down. All times are in milliseconds. */
export interface FigureStrategy<Path extends FigurePath> {
  readonly path: Path;
  readonly intervalMs: number;
  /** How long a read counts as fresh; by default the query client's `staleTime`. */
  readonly staleTime?: number;
  /** The number of retries. */
  readonly retry: number;
  /** The pause before a retry; by default the query client's `retryDelay`. `attempt` counts from 0. */
  readonly retryDelay?: (attempt: number) => number;
}

const SECOND_MS = 1_000;

export const cappedBackoff = (attempt: number) => Math.min(2 ** attempt, 30) * SECOND_MS;

function strategy<Path extends FigurePath>(
  path: Path,
  intervalSeconds: number,
  timing: Partial<Omit<FigureStrategy<Path>, 'path'>> = {},
): FigureStrategy<Path> {
  return { path, intervalMs: intervalSeconds * SECOND_MS, retry: 2, ...timing };
}

const MARKET_TIMING = { retry: 3, retryDelay: cappedBackoff } as const;
const DASHBOARD_TIMING = { staleTime: 15 * SECOND_MS } as const;

export const DASHBOARD_VAULT_BALANCE = strategy(PATHS.vaultLiveBalance, 15, DASHBOARD_TIMING);
export const DASHBOARD_STAKING_TOTAL = strategy(PATHS.stakingTotal, 15, DASHBOARD_TIMING);
export const DASHBOARD_MARKET_DATA = strategy(PATHS.tradingMarketData, 10, {
  ...MARKET_TIMING,
  staleTime: 5 * SECOND_MS,
});
export const ACTIVITY_FEED = strategy(PATHS.transactions, 10);
export const VAULT_METRICS = strategy(PATHS.vaultMetrics, 180);

export const MARKET_OVERVIEW = strategy(PATHS.tradingMarketData, 30, MARKET_TIMING);

export const STAKING_PORTAL_TOTAL = strategy(PATHS.stakingTotal, 300, { staleTime: 240 * SECOND_MS });
export const STAKING_PORTAL_VAULT_BALANCE = strategy(PATHS.vaultLiveBalance, 30);
export const STAKING_PORTAL_PROGRAM = strategy(PATHS.programSummary, 60);

export const TOKEN_MARKET_DATA = strategy(PATHS.tokenMarketData, 180);

export const ANALYTICS_VAULT_BALANCE = strategy(PATHS.vaultLiveBalance, 10);
export const ANALYTICS_STAKING_TOTAL = strategy(PATHS.stakingTotal, 30);
export const ANALYTICS_REAL_STAKING = strategy(PATHS.realStaking, 30);
export const ANALYTICS_OVERVIEW = strategy(PATHS.analyticsOverview, 30);
export const ANALYTICS_MARKET_DATA = strategy(PATHS.tradingMarketData, 60, MARKET_TIMING);
export const ANALYTICS_TRANSACTIONS = strategy(PATHS.transactions, 15);
export const ANALYTICS_DISTRIBUTION = strategy(PATHS.stakeDistribution, 30);
export const ANALYTICS_STAKERS = strategy(PATHS.enhancedStakers, 30);

export const ENHANCED_VAULT_BALANCE = strategy(PATHS.vaultLiveBalance, 3);
export const ENHANCED_REAL_STAKING = strategy(PATHS.realStaking, 5);
export const ENHANCED_OVERVIEW = strategy(PATHS.analyticsOverview, 5);
export const ENHANCED_STAKERS = strategy(PATHS.enhancedStakers, 30);
export const STAKING_TRANSFERS = strategy(PATHS.stakingTransfers, 5);
export const PROGRAM_SUMMARY = strategy(PATHS.programSummary, 60);
