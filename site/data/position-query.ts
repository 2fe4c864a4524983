import { queryOptions } from '@tanstack/react-query';
import * as PATHS from '../../data/contract/paths.ts';
import type { WalletPosition } from '../../data/contract/position.ts';
import { FRESHNESS, freshnessOfReads } from '../../data/model/value-state.ts';
import { isNotKnownYet } from './figure-query.ts';
import { RequestError, request } from './request.ts';
import { serverClock } from './server-clock.ts';
import { type FigureRead, sourceOf } from './source-freshness.ts';

/** Milliseconds between two reads of a position. Each of the wallet's movements also triggers a read. */
export const POSITION_INTERVAL_MS = 30_000;

/** A position's age is measured from its last read. The stream does not cover positions, so it cannot confirm one. */
const POSITION_FRESHNESS = freshnessOfReads(POSITION_INTERVAL_MS, FRESHNESS.chain);

export function positionRead({ asOf, source }: WalletPosition): FigureRead {
  return { asOf: Date.parse(asOf), source: sourceOf(source), calls: [], freshness: POSITION_FRESHNESS };
}

/** Why a position could not be read. The screen gives different advice for each reason. */
export type PositionError =
  | 'invalid-address'
  /** The server has not read the chain yet. */
  | 'not-known'
  | 'too-many'
  | 'no-network'
  | 'failed';

export function positionError(error: unknown): PositionError {
  if (!(error instanceof RequestError)) return error instanceof TypeError ? 'no-network' : 'failed';
  if (error.status === 400) return 'invalid-address';
  if (error.status === 429) return 'too-many';
  return isNotKnownYet(error) ? 'not-known' : 'failed';
}

/** Reads a position with only the newest transaction, because the history has its own call. */
async function readPosition(wallet: string, signal: AbortSignal): Promise<WalletPosition> {
  const query = new URLSearchParams({ walletAddress: wallet, limit: '1' });
  const response = await request('GET', `${PATHS.walletPosition}?${query}`, { signal });
  serverClock.sync(Date.parse(response.headers.get('date') ?? ''));
  return response.json();
}

export const positionKey = (wallet: string): readonly string[] => [PATHS.walletPosition, wallet];

export function positionQuery(wallet: string) {
  return queryOptions({
    queryKey: positionKey(wallet),
    queryFn: ({ signal }) => readPosition(wallet, signal),
    // A retry does not help if the address is invalid or the rate limit is reached.
    retry: (failures, error) => positionError(error) === 'failed' && failures < 2,
    refetchInterval: POSITION_INTERVAL_MS,
    refetchIntervalInBackground: false,
    refetchOnReconnect: true,
  });
}
