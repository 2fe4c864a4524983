import type { Logger } from '../../data/runtime/log.ts';
import type { ChainSnapshot, IndexIdentity } from '../../data/store/chain-rows.ts';
import type { Difference, EventSums, IndexWriter, Reconciliation } from '../../data/store/ports.ts';
import { type EndpointPool, resultOf } from '../rpc/endpoint-pool.ts';
import { RetryableRpcError, RpcRequestError } from '../rpc/rpc-errors.ts';
import {
  decodeEntries,
  type SnapshotAnswers,
  SnapshotError,
  snapshotCalls,
  snapshotOf,
} from '../sync/snapshot.ts';
import type { LoopProgress } from './loop-progress.ts';

export type AccountsAtSlot = Pick<
  ChainSnapshot,
  'slot' | 'vaultBalance' | 'poolVaultBalance' | 'totalStaked'
> & {
  readonly entries: readonly Pick<ChainSnapshot['entries'][number], 'amount' | 'closedAt'>[];
};

/** The sums of the indexed events up to and including a slot. */
export interface HistorySums {
  readonly vault: EventSums;
  readonly poolVault: EventSums;
  /** The number of quarantined transactions up to the slot. Their amounts are missing from the sums. */
  readonly quarantinedCount: number;
}

/**
 * Compares the accounts at a slot with the sums of the events up to that slot, and the pool's total with its open entries.
 * Quarantined transactions count as a difference.
 * @returns only the values that differ
 */
export function findDifferences(
  accounts: AccountsAtSlot,
  { vault, poolVault, quarantinedCount }: HistorySums,
): readonly Difference[] {
  const openStakeSum = accounts.entries
    .filter(({ closedAt }) => closedAt === null)
    .reduce((sum, { amount }) => sum + amount, 0n);
  const checks: readonly (readonly [what: string, onChain: bigint | null, indexed: bigint])[] = [
    ['vault.balance', accounts.vaultBalance, vault.totalIn - vault.totalOut],
    ['stake-pool.vault-balance', accounts.poolVaultBalance, poolVault.totalIn - poolVault.totalOut],
    ['stake-pool.total-staked', accounts.totalStaked, poolVault.staked - poolVault.unstaked],
    ['stake-pool.open-entries', accounts.totalStaked, openStakeSum],
    ['history.unread-transactions', BigInt(quarantinedCount), 0n],
  ];
  return checks.flatMap(([what, onChain, indexed]) =>
    onChain === null || onChain === indexed ? [] : [{ what, onChain, indexed }],
  );
}

interface ReconcilerOptions {
  readonly pool: EndpointPool;
  readonly writer: Pick<IndexWriter, 'eventSums' | 'quarantined' | 'commitReconciliation'>;
  readonly identity: IndexIdentity;
  readonly progress: LoopProgress;
  readonly log: Logger;
  /** Unix ms. */
  readonly now?: () => number;
}

/**
 * Milliseconds to wait for a newer snapshot, and then to wait for the history to reach that snapshot's slot. Finality takes 13
 * seconds on a healthy cluster.
 */
const HISTORY_WAIT_MS = 90_000;
/**
 * How many consecutive readings must differ from the history before a difference is reported. A single reading may be from the
 * middle of a slot or from a dropped fork.
 */
const READINGS_TO_REPORT = 3;
const READINGS_TO_DISTRUST = 2;

type Comparison = Pick<Reconciliation, 'slot' | 'differences'>;
type ComparedEndpoint = Comparison & { readonly endpoint: string };

const agrees = ({ differences }: Comparison): boolean => differences.length === 0;

