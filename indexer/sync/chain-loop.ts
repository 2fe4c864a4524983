import type { Logger } from '../../data/runtime/log.ts';
import type { IndexIdentity, PlacedTransaction } from '../../data/store/chain-rows.ts';
import type { IndexWriter } from '../../data/store/ports.ts';
import type { BackfillProgress } from '../backfill-progress.ts';
import type { WatchedAccount } from '../chain/classify.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import type { PoolReply, RpcCall } from '../rpc/json-rpc.ts';
import {
  getSignatureStatuses,
  getSlot,
  type SignatureInfo,
  type SignatureStatus,
} from '../rpc/solana-calls.ts';
import { type AccountHistory, createAccountHistory, type HistoryProgress } from './account-history.ts';
import { createQuarantineKeeper } from './quarantine.ts';
import { createGuard, type Round, repeatRounds } from './rounds.ts';
import { createSettler } from './settle.ts';
import type { HeadQuery, HeadReply } from './signature-pages.ts';
import { createSnapshotKeeper } from './snapshot-keeper.ts';
import { createWindowReader } from './transaction-window.ts';
import type { RetryPolicy } from './unreadable.ts';

interface ChainLoopOptions {
  readonly pool: EndpointPool;
  readonly writer: IndexWriter;
  readonly identity: IndexIdentity;
  readonly pollMs: number;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Called after each committed snapshot; the next one waits for it. */
  readonly onSnapshot?: (slot: number) => void | Promise<void>;
  /** Called after a round once every transaction up to a finalized slot is indexed or quarantined. */
  readonly onHistoryRead?: (upToFinalizedSlot: number) => void;
  readonly progress?: BackfillProgress;
  /** For tests: sizes other than those for a real node. */
  readonly sizes?: Partial<LoopSizes>;
  /** For tests: when an unreadable transaction is quarantined. */
  readonly retryPolicy?: RetryPolicy;
}

export interface LoopSizes {
  /** Signatures a page: at most 1000. */
  readonly pageSize: number;
  /** Transactions a commit. */
  readonly windowSize: number;
  /** Windows fetched ahead while one is committed. */
  readonly windowsAhead: number;
  /** Transactions a request. */
  readonly batchSize: number;
  /** Concurrent requests of one history. */
  readonly requestsAtOnce: number;
  /** Milliseconds of work on a history in one round. */
  readonly budgetMs: number;
}

/**
 * Signature pages are as long as nodes allow. Signatures land on random database pages, so larger commits write fewer pages
 * for each transaction: one commit takes 500 transactions (five requests). Up to ten requests, for two windows, run at once.
 * More responses would not fit in V8's young generation.
 */
export const LOOP_SIZES: LoopSizes = {
  pageSize: 1_000,
  windowSize: 500,
  windowsAhead: 1,
  batchSize: 100,
  requestsAtOnce: 10,
  budgetMs: 1_000,
};
/** Interval of settling provisional events; finality takes more than ten seconds. */
const SETTLE_MS = 2_000;

/**
 * Indexes the chain until the signal aborts. Two parts run side by side, each with its own requests and pauses: the account
 * snapshot, and the histories with their provisional events. A failing part does not stop the others: it is logged once and
 * retried in a later round. A round starts every `pollMs`, or at once while history is behind.
 *
 * @throws {StartError} if the store can no longer be used
 */
export async function runChainLoop(options: ChainLoopOptions): Promise<void> {
  // When one part ends, so does the other.
  const ended = new AbortController();
  const stop = () => ended.abort(options.signal.reason);
  options.signal.addEventListener('abort', stop, { once: true });
  if (options.signal.aborted) stop();
  const part = async (work: (options: ChainLoopOptions) => Promise<void>): Promise<void> => {
    try {
      await work({ ...options, signal: ended.signal });
    } finally {
      ended.abort();
    }
  };
  try {
    const outcomes = await Promise.allSettled([part(followAccounts), part(followHistories)]);
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  } finally {
    options.signal.removeEventListener('abort', stop);
  }
}

