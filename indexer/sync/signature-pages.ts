import type { Cursor } from '../../data/store/chain-rows.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import type { PoolReply, RpcCall } from '../rpc/json-rpc.ts';
import { FILTER_TRANSACTION_NOT_FOUND } from '../rpc/rpc-errors.ts';
import { getSignatureSlot, getSignaturesForAddress, type SignatureInfo } from '../rpc/solana-calls.ts';

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

/** A page of signatures that are newer than the cursor; `before` is a newer transaction, or undefined for the newest page. */
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

/** Lists the next older transaction. @param before the newest one if undefined */
export function belowCall(address: string, before: string | undefined): RpcCall<readonly SignatureInfo[]> {
  return getSignaturesForAddress(address, { ...(before && { before }), limit: 1 });
}

/**
 * A page's rows that are newer than the cursor's slot, newest first. `lost`: the node does not know the transaction at which
 * the page starts or stops. Older nodes then ignore `until` and list everything.
 * @throws {RpcRequestError} if the node refused the call for a reason other than an unknown signature
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

type Place = Pick<SignatureInfo, 'signature' | 'slot'> & { readonly isFinalized?: boolean };

/** Signatures requested where only the cursor's slot is expected. */
const SHORT_PAGE = 20;

/**
 * The transaction at which the next older page starts: the oldest one above the slot that the last page may have cut. It stays
 * until a page reaches below that slot, as a different order would put transactions of the slot on neither page. If a slot fills
 * a page, the next one starts in the middle of it.
 */