export function createReconciler(options: ReconcilerOptions) {
  const { pool, writer, identity, progress, log, now = Date.now } = options;
  const report = outcomeReporter(log);

  /** The differences at the accounts' slot; null if the history does not reach that slot in time. */
  const compareAt = async (accounts: AccountsAtSlot, signal: AbortSignal): Promise<Comparison | null> => {
    const { slot } = accounts;
    progress.wantHistory(slot);
    const isRead = () => (progress.indexedUpToSlot() ?? -1) >= slot;
    if (!(await progress.waitUntil(isRead, HISTORY_WAIT_MS, signal))) return null;
    const quarantined = (await writer.quarantined()).filter((transaction) => transaction.slot <= slot);
    const vault = await writer.eventSums(identity.vault, slot);
    const poolVault = await writer.eventSums(identity.poolVault, slot);
    const sums = { vault, poolVault, quarantinedCount: quarantined.length };
    return { slot, differences: findDifferences(accounts, sums) };
  };

  /**
   * Compares up to `READINGS_TO_REPORT` new snapshots with the history, until one agrees. Returns the last comparison; null if
   * a snapshot could not be compared in time.
   */
  const compareSnapshots = async (signal: AbortSignal): Promise<Comparison | null> => {
    let last: Comparison | null = null;
    for (let reading = 0; reading < READINGS_TO_REPORT; reading += 1) {
      const isNewer = () => (progress.newestSnapshot()?.slot ?? -1) > (last?.slot ?? -1);
      if (!(await progress.waitUntil(isNewer, HISTORY_WAIT_MS, signal))) return null;
      const snapshot = progress.newestSnapshot();
      last = snapshot && (await compareAt(snapshot, signal));
      if (last === null || agrees(last)) return last;
    }
    return last;
  };

  const compareEndpoints = async (signal: AbortSignal): Promise<readonly ComparedEndpoint[]> => {
    const compared: ComparedEndpoint[] = [];
    for (const { endpoint, snapshot } of await readEachEndpoint(pool, identity, now, signal)) {
      const outcome = await compareAt(snapshot, signal);
      if (outcome) compared.push({ endpoint, ...outcome });
    }
    return compared;
  };

  /**
   * Reads the accounts from every endpoint, `READINGS_TO_DISTRUST` times. Distrusts each endpoint that contradicts the history
   * every time. Returns a reading that agrees with the history.
   *
   * If no endpoint confirms the history in a reading, or most contradict it, returns null and distrusts none.
   */
  const judgeEndpoints = async (signal: AbortSignal): Promise<Comparison | null> => {
    const rounds: (readonly ComparedEndpoint[])[] = [];
    for (let reading = 0; reading < READINGS_TO_DISTRUST; reading += 1) {
      const compared = await compareEndpoints(signal);
      const agreeCount = compared.filter(agrees).length;
      // If most endpoints contradict the history, the history may be wrong.
      if (agreeCount === 0 || agreeCount < compared.length - agreeCount) return null;
      rounds.push(compared);
    }
    const last = rounds.at(-1) ?? [];
    const contradictsIn = (round: readonly ComparedEndpoint[], endpoint: string): boolean =>
      round.some((reading) => reading.endpoint === endpoint && !agrees(reading));
    for (const { endpoint, differences } of last) {
      if (!rounds.every((round) => contradictsIn(round, endpoint))) continue;
      const reason = `contradicts the indexed history (${differences.map(({ what }) => what).join(', ')})`;
      pool.distrust(endpoint, reason);
      const message = 'an endpoint is distrusted because it contradicts the history, which others confirm';
      log.error({ endpoint, differences: asText(differences) }, message);
    }
    return last.find(agrees) ?? null;
  };

  return {
    /**
     * Compares the accounts at one slot with the sums of the events up to that slot, and commits the result. A difference is
     * reported only if several readings in a row show one. Before that, if there are several endpoints and no transaction is
     * quarantined, the accounts are read from every endpoint, and endpoints that contradict the history are distrusted
     * (`judgeEndpoints`).
     * @returns null if nothing could be compared. The reason is logged only when it changes.
     * @throws the signal's reason if it aborts
     */
    async reconcile(signal: AbortSignal): Promise<Reconciliation | null> {
      if (progress.newestSnapshot() === null)
        return report.logNotComparable('no accounts have been read yet');
      if (progress.indexedUpToSlot() === null)
        return report.logNotComparable('the history has not been read completely yet');
      const comparison = await compareSnapshots(signal);
      if (comparison === null) {
        const seconds = HISTORY_WAIT_MS / 1_000;
        return report.logNotComparable(
          `no newer accounts, or no history up to their slot, within ${seconds} seconds`,
        );
      }
      const isDoubtful =
        !agrees(comparison) &&
        pool.health().length > 1 &&
        // A history with a gap does not prove that an endpoint is wrong.
        comparison.differences.every(({ what }) => what !== 'history.unread-transactions');
      const { slot, differences } = (isDoubtful && (await judgeEndpoints(signal))) || comparison;
      const reconciliation = { slot, at: now(), differences };
      await writer.commitReconciliation(reconciliation);
      report.logOutcome(reconciliation);
      return reconciliation;
    },
  };
}

/** Reads the accounts from each endpoint that returns all of them at the same slot. @throws the signal's reason if it aborts */
async function readEachEndpoint(
  pool: EndpointPool,
  identity: IndexIdentity,
  now: () => number,
  signal: AbortSignal,
): Promise<readonly { readonly endpoint: string; readonly snapshot: ChainSnapshot }[]> {
  const answers = await pool.requestFromEach<SnapshotAnswers>(snapshotCalls(identity), signal);
  return answers.flatMap(({ endpoint, replies }) => {
    try {
      const accounts = resultOf(replies[0]);
      const entries = resultOf(replies[1]);
      if (accounts.slot !== entries.slot) return [];
      const readings = { accounts, ...decodeEntries(entries) };
      return [{ endpoint, snapshot: snapshotOf(readings, identity, now()) }];
    } catch (error) {
      const isExpected =
        error instanceof RetryableRpcError ||
        error instanceof RpcRequestError ||
        error instanceof SnapshotError;
      if (isExpected) return [];
      throw error;
    }
  });
}

/** Converts amounts to text for the log, because JSON has no `bigint`. */
function asText(differences: readonly Difference[]): readonly Record<keyof Difference, string>[] {
  return differences.map(({ what, onChain, indexed }) => ({
    what,
    onChain: `${onChain}`,
    indexed: `${indexed}`,
  }));
}

/** Creates a reporter that logs an outcome only if it differs from the last one. */
function outcomeReporter(log: Logger) {
  let lastOutcome: string | null = null;
  let lastReason: string | null = null;
  return {
    logOutcome({ slot, differences }: Reconciliation): void {
      const wasNotComparable = lastReason !== null;
      lastReason = null;
      const outcome = differences.map(({ what, onChain, indexed }) => `${what} ${onChain - indexed}`).join();
      if (outcome === lastOutcome && !wasNotComparable) return;
      if (differences.length > 0) {
        const message = 'the accounts differ from the indexed history; nothing is corrected';
        log.error({ slot, differences: asText(differences) }, message);
      } else log.info({ slot }, 'the accounts agree with the indexed history');
      lastOutcome = outcome;
    },
    logNotComparable(reason: string): null {
      if (reason !== lastReason) log.warn({ reason }, 'the accounts could not be compared with the history');
      lastReason = reason;
      return null;
    },
  };
}
