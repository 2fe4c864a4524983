import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { WalletPosition } from '../../../data/contract/position.ts';
import { type PositionError, positionError, positionKey, positionQuery } from '../../data/position-query.ts';
import { useStreamState } from '../../data/use-figure.ts';
import { useReadAfterMovements } from '../../data/wallet-movements.ts';
import type { Retry } from '../ui/provenance.ts';

export type PositionReading =
  | { readonly kind: 'loading' }
  | {
      readonly kind: 'known';
      readonly position: WalletPosition;
      /** Retries the last read; null unless that read failed. */
      readonly refresh: Retry | null;
    }
  | {
      readonly kind: 'failed';
      readonly failure: PositionError;
      readonly retry: () => void;
      readonly isRetrying: boolean;
    };

/** The position is read again after each of the wallet's movements and, if the last read failed, when the stream reconnects. */
export function usePosition(wallet: string): PositionReading {
  const client = useQueryClient();
  const outcome = useQuery(positionQuery(wallet));
  useReadAfterMovements(wallet, positionKey);
  const stream = useStreamState();
  useEffect(() => {
    const hasFailed = client.getQueryState(positionKey(wallet))?.status === 'error';
    if (stream === 'live' && hasFailed) void client.invalidateQueries({ queryKey: positionKey(wallet) });
  }, [client, wallet, stream]);
  const { data: position, error, isFetching, refetch } = outcome;
  const retry = { run: () => void refetch(), running: isFetching };
  if (position) return { kind: 'known', position, refresh: outcome.isRefetchError ? retry : null };
  if (error) {
    return { kind: 'failed', failure: positionError(error), retry: retry.run, isRetrying: retry.running };
  }
  return { kind: 'loading' };
}
