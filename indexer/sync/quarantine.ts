import type { ChainAlarm, ChainEvent, QuarantinedTransaction } from '../../data/store/chain-rows.ts';
import type { IndexWriter } from '../../data/store/ports.ts';
import type { WatchedAccount } from '../chain/classify.ts';
import type { DecodedTransaction } from '../chain/decode.ts';
import type { EndpointPool, PoolReply } from '../rpc/endpoint-pool.ts';
import { FILTER_TRANSACTION_NOT_FOUND } from '../rpc/rpc-errors.ts';
import { getSignaturesForAddress, getTransaction, type SignatureInfo } from '../rpc/solana-calls.ts';
import { statusQuestion, type ToldStatuses } from './history-proof.ts';
import { readTelling, tellingsOf } from './read-transaction.ts';
import { countBeforeInSlot } from './signature-pages.ts';

/** A transaction that left quarantine, and whether the chain turned out not to have it any more. */
export interface Released {
  readonly signature: string;
  readonly account: string;
  readonly isGone: boolean;
}

/** Asks again for the transactions that were put aside. */
export interface QuarantineKeeper {
  /** Asks for those whose time has come. Never beside a history at work. */
  work(signal: AbortSignal): Promise<readonly Released[]>;
  /** Reads the list again: something was put aside. */
  changed(): void;
}

/** How long to wait after a number of tries, from 1; the first try is made at once. */
const againMs = (tries: number): number =>
  Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(tries - 1, 30));
const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 10 * 60_000;
/**
 * How often in a row a transaction has to be denied before it counts as gone: by an endpoint that proves that it has that
 * part of history, and contradicted by none.
 */
const DENIALS_TO_RELEASE = 3;
/** Asked for in one round. */
const MOST_AT_ONCE = 20;
const PAGE = 1_000;

interface Watch {
  tries: number;
  dueAt: number;
  denials: number;
}

type Found = { readonly events: readonly ChainEvent[]; readonly alarms: readonly ChainAlarm[] };
const NOTHING: Found = { events: [], alarms: [] };

export function createQuarantineKeeper(options: {
  readonly pool: Pick<EndpointPool, 'askEach' | 'batch'>;
  readonly writer: Pick<IndexWriter, 'quarantined' | 'releaseQuarantined' | 'cursor' | 'finalEvent'>;
  readonly mint: string;
  readonly watched: readonly WatchedAccount[];
  /** Milliseconds of a clock that never steps back. */
  readonly elapsed?: (() => number) | undefined;
}): QuarantineKeeper {
  const { pool, writer, mint, watched, elapsed = performance.now.bind(performance) } = options;
  const watches = new Map<string, Watch>();
  let held: readonly QuarantinedTransaction[] | null = null;

  const keyOf = ({ signature, account }: Pick<QuarantinedTransaction, 'signature' | 'account'>) =>
    `${signature} ${account}`;
  const watchOf = (transaction: QuarantinedTransaction): Watch => {
    const key = keyOf(transaction);
    const watch = watches.get(key) ?? { tries: 0, dueAt: Number.NEGATIVE_INFINITY, denials: 0 };
    watches.set(key, watch);
    return watch;
  };

  /** What a transaction did, at the place where it is; null where that cannot be told yet. */
  const foundOf = async (
    transaction: DecodedTransaction,
    row: QuarantinedTransaction,
    isFinalized: boolean,
    signal: AbortSignal,
  ): Promise<Found | null> => {
    // What failed on a fork may succeed on the other.
    if (transaction.hasFailed) return isFinalized ? NOTHING : null;
    const account = watched.find(({ address }) => address === row.account);
    if (!account) return null;
    const { signature, slot } = transaction;
    let { position } = row;
    if (slot !== row.slot) {
      const cursor = await writer.cursor(row.account);
      // Beyond the cursor it is listed in its turn.
      if (cursor === null || slot > cursor.slot) return null;
      const before = await countBeforeInSlot(pool, { account: row.account, signature, slot }, PAGE, signal);
      if (before === null) return null;
      position = before;
    }
    const status = isFinalized ? 'finalized' : 'confirmed';
    return tellingsOf(transaction, { signature, position }, status, account);
  };

  return {
    changed() {
      held = null;
    },
    async work(signal) {
      held ??= await writer.quarantined();
      const due = held.filter((one) => watchOf(one).dueAt <= elapsed()).slice(0, MOST_AT_ONCE);
      if (due.length === 0) return [];
      const question = await statusQuestion(writer, due, due);
      const answers = await pool.askEach<unknown[]>(
        [
          ...question.calls,
          ...due.map(({ signature }) => getTransaction(signature)),
          ...due.map(({ account, signature }) =>
            getSignaturesForAddress(account, { before: signature, limit: 1 }),
          ),
        ],
        signal,
      );
      const beyond = question.calls.length;
      const released: Released[] = [];
      for (const [index, row] of due.entries()) {
        const watch = watchOf(row);
        watch.tries += 1;
        watch.dueAt = elapsed() + againMs(watch.tries);
        const verdict = judge(
          answers.map(({ replies }) => ({
            told: question.read(replies),
            transaction: replies[beyond + index],
            listing: replies[beyond + due.length + index] as Answer['listing'],
          })),
          row,
          mint,
        );
        watch.denials = verdict.kind === 'denied' ? watch.denials + 1 : 0;
        const isGone = watch.denials >= DENIALS_TO_RELEASE;
        const found = isGone
          ? NOTHING
          : verdict.kind === 'read' && (await foundOf(verdict.transaction, row, verdict.isFinalized, signal));
        if (!found) continue;
        await writer.releaseQuarantined(row, found);
        watches.delete(keyOf(row));
        held = null;
        released.push({ signature: row.signature, account: row.account, isGone });
      }
      return released;
    },
  };
}

