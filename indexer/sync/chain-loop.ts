import { StartError } from '../../data/runtime/exit-codes.ts';
import type { Logger } from '../../data/runtime/log.ts';
import type { IndexIdentity, IndexWriter } from '../../data/store/ports.ts';
import type { WatchedAccount } from '../chain/classify.ts';
import { pauseOrStop } from '../pause.ts';
import { backoffDelay } from '../rpc/backoff.ts';
import { type EndpointPool, type PoolReply, resultOf } from '../rpc/endpoint-pool.ts';
import { RetryableRpcError, RpcRequestError } from '../rpc/rpc-errors.ts';
import { getSlot, type SignatureInfo } from '../rpc/solana-calls.ts';
import { type AccountHistory, createAccountHistory, type HistoryProgress } from './account-history.ts';
import { createSettler } from './settle.ts';
import { createSnapshotKeeper } from './snapshot.ts';
import { createWindowReader } from './transaction-window.ts';

export interface ChainLoopOptions {
  readonly pool: EndpointPool;
  readonly writer: IndexWriter;
  readonly identity: IndexIdentity;
  readonly pollMs: number;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Told of every snapshot committed; the next one waits for it. */
  readonly onSnapshot?: (slot: number) => void | Promise<void>;
  /** Sizes other than those that suit a real node, for tests. */
  readonly sizes?: Partial<LoopSizes>;
}

export interface LoopSizes {
  readonly pageSize: number;
  readonly windowSize: number;
  readonly batchSize: number;
  readonly budgetMs: number;
}

/** A page is as long as nodes allow; two requests of a hundred transactions make a commit. */
const SIZES: LoopSizes = { pageSize: 1_000, windowSize: 200, batchSize: 100, budgetMs: 1_000 };
/** Provisional events are looked at this often; finality takes more than ten seconds. */
const SETTLE_MS = 2_000;
/**
 * The longest pause after failures in a row: short, since the parts that work pause with the one that fails.
 */
const LONGEST_PAUSE_MS = 3_000;

/** The accounts whose histories are indexed. */
export function watchedAccounts({ vault, poolVault }: IndexIdentity): readonly WatchedAccount[] {
  return [
    { address: vault, role: 'vault' },
    { address: poolVault, role: 'stake-pool-vault' },
  ];
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
  const { pool, writer, identity, pollMs, signal, onSnapshot = () => {} } = options;
  const snapshots = createSnapshotKeeper({ pool, writer, identity });
  const { guarded, failuresInARow } = createGuard(options);
  const round = async () => {
    await guarded('snapshot', async () => {
      const [accounts] = await pool.batch([snapshots.accountsCall()], signal);
      const slot = await snapshots.update(accounts, signal);
      if (slot !== null) await onSnapshot(slot);
    });
    return { isBehind: false, failures: failuresInARow() };
  };
  await repeat(round, pollMs, signal);
}

/** Indexes the histories, and settles what is provisional between two looks at them. */
async function followHistories(options: ChainLoopOptions): Promise<void> {
  const { pool, writer, identity, pollMs, log, signal } = options;
  const { pageSize, windowSize, batchSize, budgetMs } = { ...SIZES, ...options.sizes };
  const histories = watchedAccounts(identity).map((watched) => ({
    role: watched.role,
    history: createAccountHistory({
      address: watched.address,
      pool,
      writer,
      reader: createWindowReader({ pool, mint: identity.mint, watched, batchSize }),
      pageSize,
      windowSize,
      budgetMs,
    }),
    report: progressReporter(log, watched.role),
  }));
  const settler = createSettler({ pool, writer });
  const { guarded, failuresInARow } = createGuard(options);
  let settledAt = Number.NEGATIVE_INFINITY;

  // Never beside a history at work: where something vanished, the store moves the cursors back.
  const settle = async (finalizedSlot: number): Promise<void> => {
    if (performance.now() - settledAt < SETTLE_MS) return;
    settledAt = performance.now();
    const { vanished } = await settler.settle(finalizedSlot, signal);
    if (vanished === 0) return;
    log.warn({ vanished }, 'transactions vanished from the chain; their events were removed');
    for (const { history } of histories) history.reload();
  };

  const round = async (): Promise<Round> => {
    const askedAt = Date.now();
    const asked = await guarded('heads', () =>
      askWhatIsNew(
        pool,
        histories.map(({ history }) => history),
        signal,
      ),
    );
    if (!asked) return { isBehind: false, failures: failuresInARow() };
    const outcomes = await Promise.all(
      histories.map(({ role, history, report }, index) =>
        guarded(role, async () => {
          const progress = await history.advance(asked.heads[index] ?? null, askedAt, signal);
          report(progress);
          return progress;
        }),
      ),
    );
    await guarded('settle', () => settle(resultOf(asked.finalizedSlot)));
    const isBehind = outcomes.some((progress) => progress?.state === 'behind');
    return { isBehind, failures: failuresInARow() };
  };
  await repeat(round, pollMs, signal);
}

