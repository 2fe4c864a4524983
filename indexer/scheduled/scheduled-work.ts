import type { PortalConfig } from '../../data/config/environment.ts';
import type { Logger } from '../../data/runtime/log.ts';
import { type Job, startSchedule } from '../../data/runtime/schedule.ts';
import type { ChainSnapshot, IndexIdentity } from '../../data/store/chain-rows.ts';
import type { IndexWriter, Reconciliation } from '../../data/store/ports.ts';
import { demoPastPrices } from '../market/demo-feed.ts';
import { type EndpointPool, resultOf } from '../rpc/endpoint-pool.ts';
import type { RpcCall } from '../rpc/json-rpc.ts';
import { readJsonInteger } from '../rpc/json-shape.ts';
import { createHolderCounter } from './holder-counter.ts';
import { createLoopProgress, type LoopProgress } from './loop-progress.ts';
import { createReconciler } from './reconciler.ts';

/** Runs less often on a cluster, because its endpoints limit or charge for requests. The embedded ledger is local. */
const RECONCILE_CRON = { embedded: '* * * * *', cluster: '*/5 * * * *' } as const;
/** One minute past each hour. */
const DELETION_CRON = '1 * * * *';
/**
 * Runs less often on a cluster, because listing every token account is expensive. Does not run on the hour, because other clients
 * send such requests then.
 */
const COUNT_HOLDERS_CRON = { embedded: '* * * * *', cluster: '17 * * * *' } as const;
const FILL_CRON = '* * * * *';
/** How long one run of the backfill waits until the charts can be filled (ms). */
const FILL_WITHIN_MS = 50_000;
/** The number of days of demo prices on a cluster. */
const DEMO_DAYS = 365;
const DAY_MS = 86_400_000;

/**
 * The indexer's scheduled jobs:
 * - Reconcile accounts and history at intervals, and as soon as the history is read.
 * - Count the wallets that hold BD at intervals, and after the first snapshot.
 * - Delete old points of the charts every hour, and after the first snapshot.
 * - Backfill the charts once the history is read.
 */
export function startScheduledWork(options: {
  readonly config: Pick<PortalConfig, 'solana' | 'market'>;
  readonly pool: EndpointPool;
  readonly writer: IndexWriter;
  readonly identity: IndexIdentity;
  readonly log: Logger;
  readonly signal: AbortSignal;
}) {
  const { config, pool, writer, identity, log, signal } = options;
  const progress = createLoopProgress();
  const reconciler = createReconciler({ pool, writer, identity, progress, log });
  const counter = createHolderCounter({ pool, writer, identity, progress, log });
  const { kind } = config.solana;
  const relistingPolicy = createRelistingPolicy();
  // When the newest snapshot was read (Unix ms), by the chain's time if this host's clock is wrong. The age of chart points is
  // measured against it, and a wrong time could delete points that are not old.
  let newestReadAt: number | null = null;
  const reconcile: Job = {
    name: 'reconcile',
    cronPattern: RECONCILE_CRON[kind],
    run: async (jobSignal) => relistingPolicy.noteReconciliation(await reconciler.reconcile(jobSignal)),
  };
  const countHolders: Job = {
    name: 'count holders',
    cronPattern: COUNT_HOLDERS_CRON[kind],
    run: async (jobSignal) => void (await counter.count(jobSignal)),
  };
  const deleteOld: Job = {
    name: 'delete old history',
    cronPattern: DELETION_CRON,
    run: async () => {
      if (newestReadAt !== null) await writer.deleteOldHistory(newestReadAt);
    },
  };
  const fill = fillJob({ config, pool, writer, progress });
  const schedule = startSchedule({ jobs: [reconcile, countHolders, deleteOld, fill], log, signal });
  let isHistoryRead = false;
  let hasSnapshot = false;
  return {
    /** The chain loop calls this when every transaction up to a finalized slot is indexed or quarantined. */
    onHistoryRead(upToFinalizedSlot: number): void {
      progress.noteHistoryRead(upToFinalizedSlot);
      if (isHistoryRead) return;
      isHistoryRead = true;
      schedule.runNow(fill);
      schedule.runNow(reconcile);
    },
    wantedSlot: progress.wantedSlot,
    takeUnexplainedFigures: relistingPolicy.takeUnexplainedFigures,
    /** The writer that the chain loop must use, so that the jobs see its snapshots. */
    writer: {
      ...writer,
      async commitSnapshot(snapshot: ChainSnapshot): Promise<void> {
        await writer.commitSnapshot(snapshot);
        const isFirst = newestReadAt === null;
        newestReadAt = snapshot.readAt;
        if (isFirst) schedule.runNow(deleteOld);
        if (snapshot.stakesProblem !== null) return;
        progress.noteSnapshot(snapshot);
        if (hasSnapshot) return;
        hasSnapshot = true;
        schedule.runNow(countHolders);
      },
    },
    /**
     * Resolves when the signal has aborted and running jobs have ended.
     * @throws {StartError} if the store can no longer be used
     */
    ended: schedule.ended,
  };
}

