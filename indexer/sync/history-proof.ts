import type { PlacedTransaction } from '../../data/store/chain-rows.ts';
import type { IndexWriter } from '../../data/store/ports.ts';
import type { PoolReply } from '../rpc/endpoint-pool.ts';
import type { RpcCalls } from '../rpc/json-rpc.ts';
import {
  getFirstAvailableBlock,
  getSignatureStatuses,
  getSlot,
  type SignatureStatus,
} from '../rpc/solana-calls.ts';

/**
 * What becomes of a transaction that no node knows. A node forgets what is old, a validator within days, and then says of
 * a transaction what it says of one that never was. So only a node that has the part of history where the transaction
 * would be can deny it. A node has its history from some slot on without a gap; that this slot is not after the
 * transaction's is proven by either of two:
 *
 * - it knows a witness: the final event of the same account that stands next before the transaction, asked for in the
 *   same call, so that no other node can answer for it;
 * - it says that its first block is not after the transaction, but after the witness, if there is one. One that claims the
 *   slot of the witness and does not know it has not got the history it says it has.
 *
 * One that refuses to tell its first block proves nothing by it. Where nothing is proven the transaction may be there.
 */
export interface StatusQuestion {
  /** The first calls of a batch. */
  readonly calls: RpcCalls<[number, readonly SignatureStatus[], ...number[]]>;
  /** Reads the replies to them; more may follow. Errors count as nothing told. */
  read(replies: readonly PoolReply<unknown>[]): ToldStatuses;
}

/** What one node told. */
export interface ToldStatuses {
  /** Undefined where it was not asked or did not answer. */
  statusOf(signature: string): SignatureStatus | undefined;
  /** Whether it is well past a transaction in doubt, has that part of history, and does not know the transaction. */
  denies(transaction: PlacedTransaction): boolean;
}

/** What `getSignatureStatuses` takes at most. */
const MOST_STATUSES = 256;
/** Transactions of one question: each may need a witness of its own. */
export const MOST_TRANSACTIONS = MOST_STATUSES / 2;
/** Slots a node has to be past a transaction's before its absence means anything. */
const ABSENCE_MARGIN_SLOTS = 32;

/**
 * A question for the statuses of transactions.
 * @param transactions at most `MOST_TRANSACTIONS`
 * @param inDoubt those of them that a node may have to deny: of others none is denied
 */
export async function statusQuestion(
  writer: Pick<IndexWriter, 'finalEvent'>,
  transactions: readonly PlacedTransaction[],
  inDoubt: readonly PlacedTransaction[],
): Promise<StatusQuestion> {
  const witnesses = new Map(
    await Promise.all(
      inDoubt.map(async (one) => [keyOf(one), await writer.finalEvent(one.account, one.slot)] as const),
    ),
  );
  const asked = [...transactions, ...[...witnesses.values()].filter((witness) => witness !== null)];
  const signatures = [...new Set(asked.map(({ signature }) => signature))];
  const asksFirstBlock = inDoubt.length > 0;
  return {
    calls: [
      getSlot('finalized'),
      getSignatureStatuses(signatures),
      ...(asksFirstBlock ? [getFirstAvailableBlock()] : []),
    ],
    read([slotReply, statusReply, blockReply]) {
      // What another node said of itself says nothing of the one that told the statuses.
      const ofThisNode = (reply: PoolReply<unknown> | undefined): number | null =>
        reply?.ok && reply.by === statusReply?.by ? Number(reply.value) : null;
      const reached = ofThisNode(slotReply);
      const firstBlock = asksFirstBlock ? ofThisNode(blockReply) : null;
      const statuses = statusReply?.ok ? (statusReply.value as readonly SignatureStatus[]) : [];
      const told = new Map(signatures.map((signature, index) => [signature, statuses[index]]));

      const reachesBackTo = (slot: number, witness: PlacedTransaction | null): boolean => {
        const status = witness && told.get(witness.signature);
        if (witness && status?.kind === 'known' && status.isFinalized && status.slot === witness.slot) {
          return true;
        }
        return firstBlock !== null && firstBlock <= slot && (!witness || witness.slot < firstBlock);
      };
      return {
        statusOf: (signature) => told.get(signature),
        denies(transaction) {
          const { signature, slot } = transaction;
          const witness = witnesses.get(keyOf(transaction));
          return (
            told.get(signature)?.kind === 'unknown' &&
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
