import type { Logger } from '../../data/runtime/log.ts';
import type { IndexIdentity } from '../../data/store/chain-rows.ts';
import type { Difference, IndexWriter, Reconciliation } from '../../data/store/ports.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import { type AccountsAtSlot, compare } from './compare.ts';
import type { Progress } from './progress.ts';
import { type EndpointReading, readEachEndpoint } from './read-endpoints.ts';

export interface ReconcilerOptions {
  readonly pool: EndpointPool;
  readonly writer: Pick<IndexWriter, 'eventSums' | 'quarantined' | 'commitReconciliation'>;
  readonly identity: IndexIdentity;
  readonly progress: Progress;
  readonly log: Logger;
  /** Unix ms. */
  readonly now?: () => number;
  /** Milliseconds to wait for the history to reach a slot. */
  readonly patienceMs?: number;
}

export interface Reconciler {
  /**
   * Compares the accounts at one slot with the sum of the events up to it, and commits what came of it. A difference
   * counts once several readings show one: a reading may hold at the middle of a slot, or at one that a fork dropped.
   * Then every endpoint is asked, and one that contradicts a history that others confirm is put aside.
   * @returns the result, or null where nothing could be compared: no history, or none up to the slot in time. The log is
   * told of it, once while it stays so
   * @throws the signal's reason where it aborts
   */
  reconcile(signal: AbortSignal): Promise<Reconciliation | null>;
}

/** Finality takes 13 seconds on a healthy cluster. */
const PATIENCE_MS = 90_000;
/** Readings in a row that have to differ. */
const READINGS_TO_DIFFER = 3;
/** Readings in a row by which an endpoint is judged. */
const READINGS_TO_DISTRUST = 2;

type Compared = Pick<Reconciliation, 'slot' | 'differences'>;

const agrees = ({ differences }: Compared): boolean => differences.length === 0;

export function createReconciler(options: ReconcilerOptions): Reconciler {
  const { pool, writer, identity, progress, log, now = Date.now, patienceMs = PATIENCE_MS } = options;
  const tell = outcomeReporter(log);
  const patience = `${patienceMs / 1_000} seconds`;

  /** The differences at the accounts' slot; null where the history does not reach it in time. */
  const compareAt = async (accounts: AccountsAtSlot, signal: AbortSignal): Promise<Compared | null> => {
    const { slot } = accounts;
    const isRead = () => (progress.readSlot() ?? -1) >= slot;
    if (!(await progress.waitUntil(isRead, patienceMs, signal))) return null;
    const unread = (await writer.quarantined()).filter((transaction) => transaction.slot <= slot);
    const vault = await writer.eventSums(identity.vault, slot);
    const poolVault = await writer.eventSums(identity.poolVault, slot);
    return { slot, differences: compare(accounts, { vault, poolVault, unreadCount: unread.length }) };
  };

  /** What readings in a row say: the first that agrees, or the last that differs. */
  const compareSnapshots = async (signal: AbortSignal): Promise<Compared | null> => {
    let last: Compared | null = null;
    for (let reading = 0; reading < READINGS_TO_DIFFER; reading += 1) {
      const isNewer = () => (progress.newestSnapshot()?.slot ?? -1) > (last?.slot ?? -1);
      if (!(await progress.waitUntil(isNewer, patienceMs, signal))) return null;
      const snapshot = progress.newestSnapshot();
      last = snapshot && (await compareAt(snapshot, signal));
      if (last === null || agrees(last)) return last;
    }
    return last;
  };

  /** Each endpoint's reading beside what came of comparing it. */
  const compareEndpoints = async (signal: AbortSignal): Promise<readonly (EndpointReading & Compared)[]> => {
    const readings = await readEachEndpoint(pool, identity, now, signal);
    const compared: (EndpointReading & Compared)[] = [];
    for (const reading of readings) {
      const outcome = await compareAt(reading.snapshot, signal);
      if (outcome) compared.push({ ...reading, ...outcome });
    }
    return compared;
  };

  /** Puts liars aside. @returns what an endpoint says that the history confirms, or null where there is none */
  const judgeEndpoints = async (signal: AbortSignal): Promise<Compared | null> => {
    const rounds: (readonly (EndpointReading & Compared)[])[] = [];
    for (let reading = 0; reading < READINGS_TO_DISTRUST; reading += 1) {
      const compared = await compareEndpoints(signal);
      const agreeCount = compared.filter(agrees).length;
      // Where most contradict the history, it is the history that is in doubt.
      if (agreeCount === 0 || agreeCount < compared.length - agreeCount) return null;
      rounds.push(compared);
    }
    const last = rounds.at(-1) ?? [];
    const contradictsIn = (round: readonly (EndpointReading & Compared)[], endpoint: string): boolean =>
      round.some((reading) => reading.endpoint === endpoint && !agrees(reading));
    for (const { endpoint, differences } of last) {
      if (!rounds.every((round) => contradictsIn(round, endpoint))) continue;
      const reason = `contradicts the indexed history (${differences.map(({ what }) => what).join(', ')})`;
      pool.distrust(endpoint, reason);
      const alarm = 'an endpoint contradicts the history that others confirm; it is put aside';
      log.error({ endpoint, differences: inWords(differences) }, alarm);
    }
    return last.find(agrees) ?? null;
  };

  return {
    async reconcile(signal) {
      if (progress.newestSnapshot() === null) return tell.nothing('no account is read yet');
      if (progress.readSlot() === null) return tell.nothing('the history is not read to its end yet');
      const compared = await compareSnapshots(signal);
      if (compared === null) {
        return tell.nothing(`within ${patience} no newer accounts, or no history up to their slot`);
      }
      const isDoubtful =
        !agrees(compared) &&
        pool.health().length > 1 &&
        // What is missing in the history is no endpoint's lie.
        compared.differences.every(({ what }) => what !== 'history.unread-transactions');
      const { slot, differences } = (isDoubtful && (await judgeEndpoints(signal))) || compared;
      const reconciliation = { slot, at: now(), differences };
      await writer.commitReconciliation(reconciliation);
      tell.outcome(reconciliation);
      return reconciliation;
    },
  };
}

/** Amounts as text: a log line carries no `bigint`. */
function inWords(differences: readonly Difference[]): readonly Record<keyof Difference, string>[] {
  return differences.map(({ what, onChain, indexed }) => ({
    what,
    onChain: onChain.toString(),
    indexed: indexed.toString(),
  }));
}

/** Tells each outcome once while it stays the same: a difference, its end, and that nothing could be compared. */
function outcomeReporter(log: Logger) {
  let standing: string | null = null;
  let standingWhy: string | null = null;
  return {
    outcome({ slot, differences }: Reconciliation): void {
      const wasNothing = standingWhy !== null;
      standingWhy = null;
      const told = differences.map(({ what, onChain, indexed }) => `${what} ${onChain - indexed}`).join();
      if (told === standing && !wasNothing) return;
      if (differences.length > 0) {
        const alarm = 'the accounts differ from the indexed history; nothing is corrected';
        log.error({ slot, differences: inWords(differences) }, alarm);
      } else log.info({ slot }, 'the accounts agree with the indexed history');
      standing = told;
    },
    nothing(why: string): null {
      if (why !== standingWhy) log.warn({ why }, 'the accounts could not be compared with the history');
      standingWhy = why;
      return null;
    },
  };
}