/** The balances that differ if the history lacks transactions. */
const HISTORY_FIGURES: ReadonlySet<string> = new Set(['vault.balance', 'stake-pool.vault-balance']);
/**
 * Milliseconds between two listings of the whole history: the first interval, and the longest one. Each listing doubles the
 * interval.
 */
const FIRST_RELISTING_MS = 3_600_000;
const MAX_RELISTING_MS = 24 * 3_600_000;

/** Creates a policy that decides when a balance that differs from the history is a reason to list the whole history again. */
export function createRelistingPolicy(now: () => number = performance.now.bind(performance)) {
  let unexplainedFigures: readonly string[] | null = null;
  let listedAt = Number.NEGATIVE_INFINITY;
  /**
   * Milliseconds to wait after the last listing if no transaction is quarantined. Reset to 0 once nothing differs; 0 counts
   * as `FIRST_RELISTING_MS`.
   */
  let intervalMs = 0;
  return {
    noteReconciliation(reconciliation: Reconciliation | null): void {
      if (!reconciliation) return;
      const { differences } = reconciliation;
      if (differences.length === 0) intervalMs = 0;
      // A quarantined transaction may explain the difference, and is requested again anyway. But it may also hide another
      // cause, so the history is listed again after the longest interval.
      const hasUnread = differences.some(({ what }) => what === 'history.unread-transactions');
      const waitMs = hasUnread ? MAX_RELISTING_MS : Math.max(intervalMs, FIRST_RELISTING_MS);
      const figures = differences.map(({ what }) => what).filter((what) => HISTORY_FIGURES.has(what));
      if (figures.length === 0 || now() < listedAt + waitMs) return;
      unexplainedFigures = figures;
      listedAt = now();
      if (!hasUnread) intervalMs = Math.min(Math.max(2 * intervalMs, FIRST_RELISTING_MS), MAX_RELISTING_MS);
    },
    /**
     * Returns the names of the balances that the history does not explain, and clears them; null if there are none. While the
     * balances differ, their names are returned again after each interval.
     */
    takeUnexplainedFigures(): readonly string[] | null {
      const taken = unexplainedFigures;
      unexplainedFigures = null;
      return taken;
    },
  };
}

/**
 * The job that backfills the charts. Right after the history is read, the charts cannot always be filled yet, so the job
 * repeats until they are.
 */
function fillJob(options: {
  readonly config: Pick<PortalConfig, 'solana' | 'market'>;
  readonly pool: EndpointPool;
  readonly writer: Pick<IndexWriter, 'fillHistory'>;
  readonly progress: LoopProgress;
}): Job {
  const { config, pool, writer, progress } = options;
  let isFilled = false;
  return {
    name: 'fill history',
    cronPattern: FILL_CRON,
    async run(signal) {
      if (isFilled || progress.indexedUpToSlot() === null) return;
      const now = Date.now();
      const isDemo = config.market.feeds[0] === 'demo';
      const past = isDemo
        ? demoPastPrices({ since: await findDemoStart(config, pool, now, signal), now })
        : undefined;
      isFilled = await progress.waitUntil(() => writer.fillHistory(past), FILL_WITHIN_MS, signal);
    },
  };
}

/** When the demo prices begin (Unix ms): at the genesis of the embedded ledger, or a year ago for a cluster. */
async function findDemoStart(
  { solana }: Pick<PortalConfig, 'solana'>,
  pool: EndpointPool,
  now: number,
  signal: AbortSignal,
): Promise<number> {
  if (solana.kind === 'cluster') return now - DEMO_DAYS * DAY_MS;
  const [reply] = await pool.batch<[number]>([GENESIS_TIME_CALL], signal);
  return resultOf(reply) * 1_000;
}

const GENESIS_TIME_CALL: RpcCall<number> = {
  method: 'getBlockTime',
  params: [0],
  read: (result) => readJsonInteger(result, 'the time of the first slot'),
};
