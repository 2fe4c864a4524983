/**
 * What a transaction did to the vault or to the stake pool. `stake` and `unstake` move the pool's vault, `deposit` and
 * `withdraw` the project's vault; `other` touched one of them without moving its balance, or in a way with no word.
 */
export const EVENT_KINDS = ['stake', 'unstake', 'deposit', 'withdraw', 'other'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** Confirmation of a transaction: `confirmed` rows are provisional and re-checked, `finalized` ones are final. */
export const EVENT_STATUSES = ['confirmed', 'finalized'] as const;
export type EventStatus = (typeof EVENT_STATUSES)[number];

/**
 * What a transaction did to a watched account beside moving its balance: its owner changed, someone else may close it or
 * spend from it, or it was closed.
 */
export const CHAIN_ALARM_KINDS = [
  'owner-changed',
  'close-authority-changed',
  'delegate-approved',
  'account-closed',
] as const;
export type ChainAlarmKind = (typeof CHAIN_ALARM_KINDS)[number];
