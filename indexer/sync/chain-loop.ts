import type { ConfiguredEndpoint } from '../../data/config/endpoints.ts';
import { FRESHNESS } from '../../data/model/value-state.ts';
import type { Logger } from '../../data/runtime/log.ts';
import type { IndexIdentity } from '../../data/store/chain-rows.ts';
import type { IndexWriter } from '../../data/store/ports.ts';
import type { BackfillProgress } from '../backfill-progress.ts';
import type { WatchedAccount } from '../chain/classify.ts';
import { followAccountUpdates } from '../rpc/account-updates.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import type { BulkSource } from '../rpc/helius-history.ts';
import type { PoolReply, RpcCall } from '../rpc/json-rpc.ts';
import { type SignatureInfo, slotCall } from '../rpc/solana-calls.ts';
import {
  type AccountHistory,
  createAccountHistory,
  type HeadReply,
  type HistoryProgress,
} from './account-history.ts';
import { createListingSchedule, type ListingSchedule } from './listing-schedule.ts';
import { createQuarantineKeeper } from './quarantine.ts';
import {
  createGuard,
  createRoundTrigger,
  type RoundResult,
  type RoundTrigger,
  repeatRounds,
} from './rounds.ts';
import { followedAddresses } from './snapshot.ts';
import { createSnapshotKeeper } from './snapshot-keeper.ts';
import { createWindowReader } from './transaction-window.ts';

interface ChainLoopOptions {
  readonly pool: EndpointPool;
  readonly writer: IndexWriter;
  readonly identity: IndexIdentity;
  /** Endpoints that report account changes over a websocket. If there are none, the accounts are only polled. */
  readonly websocketEndpoints?: readonly ConfiguredEndpoint[];
  readonly pollMs: number;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** The source that is tried first for final transactions. */
  readonly bulkSource?: BulkSource | undefined;
  /** Called after each committed snapshot. The next snapshot waits until the call has ended. */
  readonly onSnapshot?: (slot: number) => void | Promise<void>;
  /** Called after each round in which all transactions up to a finalized slot were indexed or quarantined. */
  readonly onHistoryRead?: (upToFinalizedSlot: number) => void;
  /** The slot up to which a caller needs the history (see `onHistoryRead`). Null if no caller waits. */
  readonly wantedSlot?: () => number | null;
  /**
   * Returns the names of the balances that the history does not explain, and clears the list; null if there are none. If it
   * returns any names, the loop lists the whole history again.
   */
  readonly takeUnexplainedFigures?: () => readonly string[] | null;
  readonly progress?: BackfillProgress;
  /** For tests: overrides `LOOP_SIZES`. */
  readonly sizes?: Partial<LoopSizes>;
}

export interface LoopSizes {
  /** Signatures per page, at most 1000. */
  readonly pageSize: number;
  /** Transactions per commit. */
  readonly windowSize: number;
  /** How many windows are fetched ahead while one is committed. */
  readonly windowsAhead: number;
  /** Transactions per request. */
  readonly batchSize: number;
  /** Concurrent requests for one history. */
  readonly requestsAtOnce: number;
  /** The time (ms) to work on one history in each round. */
  readonly budgetMs: number;
}

/**
 * Signature pages are as long as nodes allow. Signatures are stored on random database pages, so larger commits write fewer
 * pages per transaction. One commit has 500 transactions, which take five requests. Up to ten requests run concurrently, for
 * two windows, because the responses to more requests would not fit in V8's young generation.
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
 * How many rounds pass between two listings of an account's transactions: while some are provisional, and while nothing changes.
 */
const PROVISIONAL_ROUNDS = 5;
const QUIET_ROUNDS = 200;
/** The shortest time (ms) between two rounds, even if accounts change more often. */
const MIN_ROUND_MS = 250;
/**
 * Milliseconds between two readings of the accounts while a websocket reports changes. The portal still shows data of this age as
 * live.
 */
const WEBSOCKET_POLL_MS = FRESHNESS.chain.intervalMs * 1.6;

interface FollowedAccount extends WatchedAccount {
  /** The account's index among the snapshot's accounts. */
  readonly index: number;
  readonly schedule: ListingSchedule;
}

interface PartOptions extends ChainLoopOptions {
  readonly followedAccounts: readonly FollowedAccount[];
  /** Starts the next round for the histories early when an account has changed. */
  readonly historyTrigger: RoundTrigger;
}

/**
 * Indexes the chain until the signal aborts. Two parts run concurrently, each with its own requests and pauses: the account
 * snapshot, and the histories. A failure in one part does not stop the other part. A failure is logged once, and the part is
 * retried in a later round. A round starts every `pollMs`, or immediately while a history is behind. While a websocket reports
 * changes, the accounts are read less often. The history of an account is listed after each change, then repeatedly until its
 * transactions are final, and otherwise rarely.
 *
 * @throws {StartError} if the store can no longer be used
 */
