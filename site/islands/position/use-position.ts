import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { LiveChange } from '../../../data/contract/live.ts';
import type { TransactionRow } from '../../../data/contract/metrics.ts';
import type { WalletPosition } from '../../../data/contract/position.ts';
import { onLiveChange } from '../../data/change-news.ts';
import { startPageStream } from '../../data/page-stream.ts';
import { type PositionFault, positionFault, positionKey, positionQuery } from '../../data/position-query.ts';
import { readAgain } from '../../data/read-again.ts';
import { useStreamState } from '../../data/use-figure.ts';
import type { Retry } from '../figure/provenance.ts';

/** What the screen has of a wallet's position. */
export type PositionReading =
  | { readonly kind: 'loading' }
  | {
      readonly kind: 'known';
      readonly position: WalletPosition;
      /** Newest first; null while the history is being read from the chain. */
      readonly transactions: readonly TransactionRow[] | null;
      /** Reads the next older transactions; null where there are none. */
      readonly readOlder: (() => void) | null;
      readonly readingOlder: boolean;
      /** Why the last attempt to read older ones failed; null where it did not. */
      readonly olderFault: PositionFault | null;
      /** How to read it again where the last attempt failed and it may have changed since; null where it did not fail. */
      readonly behind: Retry | null;
    }
  | {
      readonly kind: 'failed';
      readonly fault: PositionFault;
      readonly retry: () => void;
      readonly retrying: boolean;
    };

/** What a change of the page's event stream tells of a wallet's movements; null where it tells of no movements at all. */
export function newsOf(wallet: string, change: LiveChange): string | null {
  const rows = change.bodies['/api/transactions'];
  if (!Array.isArray(rows)) return null;
  const own = rows.flatMap((row: unknown) => {
    const isOwn = typeof row === 'object' && row !== null && 'wallet' in row && row.wallet === wallet;
    return isOwn && 'signature' in row && 'status' in row ? [`${row.signature} ${row.status}`] : [];
  });
  return own.join(', ');
}

/** A wallet's position, read again when the event stream tells of a movement of it, and when it is back after a failure. */
export function usePosition(wallet: string): PositionReading {
  const client = useQueryClient();
  const outcome = useInfiniteQuery(positionQuery(wallet));
  useEffect(startPageStream, []);
  useEffect(() => {
    let heard: string | null = null;
    return onLiveChange((change) => {
      const news = newsOf(wallet, change);
      if (news === null || news === heard) return;
      // The first message repeats what was read anyway.
      if (heard !== null) void readAgain(client, positionKey(wallet));
      heard = news;
    });
  }, [client, wallet]);
  const stream = useStreamState();
  useEffect(() => {
    const failed = client.getQueryState(positionKey(wallet))?.status === 'error';
    if (stream === 'live' && failed) void client.invalidateQueries({ queryKey: positionKey(wallet) });
  }, [client, wallet, stream]);
  // Kept here: the query forgets a failed page as soon as the first one is read again.
  const [olderFault, setOlderFault] = useState<PositionFault | null>(null);
  const { data, error, isFetching, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = outcome;
  const retry = { run: () => void refetch(), running: isFetching };
  const readOlder = async () => {
    setOlderFault(null);
    const { isFetchNextPageError, error: fault } = await fetchNextPage();
    if (isFetchNextPageError) setOlderFault(positionFault(fault));
  };
  const [position] = data?.pages ?? [];
  if (position) {
    const isTold = data?.pages.every(({ transactions }) => transactions !== null);
    return {
      kind: 'known',
      position,
      transactions: isTold ? (data?.pages.flatMap((page) => page.transactions?.rows ?? []) ?? null) : null,
      readOlder: hasNextPage ? () => void readOlder() : null,
      readingOlder: isFetchingNextPage,
      olderFault,
      behind: outcome.isRefetchError ? retry : null,
    };
  }
  if (error) {
    return {
      kind: 'failed',
      fault: positionFault(error),
      retry: retry.run,
      retrying: retry.running,
    };
  }
  return { kind: 'loading' };
}
