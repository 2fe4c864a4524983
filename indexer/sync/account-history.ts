import type { Cursor, QuarantinedTransaction } from '../../data/store/chain-rows.ts';
import type { EventBatch, HistoryBeginning, IndexWriter } from '../../data/store/ports.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import type { PoolReply, RpcCall } from '../rpc/json-rpc.ts';
import { RpcRequestError } from '../rpc/rpc-errors.ts';
import type { SignatureInfo } from '../rpc/solana-calls.ts';
import { findBeginning } from './history-beginning.ts';
import type { IndexedListing } from './listing-schedule.ts';
import { createProvisionalReader } from './provisional-reader.ts';
import {
  createSignaturePages,
  HistoryGapError,
  pageCall,
  readPage,
  type SignaturePages,
} from './signature-pages.ts';
import { createSignatureQueue, type SignatureQueue } from './signature-queue.ts';
import { type ListedTransaction, sortInChainOrder, type WindowReader } from './transaction-window.ts';
import { createUnreadableTracker, type RetryPolicy } from './unreadable-transactions.ts';

export interface HistoryProgress {
  /** How many final events were committed. */
  readonly eventCount: number;
  /** How many listed transactions the cursor has passed. */
  readonly transactionCount: number;
  /** How many listed transactions the cursor has not passed yet. */
  readonly remainingCount: number;
  /** `behind`: there is more to read; call again immediately. `waiting`: nothing can be read now; try in the next round. */
  readonly state: 'caught-up' | 'behind' | 'waiting';
  /** Set once the history is caught up. Every transaction up to the listing's `readUpToSlot` is indexed or quarantined. */
  readonly listing: IndexedListing | null;
  /** The unreadable transaction that blocks the cursor. */
  readonly blockedBy: { readonly signature: string; readonly reason: string } | null;
  /** Unreadable transactions that the cursor skipped. */
  readonly quarantined: readonly QuarantinedTransaction[];
}

/** The newest page, and the finalized slot from the same batch. */
export interface HeadReply {
  readonly page: PoolReply<readonly SignatureInfo[]>;
  readonly finalizedSlot: PoolReply<number>;
  /** The time just before the request (Unix ms). */
  readonly requestedAt: number;
}

export type HistoryWriter = Pick<IndexWriter, 'cursor' | 'beginning' | 'commitEvents' | 'eventSums'>;
export type AccountHistory = ReturnType<typeof createAccountHistory>;

export interface AccountHistoryOptions {
  readonly address: string;
  readonly pool: EndpointPool;
  readonly writer: HistoryWriter;
  readonly reader: WindowReader;
  readonly mint: string;
  readonly pageSize: number;
  readonly windowSize: number;
  readonly windowsAhead: number;
  readonly budgetMs: number;
  readonly retryPolicy?: RetryPolicy | undefined;
  /** Called with the last error when relisting the whole history is given up. */
  readonly onRelistingGivenUp?: ((error: unknown) => void) | undefined;
}

/**
 * How many attempts to relist the whole history may fail, per active endpoint, before relisting is given up. Each
 * committed window resets the count. The limit is above one, because an endpoint without old history is used again
 * after a short pause.
 */
const RELIST_ATTEMPTS_PER_ENDPOINT = 5;
/** Milliseconds between two attempts to prove where a history begins. */
const RECHECK_BEGINNING_MS = 10 * 60_000;
/** Milliseconds between two commits for an unchanged account. Each commit shows that the account is still followed. */
const QUIET_COMMIT_MS = 2_000;

/** A list from the newest transaction down to the cursor, and the queue of its final transactions. */
interface Listing {
  readonly pages: SignaturePages;
  readonly queue: SignatureQueue;
  readonly requestedAt: number;
  /** The newest successful transaction. */
  readonly newestTransaction: IndexedListing['newestTransaction'];
  /** The finalized slot of the node that listed the newest page; null if unknown. */
  readonly finalizedSlot: number | null;
}

/**
 * Indexes the history of one watched account. Backfilling and following the chain work the same way: list the transactions that
 * are newer than the cursor, read the final ones oldest first, and commit each window together with the cursor. After the last
 * window, another commit replaces all provisional rows with those of the transactions that are confirmed now. So a fork affects
 * only provisional rows.
 */
