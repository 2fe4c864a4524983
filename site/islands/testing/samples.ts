import type { NetworkHealth } from '../../../data/contract/network.ts';
import type { Eligibility } from '../../data/card-calls.ts';
import type { FigureBodies } from '../../data/figure-strategies.ts';

export const SAMPLE_ADDRESS = 'Vau1tVau1tVau1tVau1tVau1tVau1tVau1tVau1tVau1';
export const SAMPLE_WALLET = '4MvNhuHvLF1j8hB5jsS6J2WW26K3JfHMNVKpkfBbsie4';

type DashboardBodies = Pick<
  FigureBodies,
  '/api/vault/live-balance' | '/api/staking/total' | '/api/trading/market-data' | '/api/network/health'
>;

interface Sample {
  readonly vault?: string;
  readonly staked?: string;
  readonly stakers?: number;
  readonly price?: string;
  readonly status?: NetworkHealth['status'];
}

/** A health report with one endpoint. */
export function sampleHealth(status: NetworkHealth['status'] = 'healthy'): NetworkHealth {
  return {
    chain: 'solana',
    cluster: 'mainnet-beta',
    status,
    activeEndpoints: status === 'offline' ? 0 : 1,
    totalEndpoints: 1,
    lastUpdate: null,
    errorCount: 0,
    slot: 1_000,
    clockDifferenceSeconds: 0,
    vaultProblem: null,
    stakesProblem: null,
    unreadStakeEntries: 0,
    endpoints: [],
  };
}

/** The dashboard's bodies, read `seconds` from now. */
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
    '/api/network/health': { ...sampleHealth(status), lastUpdate: asOf, slot: chain.slot },
  };
}

/** The eligibility of a wallet with a Banker stake, with the given overrides. */
export function sampleEligibility(overrides: Partial<Eligibility> = {}): Eligibility {
  return {
    walletAddress: SAMPLE_WALLET,
    eligible: true,
    bdBalance: 5_000_000,
    bdBalanceText: '5000000',
    usdValue: '568.5',
    tier: 'Banker',
    missing: '0',
    detectionMethod: 'stake_entry',
    price: { usd: '0.0001137', asOf: new Date().toISOString(), source: 'jupiter' },
    asOf: new Date().toISOString(),
    slot: 7,
    source: 'solana',
    state: 'live',
    ...overrides,
  };
}
