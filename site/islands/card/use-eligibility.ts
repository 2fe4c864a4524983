import { useQuery } from '@tanstack/react-query';
import { faultText } from '../../data/call-fault.ts';
import { eligibilityQuery } from '../../data/card-calls.ts';
import type { EligibilityReading } from './Eligibility.tsx';

/** Between two reads (ms) while the page is looked at. */
const INTERVAL = 60_000;

/** What the server says of the connected wallet's stake; it is asked for no other. */
export function useEligibility(walletAddress: string | null): EligibilityReading {
  const { data, error, isFetching, isRefetchError, refetch } = useQuery({
    ...eligibilityQuery(walletAddress ?? ''),
    enabled: walletAddress !== null,
    refetchInterval: INTERVAL,
  });
  if (walletAddress === null) return { kind: 'unknown' };
  const retry = { run: () => void refetch(), running: isFetching };
  if (data) return { kind: 'known', body: data, behind: isRefetchError ? retry : null };
  if (error) {
    const text = faultText(error, 'The stake could not be read. Nothing is said of it until it is.');
    return { kind: 'failed', text, retry };
  }
  return { kind: 'checking' };
}
