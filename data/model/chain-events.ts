/**
 * The effect of a transaction on the vault or the stake pool. `stake` and `unstake` change the balance of the stake vault, which
 * belongs to the pool. `deposit` and `withdraw` change the balance of the project's vault. `other`: any other transaction of
 * these accounts.
 */
export const EVENT_KINDS = ['stake', 'unstake', 'deposit', 'withdraw', 'other'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** `confirmed` transactions are provisional and checked again; `finalized` ones cannot change. */
export const EVENT_STATUSES = ['confirmed', 'finalized'] as const;
export type EventStatus = (typeof EVENT_STATUSES)[number];

/**
 * Changes to a watched account that raise an alarm: it has a new owner, a new address may close it or spend from it, or it was
 * closed.
 */
export const CHAIN_ALARM_KINDS = [
  'owner-changed',
  'close-authority-changed',
  'delegate-approved',
  'account-closed',
] as const;
export type ChainAlarmKind = (typeof CHAIN_ALARM_KINDS)[number];
