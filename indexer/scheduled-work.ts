import type { PortalConfig } from '../data/config/environment.ts';
import type { Logger } from '../data/runtime/log.ts';
import { type Job, startSchedule } from '../data/runtime/schedule.ts';
import type { IndexIdentity } from '../data/store/chain-rows.ts';
import type { IndexWriter } from '../data/store/ports.ts';
import { createHolderCounter } from './holders/holder-counter.ts';
import { demoPastPrices } from './market/demo-feed.ts';
import { createProgress, type Progress } from './reconcile/progress.ts';
import { createReconciler } from './reconcile/reconciler.ts';
import { type EndpointPool, resultOf } from './rpc/endpoint-pool.ts';
import type { RpcCall } from './rpc/json-rpc.ts';
import { count } from './rpc/json-shape.ts';

/** Each minute on the ledger, which is at hand; every five on a cluster, whose endpoints count what they are asked. */
const RECONCILE_AT = { embedded: '* * * * *', cluster: '*/5 * * * *' } as const;
/** A minute after the hour, when its last minute is sampled. */
const ROLL_UP_AT = '1 * * * *';
/** A listing of every token account is much to ask of an endpoint that counts; not at the full hour, when others ask. */
const COUNT_HOLDERS_AT = { embedded: '* * * * *', cluster: '17 * * * *' } as const;
const FILL_AT = '* * * * *';
/** Milliseconds in which the past may become known for sure after a look at it. */
const FILL_WITHIN_MS = 50_000;
/** Days back that made-up prices are told on a chain that was there before them. */
const MADE_UP_DAYS = 365;
const DAY_MS = 86_400_000;

export interface ScheduledWork {
  /** Told by the chain loop: every transaction up to a finalized slot is indexed. */
  historyRead(upToFinalizedSlot: number): void;
  /** The writer for the chain loop: what it commits is known to the scheduled work. */
  readonly writer: IndexWriter;
  /**
   * Ends when the signal has aborted and what was being done has ended.
   * @throws {StartError} where the store cannot be used any more
   */
  readonly ended: Promise<void>;
}

/**
 * What the indexer does by the clock, beside following: it reconciles accounts and history (once more as soon as the
 * history is read), counts the wallets that hold BD (once more with the first snapshot), rolls the charts' history up each
 * hour and at start, and fills their past once it is known.
 */
export function startScheduledWork(options: {
  readonly config: Pick<PortalConfig, 'solana' | 'market'>;
  readonly pool: EndpointPool;
  readonly writer: IndexWriter;
  readonly identity: IndexIdentity;
  readonly log: Logger;
  readonly signal: AbortSignal;
}): ScheduledWork {
  const { config, pool, writer, identity, log, signal } = options;
  const progress = createProgress();
  const reconciler = createReconciler({ pool, writer, identity, progress, log });
  const reconcile: Job = {
    name: 'reconcile',
    pattern: RECONCILE_AT[config.solana.kind],
    run: async (stopped) => void (await reconciler.reconcile(stopped)),
  };
  const rollUp: Job = {
    name: 'roll up history',
    pattern: ROLL_UP_AT,
    run: () => writer.rollUpHistory(Date.now()),
  };
  const fill = fillJob({ config, pool, writer, progress });
  const counter = createHolderCounter({ pool, writer, identity, progress, log });
  const countHolders: Job = {
    name: 'count holders',
    pattern: COUNT_HOLDERS_AT[config.solana.kind],
    run: async (stopped) => void (await counter.count(stopped)),
  };
  const schedule = startSchedule({ jobs: [reconcile, countHolders, rollUp, fill], log, signal });
  schedule.runNow(rollUp);
  let isHistoryTold = false;
  let isCountTold = false;
  return {
    historyRead(upToFinalizedSlot) {
      progress.historyRead(upToFinalizedSlot);
      if (isHistoryTold) return;
      isHistoryTold = true;
      schedule.runNow(fill);
      schedule.runNow(reconcile);
    },
    writer: {
      ...writer,
      async commitSnapshot(snapshot) {
        await writer.commitSnapshot(snapshot);
        progress.snapshotCommitted(snapshot);
        if (isCountTold) return;
        isCountTold = true;
        schedule.runNow(countHolders);
      },
    },
    ended: schedule.ended,
  };
}

/** Fills the charts' past until it is filled: it is known for sure a moment after the history is read. */
function fillJob(options: {
  readonly config: Pick<PortalConfig, 'solana' | 'market'>;
  readonly pool: EndpointPool;
  readonly writer: Pick<IndexWriter, 'fillHistory'>;
  readonly progress: Progress;
}): Job {
  const { config, pool, writer, progress } = options;
  let isFilled = false;
  return {
    name: 'fill history',
    pattern: FILL_AT,
    async run(signal) {
      if (isFilled || progress.readSlot() === null) return;
      const isMadeUp = config.market.feeds[0] === 'demo';
      const now = Date.now();
      const past = isMadeUp
        ? demoPastPrices({ since: await beginning(config, pool, now, signal), now })
        : undefined;
      isFilled = await progress.waitUntil(() => writer.fillHistory(past), FILL_WITHIN_MS, signal);
    },
  };
}

/** When the ledger's past begins; of a cluster, which was there before the demo, a year ago (Unix ms). */
async function beginning(
  { solana }: Pick<PortalConfig, 'solana'>,
  pool: EndpointPool,
  now: number,
  signal: AbortSignal,
): Promise<number> {
  if (solana.kind === 'cluster') return now - MADE_UP_DAYS * DAY_MS;
  const [reply] = await pool.batch<[number]>([GENESIS_TIME], signal);
  return resultOf(reply) * 1_000;
}

/** Unix seconds of the first slot. */
const GENESIS_TIME: RpcCall<number> = {
  method: 'getBlockTime',
  params: [0],
  read: (result) => count(result, 'the time of the first slot'),
};
