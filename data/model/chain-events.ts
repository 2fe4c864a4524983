export interface EventKindStyle {
  readonly label: string;
  readonly sign: '+' | '−' | '';
  readonly tone: 'in' | 'out' | 'other';
}

/**
 * The kinds of transactions that involve the vault or the stake pool. `stake` and `unstake` change the balance of the pool's
 * stake vault, `deposit` and `withdraw` that of the project's vault. `other`: any other transaction that involves them.
 */
export const EVENT_KIND_STYLES = {
  stake: { label: 'Stake', sign: '+', tone: 'in' },
  unstake: { label: 'Unstake', sign: '−', tone: 'out' },
  deposit: { label: 'Deposit', sign: '+', tone: 'in' },
  withdraw: { label: 'Withdraw', sign: '−', tone: 'out' },
  other: { label: 'Other', sign: '', tone: 'other' },
} as const satisfies Readonly<Record<string, EventKindStyle>>;
export type EventKind = keyof typeof EVENT_KIND_STYLES;
export const EVENT_KINDS = Object.keys(EVENT_KIND_STYLES) as [EventKind, ...EventKind[]];

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
