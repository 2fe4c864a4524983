import type { Cursor } from '../../data/store/chain-rows.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import type { PoolReply, RpcCall } from '../rpc/json-rpc.ts';
import { FILTER_TRANSACTION_NOT_FOUND } from '../rpc/rpc-errors.ts';
import { type SignatureInfo, signatureSlotCall, signaturesCall } from '../rpc/solana-calls.ts';

/**
 * An endpoint's list lacks transactions that are indexed, that were listed before, or that another endpoint has. Indexing
 * the list would leave a gap.
 */
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

/** Requests a page of signatures that are newer than the cursor. The page starts below `before`, or with the newest signature. */
export function pageCall(
  address: string,
  cursor: Cursor | null,
  { before, limit }: { readonly before?: string | undefined; readonly limit: number },
): RpcCall<readonly SignatureInfo[]> {
  return signaturesCall(address, {
    ...(cursor && { until: cursor.signature }),
    ...(before && { before }),
    limit,
  });
}

/** Requests the newest transaction older than `before`, or the newest of all if `before` is undefined. */
export function newestBelowCall(
  address: string,
  before: string | undefined,
): RpcCall<readonly SignatureInfo[]> {
  return signaturesCall(address, { ...(before && { before }), limit: 1 });
}

/**
 * A page's rows that are newer than the cursor's slot, newest first. `lost` means that the node does not know the transaction at
 * which the page starts or stops. In that case, older node versions return no error, but ignore `until` and list everything.
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
  // Rows are compared by slot. The cursor's slot is indexed as a whole, and nodes may order its transactions differently.
  const slot = cursor?.slot ?? -1;
  return reply.value.some((row) => row.slot < slot) ? 'lost' : reply.value.filter((row) => row.slot > slot);
}

type Position = Pick<SignatureInfo, 'signature' | 'slot'> & { readonly isFinalized?: boolean };

/** The minimum number of signatures to request below the newest page. */
const MIN_PAGE_SIZE = 20;

/**
 * Tracks the transaction below which the next older page starts. A page may end in the middle of its oldest slot (the cut
 * slot). So the next page starts above the cut slot and repeats it. Otherwise, if a node changed the order within the slot,
 * some transactions could be on neither page. The start does not move until a page reaches below the cut slot. The next page
 * starts in the middle of a slot only if the slot fills a whole page.
 */
function createPageStart(first?: Position) {
  let position = first;
  let cutSlot: number | undefined;
  let hasRepeated = false;
  return {
    get position(): Position | undefined {
      return position;
    },
    /** Whether the last page had only rows that earlier pages already had. */
    get hasRepeated(): boolean {
      return hasRepeated;
    },
    /** @param hasNewRows whether the page has rows that earlier pages did not have */
    move(page: readonly Position[], hasNewRows: boolean): void {
      const last = page.at(-1);
      if (!last) return;
      if (!hasNewRows || !position || position.slot === last.slot || cutSlot !== last.slot) {
        position = page.findLast(({ slot }) => slot !== last.slot) ?? last;
      }
      cutSlot = last.slot;
      hasRepeated = !hasNewRows;
    },
  };
}

/**
 * Separates the final transactions of a list from the provisional ones. Rows must be passed newest first. Transactions may become
 * final while they are listed, so a slot with a provisional transaction is provisional as a whole. All transactions older than a
 * final one are final, even if a lagging node does not report them as final.
 */
function createFinalityFilter() {
  const provisional = new Map<string, SignatureInfo>();
  let oldestProvisionalSlot: number | null = null;
  let hasFinal = false;
  return {
    /** Newest first. */
    get provisional(): readonly SignatureInfo[] {
      return [...provisional.values()];
    },
    isFinal(row: SignatureInfo): boolean {
      hasFinal ||= row.isFinalized && oldestProvisionalSlot !== row.slot;
      if (!hasFinal) {
        provisional.set(row.signature, row);
        oldestProvisionalSlot = row.slot;
      }
      return hasFinal;
    },
  };
}