export async function runChainLoop(options: ChainLoopOptions): Promise<void> {
  // Stops the other part when one part ends.
  const endController = new AbortController();
  const signal = AbortSignal.any([options.signal, endController.signal]);
  const intervals = {
    provisionalMs: PROVISIONAL_ROUNDS * options.pollMs,
    quietMs: QUIET_ROUNDS * options.pollMs,
  };
  const followedAccounts = watchedAccounts(options.identity).map((account) => ({
    ...account,
    index: followedAddresses(options.identity).indexOf(account.address),
    schedule: createListingSchedule(intervals),
  }));
  const shared = { ...options, followedAccounts, historyTrigger: createRoundTrigger(), signal };
  const runPart = async (work: (options: PartOptions) => Promise<void>): Promise<void> => {
    try {
      await work(shared);
    } finally {
      endController.abort();
    }
  };
  const outcomes = await Promise.allSettled([runPart(followAccounts), runPart(followHistories)]);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

async function followAccounts(options: PartOptions): Promise<void> {
  const {
    pool,
    writer,
    identity,
    pollMs,
    log,
    signal,
    followedAccounts,
    historyTrigger,
    websocketEndpoints = [],
  } = options;
  const { onSnapshot = () => {} } = options;
  const accountTrigger = createRoundTrigger();
  const addresses = followedAddresses(identity);
  const updates =
    websocketEndpoints.length > 0
      ? followAccountUpdates({
          endpoints: websocketEndpoints,
          isTrusted: (name) => !pool.health().some((one) => one.name === name && one.state === 'distrusted'),
          addresses,
          onChange: accountTrigger.trigger,
          log,
          signal,
        })
      : null;
  const minIntervalMs = Math.min(pollMs, MIN_ROUND_MS);
  const intervalMs = (): number => (updates?.isLive() ? Math.max(pollMs, WEBSOCKET_POLL_MS) : pollMs);
  const snapshotKeeper = createSnapshotKeeper({ pool, writer, identity, log });
  const { attemptPart, failuresInARow } = createGuard(options);
  const round = async () => {
    await attemptPart('snapshot', async () => {
      const readAt = Date.now();
      const [accounts] = await pool.batch([snapshotKeeper.accountsCall()], signal);
      if (accounts.ok) {
        const { slot, value } = accounts.value;
        for (const { schedule, index } of followedAccounts) {
          if (schedule.noteAccount({ slot, value: value[index] ?? null }, readAt)) historyTrigger.trigger();
        }
      }
      const slot = await snapshotKeeper.update(accounts, signal);
      if (slot !== null) await onSnapshot(slot);
    });
    return { isBehind: false, failureCount: failuresInARow() };
  };
  await repeatRounds(
    round,
    { name: 'poll accounts', intervalMs, minIntervalMs, trigger: accountTrigger },
    signal,
  );
  await updates?.ended;
}

/** Reports the progress of backfills, and logs each unreadable transaction once. */
function historyReporter(
  log: Logger,
  account: string,
  progress: BackfillProgress | undefined,
): (outcome: HistoryProgress) => void {
  let blockedBy: string | null = null;
  return (outcome) => {
    const { state, transactionCount, remainingCount, eventCount } = outcome;
    progress?.report(account, { transactionCount, remainingCount, isCaughtUp: state === 'caught-up' });
    for (const { signature, slot, reason } of outcome.quarantined) {
      log.warn({ account, signature, slot, reason }, 'an unreadable transaction was quarantined');
    }
    if (outcome.blockedBy && outcome.blockedBy.signature !== blockedBy) {
      log.warn(
        { account, ...outcome.blockedBy },
        'a transaction cannot be read; the indexing of its account is waiting',
      );
    }
    blockedBy = outcome.blockedBy?.signature ?? null;
    if (eventCount > 0) log.debug({ account, events: eventCount }, 'events committed');
  };
}

function watchedAccounts({ vault, poolVault }: IndexIdentity): readonly WatchedAccount[] {
  return [
    { address: vault, role: 'vault' },
    { address: poolVault, role: 'stake-pool-vault' },
  ];
}

async function followHistories(options: PartOptions): Promise<void> {
  const { pool, writer, identity, pollMs, log, signal, onHistoryRead = () => {} } = options;
  const {
    takeUnexplainedFigures = () => null,
    wantedSlot = () => null,
    historyTrigger,
    bulkSource,
  } = options;
  const { batchSize, requestsAtOnce, ...sizes } = { ...LOOP_SIZES, ...options.sizes };
  const { mint } = identity;
  const watched = watchedAccounts(identity);
  const followedHistories = options.followedAccounts.map((account) => ({
    role: account.role,
    schedule: account.schedule,
    isCaughtUp: false,
    history: createAccountHistory({
      address: account.address,
      pool,
      writer,
      reader: createWindowReader({ pool, mint, watched: account, batchSize, requestsAtOnce, bulkSource }),
      mint,
      ...sizes,
      onRelistingGivenUp: (error) =>
        log.warn(
          { account: account.role, reason: String(error) },
          'the whole history could not be listed again; indexing continues from the newest stored transaction',
        ),
    }),
    report: historyReporter(log, account.role, options.progress),
  }));
  const quarantine = createQuarantineKeeper({ pool, writer, mint, watched });
  const { attemptPart, failuresInARow } = createGuard(options);

  const releaseReadable = async (): Promise<void> => {
    for (const released of await quarantine.retryDue(signal)) {
      log.info({ ...released }, 'a quarantined transaction was read');
    }
  };

  const relistMissing = async (): Promise<void> => {
    const missing = takeUnexplainedFigures();
    if (missing === null) return;
    log.warn({ missing }, 'the history does not add up to the balances; listing it again');
    for (const one of followedHistories) {
      one.history.restart();
      one.isCaughtUp = false;
    }
  };

  const round = async (): Promise<RoundResult> => {
    await attemptPart('relist', relistMissing);
    const wanted = wantedSlot();
    const due = followedHistories.filter(({ isCaughtUp, schedule }) => !isCaughtUp || schedule.isDue(wanted));
    const heads = await attemptPart('heads', () => requestHeads(pool, due, signal));
    if (!heads) return { isBehind: false, failureCount: failuresInARow() };
    const outcomes = await Promise.all(
      due.map((one, index) =>
        attemptPart(one.role, async () => {
          const { role, history, schedule, report } = one;
          one.isCaughtUp = false;
          const progress = await history.advance(heads[index] ?? null, signal);
          report(progress);
          if (progress.listing === null) return progress;
          schedule.noteListing(progress.listing);
          one.isCaughtUp = !(await history.recheckBeginning(signal));
          if (!one.isCaughtUp) {
            log.warn({ account: role }, 'an endpoint has older transactions; the history is listed again');
          }
          return progress;
        }),
      ),
    );
    // A part may have quarantined transactions before it failed.
    if (outcomes.some((progress) => !progress || progress.quarantined.length > 0)) quarantine.refresh();
    for (const one of followedHistories) {
      const { quietAsOf } = one.schedule;
      if (due.includes(one) || quietAsOf === null) continue;
      await attemptPart(one.role, () => one.history.noteQuiet(quietAsOf));
    }
    await attemptPart('quarantine', releaseReadable);
    if (due.length > 0 && followedHistories.every(({ isCaughtUp }) => isCaughtUp)) {
      const slots = followedHistories.flatMap(({ schedule }) => schedule.readUpToSlot ?? []);
      if (slots.length === followedHistories.length) onHistoryRead(Math.min(...slots));
    }
    const isBehind = outcomes.some((progress) => progress?.state === 'behind');
    return { isBehind, failureCount: failuresInARow() };
  };
  const minIntervalMs = Math.min(pollMs, MIN_ROUND_MS);
  await repeatRounds(
    round,
    { name: 'poll histories', intervalMs: () => pollMs, minIntervalMs, trigger: historyTrigger },
    signal,
  );
}

/**
 * Requests the newest page of each history and the finalized slot in one batch. Returns null for a history that needs
 * no page.
 */
async function requestHeads(
  pool: EndpointPool,
  due: readonly { readonly history: AccountHistory }[],
  signal: AbortSignal,
): Promise<readonly (HeadReply | null)[]> {
  const calls = await Promise.all(due.map(({ history }) => history.headCall()));
  const pageCalls: readonly RpcCall<readonly SignatureInfo[]>[] = calls.filter((call) => call !== null);
  if (pageCalls.length === 0) return calls.map(() => null);
  const requestedAt = Date.now();
  const replies = await pool.batch<unknown[]>([slotCall('finalized'), ...pageCalls], signal);
  // Replies keep the order of the calls.
  const [finalizedSlot, ...pageReplies] = replies as readonly [
    PoolReply<number>,
    ...PoolReply<readonly SignatureInfo[]>[],
  ];
  return calls.map((call) => {
    const page = call && pageReplies[pageCalls.indexOf(call)];
    return page ? { page, finalizedSlot, requestedAt } : null;
  });
}
