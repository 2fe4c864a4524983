import { useQuery } from '@tanstack/react-query';
import { EXACT_DECIMALS, exactUnits } from '../../../data/model/amounts.ts';
import { cardTier } from '../../../data/model/tiers.ts';
import { errorText } from '../../data/call-error.ts';
import { type Eligibility, eligibilityKey, eligibilityQuery } from '../../data/card-calls.ts';
import { useReadAfterMovements } from '../../data/wallet-movements.ts';
import type { Retry } from '../ui/provenance.ts';

export type EligibilityReading =
  /** No wallet is connected. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'checking' }
  | {
      readonly kind: 'known';
      readonly body: Eligibility;
      /** Retries the last read; null unless it failed. */
      readonly retry: Retry | null;
    }
  | { readonly kind: 'failed'; readonly text: string; readonly retry: Retry };

/** The staked BD as decimal text: the whole balance if the check found a stake entry, otherwise 0. */
export function stakedText({ detectionMethod, bdBalanceText }: Eligibility): string {
  return detectionMethod === 'stake_entry' ? bdBalanceText : '0';
}

/** Whether the wallet has its tier because the team whitelisted it, and not because of its stake. */
export function hasWhitelistedTier(body: Eligibility): boolean {
  return body.eligible && cardTier(exactUnits(stakedText(body)), EXACT_DECIMALS) !== body.tier;
}

export const ELIGIBILITY_INTERVAL_MS = 60_000;

export function useEligibility(walletAddress: string | null): EligibilityReading {
  const { data, error, isFetching, isRefetchError, refetch } = useQuery({
    ...eligibilityQuery(walletAddress ?? ''),
    enabled: walletAddress !== null,
    refetchInterval: ELIGIBILITY_INTERVAL_MS,
  });
  useReadAfterMovements(walletAddress, eligibilityKey);
  if (walletAddress === null) return { kind: 'unknown' };
  const retry = { run: () => void refetch(), running: isFetching };
  if (data) return { kind: 'known', body: data, retry: isRefetchError ? retry : null };
  if (error) return { kind: 'failed', text: errorText(error, 'Could not check the stake.'), retry };
  return { kind: 'checking' };
}
