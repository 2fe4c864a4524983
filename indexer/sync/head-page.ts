import type { Cursor } from '../../data/store/chain-rows.ts';
import type { PoolReply } from '../rpc/endpoint-pool.ts';
import type { RpcCall } from '../rpc/json-rpc.ts';
import type { SignatureInfo, SignatureStatus } from '../rpc/solana-calls.ts';
import { type LowerBound, readPage } from './signature-pages.ts';

/** What a history wants to know at the start of a round, asked of one node in one batch. */
export interface HeadQuestion {
  readonly page: RpcCall<readonly SignatureInfo[]>;
  /** The transaction that the cursor stands on, where it is not known to be final. */
  readonly cursorSignature: string | null;
}

/** The answers, with the finalized slot that was asked for along with them. */
export interface HeadAnswer {
  readonly page: PoolReply<readonly SignatureInfo[]>;
  /** How far the cursor's transaction is confirmed, where that was asked. */
  readonly cursorStatus: PoolReply<SignatureStatus> | null;
  readonly finalizedSlot: PoolReply<number>;
  /** Unix ms before it was asked. */
  readonly askedAt: number;
}

/** What the newest page means for a history. */
export type HeadReading =
  | {
      readonly kind: 'rows';
      /** Newest first; none where nothing follows the bound. */
      readonly rows: readonly SignatureInfo[];
      readonly passesBound: boolean;
      /**
       * The finalized slot of the node that listed the page: what it does not list in slots up to this does not exist. Null
       * where that node told none.
       */
      readonly finalizedSlot: number | null;
      readonly isCursorFinal: boolean;
    }
  /** A fork took the cursor's transaction away or put it into another slot, and with it perhaps what came before. */
  | {
      readonly kind: 'forked';
      /** The earliest slot that is known to be concerned. */
      readonly slot: number;
      /** Whether the cursor's transaction is in another slot; else the node does not know it. */
      readonly isElsewhere: boolean;
    }
  /** The node may be behind: what it does not know may still be there. */
  | { readonly kind: 'not-there-yet' };

/**
 * Reads what a node answered.
 * @param isLostBelow whether the older pages of the list before this one did not stop at the bound
 * @throws the errors of the replies, but for an unknown cursor
 */
export function readHead(
  { page: pageReply, cursorStatus, finalizedSlot: slotReply }: HeadAnswer,
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
