/**
 * How commitment levels map onto a ledger without forks: a transaction is confirmed when it is accepted and finalized
 * `FINALITY_SLOTS` later. `processed` and `confirmed` are the newest slot.
 *
 * Account state is the newest at any commitment, and the `context` of a state read names the newest slot accordingly. A real
 * node answers `finalized` state reads from an older bank.
 */
import { FINALITY_SLOTS, type LedgerChain, type LedgerClock } from '../chain.ts';
import { type Commitment, type Config, isAbsent, readCommitment, readConfig, readInteger } from './params.ts';
import { minContextSlotNotReached } from './rpc-error.ts';

/** The node version whose interface this façade speaks. */
export const API_VERSION = '4.0.0';

/** The newest slot at a commitment. */
export function slotAt(clock: LedgerClock, commitment: Commitment): number {
  return commitment === 'finalized' ? Math.max(0, clock.slot - FINALITY_SLOTS) : clock.slot;
}

/** The newest block height at a commitment. */
export function blockHeightAt(clock: LedgerClock, commitment: Commitment): number {
  return commitment === 'finalized' ? Math.max(0, clock.blockHeight - FINALITY_SLOTS) : clock.blockHeight;
}

/** Whether what happened in a slot is visible at a commitment. */
export function isReached(slot: number, clock: LedgerClock, commitment: Commitment): boolean {
  return commitment === 'finalized' ? slot + FINALITY_SLOTS <= clock.slot : slot <= clock.slot;
}

export function confirmationStatus(slot: number, clock: LedgerClock): 'confirmed' | 'finalized' {
  return isReached(slot, clock, 'finalized') ? 'finalized' : 'confirmed';
}

/** @throws -32016 where `minContextSlot` of the configuration is above `slot` */
export function checkMinContextSlot(config: Config, at: string, slot: number): void {
  if (isAbsent(config.minContextSlot)) return;
  const least = readInteger(config.minContextSlot, `${at}.minContextSlot`);
  if (slot < least) throw minContextSlotNotReached(slot);
}

/** The configuration of a state read, its commitment and `minContextSlot` checked. */
export function readStateConfig(chain: LedgerChain, params: readonly unknown[], index: number): Config {
  const config = readConfig(params, index);
  readCommitment(config, `params[${index}]`);
  checkMinContextSlot(config, `params[${index}]`, chain.clock().slot);
  return config;
}

/** A value with the slot it was read at. */
export function withContext(
  chain: LedgerChain,
  value: unknown,
): { readonly context: object; readonly value: unknown } {
  return { context: { apiVersion: API_VERSION, slot: chain.clock().slot }, value };
}
