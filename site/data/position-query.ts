import { infiniteQueryOptions } from '@tanstack/react-query';
import type {
  TRANSACTIONS_A_PAGE_AT_MOST as DeclaredMost,
  WalletPosition,
  walletPosition,
} from '../../data/contract/position.ts';
import { isNotKnownYet } from './figure-query.ts';
import { RequestError, request } from './request.ts';
import { serverClock } from './server-clock.ts';

// Named by their types alone: the declaring module would bring its schemas into the browser.
const PATH: (typeof walletPosition)['path'] = '/api/wallet/position';
const ROWS_A_PAGE: typeof DeclaredMost = 500;

/** Between two reads (ms), beside those that news of the wallet asks for. */
const INTERVAL = 30_000;

/** Why a position could not be read, which decides what a person can do about it. */
export type PositionFault =
  /** The text is the address of no wallet. */
  | 'no-key'
  /** The server cannot say it now: it has not read the chain, or not lately. */
  | 'not-known'
  | 'too-many'
  | 'no-network'
  | 'failed';

export function positionFault(error: unknown): PositionFault {
  if (!(error instanceof RequestError)) return error instanceof TypeError ? 'no-network' : 'failed';
  if (error.status === 400) return 'no-key';
  if (error.status === 429) return 'too-many';
  return isNotKnownYet(error) ? 'not-known' : 'failed';
}

/** Reads a wallet's position with one page of its transactions, `before` being the `next` of the page before. */
async function readPosition(
  wallet: string,
  before: string | null,
  signal: AbortSignal,
): Promise<WalletPosition> {
  const query = new URLSearchParams({ walletAddress: wallet, limit: String(ROWS_A_PAGE) });
  if (before !== null) query.set('before', before);
  const response = await request('GET', `${PATH}?${query}`, { signal });
  serverClock.hear(Date.parse(response.headers.get('date') ?? ''));
  return response.json();
}

/** The key of a wallet's position in the query cache. */
export function positionKey(wallet: string): readonly string[] {
  return [PATH, wallet];
}

/** The query of a wallet's position, with its transactions a page at a time, newest first. */
export function positionQuery(wallet: string) {
  return infiniteQueryOptions({
    queryKey: positionKey(wallet),
    queryFn: ({ pageParam, signal }) => readPosition(wallet, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ transactions }: WalletPosition) => transactions?.next ?? null,
    // Neither a wrong address nor an exhausted limit gets better by asking again.
    retry: (failures, error) => positionFault(error) === 'failed' && failures < 2,
    refetchInterval: INTERVAL,
    refetchIntervalInBackground: false,
    refetchOnReconnect: true,
  });
}
