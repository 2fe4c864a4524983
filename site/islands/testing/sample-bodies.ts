import type { FigureBodies } from '../../data/figure-strategies.ts';

export const SAMPLE_ADDRESS = 'Vau1tVau1tVau1tVau1tVau1tVau1tVau1tVau1tVau1';

type DashboardBodies = Pick<
  FigureBodies,
  '/api/vault/live-balance' | '/api/staking/total' | '/api/trading/market-data' | '/api/network/health'
>;

interface Sample {
  readonly vault?: string;
  readonly staked?: string;
  readonly stakers?: number;
  readonly price?: string;
  readonly status?: FigureBodies['/api/network/health']['status'];
}

/** The dashboard's bodies, read so many seconds from now. */
export function sampleBodies(
  seconds: number,
  { vault = '100', staked = '50', stakers = 8, price = '0.0001', status = 'healthy' }: Sample = {},
): DashboardBodies {
  const asOf = new Date(Date.now() + seconds * 1_000).toISOString();
  const chain = { asOf, slot: 1_000 + seconds, source: 'solana', state: 'live' } as const;
  return {
    '/api/vault/live-balance': {
      vaultBalance: vault,
      balance: vault,
      solBalance: '0',
      vaultAddress: SAMPLE_ADDRESS,
      ...chain,
    },
    '/api/staking/total': { balance: staked, stakerCount: stakers, stakePool: SAMPLE_ADDRESS, ...chain },
    '/api/trading/market-data': {
      priceUsd: price,
      priceChange24h: null,
      volume24h: null,
      marketCap: '99000',
      liquidity: null,
      ...chain,
      slot: null,
      source: 'jupiter',
    },
    '/api/network/health': {
      chain: 'solana',
      cluster: 'mainnet-beta',
      status,
      activeEndpoints: status === 'offline' ? 0 : 1,
      totalEndpoints: 1,
      lastUpdate: asOf,
      errorCount: 0,
      slot: chain.slot,
      endpoints: [],
    },
  };
}
