import type { Logger } from '../../data/runtime/log.ts';
import type { IndexIdentity } from '../../data/store/chain-rows.ts';
import type { IndexWriter } from '../../data/store/ports.ts';
import type { BackfillProgress } from '../progress/backfill-progress.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import { followHistories } from './follow-histories.ts';
import { createGuard, repeatRounds } from './rounds.ts';
import { createSnapshotKeeper } from './snapshot-keeper.ts';
import type { Patience } from './unreadable.ts';

export interface ChainLoopOptions {
  readonly pool: EndpointPool;
  readonly writer: IndexWriter;
  readonly identity: IndexIdentity;
  readonly pollMs: number;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Told of every snapshot committed; the next one waits for it. */
  readonly onSnapshot?: (slot: number) => void | Promise<void>;
  /** Told after each round in which every transaction in slots up to a finalized one was found indexed or quarantined. */
  readonly onHistoryRead?: (upToFinalizedSlot: number) => void;
  /** Shown how the backfill gets on. */
  readonly progress?: BackfillProgress;
  /** Sizes other than those that suit a real node, for tests. */
  readonly sizes?: Partial<LoopSizes>;
  /** How long an unreadable transaction is tried for, where not as on a real chain: for tests. */
  readonly patience?: Patience;
}

export interface LoopSizes {
  /** Signatures a page: at most 1000. */
  readonly pageSize: number;
  /** Transactions a commit. */
  readonly windowSize: number;
  /** Windows on their way while one is committed. */
  readonly windowsAhead: number;
  /** Transactions a request. */
  readonly batchSize: number;
  /** Requests on their way at the same time, of one history. */
  readonly requestsAtOnce: number;
  /** Milliseconds of work on a history in one round. */
  readonly budgetMs: number;
}

/**
 * Follows the chain into the index until the signal aborts. Two parts go on side by side, each with its own
 * requests and pauses: the account snapshot, and the histories with what they left provisional. A part that
 * fails keeps no other part from its work: it is told to the log once and tried again in a later round. Rounds
 * follow every `pollMs`, or at once while history is behind.
 *
 * @throws {StartError} where the store cannot be used any more
 */
export async function runChainLoop(options: ChainLoopOptions): Promise<void> {
  // When one part ends for good, so does the other.
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
      if (endpoints.length === 0) log.info('the endpoints tell the same balances again');
      else log.error({ endpoints }, 'the endpoints tell different balances; figures wait until they agree');
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
