import type { Cursor, PlacedTransaction } from '../../data/store/chain-rows.ts';
import type { IndexWriter } from '../../data/store/ports.ts';
import { type EndpointPool, resultOf } from '../rpc/endpoint-pool.ts';
import { MOST_TRANSACTIONS, statusQuestion } from './history-proof.ts';

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

export function createSettler(options: {
  readonly pool: EndpointPool;
  readonly writer: Pick<IndexWriter, 'provisionalEvents' | 'settleEvents' | 'finalEvent'>;
}): Settler {
  const { pool, writer } = options;
  /** Transactions that were absent when they were last looked at, and how often in a row they were denied. */
  let absences = new Map<string, number>();

  /**
   * Those of the transactions that no endpoint knows which is believed, and that one at least can deny: one that is not
   * believed takes nothing back, nor does one without that part of history.
   */
  const deniedEverywhere = async (
    absent: readonly PlacedTransaction[],
    signal: AbortSignal,
  ): Promise<readonly PlacedTransaction[]> => {
    if (absent.length === 0) return [];
    const question = await statusQuestion(writer, absent, absent);
    const answers = await pool.askEach(question.calls, signal);
    const aside = new Set(pool.health().flatMap(({ name, state }) => (state === 'put-aside' ? [name] : [])));
    const told = answers
      .filter(({ endpoint }) => !aside.has(endpoint))
      .map(({ replies }) => question.read(replies));
    return absent.filter(
      (transaction) =>
        told.some((node) => node.denies(transaction)) &&
        told.every((node) => node.statusOf(transaction.signature)?.kind !== 'known'),
    );
  };

  return {
    async settle(finalizedSlot, doubted, signal) {
      const provisional = await writer.provisionalEvents(finalizedSlot, MOST_TRANSACTIONS - doubted.length);
      const moved = new Map<string, number>();
      const looked = [...new Map([...provisional, ...doubted].map((one) => [one.signature, one])).values()];
      if (looked.length === 0) return { finalized: 0, vanished: 0, moved };
      // Most are there: proof is asked for of those alone that were absent before.
      const inDoubt = looked.filter(({ signature }) => absences.has(signature));
      const question = await statusQuestion(writer, looked, inDoubt);
      const replies = await pool.batch(question.calls, signal);
      // Nothing told is no look at all: what was counted before stands.
      resultOf(replies[1]);
      const told = question.read(replies);
      const finalized: string[] = [];
      const vanished: string[] = [];
      const absent: PlacedTransaction[] = [];
      const stillAbsent = new Map<string, number>();
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
        const denials = (absences.get(signature) ?? 0) + (told.denies(transaction) ? 1 : 0);
        if (denials >= DENIALS_TO_VANISH) absent.push(transaction);
        else stillAbsent.set(signature, denials);
      }
      const gone = await deniedEverywhere(absent, signal);
      vanished.push(...gone.map(({ signature }) => signature));
      absences = stillAbsent;
      if (finalized.length > 0 || vanished.length > 0) await writer.settleEvents({ finalized, vanished });
      return { finalized: finalized.length, vanished: vanished.length, moved };
    },
  };
}