/** Keeps the account snapshot up to date. */
async function followAccounts(options: ChainLoopOptions): Promise<void> {
  const { pool, writer, identity, pollMs, log, signal, onSnapshot = () => {} } = options;
  const snapshots = createSnapshotKeeper({
    pool,
    writer,
    identity,
    onContradiction(endpoints) {
      if (endpoints.length === 0) log.info('the endpoints agree on balances again');
      else log.error({ endpoints }, 'the endpoints report different balances; figures wait until they agree');
    },
  });
  const { guarded, failuresInARow } = createGuard(options);
  const round = async () => {
    await guarded('snapshot', async () => {
      const [accounts] = await pool.batch([snapshots.accountsCall()], signal);
      const slot = await snapshots.update(accounts, signal);
      if (slot !== null) await onSnapshot(slot);
    });
    return { isBehind: false, failures: failuresInARow() };
  };
  await repeatRounds(round, pollMs, signal);
}

/** Reports backfill progress. Logs each unreadable transaction once. */
function historyReporter(
  log: Logger,
  account: string,
  progress: BackfillProgress | undefined,
): (outcome: HistoryProgress) => void {
  let blockedBy: string | null = null;
  return (outcome) => {
    const { state, transactions, remaining, events } = outcome;
    progress?.report(account, { transactions, remaining, isCaughtUp: state === 'caught-up' });
    for (const { signature, slot, reason } of outcome.quarantined) {
      log.warn({ account, signature, slot, reason }, 'an unreadable transaction was quarantined');
    }
    if (outcome.blockedBy && outcome.blockedBy.signature !== blockedBy) {
      log.warn({ account, ...outcome.blockedBy }, 'a transaction cannot be read; the account waits for it');
    }
    blockedBy = outcome.blockedBy?.signature ?? null;
    if (events > 0) log.debug({ account, events }, 'events committed');
  };
}

/** Logs when events start to wait for an endpoint with more history, and when none waits any longer. */
export function undecidedReporter(log: Logger): (undecided: readonly PlacedTransaction[]) => void {
  let isWaiting = false;
  return (undecided) => {
    const [oldest] = undecided;
    if (oldest && !isWaiting) {
      const transactions = new Set(undecided.map(({ signature }) => signature)).size;
      log.warn(
        { transactions, signature: oldest.signature, slot: oldest.slot },
        'events stay provisional: no endpoint knows their transactions or has enough history to rule them out. ' +
          'Add an endpoint with full history to SOLANA_RPC_URLS',
      );
    }
    if (!oldest && isWaiting)
      log.info('all events that waited for an endpoint with more history are decided');
    isWaiting = oldest !== undefined;
  };
}

/** The accounts with an indexed history. */
function watchedAccounts({ vault, poolVault }: IndexIdentity): readonly WatchedAccount[] {
  return [
    { address: vault, role: 'vault' },
    { address: poolVault, role: 'stake-pool-vault' },
  ];
}

/** Indexes the histories, and settles provisional events between two rounds. */
async function followHistories(options: ChainLoopOptions): Promise<void> {
  const { pool, writer, identity, pollMs, log, signal, onHistoryRead = () => {}, retryPolicy } = options;
  const { batchSize, requestsAtOnce, ...sizes } = { ...LOOP_SIZES, ...options.sizes };
  const { mint } = identity;
  const watched = watchedAccounts(identity);
  const followed = watched.map((account) => ({
    role: account.role,
    history: createAccountHistory({
      address: account.address,
      pool,
      writer,
      reader: createWindowReader({ pool, mint, watched: account, batchSize, requestsAtOnce }),
      mint,
      retryPolicy,
      ...sizes,
    }),
    report: historyReporter(log, account.role, options.progress),
  }));
  const histories = followed.map(({ history }) => history);
  const settler = createSettler({ pool, writer });
  const quarantine = createQuarantineKeeper({ pool, writer, mint, watched });
  const { guarded, failuresInARow } = createGuard(options);
  let settledAt = Number.NEGATIVE_INFINITY;
  let finalizedSlot: number | null = null;

  const reportUndecided = undecidedReporter(log);

  // Settle before new transactions are listed, and not concurrently with that. If a transaction vanished, the store moves the
  // cursor back, so that the next listing finds its replacement.
  const settle = async (): Promise<void> => {
    if (finalizedSlot === null || performance.now() - settledAt < SETTLE_MS) return;
    settledAt = performance.now();
    const suspects = histories.map((history) => history.suspectCursor()).filter((cursor) => cursor !== null);
    const { vanished, moved, undecided } = await settler.settle(finalizedSlot, suspects, signal);
    reportUndecided(undecided);
    if (vanished > 0) {
      log.warn({ vanished }, 'transactions vanished from the chain; their events were removed');
      for (const history of histories) history.reload();
    }
    for (const [index, { address }] of watched.entries()) {
      const slot = moved.get(address);
      if (slot !== undefined) histories[index]?.relist(slot);
    }
  };

  const releaseReadable = async (): Promise<void> => {
    for (const { signature, account, isGone } of await quarantine.retryDue(signal)) {
      const outcome = isGone ? 'not on the chain any more' : 'read';
      log.info({ account, signature, outcome }, 'a transaction left quarantine');
    }
  };

  const round = async (): Promise<Round> => {
    await guarded('settle', settle);
    const requested = await guarded('heads', () => requestHeads(pool, histories, signal));
    if (!requested) return { isBehind: false, failures: failuresInARow() };
    if (requested.finalizedSlot.ok) finalizedSlot = requested.finalizedSlot.value;
    const outcomes = await Promise.all(
      followed.map(({ role, history, report }, index) =>
        guarded(role, async () => {
          const progress = await history.advance(requested.heads[index] ?? null, signal);
          report(progress);
          if (progress.quarantined.length > 0) quarantine.refresh();
          return progress;
        }),
      ),
    );
    await guarded('quarantine', releaseReadable);
    await guarded('history', async () => {
      const slot = await readUpTo(writer, outcomes);
      if (slot !== null) onHistoryRead(slot);
    });
    const isBehind = outcomes.some((progress) => progress?.state === 'behind');
    return { isBehind, failures: failuresInARow() };
  };
  await repeatRounds(round, pollMs, signal);
}

