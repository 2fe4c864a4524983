import type { PlacedTransaction } from '../../data/store/chain-rows.ts';
import type { IndexWriter } from '../../data/store/ports.ts';
import type { PoolReply, RpcCalls } from '../rpc/json-rpc.ts';
import {
  getFirstAvailableBlock,
  getSignatureStatuses,
  getSlot,
  type SignatureStatus,
} from '../rpc/solana-calls.ts';

/**
 * Decides whether a transaction that a node does not know exists. Nodes drop old history (a
 * validator within days), and then answer as if a transaction had never existed. So only a node that has that part of
 * history can deny a transaction. A node's history is complete from some slot on. Either of two facts proves that the
 * transaction is not before that slot:
 *
 * - The node knows a witness: the last final event of the same account before the transaction. It is requested in the
 *   same call, so that the same node answers.
 * - The node's first block is not after the transaction, and is after the witness, if there is one. (A node that claims
 *   to have the witness's slot and does not know the witness lacks history that it claims.)
 *
 * A node that does not report its first block cannot give the second proof. Without a proof the transaction may exist.
 */
export interface StatusQuery {
  /** The first calls of a batch. */
  readonly calls: RpcCalls<[number, readonly SignatureStatus[], ...number[]]>;
  /** Reads the replies to these calls; more may follow. An error counts as no answer. */
  read(replies: readonly PoolReply<unknown>[]): ReportedStatuses;
}

/** The statuses that one node reported. */
export interface ReportedStatuses {
  /** Undefined if the status was not requested or not answered. */
  statusOf(signature: string): SignatureStatus | undefined;
  /** Whether the node is well past a transaction in doubt, has that part of history, and does not know the transaction. */
  provesAbsence(transaction: PlacedTransaction): boolean;
}

/** The limit of `getSignatureStatuses`. */
const MAX_STATUSES = 256;
/** Transactions per query. Each may need its own witness. */
export const MAX_TRANSACTIONS = MAX_STATUSES / 2;
/** A transaction's absence counts once the node is this many slots past it. */
const ABSENCE_MARGIN_SLOTS = 32;

/**
 * Queries the statuses of transactions.
 * @param transactions at most `MAX_TRANSACTIONS`
 * @param inDoubt the ones that a node may deny
 */
export async function statusQuery(
  writer: Pick<IndexWriter, 'finalEvent'>,
  transactions: readonly PlacedTransaction[],
  inDoubt: readonly PlacedTransaction[],
): Promise<StatusQuery> {
  const witnesses = new Map(
    await Promise.all(
      inDoubt.map(async (one) => [keyOf(one), await writer.finalEvent(one.account, one.slot)] as const),
    ),
  );
  const requested = [...transactions, ...[...witnesses.values()].filter((witness) => witness !== null)];
  const signatures = [...new Set(requested.map(({ signature }) => signature))];
  const needsFirstBlock = inDoubt.length > 0;
  return {
    calls: [
      getSlot('finalized'),
      getSignatureStatuses(signatures),
      ...(needsFirstBlock ? [getFirstAvailableBlock()] : []),
    ],
    read([slotReply, statusReply, blockReply]) {
      // Counts only from the node that reported the statuses.
      const fromSameNode = (reply: PoolReply<unknown> | undefined): number | null =>
        reply?.ok && reply.by === statusReply?.by ? Number(reply.value) : null;
      const reached = fromSameNode(slotReply);
      const firstBlock = needsFirstBlock ? fromSameNode(blockReply) : null;
      const statuses = statusReply?.ok ? (statusReply.value as readonly SignatureStatus[]) : [];
      const reported = new Map(signatures.map((signature, index) => [signature, statuses[index]]));

      const reachesBackTo = (slot: number, witness: PlacedTransaction | null): boolean => {
        const status = witness && reported.get(witness.signature);
        if (witness && status?.kind === 'known' && status.isFinalized && status.slot === witness.slot) {
          return true;
        }
        return firstBlock !== null && firstBlock <= slot && (!witness || witness.slot < firstBlock);
      };
      return {
        statusOf: (signature) => reported.get(signature),
        provesAbsence(transaction) {
          const { signature, slot } = transaction;
          const witness = witnesses.get(keyOf(transaction));
          return (
            reported.get(signature)?.kind === 'unknown' &&
            reached !== null &&
            reached >= slot + ABSENCE_MARGIN_SLOTS &&
            witness !== undefined &&
            reachesBackTo(slot, witness)
          );
        },
      };
    },
  };
}

function keyOf({ signature, account, slot }: PlacedTransaction): string {
  return `${signature} ${account} ${slot}`;
}
