import type { SignatureInfo } from '../rpc/solana-calls.ts';
import type { ListedTransaction } from './read-transaction.ts';

/** The next free place in a slot, counted among the transactions that the chain lists for one account. */
export interface NextPosition {
  readonly slot: number;
  readonly position: number;
}

/**
 * Gives each transaction (oldest first) its place within its slot. The first may share its slot with
 * transactions that were listed before; `next` says where that slot stands.
 */
export function withPositions(
  oldestFirst: readonly SignatureInfo[],
  next: NextPosition | null,
): readonly ListedTransaction[] {
  let { slot, position } = next ?? { slot: -1, position: 0 };
  return oldestFirst.map((row) => {
    if (row.slot !== slot) {
      slot = row.slot;
      position = 0;
    }
    const placed = { ...row, position };
    position += 1;
    return placed;
  });
}

/** The place after a transaction. */
export function positionAfter({ slot, position }: ListedTransaction): NextPosition {
  return { slot, position: position + 1 };
}