export function createAccountHistory(options: AccountHistoryOptions) {
  const { address, pool, writer, reader, pageSize, windowSize, windowsAhead, budgetMs, mint } = options;
  const { onRelistingGivenUp = () => {} } = options;
  const provisional = createProvisionalReader(address, reader);
  const unreadableTracker = createUnreadableTracker({ pool, mint, retryPolicy: options.retryPolicy });
  const account = { pool, address, mint };
  let cursor: Cursor | null = null;
  let isLoaded = false;
  let listing: Listing | null = null;
  /**
   * The signature of a transaction that was read before. An endpoint that cannot return this transaction lacks the history.
   */
  let readableSignature: string | null = null;
  let blockedBy: HistoryProgress['blockedBy'] = null;
  /** Where the history begins. Set when a list without a cursor ends, and cleared by the next commit, which stores it. */
  let beginning: HistoryBeginning | null = null;
  let beginningCheckedAt = Number.NEGATIVE_INFINITY;
  /** Identifies the provisional rows of the last commit; null if unknown. */
  let provisionalKey: string | null = null;
  /** The signature of the oldest transaction above the cursor in the last complete list. */
  let oldestListedSignature: string | null = null;
  let quietCommittedAt = Number.NEGATIVE_INFINITY;
  /**
   * How many more attempts may fail before relisting the whole history is given up; 0 outside of a relisting. During a
   * relisting, `cursor` is the last transaction reread so far (null at first), and the stored cursor is not moved back.
   */
  let relistAttempts = 0;

  const load = async (): Promise<void> => {
    if (!isLoaded) cursor = relistAttempts > 0 ? null : await writer.cursor(address);
    isLoaded = true;
  };

  const createProgress = (
    state: HistoryProgress['state'],
    more: Partial<HistoryProgress> = {},
  ): HistoryProgress => ({
    eventCount: 0,
    transactionCount: 0,
    remainingCount: 0,
    listing: null,
    blockedBy: null,
    quarantined: [],
    ...more,
    state,
  });

  /** @throws {HistoryGapError} if the index or an endpoint has transactions that are older than the list */
  const checkBeginning = async (
    oldestSlotRows: readonly SignatureInfo[],
    endpoint: string,
    signal: AbortSignal,
  ): Promise<void> => {
    const oldest = oldestSlotRows.at(-1) ?? null;
    const before = (oldest?.slot ?? Number.MAX_SAFE_INTEGER) - 1;
    const { totalIn, totalOut } = await writer.eventSums(address, before);
    if (totalIn + totalOut > 0n) throw new HistoryGapError(endpoint, address);
    const signatures = new Set(oldestSlotRows.map(({ signature }) => signature));
    const proof = await findBeginning(account, oldest, signatures, signal);
    if (proof === 'earlier') throw new HistoryGapError(endpoint, address);
    if (oldest) beginning = { signature: oldest.signature, slot: oldest.slot, isProven: proof === 'proven' };
  };

  const newRelistAttempts = (): number =>
    RELIST_ATTEMPTS_PER_ENDPOINT * Math.max(1, pool.health().filter(({ active }) => active).length);

  const restart = (): void => {
    relistAttempts = newRelistAttempts();
    isLoaded = false;
    listing = null;
    beginning = null;
  };

  /** Starts a listing from the newest page. Returns null if the node may be behind the cursor. */
  const openListing = (
    { page: reply, finalizedSlot: slotReply, requestedAt }: HeadReply,
    signal: AbortSignal,
  ): Listing | null => {
    const newestPage = readPage(reply, cursor);
    const finalizedSlot =
      slotReply.ok && slotReply.endpointName === reply.endpointName ? slotReply.value : null;
    if (newestPage === 'lost') {
      // If the finalized slot is unknown, the node may merely be behind, so a later round tries again. But while the whole
      // history is listed again, an unknown slot counts as a gap, so that a different endpoint is used.
      const mayBeBehind = finalizedSlot === null ? relistAttempts === 0 : finalizedSlot < (cursor?.slot ?? 0);
      if (mayBeBehind) return null;
      throw new HistoryGapError(reply.endpointName, address);
    }
    const last = newestPage.at(-1);
    // If `last` is not final, a fork may have added transactions that are older than `last`.
    const endsAsBefore =
      last?.signature === oldestListedSignature && (last?.isFinalized || newestPage.length < pageSize);
    const reachesCursor = cursor !== null && (last === undefined || endsAsBefore);
    const pages = createSignaturePages({
      address,
      pool,
      pageSize,
      cursor,
      newestPage,
      reachesCursor,
      checkBeginning,
    });
    const queue = createSignatureQueue({
      pages,
      windowSize,
      windowsAhead,
      indexedUpToSlot: () => cursor?.slot ?? -1,
      read: (rows) => reader.read(rows, unreadableTracker.knownTransactions, signal),
    });
    const successful = newestPage.find(({ hasFailed }) => !hasFailed) ?? cursor;
    return { pages, queue, requestedAt, newestTransaction: successful, finalizedSlot };
  };

  const quarantinedAmong = (rows: readonly ListedTransaction[]): readonly QuarantinedTransaction[] =>
    rows.flatMap(({ signature, slot, position, blockTime }) => {
      const reason = unreadableTracker.quarantineReason(signature);
      return reason ? [{ signature, account: address, slot, position, blockTime, ...reason }] : [];
    });

  const commit = async (
    batch: Omit<EventBatch, 'account' | 'cursor'>,
    last: ListedTransaction | undefined,
  ): Promise<void> => {
    const newCursor = last ? { account: address, signature: last.signature, slot: last.slot } : cursor;
    const more = beginning && { beginning };
    await writer.commitEvents({ account: address, ...batch, cursor: newCursor, ...more });
    beginning = null;
    if (newCursor?.slot !== cursor?.slot) oldestListedSignature = null;
    cursor = newCursor;
    if (last && relistAttempts > 0) relistAttempts = newRelistAttempts();
    if (batch.caughtUpAt !== undefined) quietCommittedAt = performance.now();
  };

  /** Commits the provisional rows and the time of the listing, unless the same rows were committed a moment ago. */
  const commitCaughtUp = async (
    { pages, requestedAt, newestTransaction, finalizedSlot }: Listing,
    signal: AbortSignal,
  ): Promise<IndexedListing> => {
    const rows = await provisional.read(sortInChainOrder(pages.provisional), signal);
    const state = rows.unreadCount > 0 ? 'unread' : pages.provisional.length > 0 ? 'provisional' : 'final';
    const indexedListing: IndexedListing = {
      newestTransaction,
      state,
      readUpToSlot: finalizedSlot,
      requestedAt,
    };
    const key = [...rows.events, ...rows.alarms, ...rows.quarantined]
      .map(({ signature, slot }) => `${signature} ${slot}`)
      .join();
    if (key === provisionalKey && performance.now() - quietCommittedAt < QUIET_COMMIT_MS)
      return indexedListing;
    await commit({ events: [], provisional: rows, caughtUpAt: requestedAt }, undefined);
    provisionalKey = key;
    return indexedListing;
  };

  const processQueue = async (
    current: Listing,
    deadline: number,
    signal: AbortSignal,
  ): Promise<HistoryProgress> => {
    const { queue } = current;
    let eventCount = 0;
    let transactionCount = 0;
    const quarantined: QuarantinedTransaction[] = [];
    const queueProgress = (
      state: HistoryProgress['state'],
      more: Partial<HistoryProgress> = {},
    ): HistoryProgress =>
      createProgress(state, {
        eventCount,
        transactionCount,
        quarantined,
        remainingCount: listing?.queue.remainingCount ?? 0,
        ...more,
      });
    for (;;) {
      const window = await queue.next(signal);
      if (window === 'head' || window === 'lost') {
        listing = null;
        return queueProgress(window === 'lost' ? 'waiting' : 'behind');
      }
      if (window === null && relistAttempts > 0) {
        // The endpoint may be behind the stored cursor, so the newest transactions are now listed from the stored cursor.
        relistAttempts = 0;
        isLoaded = false;
        listing = null;
        return queueProgress('behind');
      }
      if (window === null) {
        const indexedListing = await commitCaughtUp(current, signal);
        listing = null;
        return queueProgress('caught-up', { listing: indexedListing });
      }
      const { rows, endsPage, reading } = window;
      const windowResult = await reading;
      readableSignature = windowResult.readableSignature ?? readableSignature;
      const passedRows = rows.slice(0, windowResult.readCount);
      const skipped = quarantinedAmong(passedRows);
      if (passedRows.length > 0) {
        await commit({ ...windowResult, quarantined: skipped }, passedRows.at(-1));
        unreadableTracker.forget(passedRows.map(({ signature }) => signature));
      }
      quarantined.push(...skipped);
      eventCount += windowResult.events.length;
      transactionCount += passedRows.length;
      queue.notePassed(passedRows.length);
      if (passedRows.length < rows.length) {
        if (!(await queue.giveBack())) listing = null;
        const [first] = windowResult.unread;
        if (await unreadableTracker.retryEverywhere(windowResult.unread, readableSignature, signal))
          return queueProgress('behind');
        blockedBy = first ? { signature: first.row.signature, reason: first.reason } : null;
        return queueProgress('waiting', { blockedBy });
      }
      if (endsPage) queue.markPageDone();
      if (performance.now() >= deadline) return queueProgress('behind');
    }
  };

  return {
    /**
     * Makes the next calls of `advance` list the whole history again and add what the index lacks. If no endpoint lists it
     * completely, indexing continues from the stored cursor.
     */
    restart,
    /**
     * Stores the time up to which the account is known to be unchanged since the last listing.
     * @param readAt when the account was read (Unix ms)
     */
    async noteQuiet(readAt: number): Promise<void> {
      const isStored = performance.now() - quietCommittedAt < QUIET_COMMIT_MS;
      if (isLoaded && !listing && !isStored) await commit({ events: [], caughtUpAt: readAt }, undefined);
    },
    /**
     * While the beginning of the history is unproven, checks at intervals whether an endpoint can prove it. If an endpoint has
     * older transactions, the history is listed again.
     * @returns whether the history will be listed again
     */
    async recheckBeginning(signal: AbortSignal): Promise<boolean> {
      if (performance.now() - beginningCheckedAt < RECHECK_BEGINNING_MS) return false;
      beginningCheckedAt = performance.now();
      const stored = await writer.beginning(address);
      if (!stored || stored.isProven) return false;
      const proof = await findBeginning(account, stored, new Set([stored.signature]), signal);
      if (proof === 'proven') {
        const provenBeginning = { ...stored, isProven: true };
        await writer.commitEvents({ account: address, events: [], cursor, beginning: provenBeginning });
      }
      if (proof === 'earlier') restart();
      return proof === 'earlier';
    },
    /** The call for the newest page. Null while older pages are being read, or while it is too early to retry. */
    async headCall(): Promise<RpcCall<readonly SignatureInfo[]> | null> {
      await load();
      return listing || unreadableTracker.isPausing() ? null : pageCall(address, cursor, { limit: pageSize });
    },
    /**
     * Lists and indexes the next part of the history. Works for about `budgetMs`, and stops only between two pages or two
     * windows.
     */
    async advance(head: HeadReply | null, signal: AbortSignal): Promise<HistoryProgress> {
      const deadline = performance.now() + budgetMs;
      await load();
      if (unreadableTracker.isPausing()) return createProgress('waiting', { blockedBy });
      blockedBy = null;
      try {
        if (!listing) {
          if (!head) return createProgress('behind');
          listing = openListing(head, signal);
          if (!listing) return createProgress('waiting');
        }
        const { pages } = listing;
        while (!pages.isListed && performance.now() < deadline) {
          if ((await pages.listNextPage(signal)) === 'lost') {
            listing = null;
            return createProgress('waiting');
          }
        }
        if (pages.isListed) oldestListedSignature = pages.oldest?.signature ?? null;
        return pages.isListed
          ? await processQueue(listing, deadline, signal)
          : createProgress('behind', { remainingCount: listing.queue.remainingCount });
      } catch (error) {
        // Committed transactions stay indexed. The others are listed again.
        listing = null;
        const isGap = error instanceof HistoryGapError;
        const isHeadError = head?.page.ok === false && head.page.error === error;
        const isRefused = isHeadError && error instanceof RpcRequestError;
        if (isGap) pool.noteHistoryGap(error.endpoint, error.message);
        if (isRefused) pool.noteHistoryGap(head.page.endpointName, error.message);
        // If no endpoint answered, the attempt does not count, because indexing from the stored cursor would fail as well.
        const isUnanswered = isHeadError && !isRefused;
        if (relistAttempts > 0 && (isGap || (cursor === null && !isUnanswered))) {
          relistAttempts = Math.min(relistAttempts, newRelistAttempts()) - 1;
          if (relistAttempts === 0) onRelistingGivenUp(error);
        }
        isLoaded = relistAttempts > 0;
        throw error;
      }
    },
  };
}
