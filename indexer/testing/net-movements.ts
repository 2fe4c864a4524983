import type { ChainEvent } from '../../data/store/chain-rows.ts';
import type { MovementTold } from './told-by-ledger.ts';

/**
 * For tests: what each transaction's events of an account add up to, in the order of the events, as balances tell it: those
 * that leave the balance as it was are left out.
 */
export function netMovements(events: readonly ChainEvent[]): readonly MovementTold[] {
  const byTransaction = Map.groupBy(events, ({ signature, account }) => `${signature} ${account}`);
  return [...byTransaction.values()].flatMap((parts) => {
    const [first] = parts;
    const delta = parts.reduce((sum, part) => sum + part.delta, 0n);
    if (!first || delta === 0n) return [];
    const { account, signature, slot, position, blockTime } = first;
    return [{ account, signature, slot, position, delta, blockTime: blockTime ?? Number.NaN }];
  });
}