type Verdict =
  | { readonly kind: 'read'; readonly transaction: DecodedTransaction; readonly isFinalized: boolean }
  /** An endpoint with that part of history neither has it nor lists it, and none knows it. */
  | { readonly kind: 'denied' }
  | { readonly kind: 'unclear' };

/** What one endpoint told of a transaction. */
interface Answer {
  readonly told: ToldStatuses;
  readonly transaction: PoolReply<unknown> | undefined;
  /** The one transaction that it lists below. */
  readonly listing: PoolReply<readonly SignatureInfo[]> | undefined;
}

function judge(answers: readonly Answer[], row: QuarantinedTransaction, mint: string): Verdict {
  let denials = 0;
  let isKnown = false;
  for (const { told, transaction: reply, listing } of answers) {
    const status = told.statusOf(row.signature);
    if (reply?.ok && reply.value !== null) {
      const telling = readTelling(reply.value, row.signature, mint);
      if (telling.ok) {
        const isFinalized =
          status?.kind === 'known' && status.isFinalized && status.slot === telling.transaction.slot;
        return { kind: 'read', transaction: telling.transaction, isFinalized };
      }
      isKnown = true;
    }
    if (status?.kind === 'known' || (listing && isListed(listing, row))) isKnown = true;
    if (told.denies(row) && reply?.ok && listing && isUnlisted(listing, row)) denials += 1;
  }
  return denials > 0 && !isKnown ? { kind: 'denied' } : { kind: 'unclear' };
}

/** Whether a list from a transaction on tells that the node knows it as one of the account. */
function isListed(listing: PoolReply<readonly SignatureInfo[]>, { slot }: QuarantinedTransaction): boolean {
  const [older] = listing.ok ? listing.value : [];
  return older !== undefined && older.slot <= slot;
}

/** Older nodes ignore a transaction that they do not know, and list from the newest on. */
function isUnlisted(listing: PoolReply<readonly SignatureInfo[]>, { slot }: QuarantinedTransaction): boolean {
  if (!listing.ok) return listing.error.code === FILTER_TRANSACTION_NOT_FOUND;
  const [newest] = listing.value;
  return newest !== undefined && newest.slot > slot;
}