/** The oldest transaction of a page. No older page contains transactions of the same slot. */
interface PageEnd extends Position {
  readonly count: number;
}

/** A stack of listed pages, with the oldest page on top. Only the oldest page's rows may be in memory. */
function createPageStack(pageSize: number) {
  /** Newest first. */
  const waiting: PageEnd[] = [];
  /** Pages that are being processed, oldest first. */
  const processing: PageEnd[] = [];
  let topRows: readonly SignatureInfo[] | null = null;
  return {
    /** The number of pages that have not been taken. */
    get size(): number {
      return waiting.length;
    },
    get top(): PageEnd | undefined {
      return waiting.at(-1);
    },
    /** The page below the top page in the stack: the next newer one. */
    get second(): PageEnd | undefined {
      return waiting.at(-2);
    },
    /** The rows of the top page; null if they are not in memory. */
    get topRows(): readonly SignatureInfo[] | null {
      return topRows;
    },
    /**
     * Adds rows older than the top page. They join the top page if its rows are in memory and it stays smaller than the page
     * size. Otherwise they form a new page.
     */
    push(rows: readonly SignatureInfo[]): void {
      const last = rows.at(-1);
      if (!last) return;
      const isSamePage = topRows !== null && topRows.length + rows.length < pageSize;
      if (isSamePage) waiting.pop();
      topRows = isSamePage ? [...(topRows ?? []), ...rows] : rows;
      waiting.push({ signature: last.signature, slot: last.slot, count: topRows.length });
    },
    take(): void {
      const top = waiting.pop();
      if (top) processing.push(top);
      topRows = null;
    },
    /** Marks the oldest taken page as done. */
    markDone(): void {
      processing.shift();
    },
    giveBack(): void {
      waiting.push(...processing.splice(0).reverse());
      topRows = null;
    },
  };
}

interface ListedAccount {
  readonly address: string;
  readonly pool: Pick<EndpointPool, 'batch'>;
  readonly pageSize: number;
  readonly cursor: Cursor | null;
}

type PageRows = readonly SignatureInfo[] | 'lost';

/**
 * Lists a page again, from below `above` (the end of the next newer page) down to the slot of `end` (the end of this page).
 * Returns `lost` if the page has fewer transactions than before.
 */
async function listPageAgain(
  { address, pool, pageSize, cursor }: ListedAccount,
  { above, end }: { readonly above: PageEnd | undefined; readonly end: PageEnd | undefined },
  signal: AbortSignal,
): Promise<PageRows> {
  const rows = new Map<string, SignatureInfo>();
  const start = createPageStart(above);
  for (;;) {
    const call = pageCall(address, cursor, { before: start.position?.signature, limit: pageSize });
    const [reply] = await pool.batch([call], signal);
    const more = readPage(reply, cursor);
    if (more === 'lost') throw new HistoryGapError(reply.endpointName, address);
    const size = rows.size;
    for (const row of more) {
      const isInPage = row.slot >= (end?.slot ?? 0) && row.slot < (above?.slot ?? Infinity);
      if (isInPage) rows.set(row.signature, row);
    }
    const last = more.at(-1);
    const hasNewRows = rows.size > size;
    const isEnd = !last || last.slot < (end?.slot ?? 0);
    if (isEnd || (start.hasRepeated && !hasNewRows)) break;
    start.move(more, hasNewRows);
  }
  return end && rows.size < end.count ? 'lost' : [...rows.values()];
}

/**
 * The reply to a request for older rows. `isMoved`: whether the provisional transaction above these rows may have moved to a
 * different slot.
 */
interface OlderReply {
  readonly reply: PoolReply<readonly SignatureInfo[]>;
  readonly isMoved: boolean;
}

