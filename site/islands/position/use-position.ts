import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { LiveChange } from '../../../data/contract/live.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import type { WalletPosition } from '../../../data/contract/position.ts';
import { refetchAfterChange } from '../../data/apply-change.ts';
import { onLiveChange } from '../../data/live-change-event.ts';
import { startPageStream } from '../../data/page-stream.ts';
import { type PositionError, positionError, positionKey, positionQuery } from '../../data/position-query.ts';
import { useStreamState } from '../../data/use-figure.ts';
import type { Retry } from '../ui/provenance.ts';

export type PositionReading =
  | { readonly kind: 'loading' }
  | {
      readonly kind: 'known';
      readonly position: WalletPosition;
      /** Retries the last read; null unless it failed. */
      readonly refresh: Retry | null;
    }
  | {
      readonly kind: 'failed';
      readonly failure: PositionError;
      readonly retry: () => void;
      readonly retrying: boolean;
    };

/** The wallet's movements in a stream message, as a string for comparison. Null if the message has no list of movements. */
export function walletMovements(wallet: string, change: LiveChange): string | null {
  const rows = change.bodies[PATHS.transactions];
  if (!Array.isArray(rows)) return null;
  const own = rows.flatMap((row: unknown) => {
    const isOwn = typeof row === 'object' && row !== null && 'wallet' in row && row.wallet === wallet;
    return isOwn && 'signature' in row && 'status' in row ? [`${row.signature} ${row.status}`] : [];
  });
  return own.join(', ');
}

/**
 * A wallet's position. It is read again after each of the wallet's movements and, if the last read failed, when the stream
 * reconnects.
 */
export function usePosition(wallet: string): PositionReading {
  const client = useQueryClient();
  const outcome = useQuery(positionQuery(wallet));
  useEffect(startPageStream, []);
  useEffect(() => {
    let previous: string | null = null;
    return onLiveChange((change) => {
      const movements = walletMovements(wallet, change);
      if (movements === null || movements === previous) return;
      // The first message adds nothing, because the position was just read.
      if (previous !== null) void refetchAfterChange(client, positionKey(wallet));
      previous = movements;
    });
  }, [client, wallet]);
  const stream = useStreamState();
  useEffect(() => {
    const failed = client.getQueryState(positionKey(wallet))?.status === 'error';
    if (stream === 'live' && failed) void client.invalidateQueries({ queryKey: positionKey(wallet) });
  }, [client, wallet, stream]);
  const { data: position, error, isFetching, refetch } = outcome;
  const retry = { run: () => void refetch(), running: isFetching };
  if (position) return { kind: 'known', position, refresh: outcome.isRefetchError ? retry : null };
  if (error) {
    return { kind: 'failed', failure: positionError(error), retry: retry.run, retrying: retry.running };
  }
  return { kind: 'loading' };
}
