import type { Eligibility } from '../../data/card-calls.ts';

export const SAMPLE_WALLET = '4MvNhuHvLF1j8hB5jsS6J2WW26K3JfHMNVKpkfBbsie4';

/** What the server says of a wallet that stakes as much as Banker asks for, but for what is told otherwise. */
export function sampleEligibility(different: Partial<Eligibility> = {}): Eligibility {
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
    ...different,
  };
}