interface Round {
  /** More is known to be there. */
  readonly isBehind: boolean;
  /** Failures in a row of the part that failed most often. */
  readonly failures: number;
}

async function repeat(round: () => Promise<Round>, pollMs: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const startedAt = performance.now();
    const { isBehind, failures } = await round();
    if (isBehind && failures === 0) continue;
    const backoff = failures === 0 ? 0 : backoffDelay(failures, Math.random, { longestMs: LONGEST_PAUSE_MS });
    await pauseOrStop(Math.max(0, startedAt + Math.max(pollMs, backoff) - performance.now()), signal);
  }
}

/** Runs parts of the work so that what fails in one is told and tried again, and goes no further. */
function createGuard({ log, signal }: Pick<ChainLoopOptions, 'log' | 'signal'>) {
  const faults = faultReporter(log);
  return {
    failuresInARow: faults.inARow,
    guarded: async <T>(part: string, work: () => Promise<T>): Promise<T | undefined> => {
      try {
        const result = await work();
        faults.clear(part);
        return result;
      } catch (error) {
        if (error instanceof StartError) throw error;
        // Told to stop: what was under way ended with the signal, which is no fault.
        if (!signal.aborted) faults.tell(part, error);
        return undefined;
      }
    },
  };
}

interface Asked {
  readonly finalizedSlot: PoolReply<number>;
  /** The newest page of each history, null where it is not wanted now. */
  readonly heads: readonly (PoolReply<readonly SignatureInfo[]> | null)[];
}

async function askWhatIsNew(
  pool: EndpointPool,
  histories: readonly AccountHistory[],
  signal: AbortSignal,
): Promise<Asked> {
  const headCalls = await Promise.all(histories.map((history) => history.headCall()));
  const [finalizedSlot, ...answers] = await pool.batch<[number, ...(readonly SignatureInfo[])[]]>(
    [getSlot('finalized'), ...headCalls.filter((call) => call !== null)],
    signal,
  );
  const rest = [...answers];
  return { finalizedSlot, heads: headCalls.map((call) => (call ? (rest.shift() ?? null) : null)) };
}

/** Tells how a backfill gets on, and once about a transaction that cannot be read. */
function progressReporter(log: Logger, account: string): (progress: HistoryProgress) => void {
  let transactions = 0;
  let stuckOn: string | null = null;
  return (progress) => {
    transactions += progress.transactions;
    if (progress.state === 'behind' && progress.transactions > 0) {
      log.info({ account, transactions }, 'reading history');
    }
    if (progress.stuckOn && progress.stuckOn.signature !== stuckOn) {
      log.warn({ account, ...progress.stuckOn }, 'a transaction cannot be read; the account waits for it');
    }
    stuckOn = progress.stuckOn?.signature ?? null;
    if (progress.events > 0) log.debug({ account, events: progress.events }, 'events committed');
  };
}

/** Tells a fault once while it lasts, and when it is over. */
function faultReporter(log: Logger) {
  const standing = new Map<string, { kind: string; times: number }>();
  return {
    tell(part: string, error: unknown): void {
      const message = error instanceof Error ? error.message : String(error);
      const before = standing.get(part);
      // Endpoints word one trouble in many ways; what they mean by it is one.
      const kind = error instanceof RetryableRpcError ? `${error.fault} ${error.code}` : message;
      standing.set(part, { kind, times: (before?.times ?? 0) + 1 });
      if (before?.kind === kind) return;
      // What the chain's endpoints do needs no stack; anything else may be a fault of the program.
      const isOutside = error instanceof RetryableRpcError || error instanceof RpcRequestError;
      if (isOutside) log.warn({ part, reason: message }, 'a part of indexing failed; it is tried again');
      else log.error({ part, err: error }, 'a part of indexing failed; it is tried again');
    },
    clear(part: string): void {
      if (standing.delete(part)) log.info({ part }, 'works again');
    },
    inARow: (): number => Math.max(0, ...[...standing.values()].map(({ times }) => times)),
  };
}