function createPageStart(first?: Place) {
  let at = first;
  let cutSlot: number | undefined;
  let hasRepeated = false;
  return {
    get at(): Place | undefined {
      return at;
    },
    /** Whether the last page brought nothing new. */
    get hasRepeated(): boolean {
      return hasRepeated;
    },
    /** @param isNew whether the page has rows that earlier ones had not */
    move(page: readonly Place[], isNew: boolean): void {
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

/** The oldest transaction of the whole slots that are listed so far. */
interface Mark extends Place {
  /** The number of transactions in the page that ends with it. */
  readonly count: number;
}

interface TakenPage {
  readonly rows: readonly SignatureInfo[] | 'lost';
}

export type SignaturePages = ReturnType<typeof createSignaturePages>;

/**
 * Lists the final transactions after the cursor newest first, and returns them oldest first. Of a long history, only one
 * signature per page stays in memory. Each page is listed again when it is needed, while the page before it is read.
 *
 * A page never splits a slot: nodes may order the transactions within a slot differently, even from one answer to the next.
 */
export function createSignaturePages(options: {
  readonly address: string;
  readonly pool: Pick<EndpointPool, 'batch'>;
  readonly pageSize: number;
  readonly cursor: Cursor | null;
  /** The newest page, newest first. */
  readonly newest: readonly SignatureInfo[];
  /** Whether nothing is between the newest page and the cursor. */
  readonly isWhole: boolean;
  /**
   * Called at the end of a list without a cursor, with the rows of its oldest slot.
   * @throws {HistoryGapError} if the list is known to lack older ones
   */
  readonly checkBeginning: (
    oldest: readonly SignatureInfo[],
    endpoint: string,
    signal: AbortSignal,
  ) => Promise<void>;
}) {
  const { address, pool, pageSize, cursor, newest, isWhole, checkBeginning } = options;
  const marks: Mark[] = [];
  /** The rows of the oldest page, while they are in memory. */
  let inMemory: readonly SignatureInfo[] | null = null;
  /** Rows of the oldest listed slot, which may have older ones. */
  let partial: readonly SignatureInfo[] = [];
  const start = createPageStart();
  let oldest: SignatureInfo | null = null;
  let isListed = false;
  let listedCount = 0;
  const provisional = new Map<string, SignatureInfo>();
  /** The oldest provisional slot so far. */
  let provisionalSlot: number | null = null;
  let hasFinal = false;
  /** Marks of the pages that are being processed, oldest first. */
  const taken: Mark[] = [];
  let ahead: Promise<TakenPage> | null = null;

  const push = (rows: readonly SignatureInfo[]): void => {
    const last = rows.at(-1);
    if (!last) return;
    listedCount += rows.length;
    const isOnePage = inMemory !== null && inMemory.length + rows.length < pageSize;
    if (isOnePage) marks.pop();
    inMemory = isOnePage ? [...(inMemory ?? []), ...rows] : rows;
    marks.push({ signature: last.signature, slot: last.slot, count: inMemory.length });
  };

  /**
   * Called newest first. The chain may make transactions final while it is listed, so a slot with a provisional one is
   * provisional as a whole. Whatever is older than a final transaction is final, even if a node that lags does not say so.
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
   * Takes in the next older rows of a page, which may repeat a slot in a different order.
   * @param isEnd whether nothing that is older is missing
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

  /** Lists a page again: the slots from its mark's to the one below the next newer page. */
  const listAgain = async (signal: AbortSignal): Promise<TakenPage> => {
    const [above, mark] = [marks.at(-2), marks.at(-1)];
    const rows = new Map<string, SignatureInfo>();
    const from = createPageStart(above);
    for (;;) {
      const call = pageCall(address, cursor, { before: from.at?.signature, limit: pageSize });
      const [reply] = await pool.batch([call], signal);
      const more = readPage(reply, cursor);
      if (more === 'lost') throw new HistoryGapError(reply.by, address);
      const size = rows.size;
      for (const row of more) {
        const isInPage = row.slot >= (mark?.slot ?? 0) && row.slot < (above?.slot ?? Infinity);
        if (isInPage) rows.set(row.signature, row);
      }
      const last = more.at(-1);
      const isNew = rows.size > size;
      const isEnd = !last || last.slot < (mark?.slot ?? 0);
      if (isEnd || (from.hasRepeated && !isNew)) break;
      from.move(more, isNew);
    }
    return { rows: mark && rows.size < mark.count ? 'lost' : [...rows.values()] };
  };

  /** Lists a page below a transaction that is not final, and may have landed in a different slot since it was listed. */
  const pageBelow = async (
    { signature, slot }: Place,
    page: RpcCall<readonly SignatureInfo[]>,
    signal: AbortSignal,
  ): Promise<readonly [PoolReply<readonly SignatureInfo[]>, isMoved: boolean]> => {
    // The slot is requested last: if it is as before, no fork was dropped before the page was listed.
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
      return marks.length === 0;
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
      // After a page that was not full, little is expected above the cursor. Or the node caps its pages.
      const limit = Math.min(pageSize, Math.max(SHORT_PAGE, newest.length));
      // Without `until`, so that the list shows whether it reaches the cursor's slot. A node that has lost older history ends
      // its list as if there were nothing older.
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
      const isAtCursor = cursor !== null && rows.some(({ slot }) => slot === cursor.slot);
      const isPastCursor = cursor !== null && rows.some(({ slot }) => slot < cursor.slot);
      if (isPastCursor && !isAtCursor) throw new HistoryGapError(reply.by, address);
      const known = new Set([...partial, ...provisional.values()].map(({ signature }) => signature));
      const upper = marks.at(-1)?.slot ?? Infinity;
      const older = rows.filter(
        ({ signature, slot }) => slot < upper && slot > (cursor?.slot ?? -1) && !known.has(signature),
      );
      // Nodes may cap a page, so a short one does not end the list, unless it repeats a slot from two starts.
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
     * Takes the oldest page; its rows are newest first. `head` if only the newest page is left and is not in memory: it may
     * have grown, and has to be listed again. `lost` if the page now has fewer transactions.
     */
    async take(signal: AbortSignal): Promise<readonly SignatureInfo[] | 'head' | 'lost'> {
      if (!inMemory && marks.length <= 1) return marks.length === 0 ? [] : 'head';
      const begun = ahead;
      // Cleared first, so that a failed page is listed again.
      ahead = null;
      const { rows } = inMemory ? { rows: inMemory } : await (begun ?? listAgain(signal));
      inMemory = null;
      if (rows === 'lost') return 'lost';
      const mark = marks.pop();
      if (mark) taken.push(mark);
      if (marks.length > 1) {
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
    /** Puts back the taken pages that are not done. They are listed again. @returns whether there are several */
    giveBack(): boolean {
      marks.push(...taken.splice(0).reverse());
      inMemory = null;
      ahead = null;
      return marks.length > 1;
    },
  };
}
