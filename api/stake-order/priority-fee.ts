import { makeGetPriorityFeeEstimate } from 'helius-sdk/rpc/methods/getPriorityFeeEstimate';
import type { ConfiguredEndpoint } from '../../data/config/endpoints.ts';
import type { Logger } from '../../data/runtime/log.ts';

/** The most that a stake pays for priority, in lamports: 0.0001 SOL. */
export const MAX_PRIORITY_FEE = 100_000n;
/** The network's own limit for a stake's two instructions. Source: solana.com/docs/core/fees/compute-budget. */
export const STAKE_COMPUTE_UNITS = 400_000;

const MICRO_LAMPORTS = 1_000_000n;
/** Micro-lamports. */
const MAX_PRICE = (MAX_PRIORITY_FEE * MICRO_LAMPORTS) / BigInt(STAKE_COMPUTE_UNITS);
/** Milliseconds. It is requested beside other reads, which take about as long. */
const WITHIN_MS = 1_500;
const MAX_REASON = 200;

/**
 * The price of a compute unit with which a transaction that writes to these accounts lands soon, in micro-lamports; 0 without
 * an estimate, and never more than a stake may pay.
 */
export type UnitPrice = (writable: readonly string[]) => Promise<bigint>;

/** What a stake with this price pays for priority, in lamports. Source: solana.com/docs/core/fees/fee-structure. */
export function priorityFee(price: bigint): bigint {
  return (price * BigInt(STAKE_COMPUTE_UNITS) + MICRO_LAMPORTS - 1n) / MICRO_LAMPORTS;
}

/** A failed request, with a reason that holds no key. */
class EstimateError extends Error {}

/** @throws {EstimateError} */
async function post(url: string, method: string, params: unknown): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(WITHIN_MS),
    redirect: 'error',
  });
  const body = await response.json().catch(() => null);
  if (response.ok && body?.result) return body.result;
  const key = new URL(url).searchParams.get('api-key') ?? '';
  const said = String(body?.error?.message ?? '').replaceAll(key, '…');
  throw new EstimateError(`HTTP ${response.status} ${body?.error?.code ?? ''} ${said}`.slice(0, MAX_REASON));
}

/**
 * Prices from Helius' `getPriorityFeeEstimate`, if there is a Helius key. The answer is `{ priorityFeeEstimate: 120000 }`, in
 * micro-lamports. Source: helius.dev/docs/api-reference/priority-fee/getpriorityfeeestimate.
 */
export function heliusUnitPrice(endpoints: readonly ConfiguredEndpoint[], log: Logger): UnitPrice | null {
  const url = endpoints.find(({ keyVariable }) => keyVariable === 'HELIUS_API_KEY')?.url;
  if (url === undefined) return null;
  // The SDK's own client loads all of @solana/kit, has no timeout, and drops the provider's reason.
  const estimate = makeGetPriorityFeeEstimate(
    async <P, R>(method: string, params: P) => (await post(url, method, params)) as R,
  );
  let isFailing = false;
  return async (writable) => {
    try {
      const answer = await estimate({ accountKeys: [...writable], options: { recommended: true } });
      const price: unknown = answer.priorityFeeEstimate;
      if (typeof price !== 'number' || !(price >= 0)) throw new EstimateError('the answer has no estimate');
      isFailing = false;
      return price >= Number(MAX_PRICE) ? MAX_PRICE : BigInt(Math.ceil(price));
    } catch (error) {
      // Other errors may quote the address, which holds the key.
      const reason = error instanceof EstimateError ? error.message : error instanceof Error && error.name;
      log[isFailing ? 'debug' : 'warn'](
        { reason },
        'there is no estimate of the priority fee; stakes pay none',
      );
      isFailing = true;
      return 0n;
    }
  };
}
