import type { Cursor } from '../../data/store/ports.ts';
import type { EndpointPool, PoolReply } from '../rpc/endpoint-pool.ts';
import type { RpcCall } from '../rpc/json-rpc.ts';
import { FILTER_TRANSACTION_NOT_FOUND } from '../rpc/rpc-errors.ts';
import { getSignaturesForAddress, type SignatureInfo } from '../rpc/solana-calls.ts';

/** How the part of an account's history that is not indexed yet is bounded below. */
export interface LowerBound {
  readonly cursor: Cursor | null;
  /**
   * Whether the node knows the cursor's transaction. Where it does not (a fork dropped it, or the node is
   * behind), the list is bounded by the cursor's slot instead, and what the slot holds is listed once more.
   */
  readonly isCursorKnown: boolean;
}

/**
 * One page, newest first; `passesBound` where it reached below the lower bound, although the node was told to
 * stop there.
 */
export type SignaturePage =
  | { readonly kind: 'page'; readonly rows: readonly SignatureInfo[]; readonly passesBound: boolean }
  /** The node does not know the cursor, or the signature that the page was to start from. */
  | { readonly kind: 'lost' };

export function pageCall(
  address: string,
  { cursor, isCursorKnown }: LowerBound,
  { before, limit }: { readonly before?: string; readonly limit: number },
): RpcCall<readonly SignatureInfo[]> {
  const until = cursor && isCursorKnown ? { until: cursor.signature } : {};
  return getSignaturesForAddress(address, { ...until, ...(before && { before }), limit });
}

/** @throws {RpcRequestError} where the node refused the call for another reason than an unknown signature */
export function readPage(reply: PoolReply<readonly SignatureInfo[]>, { cursor }: LowerBound): SignaturePage {
  if (!reply.ok) {
    if (reply.error.code === FILTER_TRANSACTION_NOT_FOUND) return { kind: 'lost' };
    throw reply.error;
  }
  if (!cursor) return { kind: 'page', rows: reply.value, passesBound: false };
  // Older nodes ignore an `until` that they do not know and list everything.
  const rows = reply.value.filter(({ slot }) => slot >= cursor.slot);
  const passesBound =
    rows.length < reply.value.length || rows.some(({ signature }) => signature === cursor.signature);
  return { kind: 'page', rows, passesBound };
}

/**
 * How many transactions of the account precede the cursor in its slot; null where the node does not know the
 * cursor.
 */
export async function countBeforeInSlot(
  pool: EndpointPool,
  { account, signature, slot }: Cursor,
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
