import type { Cursor } from '../../data/store/chain-rows.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import type { PoolReply, RpcCall } from '../rpc/json-rpc.ts';
import { FILTER_TRANSACTION_NOT_FOUND } from '../rpc/rpc-errors.ts';
import { getSignatureSlot, getSignaturesForAddress, type SignatureInfo } from '../rpc/solana-calls.ts';

/** An endpoint's list of transactions ends before it reaches the indexed ones. Indexing it would leave a gap. */
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

/** Requests a page of signatures newer than the cursor. The page starts below `before`, or with the newest signature. */
export function pageCall(
  address: string,
  cursor: Cursor | null,
  { before, limit }: { readonly before?: string | undefined; readonly limit: number },
): RpcCall<readonly SignatureInfo[]> {
  return getSignaturesForAddress(address, {
    ...(cursor && { until: cursor.signature }),
    ...(before && { before }),
    limit,
  });
}

/** Requests the transaction below `before` or, without `before`, the newest one. */
export function belowCall(address: string, before: string | undefined): RpcCall<readonly SignatureInfo[]> {
  return getSignaturesForAddress(address, { ...(before && { before }), limit: 1 });
}

/**
 * A page's rows that are newer than the cursor's slot, newest first. `lost` means that the node does not know the transaction
 * at which the page starts or stops. Older nodes then ignore `until` and list everything.
 * @throws {RpcRequestError} if the node refused the call for another reason
 */
export function readPage(
  reply: PoolReply<readonly SignatureInfo[]>,
  cursor: Cursor | null,
): readonly SignatureInfo[] | 'lost' {
  if (!reply.ok) {
    if (reply.error.code === FILTER_TRANSACTION_NOT_FOUND) return 'lost';
    throw reply.error;
  }
  // The cursor's slot is indexed as a whole. Nodes may order the transactions within it differently.
  const slot = cursor?.slot ?? -1;
  return reply.value.some((row) => row.slot < slot) ? 'lost' : reply.value.filter((row) => row.slot > slot);
}

type Position = Pick<SignatureInfo, 'signature' | 'slot'> & { readonly isFinalized?: boolean };

/** Signatures requested where only the cursor's slot is expected. */
const SHORT_PAGE = 20;

/**
 * Tracks the transaction below which the next older page starts. A page may cut its last slot, so the next page starts above
 * that slot and repeats it: if a node changed the order within the slot, some of the slot's transactions could otherwise be
 * on neither page. The start does not move until a page reaches below that slot. If a slot fills a whole page, the next page
 * starts in the middle of the slot.
 */
function createPageStart(first?: Position) {
  let at = first;
  let cutSlot: number | undefined;
  let hasRepeated = false;
  return {
    get at(): Position | undefined {
      return at;
    },
    /** Whether the last page had no new rows. */
    get hasRepeated(): boolean {
      return hasRepeated;
    },
    /** @param isNew whether the page has rows that earlier pages did not have */
    move(page: readonly Position[], isNew: boolean): void {
      const last = page.at(-1);
      if (!last) return;
      if (!isNew || !at || at.slot === last.slot || cutSlot !== last.slot) {
        at = page.findLast(({ slot }) => slot !== last.slot) ?? last;
      }
      cutSlot = last.slot;
      hasRepeated = !isNew;
    },
  };
}

/** The oldest transaction of a page. Its slot is on no older page. */
interface PageEnd extends Position {
  /** The number of transactions in the page. */
  readonly count: number;
}

type PageRows = readonly SignatureInfo[] | 'lost';

export type SignaturePages = ReturnType<typeof createSignaturePages>;

/**
 * Lists the final transactions after the cursor newest first, and returns them oldest first. For a long history, only one
 * signature per page stays in memory. Each page is listed again when it is needed, while the page before it is processed.
 *
 * A page never splits a slot, because nodes may order the transactions within a slot differently in each answer.
 */
