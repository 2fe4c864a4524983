import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import type { SignatureInfo } from '../rpc/solana-calls.ts';
import { HistoryGapError } from './history-gap.ts';
import {
  belowCall,
  type LowerBound,
  pageCall,
  readBelow,
  readPage,
  type SignaturePage,
} from './signature-pages.ts';

/**
 * The pages of a history that is listed newest first and worked through oldest first. A long history is remembered by
 * one signature a page; pages are listed again when their turn comes, the next one while one is worked through.
 */
export interface PageMarks {
  /** Whether the list reaches down to its bound. */
  readonly isListed: boolean;
  /** Transactions listed so far. */
  readonly listedCount: number;
  /**
   * Lists one page further down.
   * @throws {HistoryGapError} where the list ends above what is indexed
   */
  listOne(signal: AbortSignal): Promise<'listed' | 'lost'>;
  /**
   * The oldest page that was not taken yet, newest first. `lost` where it is not any more what it was when it was listed;
   * `head` where only the newest page is left and is not at hand: it has grown since, and is to be listed afresh.
   */
  take(bound: LowerBound, signal: AbortSignal): Promise<readonly SignatureInfo[] | 'lost' | 'head'>;
  /** The oldest of the pages taken is worked through. */
  done(): void;
  /** Gives back the pages taken and not done, a part of the oldest being done: what is left of it is listed afresh. */
  giveBack(): void;
  /** Whether every page was taken. */
  readonly isEmpty: boolean;
}

interface Taken {
  readonly rows: readonly SignatureInfo[] | 'lost';
}

export function createPageMarks(options: {
  readonly address: string;
  readonly pool: EndpointPool;
  readonly pageSize: number;
  readonly bound: LowerBound;
  /** The newest page, newest first, and not empty. */
  readonly newest: readonly SignatureInfo[];
  readonly passesBound: boolean;
  /** Whether something is indexed that stands before a transaction. */
  readonly hasEventsBefore: (oldest: SignatureInfo) => Promise<boolean>;
}): PageMarks {
  const { address, pool, pageSize, newest, hasEventsBefore } = options;
  /** The last (oldest) signature of each page, from the newest page to the oldest listed. */
  const marks = [newest.at(-1)?.signature ?? ''];
  /** The oldest listed page, while it is at hand. */
  let atHand: readonly SignatureInfo[] | null = newest;
  let isListed = options.passesBound;
  let listedCount = newest.length;
  let oldest = newest.at(-1);
  /** The marks of pages taken and not done, oldest first. */
  const taken: string[] = [];
  /** Whether a part of the oldest page is done. */
  let isBegun = false;
  let ahead: Promise<Taken> | null = null;

  const fetchPage = async (before: string | undefined, bound: LowerBound, signal: AbortSignal) => {
    const [reply] = await pool.batch([pageCall(address, bound, { before, limit: pageSize })], signal);
    return readPage(reply, bound);
  };

  const listAgain = async (bound: LowerBound, signal: AbortSignal): Promise<Taken> => {
    const page = await fetchPage(marks.at(-2), bound, signal);
    if (page.kind === 'lost') return { rows: 'lost' };
    // A page that does not end where it ended when it was listed would leave a gap, but where that part is done.
    const last = page.rows.at(-1)?.signature;
    if (last === marks.at(-1)) return { rows: page.rows };
    const isWhole = isBegun && (await isNextBelow(last ?? marks.at(-2), bound, signal));
    return { rows: isWhole ? page.rows : 'lost' };
  };

  /** Whether the transaction that a list stops at is the very next one below another. */
  const isNextBelow = async (
    signature: string | undefined,
    bound: LowerBound,
    signal: AbortSignal,
  ): Promise<boolean> => {
    const [reply] = await pool.batch([belowCall(address, signature)], signal);
    const below = readBelow(reply);
    return below !== null && below !== 'lost' && isBound(below, bound);
  };

  /** Lists what is below the marks. */
  const fetchBelow = async (signal: AbortSignal): Promise<SignaturePage> => {
    const { bound } = options;
    const before = marks.at(-1);
    const call = pageCall(address, bound, { before, limit: pageSize });
    // Where a node lost the older part of its history, its list ends as if there were nothing more.
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
    get isListed() {
      return isListed;
    },
    get listedCount() {
      return listedCount;
    },
    get isEmpty() {
      return marks.length === 0;
    },
    async listOne(signal) {
      const page = await fetchBelow(signal);
      // A short page proves nothing (nodes may cap a page), only an empty one does.
      if (page.kind === 'lost' || (options.bound.until !== null && page.passesBound)) return 'lost';
      const last = page.rows.at(-1);
      if (last) {
        marks.push(last.signature);
        oldest = last;
        atHand = page.rows;
        listedCount += page.rows.length;
      }
      isListed = page.passesBound || last === undefined;
      return 'listed';
    },
    async take(bound, signal) {
      if (!atHand && marks.length <= 1) return marks.length === 0 ? [] : 'head';
      const begun = ahead;
      // One that failed is listed anew when it is asked for again.
      ahead = null;
      const { rows } = atHand ? { rows: atHand } : await (begun ?? listAgain(bound, signal));
      atHand = null;
      if (rows === 'lost') return 'lost';
      taken.push(marks.pop() ?? '');
      isBegun = false;
      if (marks.length > 1) {
        ahead = listAgain(options.bound, signal);
        // A failure is met where it is awaited; until then it must not count as unhandled.
        ahead.catch(() => {});
      }
      return rows;
    },
    done() {
      taken.shift();
    },
    giveBack() {
      marks.push(...taken.splice(0).reverse());
      isBegun = true;
      atHand = null;
      ahead = null;
    },
  };
}

function isEnd(page: SignaturePage): boolean {
  return page.kind === 'page' && page.rows.length === 0 && !page.passesBound;
}

/** In another slot it landed again after a fork: then what it bounds is not where it was either. */
function isBound({ signature, slot }: SignatureInfo, { until, fromSlot }: LowerBound): boolean {
  return signature === until && slot === fromSlot;
}
