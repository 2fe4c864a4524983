import type { ResponseOf } from '../../data/contract/call.ts';
import type {
  stakingTotal,
  tradingMarketData,
  transactions,
  vaultLiveBalance,
  vaultMetrics,
} from '../../data/contract/metrics.ts';
import type { networkHealth } from '../../data/contract/network.ts';

/** Every live figure that a screen reads: the path of its call and the body it answers with. */
export interface FigureBodies {
  '/api/vault/live-balance': ResponseOf<typeof vaultLiveBalance>;
  '/api/vault/metrics': ResponseOf<typeof vaultMetrics>;
  '/api/staking/total': ResponseOf<typeof stakingTotal>;
  '/api/trading/market-data': ResponseOf<typeof tradingMarketData>;
  '/api/transactions': ResponseOf<typeof transactions>;
  '/api/network/health': ResponseOf<typeof networkHealth>;
}
export type FigurePath = keyof FigureBodies;

/** How a screen keeps a figure fresh while the event stream is down. All times are milliseconds. */
export interface FigureStrategy<Path extends FigurePath> {
  readonly path: Path;
  /** Between two reads. */
  readonly interval: number;
  /** How long a read counts as fresh; the client's default where absent. */
  readonly staleTime?: number;
  /** Attempts after the first that failed. */
  readonly retry: number;
  /** Pause before retry number `attempt` (from 0); the client's default where absent. */
  readonly retryDelay?: (attempt: number) => number;
}

const RETRY_CAP = 30_000;

/** 1, 2, 4 … seconds, never more than 30. */
export function cappedBackoff(attempt: number): number {
  return Math.min(1_000 * 2 ** attempt, RETRY_CAP);
}

export const DASHBOARD_VAULT_BALANCE: FigureStrategy<'/api/vault/live-balance'> = {
  path: '/api/vault/live-balance',
  interval: 15_000,
  staleTime: 15_000,
  retry: 2,
};

export const DASHBOARD_STAKING_TOTAL: FigureStrategy<'/api/staking/total'> = {
  path: '/api/staking/total',
  interval: 15_000,
  staleTime: 15_000,
  retry: 2,
};

export const DASHBOARD_MARKET_DATA: FigureStrategy<'/api/trading/market-data'> = {
  path: '/api/trading/market-data',
  interval: 10_000,
  staleTime: 5_000,
  retry: 3,
  retryDelay: cappedBackoff,
};

export const ACTIVITY_FEED: FigureStrategy<'/api/transactions'> = {
  path: '/api/transactions',
  interval: 10_000,
  retry: 2,
};

export const VAULT_METRICS: FigureStrategy<'/api/vault/metrics'> = {
  path: '/api/vault/metrics',
  interval: 180_000,
  retry: 2,
};

export const NETWORK_HEALTH: FigureStrategy<'/api/network/health'> = {
  path: '/api/network/health',
  interval: 30_000,
  retry: 2,
};
