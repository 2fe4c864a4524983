import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import * as PATHS from '../../data/contract/paths.ts';
import { refetchAfterChange } from './apply-change.ts';
import { figureKey } from './figure-query.ts';
import type { FigureBodies } from './figure-strategies.ts';
import { onLiveChange } from './live-change-event.ts';
import { startPageStream } from './page-stream.ts';

type Transactions = FigureBodies[typeof PATHS.transactions];

/** The wallet's entries in a list of transactions, as a string for comparison. Null if `rows` is not a list. */
export function walletMovements(wallet: string, rows: unknown): string | null {
  if (!Array.isArray(rows)) return null;
  // Not validated here, because tests check the API's responses against the contract.
  return (rows as Transactions)
    .filter((row) => row.wallet === wallet)
    .map(({ signature, status }) => signature + status)
    .join();
}

/**
 * Refetches a wallet's query whenever the wallet has a new transaction, or the status of one changes.
 * @param wallet null if none is connected
 * @param keyOf the query's key; the same function in every render
 */
export function useReadAfterMovements(wallet: string | null, keyOf: (wallet: string) => QueryKey): void {
  const client = useQueryClient();
  useEffect(() => {
    if (wallet === null) return;
    startPageStream();
    // Null until the stream has sent a list. The first list causes no refetch, because the query has just been read.
    let previousMovements = walletMovements(wallet, client.getQueryData(figureKey(PATHS.transactions)));
    return onLiveChange(({ bodies }) => {
      const movements = walletMovements(wallet, bodies[PATHS.transactions]);
      if (movements === null || movements === previousMovements) return;
      if (previousMovements !== null) void refetchAfterChange(client, keyOf(wallet));
      previousMovements = movements;
    });
  }, [client, wallet, keyOf]);
}
