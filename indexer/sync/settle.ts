import type { Cursor, PlacedTransaction } from '../../data/store/chain-rows.ts';
import type { IndexWriter } from '../../data/store/ports.ts';
import { type EndpointPool, resultOf } from '../rpc/endpoint-pool.ts';
import { MAX_TRANSACTIONS, type ReportedStatuses, type StatusQuery, statusQuery } from './history-proof.ts';

/** What happened to provisional events. */
interface Settlement {
  /** Transactions that became final. */
  readonly finalized: number;
  /** Transactions that no longer exist; their events were removed. */
  readonly vanished: number;
  /**
   * By account: the earliest slot to list again, if transactions are final in a different slot than listed. Listing again
   * moves their events.
   */
  readonly moved: ReadonlyMap<string, number>;
  /** Transactions that for a while no endpoint has known or could deny. Their events stay provisional. */
  readonly undecided: readonly PlacedTransaction[];
}

/** Denials in a row before a transaction counts as vanished. Only nodes that prove that they have its history count. */
const ABSENCES_TO_VANISH = 3;
/**
 * After this many checks in a row that do not find a transaction, every endpoint is asked for it. That repeats after as
 * many more checks. Meanwhile the transaction is checked after all others.
 */
const CHECKS_TO_UNDECIDED = 15;
/** Milliseconds for the other endpoints to answer. Nothing new is read until then. */
const OTHERS_WITHIN_MS = 2_000;

/** Checks in a row that did not find a transaction, and how many of them were denials. */
interface Absence {
  readonly checks: number;
  readonly proofs: number;
}
const NEVER_ABSENT: Absence = { checks: 0, proofs: 0 };

