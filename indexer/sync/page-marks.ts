import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import type { SignatureInfo } from '../rpc/solana-calls.ts';
import {
  belowCall,
  HistoryGapError,
  type LowerBound,
  pageCall,
  readBelow,
  readPage,
  type SignaturePage,
} from './signature-pages.ts';

interface TakenPage {
  readonly rows: readonly SignatureInfo[] | 'lost';
}

/**
 * Lists the pages of a history newest first, and returns them oldest first. Of a long history, only one signature per page
 * stays in memory. Each page is listed again when it is needed, while the page before it is read.
 */
export function createPageMarks(options: {
  readonly address: string;
  readonly pool: EndpointPool;
  readonly pageSize: number;
  readonly bound: LowerBound;
  /** The newest page, newest first and not empty. */
  readonly newest: readonly SignatureInfo[];
  readonly passesBound: boolean;
  /** Whether the index has events older than a transaction. */
  readonly hasEventsBefore: (oldest: SignatureInfo) => Promise<boolean>;
}) {
  const { address, pool, pageSize, newest, hasEventsBefore } = options;
  /** The last (oldest) signature of each page, from the newest page to the oldest listed. */
  const marks = [newest.at(-1)?.signature ?? ''];
  /** The rows of the oldest listed page, while they are in memory. */
  let inMemory: readonly SignatureInfo[] | null = newest;
  let isListed = options.passesBound;
  let listedCount = newest.length;
  let oldest = newest.at(-1);
  /** Marks of the pages being processed, oldest first. */
  const taken: string[] = [];
  /** Whether part of the oldest page is done. */
  let isPartlyDone = false;
  let ahead: Promise<TakenPage> | null = null;

  const fetchPage = async (before: string | undefined, bound: LowerBound, signal: AbortSignal) => {
    const [reply] = await pool.batch([pageCall(address, bound, { before, limit: pageSize })], signal);
    return readPage(reply, bound);
  };

  const listAgain = async (bound: LowerBound, signal: AbortSignal): Promise<TakenPage> => {
    const page = await fetchPage(marks.at(-2), bound, signal);
    if (page.kind === 'lost') return { rows: 'lost' };
    // If the page now ends at a different transaction, taking it would leave a gap, unless that part is done.
    const last = page.rows.at(-1)?.signature;
    if (last === marks.at(-1)) return { rows: page.rows };
    const isWhole = isPartlyDone && (await isNextBelow(last ?? marks.at(-2), bound, signal));
    return { rows: isWhole ? page.rows : 'lost' };
  };

  /** Whether the next older transaction is the bound's. */
  const isNextBelow = async (
    signature: string | undefined,
    bound: LowerBound,
    signal: AbortSignal,
  ): Promise<boolean> => {
    const [reply] = await pool.batch([belowCall(address, signature)], signal);
    const below = readBelow(reply);
    return below !== null && below !== 'lost' && isBound(below, bound);
  };

  /** Lists the next older page. */
  const fetchBelow = async (signal: AbortSignal): Promise<SignaturePage> => {
    const { bound } = options;
    const before = marks.at(-1);
    const call = pageCall(address, bound, { before, limit: pageSize });
    // A node that has lost older history ends its list as if there were nothing older.
    if (bound.until === null) {
      const [reply] = await pool.batch([call], signal);
      const page = readPage(reply, bound);
      const isCutOff = isEnd(page) && oldest !== undefined && (await hasEventsBefore(oldest));
      if (isCutOff) throw new HistoryGapError(reply.by, address);
      return page;
    }
    const [reply, belowReply] = await pool.batch([call, belowCall(address, before)], signal);
    const page = readPage(reply, bound);
    if (!isEnd(page)) return page;
    const below = readBelow(belowReply);
    if (below === null) throw new HistoryGapError(belowReply.by, address);
    return below !== 'lost' && isBound(below, bound) ? page : { kind: 'lost' };
  };

  return {
    /** Whether the list reaches its lower bound. */
    get isListed(): boolean {
      return isListed;
    },
    /** Transactions listed so far. */
    get listedCount(): number {
      return listedCount;
    },
    /** Whether every page has been taken. */
    get isEmpty(): boolean {
      return marks.length === 0;
    },
    /** Lists the next older page. @throws {HistoryGapError} if the list ends above the indexed part */
    async listOne(signal: AbortSignal): Promise<'listed' | 'lost'> {
      const page = await fetchBelow(signal);
      // Only an empty page proves that the list has ended: nodes may cap a page.
      if (page.kind === 'lost' || (options.bound.until !== null && page.passesBound)) return 'lost';
      const last = page.rows.at(-1);
      if (last) {
        marks.push(last.signature);
        oldest = last;
        inMemory = page.rows;
        listedCount += page.rows.length;
      }
      isListed = page.passesBound || last === undefined;
      return 'listed';
    },
    /**
     * Takes the oldest page; its rows are newest first. `lost` if it has changed since it was listed. `head` if only the
     * newest page is left and is not in memory: it may have grown, and has to be listed again.
     */
    async take(bound: LowerBound, signal: AbortSignal): Promise<readonly SignatureInfo[] | 'lost' | 'head'> {
      if (!inMemory && marks.length <= 1) return marks.length === 0 ? [] : 'head';
      const begun = ahead;
      // Cleared first, so that a failed page is listed again.
      ahead = null;
      const { rows } = inMemory ? { rows: inMemory } : await (begun ?? listAgain(bound, signal));
      inMemory = null;
      if (rows === 'lost') return 'lost';
      taken.push(marks.pop() ?? '');
      isPartlyDone = false;
      if (marks.length > 1) {
        ahead = listAgain(options.bound, signal);
        // A failure is handled where `ahead` is awaited.
        ahead.catch(() => {});
      }
      return rows;
    },
    /** Marks the oldest taken page as done. */
    done(): void {
      taken.shift();
    },
    /** Puts back the taken pages that are not done. The oldest is partly done; the rest of it is listed again. */
    giveBack(): void {
      marks.push(...taken.splice(0).reverse());
      isPartlyDone = true;
      inMemory = null;
      ahead = null;
    },
  };
}

function isEnd(page: SignaturePage): boolean {
  return page.kind === 'page' && page.rows.length === 0 && !page.passesBound;
}

/** A changed slot means that the transaction landed again after a fork. Then older ones may have moved too. */
function isBound({ signature, slot }: SignatureInfo, { until, fromSlot }: LowerBound): boolean {
  return signature === until && slot === fromSlot;
}
