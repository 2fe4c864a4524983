import type { ChainAlarm, ChainEvent, QuarantinedTransaction } from '../../data/store/chain-rows.ts';
import type { IndexWriter } from '../../data/store/ports.ts';
import type { WatchedAccount } from '../chain/classify.ts';
import type { DecodedTransaction } from '../chain/decode.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import type { PoolReply } from '../rpc/json-rpc.ts';
import { FILTER_TRANSACTION_NOT_FOUND } from '../rpc/rpc-errors.ts';
import { getSignaturesForAddress, getTransaction, type SignatureInfo } from '../rpc/solana-calls.ts';
import { type ReportedStatuses, statusQuery } from './history-proof.ts';
import { countBeforeInSlot } from './signature-pages.ts';
import { activityOf, readTransactionResult } from './transaction-window.ts';

/** A transaction that left quarantine. */
interface Released {
  readonly signature: string;
  readonly account: string;
  /** Whether it vanished from the chain; otherwise it was read. */
  readonly isGone: boolean;
}

/** The delay after this many attempts, from 1. The first attempt is made at once. */
const retryDelayMs = (attempts: number): number =>
  Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempts - 1, 30));
const FIRST_WAIT_MS = 5_000;
const MAX_WAIT_MS = 10 * 60_000;
/**
 * Denials in a row before a transaction counts as vanished. Each comes from an endpoint that proves that it has that
 * part of history, and no endpoint contradicts it.
 */
const ABSENCES_TO_RELEASE = 3;
const MAX_PER_ROUND = 20;
const PAGE = 1_000;

interface RetryState {
  attempts: number;
  dueAt: number;
  absences: number;
}

type Activity = { readonly events: readonly ChainEvent[]; readonly alarms: readonly ChainAlarm[] };
const NOTHING: Activity = { events: [], alarms: [] };

/** Retries quarantined transactions. */
export function createQuarantineKeeper(options: {
  readonly pool: Pick<EndpointPool, 'requestFromEach' | 'batch'>;
  readonly writer: Pick<IndexWriter, 'quarantined' | 'releaseQuarantined' | 'cursor' | 'finalEvent'>;
  readonly mint: string;
  readonly watched: readonly WatchedAccount[];
}) {
  const { pool, writer, mint, watched } = options;
  const retryStates = new Map<string, RetryState>();
  let held: readonly QuarantinedTransaction[] | null = null;

  const keyOf = ({ signature, account }: Pick<QuarantinedTransaction, 'signature' | 'account'>) =>
    `${signature} ${account}`;
  const retryStateOf = (transaction: QuarantinedTransaction): RetryState => {
    const key = keyOf(transaction);
    const state = retryStates.get(key) ?? { attempts: 0, dueAt: Number.NEGATIVE_INFINITY, absences: 0 };
    retryStates.set(key, state);
    return state;
  };

  /** A transaction's events and alarms in its current slot; null if they are not known yet. */
  const resolve = async (
    transaction: DecodedTransaction,
    row: QuarantinedTransaction,
    isFinalized: boolean,
    signal: AbortSignal,
  ): Promise<Activity | null> => {
    // A transaction that failed on one fork may succeed on another.
    if (transaction.hasFailed) return isFinalized ? NOTHING : null;
    const account = watched.find(({ address }) => address === row.account);
    if (!account) return null;
    const { signature, slot } = transaction;
    let { position } = row;
    if (slot !== row.slot) {
      const cursor = await writer.cursor(row.account);
      // A transaction past the cursor will be listed anyway.
      if (cursor === null || slot > cursor.slot) return null;
      const before = await countBeforeInSlot(pool, { account: row.account, signature, slot }, PAGE, signal);
      if (before === null) return null;
      position = before;
    }
    const status = isFinalized ? 'finalized' : 'confirmed';
    return activityOf(transaction, { signature, position }, status, account);
  };

  return {
    /** Reads the list from the store again, because a transaction was quarantined. */
    refresh(): void {
      held = null;
    },
    /** Retries the transactions that are due. Must not run concurrently with the histories. */
    async retryDue(signal: AbortSignal): Promise<readonly Released[]> {
      held ??= await writer.quarantined();
      const due = held.filter((one) => retryStateOf(one).dueAt <= performance.now()).slice(0, MAX_PER_ROUND);
      if (due.length === 0) return [];
      const query = await statusQuery(writer, due, due);
      const answers = await pool.requestFromEach<unknown[]>(
        [
          ...query.calls,
          ...due.map(({ signature }) => getTransaction(signature)),
          ...due.map(({ account, signature }) =>
            getSignaturesForAddress(account, { before: signature, limit: 1 }),
          ),
        ],
        signal,
      );
      const beyond = query.calls.length;
      const released: Released[] = [];
      for (const [index, row] of due.entries()) {
        const retry = retryStateOf(row);
        retry.attempts += 1;
        retry.dueAt = performance.now() + retryDelayMs(retry.attempts);
        const verdict = judge(
          answers.map(({ replies }) => ({
            statuses: query.read(replies),
            transaction: replies[beyond + index],
            listing: replies[beyond + due.length + index] as EndpointAnswer['listing'],
          })),
          row,
          mint,
        );
        retry.absences = verdict.kind === 'denied' ? retry.absences + 1 : 0;
        const isGone = retry.absences >= ABSENCES_TO_RELEASE;
        const found = isGone
          ? NOTHING
          : verdict.kind === 'read' && (await resolve(verdict.transaction, row, verdict.isFinalized, signal));
        if (!found) continue;
        await writer.releaseQuarantined(row, found);
        retryStates.delete(keyOf(row));
        held = null;
        released.push({ signature: row.signature, account: row.account, isGone });
      }
      return released;
    },
  };
}

