import type { Cursor } from '../../data/store/chain-rows.ts';
import type { EventBatch, IndexWriter } from '../../data/store/ports.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import type { ListedTransaction } from './read-transaction.ts';
import { countBeforeInSlot, type LowerBound } from './signature-pages.ts';
import { type NextPosition, positionAfter } from './slot-positions.ts';

/** How far the history of an account is indexed, and from where it is to be listed on. */
export interface IndexedPart {
  readonly cursor: Cursor | null;
  /** Whether no fork can take the cursor's transaction away. */
  readonly isCursorFinal: boolean;
  /** Where listing goes on: after the cursor, or from a slot that is listed again. */
  bound(): LowerBound;
  /** Reads the cursor, where it is not known. */
  load(): Promise<void>;
  /** Forgets the cursor: the store moved it. */
  reload(): void;
  /** From here on a slot is listed again, and what a fork may have changed before it. */
  relist(fromSlot: number): void;
  /** Whether something is being listed again. */
  readonly isRelisting: boolean;
  /**
   * Whether final events are indexed that stand before all that a node lists of the account, from its very first transaction
   * on: such a list lacks them.
   * @param oldest of the listed; null where it lists nothing at all
   */
  hasEventsBefore(oldest: { readonly slot: number } | null): Promise<boolean>;
  cursorIsFinal(): void;
  /** Where the first transaction to be read stands in its slot, which the cursor may share. */
  positionBefore(
    first: { readonly slot: number } | undefined,
    signal: AbortSignal,
  ): Promise<NextPosition | null>;
  /** Commits transactions up to one with the cursor behind it. */
  commit(
    told: Pick<EventBatch, 'events' | 'alarms' | 'quarantined'>,
    last: ListedTransaction,
    caughtUpAt: number | null,
  ): Promise<void>;
  /** The chain lists nothing that follows. @param finalizedSlot of the node that listed it; null where it told none */
  caughtUp(finalizedSlot: number | null): void;
  /** Tells the store now and again that a quiet account is known up to a moment (Unix ms). */
  tellQuiet(askedAt: number, finalizedSlot: number | null): Promise<void>;
}

export type HistoryWriter = Pick<IndexWriter, 'cursor' | 'commitEvents' | 'eventSums' | 'provisionalEvents'>;

/** How often a quiet account is told to the store as known up to now. */
const QUIET_COMMIT_MS = 2_000;
/**
 * Slots before a transaction that a fork took away, from which on everything is listed again where it is not known how far
 * the chain was final then. The chain is final 32 slots behind its head while it is healthy.
 */
const FORK_SLOTS = 512;
const END_OF_RELISTING = { endsRelisting: true } as const;

export function createIndexedPart(options: {
  readonly address: string;
  readonly pool: Pick<EndpointPool, 'batch'>;
  readonly writer: HistoryWriter;
  readonly pageSize: number;
  readonly elapsed: () => number;
}): IndexedPart {
  const { address, pool, writer, pageSize, elapsed } = options;
  let cursor: Cursor | null = null;
  let isLoaded = false;
  let isCursorFinal = false;
  /** Every transaction in earlier slots is indexed, and no fork can change it. */
  let finalTo: number | null = null;
  /** Where listing begins again, whatever the store's cursor says; it moves on with each commit. */
  let relistFrom: number | null = null;
  /** Whether the cursor has been set anew behind that slot: from then on listing goes on after it as ever. */
  let isSetAnew = false;
  let next: NextPosition | null = null;
  let toldAt = Number.NEGATIVE_INFINITY;

  return {
    get cursor() {
      return cursor;
    },
    get isCursorFinal() {
      return isCursorFinal;
    },
    get isRelisting() {
      return relistFrom !== null;
    },
    bound() {
      if (relistFrom !== null && !isSetAnew) return { until: null, fromSlot: relistFrom };
      return { until: cursor?.signature ?? null, fromSlot: cursor?.slot ?? 0 };
    },
    async load() {
      if (isLoaded) return;
      const stored = await writer.cursor(address);
      isLoaded = true;
      const isFurtherBack = relistFrom !== null && (stored === null || stored.slot < relistFrom);
      // What is listed once more goes on after the transaction that it got to, not after its slot: only so is it seen that
      // the node which is asked now has that transaction too, and with it what came before.
      if (isSetAnew && !isFurtherBack) return;
      cursor = stored;
      if (!isFurtherBack) return;
      // Where the store moved the cursor further back, listing goes on from there.
      relistFrom = null;
      isSetAnew = false;
    },
    reload() {
      isLoaded = false;
      isCursorFinal = false;
      next = null;
    },
    relist(fromSlot) {
      const slot = finalTo === null ? fromSlot - FORK_SLOTS : Math.min(finalTo, fromSlot);
      relistFrom = Math.max(0, Math.min(slot, relistFrom ?? slot));
      isSetAnew = false;
      next = null;
    },
    async hasEventsBefore(oldest) {
      const listedFrom = oldest?.slot ?? Number.MAX_SAFE_INTEGER;
      // A fork may have put what is provisional into later slots.
      const [provisional] = await writer.provisionalEvents(listedFrom, 1);
      const upTo = Math.min(listedFrom, provisional?.slot ?? listedFrom) - 1;
      const { totalIn, totalOut } = await writer.eventSums(address, upTo);
      return totalIn + totalOut > 0n;
    },
    cursorIsFinal() {
      isCursorFinal = true;
    },
    async positionBefore(first, signal) {
      if (next && next.slot === first?.slot) return next;
      const isAfterCursor = relistFrom === null || isSetAnew;
      if (!isAfterCursor || !cursor || first?.slot !== cursor.slot) return null;
      const before = await countBeforeInSlot(pool, cursor, pageSize, signal);
      if (before === null) throw new Error(`The node that is asked now does not know ${cursor.signature}.`);
      return { slot: cursor.slot, position: before + 1 };
    },
    async commit(told, last, caughtUpAt) {
      const { signature, slot, position } = last;
      const reached = { account: address, signature, slot, position };
      const end = relistFrom !== null && caughtUpAt !== null ? END_OF_RELISTING : {};
      await writer.commitEvents({ account: address, ...told, cursor: reached, caughtUpAt, ...end });
      cursor = reached;
      isCursorFinal = false;
      next = positionAfter(last);
      if (relistFrom !== null) {
        relistFrom = last.slot;
        isSetAnew = true;
      }
      if (last.isFinalized) finalTo = Math.max(finalTo ?? 0, last.slot);
      if (caughtUpAt !== null) toldAt = elapsed();
    },
    caughtUp(finalizedSlot) {
      relistFrom = null;
      isSetAnew = false;
      if (finalizedSlot !== null) finalTo = Math.max(finalTo ?? 0, finalizedSlot);
    },
    async tellQuiet(askedAt, finalizedSlot) {
      // Where the chain lists nothing at all, that counts only from a node that says how far it is.
      const endsRelisting = relistFrom !== null && isSetAnew;
      const isDue = endsRelisting || elapsed() - toldAt >= QUIET_COMMIT_MS;
      if (!isDue || (!cursor && finalizedSlot === null)) return;
      const end = endsRelisting ? END_OF_RELISTING : {};
      await writer.commitEvents({ account: address, events: [], cursor, caughtUpAt: askedAt, ...end });
      toldAt = elapsed();
    },
  };
}
