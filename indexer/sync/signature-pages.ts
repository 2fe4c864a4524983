import type { Cursor } from '../../data/store/chain-rows.ts';
import type { EndpointPool, PoolReply } from '../rpc/endpoint-pool.ts';
import type { RpcCall } from '../rpc/json-rpc.ts';
import { FILTER_TRANSACTION_NOT_FOUND } from '../rpc/rpc-errors.ts';
import { getSignaturesForAddress, type SignatureInfo } from '../rpc/solana-calls.ts';

/** How the part of an account's history that is to be listed is bounded below. */
export interface LowerBound {
  /** The transaction to stop at; null where slots alone bound the list. */
  readonly until: string | null;
  /** Rows of older slots are left out; those of this slot are listed. */
  readonly fromSlot: number;
}

/**
 * One page, newest first. `passesBound` where it reached below the bound: the end of a list that slots bound; of one with
 * an `until`, that the node did not stop there, as if it did not know it.
 */
export type SignaturePage =
  | { readonly kind: 'page'; readonly rows: readonly SignatureInfo[]; readonly passesBound: boolean }
  /** The node does not know the transaction to stop at, or the one that the page was to start from. */
  | { readonly kind: 'lost' };

export function pageCall(
  address: string,
  { until }: LowerBound,
  { before, limit }: { readonly before?: string | undefined; readonly limit: number },
): RpcCall<readonly SignatureInfo[]> {
  return getSignaturesForAddress(address, { ...(until && { until }), ...(before && { before }), limit });
}

/** @throws {RpcRequestError} where the node refused the call for another reason than an unknown signature */
export function readPage(
  reply: PoolReply<readonly SignatureInfo[]>,
  { until, fromSlot }: LowerBound,
): SignaturePage {
  if (!reply.ok) {
    if (reply.error.code === FILTER_TRANSACTION_NOT_FOUND) return { kind: 'lost' };
    throw reply.error;
  }
  const rows = reply.value.filter(({ slot }) => slot >= fromSlot);
  // Older nodes ignore an `until` that they do not know and list everything.
  const passesBound = rows.length < reply.value.length || rows.some(({ signature }) => signature === until);
  return { kind: 'page', rows, passesBound };
}

/** Asks for the one transaction that stands below another in the list. */
export function belowCall(address: string, before: string | undefined): RpcCall<readonly SignatureInfo[]> {
  return getSignaturesForAddress(address, { ...(before && { before }), limit: 1 });
}

/**
 * Null where there is nothing below it; `lost` where the node does not know it.
 * @throws {RpcRequestError} where the node refused the call for another reason
 */
export function readBelow(reply: PoolReply<readonly SignatureInfo[]>): SignatureInfo | null | 'lost' {
  if (reply.ok) return reply.value[0] ?? null;
  if (reply.error.code === FILTER_TRANSACTION_NOT_FOUND) return 'lost';
  throw reply.error;
}

/**
 * How many transactions of the account precede one in its slot; null where the node does not know it.
 */
export async function countBeforeInSlot(
  pool: Pick<EndpointPool, 'batch'>,
  { account, signature, slot }: Omit<Cursor, 'position'>,
  limit: number,
  signal: AbortSignal,
): Promise<number | null> {
  let before = signature;
  for (let counted = 0; ; ) {
    const [reply] = await pool.batch([getSignaturesForAddress(account, { before, limit })], signal);
    if (!reply.ok) {
      if (reply.error.code === FILTER_TRANSACTION_NOT_FOUND) return null;
      throw reply.error;
    }
    const inSlot = reply.value.filter((row) => row.slot === slot);
    counted += inSlot.length;
    const last = inSlot.at(-1);
    if (!last || inSlot.length < reply.value.length) return counted;
    before = last.signature;
  }
}
