import type { ChainSnapshot, StakeEntryRow } from '../chain-rows.ts';
import type { HolderCount, Reconciliation } from '../ports.ts';

/** @throws {RangeError} when two entries have the same address */
export function assertUniqueAddresses({ entries, slot }: ChainSnapshot): void {
  if (new Set(entries.map(({ address }) => address)).size === entries.length) return;
  throw new RangeError(`The snapshot of slot ${slot} has two stake entries with the same address.`);
}

export function countStakers(entries: readonly StakeEntryRow[]): number {
  return new Set(entries.filter((entry) => entry.closedAt === null).map((entry) => entry.wallet)).size;
}

/** @throws {RangeError} when the count is negative or not an integer */
export function assertHolderCount({ wallets }: HolderCount): void {
  if (Number.isSafeInteger(wallets) && wallets >= 0) return;
  throw new RangeError(`${wallets} is not a valid number of wallets.`);
}

/** The latest reconciliation, with the slot and time of the latest one that found no differences. */
export interface StoredReconciliation extends Reconciliation {
  readonly agreedSlot: number | null;
  readonly agreedAt: number | null;
}