/** Requests rows that are older than `above`, including rows that are older than the cursor. */
async function requestBelow(
  { address, pool }: ListedAccount,
  above: Position | undefined,
  limit: number,
  signal: AbortSignal,
): Promise<OlderReply> {
  const page = pageCall(address, null, { before: above?.signature, limit });
  if (!above || above.isFinalized) {
    const [reply] = await pool.batch([page], signal);
    return { reply, isMoved: false };
  }
  // A provisional transaction may have moved to a different slot since it was listed. So its slot is requested again, after the
  // page in the same batch. If the slot is the same as before, no fork was dropped before the page was listed.
  const [reply, slotReply] = await pool.batch([page, signatureSlotCall(above.signature)], signal);
  return {
    reply,
    isMoved: slotReply.endpointName !== reply.endpointName || !slotReply.ok || slotReply.value !== above.slot,
  };
}

export type SignaturePages = ReturnType<typeof createSignaturePages>;

/**
 * Lists the final transactions that are newer than the cursor, newest first, and returns their pages oldest first. For a long
 * history, only one signature per page stays in memory. Each page is listed again when it is needed, while the previous page is
 * being processed.
 *
 * No returned page contains only a part of a slot, because nodes may order the transactions within a slot differently in each
 * answer.
 */
export function createSignaturePages(
  options: ListedAccount & {
    /** Newest first. */
    readonly newestPage: readonly SignatureInfo[];
    readonly reachesCursor: boolean;
    /**
     * Called at the end of a list without a cursor, with the rows of its oldest slot.
     * @throws {HistoryGapError} if older transactions are known
     */
    readonly checkBeginning: (
      oldest: readonly SignatureInfo[],
      endpoint: string,
      signal: AbortSignal,
    ) => Promise<void>;
  },
) {
  const { address, pageSize, cursor, newestPage, checkBeginning } = options;
  const stack = createPageStack(pageSize);
  const finality = createFinalityFilter();
  const start = createPageStart();
  /** Final rows of the oldest listed slot. The next older page may have more rows of the same slot. */
  let partialSlotRows: readonly SignatureInfo[] = [];
  /** The oldest listed row, final or not. */
  let oldest: SignatureInfo | null = null;
  let isListed = false;
  let pushedCount = 0;
  /** The page to take next, requested in advance. */
  let nextPageRequest: Promise<PageRows> | null = null;

  /**
   * Adds rows that are older than all rows so far.
   * @param isEnd whether the list is complete with these rows
   * @param page the whole page, which may repeat known rows in a different order
   */
  const addRows = (rows: readonly SignatureInfo[], isEnd: boolean, page = rows): void => {
    oldest = rows.at(-1) ?? oldest;
    const finalRows = [...partialSlotRows, ...rows.filter(finality.isFinal)];
    const oldestSlot = isEnd ? -1 : finalRows.at(-1)?.slot;
    const completeSlotRows = finalRows.filter(({ slot }) => slot !== oldestSlot);
    stack.push(completeSlotRows);
    pushedCount += completeSlotRows.length;
    start.move(page, true);
    partialSlotRows = finalRows.filter(({ slot }) => slot === oldestSlot);
    isListed = isEnd;
  };

  /** The rows of a page that are newer than the cursor and were on no earlier page. */
  const unknownRows = (page: readonly SignatureInfo[]): readonly SignatureInfo[] => {
    const known = new Set([...partialSlotRows, ...finality.provisional].map(({ signature }) => signature));
    const upper = stack.top?.slot ?? Infinity;
    return page.filter(
      ({ signature, slot }) => slot < upper && slot > (cursor?.slot ?? -1) && !known.has(signature),
    );
  };

  /** Whether a page below `above` lacks transactions that are indexed or already listed. */
  const hasGap = (page: readonly SignatureInfo[], above: Position | undefined): boolean => {
    const includes = (wanted: number) => page.some(({ slot }) => slot === wanted);
    // The previous page may have cut a slot, so this page must have rows of that slot. If it has none, the node has dropped the
    // slot in the meantime.
    const lacksCutSlot = oldest !== null && above && above.slot > oldest.slot && !includes(oldest.slot);
    if (lacksCutSlot) return true;
    if (!cursor) return false;
    const isPastCursor = page.length === 0 || page.some(({ slot }) => slot < cursor.slot);
    return isPastCursor && !includes(cursor.slot);
  };

  const listTop = (signal: AbortSignal) =>
    listPageAgain(options, { above: stack.second, end: stack.top }, signal);

  addRows(newestPage, options.reachesCursor);

  return {
    /** Whether the list reaches the cursor, or the account's first transaction. */
    get isListed(): boolean {
      return isListed;
    },
    /** How many final transactions have been listed so far. */
    get listedCount(): number {
      return pushedCount + partialSlotRows.length;
    },
    /** Whether every page has been taken. */
    get isEmpty(): boolean {
      return stack.size === 0;
    },
    /** Newest first. */
    get provisional(): readonly SignatureInfo[] {
      return finality.provisional;
    },
    get oldest(): SignatureInfo | null {
      return oldest;
    },
    /**
     * Lists the next older page. @returns `lost` if the list has changed
     * @throws {HistoryGapError} if the list ends above the indexed part
     */
    async listNextPage(signal: AbortSignal): Promise<'listed' | 'lost'> {
      // If the newest page was not full, a page of that length is enough: few transactions remain above the cursor, or the
      // node limits the size of pages.
      const limit = Math.min(pageSize, Math.max(MIN_PAGE_SIZE, newestPage.length));
      const above = start.position;
      // The request has no lower limit, so that it shows whether the list reaches the cursor's slot. With the cursor as the
      // limit, the list of a node that has dropped older history would look complete.
      const { reply, isMoved } = await requestBelow(options, above, limit, signal);
      if (isMoved) return 'lost';
      const page = readPage(reply, null);
      if (page === 'lost') {
        if (above && !above.isFinalized) return 'lost';
        throw new HistoryGapError(reply.endpointName, address);
      }
      if (hasGap(page, above)) throw new HistoryGapError(reply.endpointName, address);
      const rows = unknownRows(page);
      // Nodes may limit the size of pages. So a short page ends the list only if the page before it had no new rows either.
      const isEmpty = page.length === 0 || (rows.length === 0 && start.hasRepeated && page.length < limit);
      const isBeginning = !cursor && isEmpty;
      if (isBeginning) {
        await checkBeginning(
          partialSlotRows.length > 0 || !oldest ? partialSlotRows : [oldest],
          reply.endpointName,
          signal,
        );
      }
      const isAtCursor = cursor !== null && page.some(({ slot }) => slot === cursor.slot);
      const isEnd = isAtCursor || isBeginning;
      if (rows.length > 0 || isEnd) addRows(rows, isEnd, page);
      else if (start.hasRepeated) return 'lost';
      else start.move(page, false);
      return 'listed';
    },
    /**
     * Takes the oldest page, with its rows newest first. Returns `head` if only the newest page is left and is not in memory:
     * it may have grown, and has to be listed again. Returns `lost` if the page has fewer transactions than before.
     */
    async take(signal: AbortSignal): Promise<readonly SignatureInfo[] | 'head' | 'lost'> {
      if (!stack.topRows && stack.size <= 1) return stack.size === 0 ? [] : 'head';
      const pendingRequest = nextPageRequest;
      // Cleared first, so that a failed page is listed again.
      nextPageRequest = null;
      const rows = stack.topRows ?? (await (pendingRequest ?? listTop(signal)));
      if (rows === 'lost') return 'lost';
      stack.take();
      if (stack.size > 1) {
        nextPageRequest = listTop(signal);
        // A failure is handled where `nextPageRequest` is awaited.
        nextPageRequest.catch(() => {});
      }
      return rows;
    },
    markDone: stack.markDone,
    /** Puts back the taken pages that are not done, so that they are listed again. @returns whether several pages are waiting */
    giveBack(): boolean {
      stack.giveBack();
      nextPageRequest = null;
      return stack.size > 1;
    },
  };
}
