import type { Cursor, PlacedTransaction } from '../../data/store/chain-rows.ts';
import type { IndexWriter } from '../../data/store/ports.ts';
import { type EndpointPool, resultOf } from '../rpc/endpoint-pool.ts';
import {
  MOST_TRANSACTIONS,
  type StatusQuestion,
  statusQuestion,
  type ToldStatuses,
} from './history-proof.ts';

/** What became of provisional events. */
export interface Settlement {
  /** Transactions that are final. */
  readonly finalized: number;
  /** Transactions that are no more, and whose events were removed. */
  readonly vanished: number;
  /**
   * Accounts with events whose transactions are final in another slot than the one they were listed in, with the earlier
   * of both: from there on they are to be listed again, which moves the events.
   */
  readonly moved: ReadonlyMap<string, number>;
  /**
   * Transactions that no endpoint knows, nor can deny, for a while already: their events stay provisional, and with them
   * what is known of the history up to their slot.
   */
  readonly undecided: readonly PlacedTransaction[];
}

/** Turns provisional events into final ones, or takes them back. */
export interface Settler {
  /**
   * Checks provisional events up to the finalized slot.
   * @param doubted cursors whose transactions may have vanished, with or without an event
   */
  settle(finalizedSlot: number, doubted: readonly Cursor[], signal: AbortSignal): Promise<Settlement>;
}

/**
 * How often in a row a transaction has to be denied, by a node that proves that it has that part of history, before it
 * counts as vanished.
 */
const DENIALS_TO_VANISH = 3;
/**
 * Looks in a row that did not find a transaction, after which every endpoint is asked for it, and again each time as many
 * looks later. Where that decides nothing it waits behind the others.
 */
const LOOKS_TO_UNDECIDED = 15;
/** How long the other endpoints are waited for then: what is new is not read meanwhile. */
const OTHERS_WITHIN_MS = 2_000;

/** Looks in a row that did not find a transaction, and how many of them were denials. */
interface Absence {
  readonly looks: number;
  readonly denials: number;
}
const NEVER_ABSENT: Absence = { looks: 0, denials: 0 };

export function createSettler(options: {
  readonly pool: EndpointPool;
  readonly writer: Pick<IndexWriter, 'provisionalEvents' | 'settleEvents' | 'finalEvent'>;
}): Settler {
  const { pool, writer } = options;
  /** By signature, of those that were absent when they were last looked at. */
  let absences: ReadonlyMap<string, Absence> = new Map();
  const isLookedForEverywhere = ({ signature }: PlacedTransaction): boolean =>
    ((absences.get(signature) ?? NEVER_ABSENT).looks + 1) % LOOKS_TO_UNDECIDED === 0;
  const isUndecided = ({ signature }: PlacedTransaction): boolean =>
    (absences.get(signature) ?? NEVER_ABSENT).looks >= LOOKS_TO_UNDECIDED;

  /** What each endpoint tells that is believed. */
  const toldByEach = async (
    question: StatusQuestion,
    signal: AbortSignal,
    withinMs?: number,
  ): Promise<readonly ToldStatuses[]> => {
    const answers = await pool.askEach(question.calls, signal, withinMs);
    const aside = new Set(pool.health().flatMap(({ name, state }) => (state === 'put-aside' ? [name] : [])));
    return answers
      .filter(({ endpoint }) => !aside.has(endpoint))
      .map(({ replies }) => question.read(replies));
  };

  /** The oldest provisional events, as many as there is room for, and those that nobody can decide behind the others. */
  const oldestProvisional = async (finalizedSlot: number, room: number) => {
    for (let limit = room; ; limit *= 2) {
      const oldest = await writer.provisionalEvents(finalizedSlot, limit);
      const undecided = oldest.filter(isUndecided);
      const hopeful = oldest.filter((one) => !isUndecided(one));
      if (hopeful.length < room && oldest.length >= limit) continue;
      return { provisional: [...hopeful, ...undecided].slice(0, room), undecided };
    }
  };

  /**
   * Those of the transactions that no endpoint knows which is believed, and that one at least can deny: one that is not
   * believed takes nothing back, nor does one without that part of history.
   */
  const deniedEverywhere = async (
    absent: readonly PlacedTransaction[],
    signal: AbortSignal,
  ): Promise<readonly PlacedTransaction[]> => {
    if (absent.length === 0) return [];
    const told = await toldByEach(await statusQuestion(writer, absent, absent), signal);
    return absent.filter(
      (transaction) =>
        told.some((node) => node.denies(transaction)) &&
        told.every((node) => node.statusOf(transaction.signature)?.kind !== 'known'),
    );
  };

  return {
    async settle(finalizedSlot, doubted, signal) {
      const room = MOST_TRANSACTIONS - doubted.length;
      const { provisional, undecided: waiting } = await oldestProvisional(finalizedSlot, room);
      const passedOver = waiting.filter((one) => !provisional.includes(one));
      const moved = new Map<string, number>();
      const looked = [...new Map([...provisional, ...doubted].map((one) => [one.signature, one])).values()];
      if (looked.length === 0) {
        absences = new Map();
        return { finalized: 0, vanished: 0, moved, undecided: [] };
      }
      // Most are there: proof is asked for of those alone that were absent before.
      const inDoubt = looked.filter(({ signature }) => absences.has(signature));
      const question = await statusQuestion(writer, looked, inDoubt);
      const replies = await pool.batch(question.calls, signal);
      // Nothing told is no look at all: what was counted before stands.
      resultOf(replies[1]);
      const others = looked.some(isLookedForEverywhere)
        ? await toldByEach(question, signal, OTHERS_WITHIN_MS)
        : [];
      const told = together([question.read(replies), ...others]);
      const finalized: string[] = [];
      const vanished: string[] = [];
      const absent: PlacedTransaction[] = [];
      const stillAbsent = new Map(
        passedOver.map(({ signature }) => [signature, absences.get(signature) ?? NEVER_ABSENT]),
      );
      for (const transaction of looked) {
        const { signature, slot } = transaction;
        const status = told.statusOf(signature);
        if (!status) continue;
        if (status.kind === 'known') {
          const events = provisional.filter((event) => event.signature === signature);
          if (!status.isFinalized || events.length === 0) continue;
          // In another slot it landed again after a fork. Failed there, it moved nothing.
          if (status.hasFailed) vanished.push(signature);
          else if (status.slot === slot) finalized.push(signature);
          else {
            for (const { account } of events) {
              moved.set(account, Math.min(slot, status.slot, moved.get(account) ?? slot));
            }
          }
          continue;
        }
        // Neither a denial nor the contrary, where the node does not prove that it has that part of history.
        const before = absences.get(signature) ?? NEVER_ABSENT;
        const denials = before.denials + (told.denies(transaction) ? 1 : 0);
        if (denials >= DENIALS_TO_VANISH) absent.push(transaction);
        else stillAbsent.set(signature, { looks: before.looks + 1, denials });
      }
      const gone = await deniedEverywhere(absent, signal);
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

/** What nodes tell together: a transaction is known where one knows it, and denied where one can. */
function together(nodes: readonly ToldStatuses[]): ToldStatuses {
  return {
    statusOf(signature) {
      const told = nodes.map((node) => node.statusOf(signature)).filter((status) => status !== undefined);
      return told.find(({ kind }) => kind === 'known') ?? told[0];
    },
    denies: (transaction) => nodes.some((node) => node.denies(transaction)),
  };
}