type Verdict =
  | { readonly kind: 'read'; readonly transaction: DecodedTransaction; readonly isFinalized: boolean }
  /** An endpoint with that part of history neither returns nor lists it, and no other endpoint knows it. */
  | { readonly kind: 'denied' }
  | { readonly kind: 'unclear' };

/** One endpoint's answers about a transaction. */
interface EndpointAnswer {
  readonly statuses: ReportedStatuses;
  readonly transaction: PoolReply<unknown> | undefined;
  /** The next older transaction in the endpoint's list. */
  readonly listing: PoolReply<readonly SignatureInfo[]> | undefined;
}

function judge(answers: readonly EndpointAnswer[], row: QuarantinedTransaction, mint: string): Verdict {
  let denials = 0;
  let isKnown = false;
  for (const { statuses, transaction: reply, listing } of answers) {
    const status = statuses.statusOf(row.signature);
    if (reply?.ok && reply.value !== null) {
      const reading = readTransactionResult(reply.value, row.signature, mint);
      if (reading.ok) {
        const isFinalized =
          status?.kind === 'known' && status.isFinalized && status.slot === reading.transaction.slot;
        return { kind: 'read', transaction: reading.transaction, isFinalized };
      }
      isKnown = true;
    }
    if (status?.kind === 'known' || (listing && isListed(listing, row))) isKnown = true;
    if (statuses.provesAbsence(row) && reply?.ok && listing && isUnlisted(listing, row)) denials += 1;
  }
  return denials > 0 && !isKnown ? { kind: 'denied' } : { kind: 'unclear' };
}

/** Whether the list before a transaction shows that the node knows it. */
function isListed(listing: PoolReply<readonly SignatureInfo[]>, { slot }: QuarantinedTransaction): boolean {
  const [older] = listing.ok ? listing.value : [];
  return older !== undefined && older.slot <= slot;
}

/** Older nodes ignore an unknown transaction and list from the newest one. */
function isUnlisted(listing: PoolReply<readonly SignatureInfo[]>, { slot }: QuarantinedTransaction): boolean {
  if (!listing.ok) return listing.error.code === FILTER_TRANSACTION_NOT_FOUND;
  const [newest] = listing.value;
  return newest !== undefined && newest.slot > slot;
}