/** The slot up to which every history is final in the index; null if one is not caught up. */
async function readUpTo(
  writer: Pick<IndexWriter, 'provisionalEvents'>,
  outcomes: readonly (HistoryProgress | undefined)[],
): Promise<number | null> {
  let slot = Number.POSITIVE_INFINITY;
  for (const outcome of outcomes) {
    if (outcome === undefined || outcome.readUpTo === null) return null;
    slot = Math.min(slot, outcome.readUpTo);
  }
  // A provisional event may still vanish.
  const [oldest] = await writer.provisionalEvents(slot, 1);
  return oldest ? Math.min(slot, oldest.slot - 1) : slot;
}

interface Heads {
  readonly finalizedSlot: PoolReply<number>;
  /** The newest page of each history; null if it was not requested. */
  readonly heads: readonly (HeadReply | null)[];
}

/** Requests the finalized slot, the newest pages and the status of the cursors' transactions from one node, in one batch. */
async function requestHeads(
  pool: EndpointPool,
  histories: readonly AccountHistory[],
  signal: AbortSignal,
): Promise<Heads> {
  const queries = await Promise.all(histories.map((history) => history.headQuery()));
  const wanted = queries.filter((query) => query !== null);
  const cursors = wanted.map(({ cursorSignature }) => cursorSignature).filter((one) => one !== null);
  const requestedAt = Date.now();
  const pages: readonly RpcCall<readonly SignatureInfo[]>[] = wanted.map(({ page }) => page);
  const statusCalls = cursors.length === 0 ? [] : [getSignatureStatuses(cursors)];
  const replies = await pool.batch<unknown[]>([getSlot('finalized'), ...pages, ...statusCalls], signal);
  // Replies keep the order of the calls.
  const finalizedSlot = replies[0] as PoolReply<number>;
  const statuses = (cursors.length === 0 ? null : replies.at(-1)) as PoolReply<
    readonly SignatureStatus[]
  > | null;
  const headOf = (query: HeadQuery): HeadReply => ({
    page: replies[1 + wanted.indexOf(query)] as PoolReply<readonly SignatureInfo[]>,
    cursorStatus: statusOf(statuses, cursors.indexOf(query.cursorSignature ?? '')),
    finalizedSlot,
    requestedAt,
  });
  return { finalizedSlot, heads: queries.map((query) => query && headOf(query)) };
}

function statusOf(
  statuses: PoolReply<readonly SignatureStatus[]> | null,
  index: number,
): PoolReply<SignatureStatus> | null {
  if (!statuses || index === -1) return null;
  if (!statuses.ok) return statuses;
  const value = statuses.value[index];
  return value ? { ok: true, value, by: statuses.by } : null;
}