export function createSignaturePages(options: {
  readonly address: string;
  readonly pool: Pick<EndpointPool, 'batch'>;
  readonly pageSize: number;
  readonly cursor: Cursor | null;
  /** The newest page, newest first. */
  readonly newest: readonly SignatureInfo[];
  /** Whether the newest page reaches the cursor. */
  readonly isWhole: boolean;
  /**
   * Called at the end of a list without a cursor, with the rows of its oldest slot.
   * @throws {HistoryGapError} if older transactions are known
   */
  readonly checkBeginning: (
    oldest: readonly SignatureInfo[],
    endpoint: string,
    signal: AbortSignal,
  ) => Promise<void>;
}) {
  const { address, pool, pageSize, cursor, newest, isWhole, checkBeginning } = options;
  /** Pages that were not taken yet, newest first. */
  const waiting: PageEnd[] = [];
  /** The rows of the oldest page, while they are in memory. */
  let inMemory: readonly SignatureInfo[] | null = null;
  /** Rows of the oldest listed slot. The next older page may have more rows of the same slot. */
  let partial: readonly SignatureInfo[] = [];
  const start = createPageStart();
  let oldest: SignatureInfo | null = null;
  let isListed = false;
  let listedCount = 0;
  const provisional = new Map<string, SignatureInfo>();
  /** The oldest provisional slot so far. */
  let provisionalSlot: number | null = null;
  let hasFinal = false;
  /** Pages that are being processed, oldest first. */
  const taken: PageEnd[] = [];
  /** The next page to take, while it is requested in advance. */
  let ahead: Promise<PageRows> | null = null;

  const push = (rows: readonly SignatureInfo[]): void => {
    const last = rows.at(-1);
    if (!last) return;
    listedCount += rows.length;
    const isOnePage = inMemory !== null && inMemory.length + rows.length < pageSize;
    if (isOnePage) waiting.pop();
    inMemory = isOnePage ? [...(inMemory ?? []), ...rows] : rows;
    waiting.push({ signature: last.signature, slot: last.slot, count: inMemory.length });
  };

  /**
   * Whether a row is final, for rows from the newest to the oldest. Transactions may become final while they are listed, so a
   * slot with a provisional one is provisional as a whole. All transactions older than a final one are final, even if a
   * lagging node does not report them as final.
   */
  const isFinal = (row: SignatureInfo): boolean => {
    hasFinal ||= row.isFinalized && provisionalSlot !== row.slot;
    if (!hasFinal) {
      provisional.set(row.signature, row);
      provisionalSlot = row.slot;
    }
    return hasFinal;
  };

  /**
   * Adds the rows of a page that are older than the known ones.
   * @param isEnd whether the list is complete with these rows
   * @param page the whole page, which may repeat known rows in a different order
   */
  const accept = (rows: readonly SignatureInfo[], isEnd: boolean, page = rows): void => {
    oldest = rows.at(-1) ?? oldest;
    const final = [...partial, ...rows.filter(isFinal)];
    const lowest = isEnd ? -1 : final.at(-1)?.slot;
    push(final.filter(({ slot }) => slot !== lowest));
    start.move(page, true);
    partial = final.filter(({ slot }) => slot === lowest);
    isListed = isEnd;
  };

  /** Lists the oldest waiting page again: all slots below the next newer page, down to the page's oldest slot. */
  const listAgain = async (signal: AbortSignal): Promise<PageRows> => {
    const [above, end] = [waiting.at(-2), waiting.at(-1)];
    const rows = new Map<string, SignatureInfo>();
    const from = createPageStart(above);
    for (;;) {
      const call = pageCall(address, cursor, { before: from.at?.signature, limit: pageSize });
      const [reply] = await pool.batch([call], signal);
      const more = readPage(reply, cursor);
      if (more === 'lost') throw new HistoryGapError(reply.by, address);
      const size = rows.size;
      for (const row of more) {
        const isInPage = row.slot >= (end?.slot ?? 0) && row.slot < (above?.slot ?? Infinity);
        if (isInPage) rows.set(row.signature, row);
      }
      const last = more.at(-1);
      const isNew = rows.size > size;
      const isEnd = !last || last.slot < (end?.slot ?? 0);
      if (isEnd || (from.hasRepeated && !isNew)) break;
      from.move(more, isNew);
    }
    return end && rows.size < end.count ? 'lost' : [...rows.values()];
  };

  /** Lists a page below a provisional transaction, which may have moved to a different slot since it was listed. */
  const pageBelow = async (
    { signature, slot }: Position,
    page: RpcCall<readonly SignatureInfo[]>,
    signal: AbortSignal,
  ): Promise<readonly [PoolReply<readonly SignatureInfo[]>, isMoved: boolean]> => {
    // The slot is requested last: if it is the same as before, no fork was dropped before the page was listed.
    const [reply, found] = await pool.batch([page, getSignatureSlot(signature)], signal);
    return [reply, found.by !== reply.by || !found.ok || found.value !== slot];
  };

  accept(newest, isWhole);

  return {
    /** Whether the list reaches the cursor, or the account's first transaction. */
    get isListed(): boolean {
      return isListed;
    },
    /** Final transactions listed so far. */
    get listedCount(): number {
      return listedCount + partial.length;
    },
    /** Whether every page has been taken. */
    get isEmpty(): boolean {
      return waiting.length === 0;
    },
    /** Listed transactions that are not final yet, newest first. */
    get provisional(): readonly SignatureInfo[] {
      return [...provisional.values()];
    },
    /** The oldest listed transaction, final or not. */
    get oldest(): SignatureInfo | null {
      return oldest;
    },
    /**
     * Lists the next older page. @returns `lost` if the list has changed
     * @throws {HistoryGapError} if the list ends above the indexed part
     */
    async listOne(signal: AbortSignal): Promise<'listed' | 'lost'> {
      // If the newest page was not full, little is expected above the cursor, or the node caps its pages.
      const limit = Math.min(pageSize, Math.max(SHORT_PAGE, newest.length));
      // Without `until`, the list shows whether it reaches the cursor's slot. A node that has dropped older history ends its
      // list as if there were nothing older.
      const above = start.at;
      const page = pageCall(address, null, { before: above?.signature, limit });
      const [reply, isMoved] =
        above && !above.isFinalized
          ? await pageBelow(above, page, signal)
          : [...(await pool.batch([page], signal)), false];
      if (isMoved) return 'lost';
      const rows = readPage(reply, null);
      if (rows === 'lost') {
        if (above && !above.isFinalized) return 'lost';
        throw new HistoryGapError(reply.by, address);
      }
      // The page begins with the slot that the last page may have cut, unless the node has dropped that slot since.
      const cut = oldest && above && above.slot > oldest.slot ? oldest.slot : null;
      if (cut !== null && !rows.some(({ slot }) => slot === cut))
        throw new HistoryGapError(reply.by, address);
      const isAtCursor = cursor !== null && rows.some(({ slot }) => slot === cursor.slot);
      const isPastCursor = cursor !== null && rows.some(({ slot }) => slot < cursor.slot);
      if (isPastCursor && !isAtCursor) throw new HistoryGapError(reply.by, address);
      const known = new Set([...partial, ...provisional.values()].map(({ signature }) => signature));
      const upper = waiting.at(-1)?.slot ?? Infinity;
      const older = rows.filter(
        ({ signature, slot }) => slot < upper && slot > (cursor?.slot ?? -1) && !known.has(signature),
      );
      // Nodes may limit the size of pages. So a short page ends the list only if the page before it had no new rows either.
      const isEmpty = rows.length === 0 || (older.length === 0 && start.hasRepeated && rows.length < limit);
      const oldestSlot = partial.length > 0 || !oldest ? partial : [oldest];
      if (!cursor && isEmpty) await checkBeginning(oldestSlot, reply.by, signal);
      if (cursor && rows.length === 0) throw new HistoryGapError(reply.by, address);
      if (older.length > 0 || isAtCursor || (!cursor && isEmpty)) {
        accept(older, isAtCursor || (!cursor && isEmpty), rows);
        return 'listed';
      }
      if (start.hasRepeated) return 'lost';
      start.move(rows, false);
      return 'listed';
    },
    /**
     * Takes the oldest page, with its rows newest first. Returns `head` if only the newest page is left and is not in memory:
     * it may have grown, and has to be listed again. Returns `lost` if the page has fewer transactions than before.
     */
    async take(signal: AbortSignal): Promise<readonly SignatureInfo[] | 'head' | 'lost'> {
      if (!inMemory && waiting.length <= 1) return waiting.length === 0 ? [] : 'head';
      const begun = ahead;
      // Cleared first, so that a failed page is listed again.
      ahead = null;
      const rows = inMemory ?? (await (begun ?? listAgain(signal)));
      inMemory = null;
      if (rows === 'lost') return 'lost';
      const end = waiting.pop();
      if (end) taken.push(end);
      if (waiting.length > 1) {
        ahead = listAgain(signal);
        // A failure is handled where `ahead` is awaited.
        ahead.catch(() => {});
      }
      return rows;
    },
    /** Marks the oldest taken page as done. */
    done(): void {
      taken.shift();
    },
    /** Puts back the taken pages that are not done, to list them again. @returns whether several pages are waiting */
    giveBack(): boolean {
      waiting.push(...taken.splice(0).reverse());
      inMemory = null;
      ahead = null;
      return waiting.length > 1;
    },
  };
}
