import type { Logger } from '../../data/runtime/log.ts';
import type { IndexIdentity } from '../../data/store/chain-rows.ts';
import type { IndexWriter } from '../../data/store/ports.ts';
import type { BackfillProgress } from '../backfill-progress.ts';
import type { WatchedAccount } from '../chain/classify.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import type { PoolReply, RpcCall } from '../rpc/json-rpc.ts';
import { getSlot, type SignatureInfo } from '../rpc/solana-calls.ts';
import {
  type AccountHistory,
  createAccountHistory,
  type HeadReply,
  type HistoryProgress,
} from './account-history.ts';
import { createQuarantineKeeper } from './quarantine.ts';
import { createGuard, type Round, repeatRounds } from './rounds.ts';
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
  /** The figures that show that the history lacks transactions; null if there are none. It is then listed again. */
  readonly takeMissing?: () => readonly string[] | null;
  readonly progress?: BackfillProgress;
  /** For tests: overrides `LOOP_SIZES`. */
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

/**
 * Indexes the chain until the signal aborts. Two parts run side by side, each with its own requests and pauses: the account
 * snapshot, and the histories. A failing part does not stop the others: it is logged once and
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
    onStakesProblem(reason) {
      if (reason === null) log.info('the stake entries can be read again');
      else log.error({ reason }, 'the stake entries cannot be read; figures of stakes are unavailable');
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

/** The accounts with an indexed history. */
function watchedAccounts({ vault, poolVault }: IndexIdentity): readonly WatchedAccount[] {
  return [
    { address: vault, role: 'vault' },
    { address: poolVault, role: 'stake-pool-vault' },
  ];
}

/** Indexes the histories. */
async function followHistories(options: ChainLoopOptions): Promise<void> {
  const { pool, writer, identity, pollMs, log, signal, onHistoryRead = () => {}, retryPolicy } = options;
  const { takeMissing = () => null } = options;
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
  const quarantine = createQuarantineKeeper({ pool, writer, mint, watched });
  const { guarded, failuresInARow } = createGuard(options);

  const releaseReadable = async (): Promise<void> => {
    for (const released of await quarantine.retryDue(signal)) {
      log.info({ ...released }, 'a quarantined transaction was read');
    }
  };

  const relistMissing = async (): Promise<void> => {
    const missing = takeMissing();
    if (missing === null) return;
    log.warn({ missing }, 'the balances do not add up to the history; it is listed again');
    for (const history of histories) await history.restart();
  };

  const round = async (): Promise<Round> => {
    await guarded('relist', relistMissing);
    const requested = await guarded('heads', () => requestHeads(pool, histories, signal));
    if (!requested) return { isBehind: false, failures: failuresInARow() };
    const outcomes = await Promise.all(
      followed.map(({ role, history, report }, index) =>
        guarded(role, async () => {
          const progress = await history.advance(requested[index] ?? null, signal);
          report(progress);
          if (progress.quarantined.length > 0) quarantine.refresh();
          if (progress.state === 'caught-up' && (await history.recheckBeginning(signal))) {
            log.warn({ account: role }, 'an endpoint has older transactions; the history is listed again');
          }
          return progress;
        }),
      ),
    );
    await guarded('quarantine', releaseReadable);
    const slot = readUpTo(outcomes);
    if (slot !== null) onHistoryRead(slot);
    const isBehind = outcomes.some((progress) => progress?.state === 'behind');
    return { isBehind, failures: failuresInARow() };
  };
  await repeatRounds(round, pollMs, signal);
}

/** The slot up to which every history is final in the index; null if one is not caught up. */
function readUpTo(outcomes: readonly (HistoryProgress | undefined)[]): number | null {
  const slots = outcomes.flatMap((outcome) => outcome?.readUpTo ?? []);
  return slots.length === outcomes.length ? Math.min(...slots) : null;
}

/**
 * Requests the newest page of each history, with the finalized slot, from one node in one batch. Null for a history that needs
 * none.
 */
async function requestHeads(
  pool: EndpointPool,
  histories: readonly AccountHistory[],
  signal: AbortSignal,
): Promise<readonly (HeadReply | null)[]> {
  const calls = await Promise.all(histories.map((history) => history.headCall()));
  const pages: readonly RpcCall<readonly SignatureInfo[]>[] = calls.filter((call) => call !== null);
  if (pages.length === 0) return calls.map(() => null);
  const requestedAt = Date.now();
  const replies = await pool.batch<unknown[]>([getSlot('finalized'), ...pages], signal);
  // Replies keep the order of the calls.
  const [finalizedSlot, ...pageReplies] = replies as readonly [
    PoolReply<number>,
    ...PoolReply<readonly SignatureInfo[]>[],
  ];
  return calls.map((call) => {
    const page = call && pageReplies[pages.indexOf(call)];
    return page ? { page, finalizedSlot, requestedAt } : null;
  });
}
