import type { Cursor } from '../../data/store/chain-rows.ts';
import type { EventBatch, IndexWriter } from '../../data/store/ports.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import { countBeforeInSlot, type LowerBound } from './signature-pages.ts';
import { type ListedTransaction, type NextPosition, positionAfter } from './transaction-window.ts';

export type HistoryCursor = ReturnType<typeof createHistoryCursor>;
export type HistoryWriter = Pick<IndexWriter, 'cursor' | 'commitEvents' | 'eventSums' | 'provisionalEvents'>;

/** How often the catch-up time of a quiet account is committed, in milliseconds. */
const QUIET_COMMIT_MS = 2_000;
/**
 * How many slots before a removed transaction are listed again if it is not known which slot was final then. A healthy
 * chain finalizes 32 slots behind its head.
 */
const FORK_SLOTS = 512;
const END_OF_RELISTING = { endsRelisting: true } as const;

/** Tracks how far the history of an account is indexed, and where listing continues. */
export function createHistoryCursor(options: {
  readonly address: string;
  readonly pool: Pick<EndpointPool, 'batch'>;
  readonly writer: HistoryWriter;
  readonly pageSize: number;
}) {
  const { address, pool, writer, pageSize } = options;
  let cursor: Cursor | null = null;
  let isLoaded = false;
  let isCursorFinal = false;
  /** Every transaction before this slot is indexed and final. */
  let finalTo: number | null = null;
  /** Listing restarts at this slot instead of the stored cursor. Each commit advances it. */
  let relistFrom: number | null = null;
  /** Whether a commit has already moved the cursor past `relistFrom`. From then on listing continues after the cursor. */
  let isRelistCommitted = false;
  let next: NextPosition | null = null;
  let quietCommittedAt = Number.NEGATIVE_INFINITY;

  return {
    get cursor(): Cursor | null {
      return cursor;
    },
    /** Whether no fork can remove the cursor's transaction. */
    get isCursorFinal(): boolean {
      return isCursorFinal;
    },
    get isRelisting(): boolean {
      return relistFrom !== null;
    },
    /** Listing continues after the cursor, or from a slot that is listed again. */
    bound(): LowerBound {
      if (relistFrom !== null && !isRelistCommitted) return { until: null, fromSlot: relistFrom };
      return { until: cursor?.signature ?? null, fromSlot: cursor?.slot ?? 0 };
    },
    /** Loads the cursor if it is not loaded yet. */
    async load(): Promise<void> {
      if (isLoaded) return;
      const stored = await writer.cursor(address);
      isLoaded = true;
      const isFurtherBack = relistFrom !== null && (stored === null || stored.slot < relistFrom);
      // A repeated listing continues after the last transaction, not after its slot. That shows whether the current node
      // also has this transaction, and so the earlier ones.
      if (isRelistCommitted && !isFurtherBack) return;
      cursor = stored;
      if (!isFurtherBack) return;
      // The store has moved the cursor further back, so listing continues from there.
      relistFrom = null;
      isRelistCommitted = false;
    },
    /** Discards the cursor, because the store has moved it. */
    reload(): void {
      isLoaded = false;
      isCursorFinal = false;
      next = null;
    },
    /** Lists a slot again, and the earlier slots that a fork may have changed. */
    relist(fromSlot: number): void {
      const slot = finalTo === null ? fromSlot - FORK_SLOTS : Math.min(finalTo, fromSlot);
      relistFrom = Math.max(0, Math.min(slot, relistFrom ?? slot));
      isRelistCommitted = false;
      next = null;
    },
    /**
     * Whether the index has final events older than everything a node lists for the account. If so, its list is incomplete.
     * @param oldest the oldest listed transaction; null if none is listed
     */
    async hasEventsBefore(oldest: { readonly slot: number } | null): Promise<boolean> {
      const listedFrom = oldest?.slot ?? Number.MAX_SAFE_INTEGER;
      // A fork may have moved provisional events into later slots.
      const [provisional] = await writer.provisionalEvents(listedFrom, 1);
      const upTo = Math.min(listedFrom, provisional?.slot ?? listedFrom) - 1;
      const { totalIn, totalOut } = await writer.eventSums(address, upTo);
      return totalIn + totalOut > 0n;
    },
    cursorIsFinal(): void {
      isCursorFinal = true;
    },
    /** The position of the next transaction within its slot, which may be the cursor's slot. */
    async positionBefore(
      first: { readonly slot: number } | undefined,
      signal: AbortSignal,
    ): Promise<NextPosition | null> {
      if (next && next.slot === first?.slot) return next;
      const isAfterCursor = relistFrom === null || isRelistCommitted;
      if (!isAfterCursor || !cursor || first?.slot !== cursor.slot) return null;
      const before = await countBeforeInSlot(pool, cursor, pageSize, signal);
      if (before === null) throw new Error(`The current node does not know ${cursor.signature}.`);
      return { slot: cursor.slot, position: before + 1 };
    },
    /** Commits transactions up to `last` together with the cursor. @param caughtUpAt Unix ms */
    async commit(
      read: Pick<EventBatch, 'events' | 'alarms' | 'quarantined'>,
      last: ListedTransaction,
      caughtUpAt: number | null,
    ): Promise<void> {
      const { signature, slot, position } = last;
      const reached = { account: address, signature, slot, position };
      const end = relistFrom !== null && caughtUpAt !== null ? END_OF_RELISTING : {};
      await writer.commitEvents({ account: address, ...read, cursor: reached, caughtUpAt, ...end });
      cursor = reached;
      isCursorFinal = false;
      next = positionAfter(last);
      if (relistFrom !== null) {
        relistFrom = last.slot;
        isRelistCommitted = true;
      }
      if (last.isFinalized) finalTo = Math.max(finalTo ?? 0, last.slot);
      if (caughtUpAt !== null) quietCommittedAt = performance.now();
    },
    /**
     * Records that every listed transaction has been read.
     * @param finalizedSlot of the node that listed them; null if unknown
     */
    caughtUp(finalizedSlot: number | null): void {
      relistFrom = null;
      isRelistCommitted = false;
      if (finalizedSlot !== null) finalTo = Math.max(finalTo ?? 0, finalizedSlot);
    },
    /** Stores, at intervals, when a quiet account was last caught up. @param requestedAt Unix ms */
    async commitQuiet(requestedAt: number, finalizedSlot: number | null): Promise<void> {
      // An empty list counts only from a node that reports its finalized slot.
      const endsRelisting = relistFrom !== null && isRelistCommitted;
      const isDue = endsRelisting || performance.now() - quietCommittedAt >= QUIET_COMMIT_MS;
      if (!isDue || (!cursor && finalizedSlot === null)) return;
      const end = endsRelisting ? END_OF_RELISTING : {};
      await writer.commitEvents({ account: address, events: [], cursor, caughtUpAt: requestedAt, ...end });
      quietCommittedAt = performance.now();
    },
  };
}
