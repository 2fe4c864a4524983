import type { IndexWriter } from '../../data/store/ports.ts';
import { type EndpointPool, resultOf } from '../rpc/endpoint-pool.ts';
import { getSignatureStatuses, getSlot, type SignatureStatus } from '../rpc/solana-calls.ts';

/** Turns provisional events into final ones, or takes them back. */
export interface Settler {
  /**
   * Checks provisional events up to the finalized slot.
   * @returns how many became final, and how many were removed since their transactions vanished
   */
  settle(finalizedSlot: number, signal: AbortSignal): Promise<{ finalized: number; vanished: number }>;
}

/** What `getSignatureStatuses` takes at most. */
const MOST_STATUSES = 256;
/**
 * How often in a row a transaction has to be absent, from a node that is past its slot, before it counts as
 * vanished.
 */
const ABSENCES_TO_VANISH = 3;
/** Slots a node has to be past a transaction's before its absence means anything. */
const ABSENCE_MARGIN_SLOTS = 32;

export function createSettler(options: {
  readonly pool: EndpointPool;
  readonly writer: Pick<IndexWriter, 'provisionalEvents' | 'settleEvents'>;
}): Settler {
  const { pool, writer } = options;
  let absences = new Map<string, number>();

  return {
    async settle(finalizedSlot, signal) {
      const provisional = await writer.provisionalEvents(finalizedSlot, MOST_STATUSES);
      if (provisional.length === 0) return { finalized: 0, vanished: 0 };
      const slots = new Map(provisional.map(({ signature, slot }) => [signature, slot]));
      const signatures = [...slots.keys()];
      const replies = await pool.batch<[number, readonly SignatureStatus[]]>(
        [getSlot('finalized'), getSignatureStatuses(signatures)],
        signal,
      );
      // The slot of the very node that answered: another may be behind and miss what it has not seen yet.
      const reached = resultOf(replies[0]);
      const statuses = resultOf(replies[1]);
      const finalized: string[] = [];
      const vanished: string[] = [];
      const stillAbsent = new Map<string, number>();
      for (const [index, signature] of signatures.entries()) {
        const status = statuses[index];
        const slot = slots.get(signature);
        if (!status || slot === undefined) continue;
        if (status.kind === 'known') {
          // In another slot it landed again after a fork: it will be listed there and move. Failed there, it moved nothing.
          if (status.isFinalized && status.hasFailed) vanished.push(signature);
          else if (status.isFinalized && status.slot === slot) finalized.push(signature);
        } else if (reached >= slot + ABSENCE_MARGIN_SLOTS) {
          const times = (absences.get(signature) ?? 0) + 1;
          if (times >= ABSENCES_TO_VANISH) vanished.push(signature);
          else stillAbsent.set(signature, times);
        }
      }
      absences = stillAbsent;
      if (finalized.length > 0 || vanished.length > 0) await writer.settleEvents({ finalized, vanished });
      return { finalized: finalized.length, vanished: vanished.length };
    },
  };
}
