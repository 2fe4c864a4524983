import type { GetTransactionsForAddressConfigFull } from 'helius-sdk/types/types';
import { type ConfiguredEndpoint, endpointNames } from '../../data/config/endpoints.ts';
import type { Logger } from '../../data/runtime/log.ts';
import { backoffDelayMs } from '../pause.ts';
import { type EndpointPool, resultOf } from './endpoint-pool.ts';
import { postBatch } from './json-rpc.ts';
import { isAbsent, readJsonList, readJsonRecord, readJsonText } from './json-shape.ts';
import { RetryableRpcError, RpcRequestError, rpcErrorOf } from './rpc-errors.ts';

export interface BulkSource {
  /**
   * Pages of an address's finalized, successful transactions in a range of slots, oldest first. Each transaction has the shape
   * of a `getTransaction` result. The pages end early if the source cannot answer. A page is requested only after the previous
   * one has been used.
   * @throws the signal's reason if it aborts
   */
  pages(
    address: string,
    slots: { readonly first: number; readonly last: number },
    signal: AbortSignal,
  ): AsyncIterable<readonly unknown[]>;
}

const METHOD = 'getTransactionsForAddress';
/**
 * The lower of the two limits that Helius documents for full transactions, 100 and 1,000
 * (helius.dev/docs/rpc/gettransactionsforaddress).
 */
const PAGE_SIZE = 100;
const TIMEOUT_MS = 15_000;
/** Milliseconds to wait after a refusal. Only a different plan or key ends the refusals. */
const REFUSED_MS = 60 * 60_000;
const FAILED_BASE_MS = 1_000;
const MAX_FAILED_MS = 60_000;

interface Page {
  readonly data: readonly unknown[];
  readonly paginationToken: string | null;
}

/**
 * The shape of a page: `{ data: [{ slot, transactionIndex, blockTime, transaction, meta }], paginationToken }`. With base64,
 * each entry has the shape of a `getTransaction` result. Source:
 * helius.dev/docs/api-reference/rpc/http/gettransactionsforaddress.
 */
function readPage(result: unknown): Page {
  const { data, paginationToken } = readJsonRecord(result, 'the page');
  return {
    data: readJsonList(data, 'the transactions'),
    paginationToken: isAbsent(paginationToken) ? null : readJsonText(paginationToken, 'the pagination token'),
  };
}

/** Whether a retry is pointless, because the endpoint rejects the plan, the key or the method. */
function isRefusal(error: RetryableRpcError | RpcRequestError): boolean {
  if (error instanceof RpcRequestError || error.failure === 'refused') return true;
  return error.code !== null && rpcErrorOf('', error.code, '') instanceof RpcRequestError;
}

/**
 * A source that calls Helius' `getTransactionsForAddress`; undefined if there is no Helius key. A failure does not affect the
 * endpoint's other calls: this method is paused for a while, and the caller meanwhile requests transactions one by one. The
 * method is also paused while the endpoint is distrusted or in backoff.
 *
 * Only the types come from the Helius SDK. Its client loads all of @solana/kit (30 MB), has no timeout, and drops error codes,
 * the reasons in HTTP errors, and `Retry-After`.
 *
 * @param options.now milliseconds of a monotonic clock
 */
export function createHeliusHistory({
  endpoints,
  pool,
  log,
  now = performance.now.bind(performance),
  random = Math.random,
}: {
  readonly endpoints: readonly ConfiguredEndpoint[];
  readonly pool: Pick<EndpointPool, 'health' | 'noteRequest'>;
  readonly log: Logger;
  readonly now?: () => number;
  readonly random?: () => number;
}): BulkSource | undefined {
  const index = endpoints.findIndex(({ keyVariable }) => keyVariable === 'HELIUS_API_KEY');
  const url = endpoints[index]?.url;
  if (url === undefined) return undefined;
  const name = endpointNames(endpoints.map((one) => one.url))[index] ?? '';
  const warned = new Set<string>();
  let failures = 0;
  let notBefore = Number.NEGATIVE_INFINITY;

  const isReady = (): boolean =>
    now() >= notBefore && pool.health().some((health) => health.name === name && health.state === 'active');

  const noteFailure = (error: RetryableRpcError | RpcRequestError): void => {
    // Concurrent requests fail together, so they count as one failure.
    if (now() >= notBefore) failures += 1;
    const { code } = error;
    const failure = error instanceof RpcRequestError ? 'refused' : error.failure;
    const retryAfterMs = error instanceof RpcRequestError ? 0 : (error.retryAfterMs ?? 0);
    const backoff = { baseMs: FAILED_BASE_MS, longestMs: MAX_FAILED_MS };
    const waitMs = isRefusal(error)
      ? REFUSED_MS
      : Math.max(retryAfterMs, backoffDelayMs(failures, random, backoff));
    notBefore = Math.max(notBefore, now() + waitMs);
    const kind = `${failure} ${code}`;
    const level = warned.has(kind) ? 'debug' : 'warn';
    warned.add(kind);
    const details = { endpoint: name, failure, code, reason: error.message, waitMs };
    log[level](details, 'transactions are not available in bulk; they are requested one by one');
  };

  const request = async (
    address: string,
    slots: { readonly first: number; readonly last: number },
    paginationToken: string | null,
    signal: AbortSignal,
  ): Promise<Page> => {
    const options: GetTransactionsForAddressConfigFull = {
      transactionDetails: 'full',
      encoding: 'base64',
      maxSupportedTransactionVersion: 1,
      commitment: 'finalized',
      sortOrder: 'asc',
      limit: PAGE_SIZE,
      filters: { slot: { gte: slots.first, lte: slots.last }, status: 'succeeded' },
      ...(paginationToken !== null && { paginationToken }),
    };
    const call = { method: METHOD, params: [address, options], read: readPage };
    pool.noteRequest(name, [METHOD]);
    const [reply] = await postBatch(url, [call], { timeoutMs: TIMEOUT_MS, signal });
    if (!reply) throw new RetryableRpcError('mismatch', 'no reply');
    return resultOf(reply) as Page;
  };

  return {
    async *pages(address, slots, signal) {
      let paginationToken: string | null = null;
      do {
        if (!isReady()) return;
        let page: Page;
        try {
          page = await request(address, slots, paginationToken, signal);
        } catch (error) {
          if (!(error instanceof RetryableRpcError || error instanceof RpcRequestError)) throw error;
          noteFailure(error);
          return;
        }
        failures = 0;
        yield page.data;
        ({ paginationToken } = page);
      } while (paginationToken !== null);
    },
  };
}
