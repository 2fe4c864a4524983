import type { NetworkHealth } from '../../../data/connection.ts';

type Endpoint = NetworkHealth['endpoints'][number];

/** An endpoint that responds and is in sync. */
export function sampleEndpoint(name: string, overrides: Partial<Endpoint> = {}): Endpoint {
  const counts = { requestCount: 9, errorCount: 0, lastError: null };
  return {
    name,
    active: true,
    state: 'active',
    latencyMs: 12.4,
    slot: 500,
    slotLag: 0,
    ...counts,
    ...overrides,
  };
}

export function sampleHealth(overrides: Partial<NetworkHealth>): NetworkHealth {
  return {
    chain: 'solana',
    cluster: 'mainnet-beta',
    status: 'healthy',
    activeEndpoints: 2,
    totalEndpoints: 2,
    lastUpdate: null,
    errorCount: 0,
    slot: 500,
    clockDifferenceSeconds: 0,
    vaultProblem: null,
    stakesProblem: null,
    unreadStakeEntries: 0,
    endpoints: [],
    ...overrides,
  };
}
