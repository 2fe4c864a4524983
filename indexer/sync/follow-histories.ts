import type { IndexIdentity } from '../../data/store/chain-rows.ts';
import type { IndexWriter } from '../../data/store/ports.ts';
import type { WatchedAccount } from '../chain/classify.ts';
import type { EndpointPool, PoolReply } from '../rpc/endpoint-pool.ts';
import type { RpcCall } from '../rpc/json-rpc.ts';
import {
  getSignatureStatuses,
  getSlot,
  type SignatureInfo,
  type SignatureStatus,
} from '../rpc/solana-calls.ts';
import { type AccountHistory, createAccountHistory, type HistoryProgress } from './account-history.ts';
import type { ChainLoopOptions, LoopSizes } from './chain-loop.ts';
import type { HeadAnswer, HeadQuestion } from './head-page.ts';
import { historyReporter, undecidedReporter } from './history-reporter.ts';
import { createQuarantineKeeper } from './quarantine.ts';
import { createGuard, type Round, repeatRounds } from './rounds.ts';
import { createSettler } from './settle.ts';
import { createWindowReader } from './transaction-window.ts';

/**
 * A page is as long as nodes allow. A commit costs by the pages it writes, and signatures fall on pages at random: so one
 * holds five requests of a hundred transactions. Ten requests are on their way, its own and those of the next: of more, most
 * would outlive the space of what is young.
 */
export const LOOP_SIZES: LoopSizes = {
  pageSize: 1_000,
  windowSize: 500,
  windowsAhead: 1,
  batchSize: 100,
  requestsAtOnce: 10,
  budgetMs: 1_000,
};
/** Provisional events are looked at this often; finality takes more than ten seconds. */
const SETTLE_MS = 2_000;

/** The accounts whose histories are indexed. */
export function watchedAccounts({ vault, poolVault }: IndexIdentity): readonly WatchedAccount[] {
  return [
    { address: vault, role: 'vault' },
    { address: poolVault, role: 'stake-pool-vault' },
  ];
}

/** Indexes the histories, and settles what is provisional between two looks at them. */
export async function followHistories(options: ChainLoopOptions): Promise<void> {
  const { pool, writer, identity, pollMs, log, signal, onHistoryRead = () => {}, patience } = options;
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
      patience,
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

  const tellUndecided = undecidedReporter(log);

  // Before the histories are asked for what is new, and never beside them at work: where something vanished, the store
  // moves the cursors back, and what took its place is listed right after.
  const settle = async (): Promise<void> => {
    if (finalizedSlot === null || performance.now() - settledAt < SETTLE_MS) return;
    settledAt = performance.now();
    const doubted = histories.map((history) => history.doubtedCursor()).filter((cursor) => cursor !== null);
    const { vanished, moved, undecided } = await settler.settle(finalizedSlot, doubted, signal);
    tellUndecided(undecided);
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
    for (const { signature, account, isGone } of await quarantine.work(signal)) {
      const outcome = isGone ? 'the chain does not have it any more' : 'it was read';
      log.info({ account, signature, outcome }, 'a transaction left quarantine');
    }
  };

  const round = async (): Promise<Round> => {
    await guarded('settle', settle);
    const asked = await guarded('heads', () => askWhatIsNew(pool, histories, signal));
    if (!asked) return { isBehind: false, failures: failuresInARow() };
    if (asked.finalizedSlot.ok) finalizedSlot = asked.finalizedSlot.value;
    const outcomes = await Promise.all(
      followed.map(({ role, history, report }, index) =>
        guarded(role, async () => {
          const progress = await history.advance(asked.heads[index] ?? null, signal);
          report(progress);
          if (progress.quarantined.length > 0) quarantine.changed();
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

/** The slot up to which every history is indexed for good; null where one is not caught up. */
async function readUpTo(
  writer: Pick<IndexWriter, 'provisionalEvents'>,
  outcomes: readonly (HistoryProgress | undefined)[],
): Promise<number | null> {
  let slot = Number.POSITIVE_INFINITY;
  for (const outcome of outcomes) {
    if (outcome === undefined || outcome.readUpTo === null) return null;
    slot = Math.min(slot, outcome.readUpTo);
  }
  // An event that is not settled yet may still vanish.
  const [oldest] = await writer.provisionalEvents(slot, 1);
  return oldest ? Math.min(slot, oldest.slot - 1) : slot;
}

interface Asked {
  readonly finalizedSlot: PoolReply<number>;
  /** The newest page of each history, null where it is not wanted now. */
  readonly heads: readonly (HeadAnswer | null)[];
}

/** Asks one node for the finalized slot, the newest pages and how the cursors' transactions stand, in one batch. */
async function askWhatIsNew(
  pool: EndpointPool,
  histories: readonly AccountHistory[],
  signal: AbortSignal,
): Promise<Asked> {
  const questions = await Promise.all(histories.map((history) => history.question()));
  const wanted = questions.filter((question) => question !== null);
  const cursors = wanted.map(({ cursorSignature }) => cursorSignature).filter((one) => one !== null);
  const askedAt = Date.now();
  const pages: readonly RpcCall<readonly SignatureInfo[]>[] = wanted.map(({ page }) => page);
  const statusCalls = cursors.length === 0 ? [] : [getSignatureStatuses(cursors)];
  const replies = await pool.batch<unknown[]>([getSlot('finalized'), ...pages, ...statusCalls], signal);
  // Replies keep the order of the calls.
  const finalizedSlot = replies[0] as PoolReply<number>;
  const statuses = (cursors.length === 0 ? null : replies.at(-1)) as PoolReply<
    readonly SignatureStatus[]
  > | null;
  const headOf = (question: HeadQuestion): HeadAnswer => ({
    page: replies[1 + wanted.indexOf(question)] as PoolReply<readonly SignatureInfo[]>,
    cursorStatus: statusOf(statuses, cursors.indexOf(question.cursorSignature ?? '')),
    finalizedSlot,
    askedAt,
  });
  return { finalizedSlot, heads: questions.map((question) => question && headOf(question)) };
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
