/**
 * What a transaction did to the vault or to the stake pool. `stake` and `unstake` move the pool's vault, `deposit` and
 * `withdraw` the project's vault. `other`: any other transaction of these accounts.
 */
export const EVENT_KINDS = ['stake', 'unstake', 'deposit', 'withdraw', 'other'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** Confirmation of a transaction: `confirmed` rows are provisional and re-checked, `finalized` ones are final. */
export const EVENT_STATUSES = ['confirmed', 'finalized'] as const;
export type EventStatus = (typeof EVENT_STATUSES)[number];

/** Alarms about a watched account: its owner changed, another address may close it or spend from it, or it was closed. */
export const CHAIN_ALARM_KINDS = [
  'owner-changed',
  'close-authority-changed',
  'delegate-approved',
  'account-closed',
] as const;
export type ChainAlarmKind = (typeof CHAIN_ALARM_KINDS)[number];
