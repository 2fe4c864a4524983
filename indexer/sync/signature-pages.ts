import type { Cursor } from '../../data/store/chain-rows.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import type { PoolReply, RpcCall } from '../rpc/json-rpc.ts';
import { FILTER_TRANSACTION_NOT_FOUND } from '../rpc/rpc-errors.ts';
import { getSignaturesForAddress, type SignatureInfo, type SignatureStatus } from '../rpc/solana-calls.ts';

/** The calls for a history at the start of a round, sent to one node in one batch. */
export interface HeadQuery {
  readonly page: RpcCall<readonly SignatureInfo[]>;
  /** The cursor's transaction, if it is not known to be final. */
  readonly cursorSignature: string | null;
}

/** The replies, with the finalized slot of the same batch. */
export interface HeadReply {
  readonly page: PoolReply<readonly SignatureInfo[]>;
  /** The status of the cursor's transaction; null if it was not requested. */
  readonly cursorStatus: PoolReply<SignatureStatus> | null;
  readonly finalizedSlot: PoolReply<number>;
  /** Unix ms before the request. */
  readonly requestedAt: number;
}

/** What the newest page says about a history. */
type HeadReading =
  | {
      readonly kind: 'rows';
      /** Newest first; empty if nothing follows the bound. */
      readonly rows: readonly SignatureInfo[];
      readonly passesBound: boolean;
      /** The finalized slot of the node that listed the page. Up to it the list is complete. Null if unknown. */
      readonly finalizedSlot: number | null;
      readonly isCursorFinal: boolean;
    }
  /** A fork removed the cursor's transaction or moved it to a different slot, and perhaps earlier ones too. */
  | {
      readonly kind: 'forked';
      /** The earliest slot known to be affected. */
      readonly slot: number;
      /** Whether the cursor's transaction is in a different slot. If not, the node does not know it. */
      readonly isElsewhere: boolean;
    }
  /** The node may be behind. */
  | { readonly kind: 'not-there-yet' };

/**
 * @param isLostBelow whether the older pages of the previous list ran past the bound
 * @throws the errors of the replies, except for an unknown cursor
 */
export function readHead(
  { page: pageReply, cursorStatus, finalizedSlot: slotReply }: HeadReply,
  bound: LowerBound,
  cursor: Cursor | null,
  isLostBelow: boolean,
): HeadReading {
  const page = readPage(pageReply, bound);
  const finalizedSlot = slotReply.ok && slotReply.by === pageReply.by ? slotReply.value : null;
  const isLost = page.kind === 'lost' || (bound.until !== null && (page.passesBound || isLostBelow));
  const status = cursorStatus?.ok && cursorStatus.by === pageReply.by && cursor ? cursorStatus.value : null;
  if (cursor && bound.until !== null) {
    if (status?.kind === 'known' && status.slot !== cursor.slot) {
      return { kind: 'forked', slot: Math.min(status.slot, cursor.slot), isElsewhere: true };
    }
    if (isLost) {
      const isPast = finalizedSlot !== null && finalizedSlot >= cursor.slot;
      return isPast && status?.kind !== 'known'
        ? { kind: 'forked', slot: cursor.slot, isElsewhere: false }
        : { kind: 'not-there-yet' };
    }
  }
  if (page.kind === 'lost') return { kind: 'not-there-yet' };
  const isCursorFinal = status?.kind === 'known' && status.isFinalized;
  return { kind: 'rows', rows: page.rows, passesBound: page.passesBound, finalizedSlot, isCursorFinal };
}

/** An endpoint's history of an account does not reach back to the indexed part. Reading it would leave a gap. */
export class HistoryGapError extends Error {
  override readonly name = 'HistoryGapError';
  readonly endpoint: string;

  constructor(endpoint: string, account: string) {
    super(
      `${endpoint} lacks older history of ${account}, so none of its history is used. ` +
        'Add an endpoint with the whole history to SOLANA_RPC_URLS.',
    );
    this.endpoint = endpoint;
  }
}

/** Where listing an account's history stops. */
export interface LowerBound {
  /** The transaction to stop at; null if only the slot bounds the list. */
  readonly until: string | null;
  /** The oldest slot to list. */
  readonly fromSlot: number;
}

/**
 * One page, newest first. `passesBound`: it reaches below the bound. If only a slot bounds the list, that ends it. With an
 * `until`, it means that the node ran past that transaction, as if it did not know it.
 */
export type SignaturePage =
  | { readonly kind: 'page'; readonly rows: readonly SignatureInfo[]; readonly passesBound: boolean }
  /** The node does not know the transaction at which the page starts or stops. */
  | { readonly kind: 'lost' };

export function pageCall(
  address: string,
  { until }: LowerBound,
  { before, limit }: { readonly before?: string | undefined; readonly limit: number },
): RpcCall<readonly SignatureInfo[]> {
  return getSignaturesForAddress(address, { ...(until && { until }), ...(before && { before }), limit });
}

/** @throws {RpcRequestError} if the node refused the call for a reason other than an unknown signature */
export function readPage(
  reply: PoolReply<readonly SignatureInfo[]>,
  { until, fromSlot }: LowerBound,
): SignaturePage {
  if (!reply.ok) {
    if (reply.error.code === FILTER_TRANSACTION_NOT_FOUND) return { kind: 'lost' };
    throw reply.error;
  }
  const rows = reply.value.filter(({ slot }) => slot >= fromSlot);
  // Older nodes ignore an unknown `until` and list everything.
  const passesBound = rows.length < reply.value.length || rows.some(({ signature }) => signature === until);
  return { kind: 'page', rows, passesBound };
}

/** Lists the next older transaction. @param before the newest one if undefined */
export function belowCall(address: string, before: string | undefined): RpcCall<readonly SignatureInfo[]> {
  return getSignaturesForAddress(address, { ...(before && { before }), limit: 1 });
}

/**
 * @returns null if there is no older transaction; `lost` if the node does not know the given one
 * @throws {RpcRequestError} if the node refused the call for another reason
 */
export function readBelow(reply: PoolReply<readonly SignatureInfo[]>): SignatureInfo | null | 'lost' {
  if (reply.ok) return reply.value[0] ?? null;
  if (reply.error.code === FILTER_TRANSACTION_NOT_FOUND) return 'lost';
  throw reply.error;
}

/** Counts the account's transactions that precede one in its slot; null if the node does not know it. */
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
