import type { Cursor } from '../../data/store/chain-rows.ts';
import type { IndexWriter } from '../../data/store/ports.ts';
import { type EndpointPool, resultOf } from '../rpc/endpoint-pool.ts';
import type { RpcCall } from '../rpc/json-rpc.ts';
import { getSignatureStatuses, getSlot, type SignatureStatus } from '../rpc/solana-calls.ts';

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

/** What `getSignatureStatuses` takes at most. */
const MOST_STATUSES = 256;
/**
 * How often in a row a transaction has to be absent, from a node that is past its slot, before it counts as
 * vanished.
 */
const ABSENCES_TO_VANISH = 3;
/** Slots a node has to be past a transaction's before its absence means anything. */
export const ABSENCE_MARGIN_SLOTS = 32;

export function createSettler(options: {
  readonly pool: EndpointPool;
  readonly writer: Pick<IndexWriter, 'provisionalEvents' | 'settleEvents'>;
}): Settler {
  const { pool, writer } = options;
  let absences = new Map<string, number>();

  /** Those of the signatures that any endpoint knows which is believed: one alone takes nothing back. */
  const knownAnywhere = async (
    signatures: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>> => {
    if (signatures.length === 0) return new Set();
    const calls: [RpcCall<readonly SignatureStatus[]>] = [getSignatureStatuses(signatures)];
    const answers = await pool.askEach<[readonly SignatureStatus[]]>(calls, signal);
    const aside = new Set(pool.health().flatMap(({ name, state }) => (state === 'put-aside' ? [name] : [])));
    return new Set(
      answers.flatMap(({ endpoint, replies: [reply] }) =>
        reply.ok && !aside.has(endpoint)
          ? signatures.filter((_, index) => reply.value[index]?.kind === 'known')
          : [],
      ),
    );
  };

  return {
    async settle(finalizedSlot, doubted, signal) {
      const provisional = await writer.provisionalEvents(finalizedSlot, MOST_STATUSES - doubted.length);
      const moved = new Map<string, number>();
      const slots = new Map([...provisional, ...doubted].map(({ signature, slot }) => [signature, slot]));
      if (slots.size === 0) return { finalized: 0, vanished: 0, moved };
      const signatures = [...slots.keys()];
      const replies = await pool.batch<[number, readonly SignatureStatus[]]>(
        [getSlot('finalized'), getSignatureStatuses(signatures)],
        signal,
      );
      // The slot of the very node that answered: another may be behind and miss what it has not seen yet.
      const reached = replies[0].by === replies[1].by ? resultOf(replies[0]) : Number.NEGATIVE_INFINITY;
      const statuses = resultOf(replies[1]);
      const finalized: string[] = [];
      const vanished: string[] = [];
      const absent: string[] = [];
      const stillAbsent = new Map<string, number>();
      for (const [index, signature] of signatures.entries()) {
        const status = statuses[index];
        const slot = slots.get(signature);
        if (!status || slot === undefined) continue;
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
        } else if (reached >= slot + ABSENCE_MARGIN_SLOTS) {
          const times = (absences.get(signature) ?? 0) + 1;
          if (times >= ABSENCES_TO_VANISH) absent.push(signature);
          else stillAbsent.set(signature, times);
        } else {
          const times = absences.get(signature);
          if (times !== undefined) stillAbsent.set(signature, times);
        }
      }
      const known = await knownAnywhere(absent, signal);
      vanished.push(...absent.filter((signature) => !known.has(signature)));
      absences = stillAbsent;
      if (finalized.length > 0 || vanished.length > 0) await writer.settleEvents({ finalized, vanished });
      return { finalized: finalized.length, vanished: vanished.length, moved };
    },
  };
}
