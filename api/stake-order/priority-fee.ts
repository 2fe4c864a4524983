import type { GetPriorityFeeEstimateFn } from 'helius-sdk/rpc/methods/getPriorityFeeEstimate';
import type { ConfiguredEndpoint } from '../../data/config/endpoints.ts';
import type { Logger } from '../../data/runtime/log.ts';

/** The highest priority fee that a stake pays, in lamports: 0.0001 SOL. */
export const MAX_PRIORITY_FEE = 100_000n;
/** The network's default compute unit limit for two instructions (source: solana.com/docs/core/fees/compute-budget). */
export const STAKE_COMPUTE_UNITS = 400_000;

const MICRO_LAMPORTS = 1_000_000n;
/** Micro-lamports per compute unit. */
const MAX_PRICE = (MAX_PRIORITY_FEE * MICRO_LAMPORTS) / BigInt(STAKE_COMPUTE_UNITS);
/** Other reads for the stake run at the same time and take about as long, so the estimate hardly delays the stake. */
const TIMEOUT_MS = 1_500;
const MAX_REASON_LENGTH = 200;

/**
 * Estimates the price per compute unit (micro-lamports) at which a transaction that writes to these accounts is executed
 * soon. Returns at most `MAX_PRICE`, and 0 if there is no estimate.
 */
export type ComputeUnitPriceEstimator = (writableAccounts: readonly string[]) => Promise<bigint>;

/**
 * A stake's priority fee in lamports, from micro-lamports per compute unit (source: solana.com/docs/core/fees/fee-structure).
 */
export function priorityFee(price: bigint): bigint {
  return (price * BigInt(STAKE_COMPUTE_UNITS) + MICRO_LAMPORTS - 1n) / MICRO_LAMPORTS;
}

/** An error whose message does not contain the API key. */
class EstimateError extends Error {}

/** @throws {EstimateError} */
async function post(url: string, method: string, params: unknown): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
    redirect: 'error',
  });
  const body = await response.json().catch(() => null);
  if (response.ok && body?.result) return body.result;
  const key = new URL(url).searchParams.get('api-key') ?? '';
  const message = String(body?.error?.message ?? '').replaceAll(key, '…');
  const reason = `HTTP ${response.status} ${body?.error?.code ?? ''} ${message}`;
  throw new EstimateError(reason.slice(0, MAX_REASON_LENGTH));
}

/**
 * Uses `getPriorityFeeEstimate` from Helius, which returns `{ priorityFeeEstimate: 120000 }` in micro-lamports (source:
 * helius.dev/docs/api-reference/priority-fee/getpriorityfeeestimate). Null without a Helius key.
 */
export function heliusComputeUnitPrice(
  endpoints: readonly ConfiguredEndpoint[],
  log: Logger,
): ComputeUnitPriceEstimator | null {
  const url = endpoints.find(({ keyVariable }) => keyVariable === 'HELIUS_API_KEY')?.url;
  if (url === undefined) return null;
  // Only the types come from the SDK. Its client loads all of @solana/kit, has no timeout, and drops the reason for an error.
  const estimate: GetPriorityFeeEstimateFn = async (request) =>
    (await post(url, 'getPriorityFeeEstimate', [request])) as Awaited<ReturnType<GetPriorityFeeEstimateFn>>;
  let isFailing = false;
  return async (writableAccounts) => {
    try {
      const answer = await estimate({ accountKeys: [...writableAccounts], options: { recommended: true } });
      const price: unknown = answer.priorityFeeEstimate;
      if (typeof price !== 'number' || !(price >= 0)) throw new EstimateError('the answer has no estimate');
      isFailing = false;
      return price >= Number(MAX_PRICE) ? MAX_PRICE : BigInt(Math.ceil(price));
    } catch (error) {
      // Other errors may quote the URL, which contains the key.
      const reason = error instanceof EstimateError ? error.message : error instanceof Error && error.name;
      log[isFailing ? 'debug' : 'warn']({ reason }, 'no estimate: stakes pay no priority fee');
      isFailing = true;
      return 0n;
    }
  };
}
