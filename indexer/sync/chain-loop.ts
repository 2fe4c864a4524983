import type { Logger } from '../../data/runtime/log.ts';
import type { IndexIdentity, IndexWriter } from '../../data/store/ports.ts';
import type { WatchedAccount } from '../chain/classify.ts';
import { pauseOrStop } from '../pause.ts';
import { backoffDelay } from '../rpc/backoff.ts';
import { type EndpointPool, type PoolReply, resultOf } from '../rpc/endpoint-pool.ts';
import type { RpcCall } from '../rpc/json-rpc.ts';
import { getSlot, type SignatureInfo } from '../rpc/solana-calls.ts';
import { type AccountHistory, createAccountHistory, type HistoryProgress } from './account-history.ts';
import { createSettler } from './settle.ts';
import { createSnapshotKeeper, type FollowedAccounts } from './snapshot.ts';
import { createWindowReader } from './transaction-window.ts';

export interface ChainLoopOptions {
  readonly pool: EndpointPool;
  readonly writer: IndexWriter;
  readonly identity: IndexIdentity;
  readonly pollMs: number;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Told of every snapshot committed. */
  readonly onSnapshot?: (slot: number) => void;
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
 * Follows the chain into the index until the signal aborts. Each round asks for what is new in one batch,
 * works through it, and brings the account snapshot up to date; rounds follow at once while history is
 * behind, else every `pollMs`. A part that fails keeps no other part from its work: it is told to the log
 * once and tried again in a later round.
 */
export async function runChainLoop(options: ChainLoopOptions): Promise<void> {
  const { pool, writer, identity, pollMs, log, signal, onSnapshot = () => {} } = options;
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
  const snapshots = createSnapshotKeeper({ pool, writer, identity });
  const settler = createSettler({ pool, writer });
  const faults = faultReporter(log);
  let settledAt = 0;

  const guarded = async <T>(part: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      const result = await work();
      faults.clear(part);
      return result;
    } catch (error) {
      // Told to stop: what was under way ended with the signal, which is no fault.
      if (!signal.aborted) faults.tell(part, error);
      return undefined;
    }
  };

  const settle = async (finalizedSlot: number): Promise<void> => {
    if (Date.now() - settledAt < SETTLE_MS) return;
    settledAt = Date.now();
    const { vanished } = await settler.settle(finalizedSlot, signal);
    if (vanished === 0) return;
    log.warn({ vanished }, 'transactions vanished from the chain; their events were removed');
    for (const { history } of histories) history.reload();
  };

  const round = async (): Promise<boolean> => {
    const askedAt = Date.now();
    const asked = await askWhatIsNew(
      pool,
      histories.map(({ history }) => history),
      snapshots.accountsCall(),
      signal,
    );
    const outcomes = await Promise.all(
      histories.map(({ role, history, report }, index) =>
        guarded(role, async () => {
          const progress = await history.advance(asked.heads[index] ?? null, askedAt, signal);
          report(progress);
          return progress;
        }),
      ),
    );
    await guarded('snapshot', async () => {
      const slot = await snapshots.update(asked.accounts, signal);
      if (slot !== null) onSnapshot(slot);
    });
    await guarded('settle', () => settle(resultOf(asked.finalizedSlot)));
    return outcomes.some((progress) => progress?.state === 'behind');
  };

  while (!signal.aborted) {
    const startedAt = Date.now();
    const isBehind = await guarded('round', round);
    const failures = faults.inARow();
    if (isBehind && failures === 0) continue;
    const backoff = failures === 0 ? 0 : backoffDelay(failures, Math.random, { longestMs: LONGEST_PAUSE_MS });
    await pauseOrStop(Math.max(0, startedAt + Math.max(pollMs, backoff) - Date.now()), signal);
  }
}

interface Asked {
  readonly finalizedSlot: PoolReply<number>;
  readonly accounts: PoolReply<FollowedAccounts>;
  /** The newest page of each history, null where it is not wanted now. */
  readonly heads: readonly (PoolReply<readonly SignatureInfo[]> | null)[];
}

async function askWhatIsNew(
  pool: EndpointPool,
  histories: readonly AccountHistory[],
  accountsCall: RpcCall<FollowedAccounts>,
  signal: AbortSignal,
): Promise<Asked> {
  const headCalls = await Promise.all(histories.map((history) => history.headCall()));
  const [finalizedSlot, accounts, ...answers] = await pool.batch<
    [number, FollowedAccounts, ...(readonly SignatureInfo[])[]]
  >([getSlot('finalized'), accountsCall, ...headCalls.filter((call) => call !== null)], signal);
  const rest = [...answers];
  return { finalizedSlot, accounts, heads: headCalls.map((call) => (call ? (rest.shift() ?? null) : null)) };
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
  const standing = new Map<string, { message: string; times: number }>();
  return {
    tell(part: string, error: unknown): void {
      const message = error instanceof Error ? error.message : String(error);
      const before = standing.get(part);
      standing.set(part, { message, times: (before?.times ?? 0) + 1 });
      if (before?.message !== message)
        log.error({ part, err: error }, 'a part of indexing failed; it is tried again');
    },
    clear(part: string): void {
      if (standing.delete(part)) log.info({ part }, 'works again');
    },
    inARow: (): number => Math.max(0, ...[...standing.values()].map(({ times }) => times)),
  };
}
