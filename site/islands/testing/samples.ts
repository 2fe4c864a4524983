import type { TransactionRow } from '../../../data/contract/metrics.ts';
import type { NetworkHealth } from '../../../data/contract/network.ts';
import type { WalletPosition } from '../../../data/contract/position.ts';
import type { Eligibility } from '../../data/card-calls.ts';
import type { FigureBodies } from '../../data/figure-strategies.ts';

export const SAMPLE_ADDRESS = 'Vau1tVau1tVau1tVau1tVau1tVau1tVau1tVau1tVau1';
export const SAMPLE_WALLET = '4MvNhuHvLF1j8hB5jsS6J2WW26K3JfHMNVKpkfBbsie4';

export const CONNECTED_STATE = {
  walletAddress: SAMPLE_WALLET,
  isConnected: true,
  isConnecting: false,
  walletName: 'Test',
};

export const FAILED = { kind: 'failed', retry: () => {}, isRetrying: false } as const;

export const knownReading = <Body>(body: Body) => ({ kind: 'known' as const, body });

/** The fields that say when a body was read from the chain: `seconds` from now. */
export const chainReadFields = (seconds = 0) =>
  ({
    asOf: new Date(Date.now() + seconds * 1_000).toISOString(),
    slot: 1_000 + seconds,
    source: 'solana',
    state: 'live',
  }) as const;

interface SampleFigures {
  readonly vault?: string;
  readonly staked?: string;
  readonly stakers?: number;
  readonly price?: string;
  readonly status?: NetworkHealth['status'];
}

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

/** The bodies that the dashboard shows, read `seconds` from now. */
export function sampleBodies(
  seconds: number,
  { vault = '100', staked = '50', stakers = 8, price = '0.0001', status = 'healthy' }: SampleFigures = {},
) {
  const chain = chainReadFields(seconds);
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
    '/api/network/health': { ...sampleHealth(status), lastUpdate: chain.asOf, slot: chain.slot },
  } satisfies Partial<FigureBodies>;
}

export const SAMPLE_TRANSACTION: TransactionRow = {
  type: 'stake',
  account: 'stake-pool',
  amount: '1500000.25',
  signature: `4vJ9${'m'.repeat(80)}Xb2T`,
  part: 0,
  status: 'finalized',
  blockTime: 1_700_000_000,
  wallet: SAMPLE_WALLET,
  slot: 7,
};

export function sampleProgram(
  overrides: Partial<FigureBodies['/api/staking/program-summary']> = {},
): FigureBodies['/api/staking/program-summary'] {
  return {
    isActive: true,
    programAddress: 'P'.repeat(40),
    stakePool: 'S'.repeat(40),
    tokenAddress: 'T'.repeat(40),
    totalAccounts: 1_234,
    totalValue: '20887580.31',
    lastVerified: '2026-11-21T14:05:59.000Z',
    verification: { state: 'agree', slot: 9, at: '2026-11-21T14:05:59.000Z', differences: [] },
    quarantined: 0,
    alarms: [],
    ...chainReadFields(),
    ...overrides,
  };
}

/** The eligibility of a wallet with a Banker stake. */
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
    ...chainReadFields(),
    ...overrides,
  };
}

/** The position of a wallet with one stake, whose lock ends `days` from now. */
export function samplePosition(overrides: Partial<WalletPosition> = {}, days = 170): WalletPosition {
  const { staked = '1500000.25' } = overrides;
  const timeInDays = (count: number) => new Date(Date.now() + count * 86_400_000).toISOString();
  const lock = { startDate: timeInDays(days - 180), unlockDate: timeInDays(days) };
  return {
    walletAddress: SAMPLE_WALLET,
    isStaking: true,
    staked,
    lock,
    stakes: [{ entry: SAMPLE_WALLET, amount: staked, ...lock, openedBy: SAMPLE_TRANSACTION.signature }],
    tier: 'Duckling',
    badge: 'Silver',
    nextTier: { tier: 'Banker', minimumStake: '5000000', missing: '3499999.75' },
    statedReward: '656137.095657',
    transactions: { rows: [SAMPLE_TRANSACTION], next: null, isComplete: true },
    ...chainReadFields(),
    ...overrides,
  };
}