/** Finalizes provisional events, or removes them. */
export function createSettler(options: {
  readonly pool: EndpointPool;
  readonly writer: Pick<IndexWriter, 'provisionalEvents' | 'settleEvents' | 'finalEvent'>;
}) {
  const { pool, writer } = options;
  /** By signature: the transactions that were absent at the last check. */
  let absences: ReadonlyMap<string, Absence> = new Map();
  const isDueEverywhere = ({ signature }: PlacedTransaction): boolean =>
    ((absences.get(signature) ?? NEVER_ABSENT).checks + 1) % CHECKS_TO_UNDECIDED === 0;
  const isUndecided = ({ signature }: PlacedTransaction): boolean =>
    (absences.get(signature) ?? NEVER_ABSENT).checks >= CHECKS_TO_UNDECIDED;

  /** The statuses from each endpoint that is not distrusted. */
  const statusesFromEach = async (
    query: StatusQuery,
    signal: AbortSignal,
    withinMs?: number,
  ): Promise<readonly ReportedStatuses[]> => {
    const answers = await pool.requestFromEach(query.calls, signal, withinMs);
    const distrusted = new Set(
      pool.health().flatMap(({ name, state }) => (state === 'distrusted' ? [name] : [])),
    );
    return answers
      .filter(({ endpoint }) => !distrusted.has(endpoint))
      .map(({ replies }) => query.read(replies));
  };

  /** The oldest provisional events, at most `room`, with the undecided ones last. */
  const oldestProvisional = async (finalizedSlot: number, room: number) => {
    for (let limit = room; ; limit *= 2) {
      const oldest = await writer.provisionalEvents(finalizedSlot, limit);
      const undecided = oldest.filter(isUndecided);
      const decidable = oldest.filter((one) => !isUndecided(one));
      if (decidable.length < room && oldest.length >= limit) continue;
      return { provisional: [...decidable, ...undecided].slice(0, room), undecided };
    }
  };

  /** The transactions that no trusted endpoint knows and at least one denies. */
  const absentEverywhere = async (
    absent: readonly PlacedTransaction[],
    signal: AbortSignal,
  ): Promise<readonly PlacedTransaction[]> => {
    if (absent.length === 0) return [];
    const nodes = await statusesFromEach(await statusQuery(writer, absent, absent), signal);
    return absent.filter(
      (transaction) =>
        nodes.some((node) => node.provesAbsence(transaction)) &&
        nodes.every((node) => node.statusOf(transaction.signature)?.kind !== 'known'),
    );
  };

  return {
    /**
     * Checks provisional events up to the finalized slot.
     * @param suspects cursors whose transactions may have vanished, with or without events
     */
    async settle(
      finalizedSlot: number,
      suspects: readonly Cursor[],
      signal: AbortSignal,
    ): Promise<Settlement> {
      const room = MAX_TRANSACTIONS - suspects.length;
      const { provisional, undecided: waiting } = await oldestProvisional(finalizedSlot, room);
      const passedOver = waiting.filter((one) => !provisional.includes(one));
      const moved = new Map<string, number>();
      const checked = [...new Map([...provisional, ...suspects].map((one) => [one.signature, one])).values()];
      if (checked.length === 0) {
        absences = new Map();
        return { finalized: 0, vanished: 0, moved, undecided: [] };
      }
      // Most exist, so proof is requested only for those that were absent before.
      const inDoubt = checked.filter(({ signature }) => absences.has(signature));
      const query = await statusQuery(writer, checked, inDoubt);
      const replies = await pool.batch(query.calls, signal);
      // Without an answer the previous counts stay.
      resultOf(replies[1]);
      const others = checked.some(isDueEverywhere)
        ? await statusesFromEach(query, signal, OTHERS_WITHIN_MS)
        : [];
      const statuses = combine([query.read(replies), ...others]);
      const finalized: string[] = [];
      const vanished: string[] = [];
      const absent: PlacedTransaction[] = [];
      const stillAbsent = new Map(
        passedOver.map(({ signature }) => [signature, absences.get(signature) ?? NEVER_ABSENT]),
      );
      for (const transaction of checked) {
        const { signature, slot } = transaction;
        const status = statuses.statusOf(signature);
        if (!status) continue;
        if (status.kind === 'known') {
          const events = provisional.filter((event) => event.signature === signature);
          if (!status.isFinalized || events.length === 0) continue;
          // A fork moved it to a different slot. A failed transaction changes no balance.
          if (status.hasFailed) vanished.push(signature);
          else if (status.slot === slot) finalized.push(signature);
          else {
            for (const { account } of events) {
              moved.set(account, Math.min(slot, status.slot, moved.get(account) ?? slot));
            }
          }
          continue;
        }
        const before = absences.get(signature) ?? NEVER_ABSENT;
        const proofs = before.proofs + (statuses.provesAbsence(transaction) ? 1 : 0);
        if (proofs >= ABSENCES_TO_VANISH) absent.push(transaction);
        else stillAbsent.set(signature, { checks: before.checks + 1, proofs });
      }
      const gone = await absentEverywhere(absent, signal);
      vanished.push(...gone.map(({ signature }) => signature));
      absences = stillAbsent;
      if (finalized.length > 0 || vanished.length > 0) await writer.settleEvents({ finalized, vanished });
      const settled = new Set([...finalized, ...vanished]);
      const undecided = [...new Set([...waiting, ...provisional])].filter(
        (one) => isUndecided(one) && !settled.has(one.signature),
      );
      return { finalized: finalized.length, vanished: vanished.length, moved, undecided };
    },
  };
}

/** Combines the reports. A transaction is known if one node knows it, and denied if one can deny it. */
function combine(nodes: readonly ReportedStatuses[]): ReportedStatuses {
  return {
    statusOf(signature) {
      const reported = nodes.map((node) => node.statusOf(signature)).filter((status) => status !== undefined);
      return reported.find(({ kind }) => kind === 'known') ?? reported[0];
    },
    provesAbsence: (transaction) => nodes.some((node) => node.provesAbsence(transaction)),
  };
}
