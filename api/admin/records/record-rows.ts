import type {
  ApplicationRow,
  ContactRow,
  DeliveryLogRow,
  LoanRow,
  RequestRow,
} from '../../../data/contract/admin-records.ts';
import { toDecimalText } from '../../../data/model/amounts.ts';
import type { ListedRows } from '../../../data/store/record-port.ts';

/* Records as the calls answer them. */

export const iso = (at: number): string => new Date(at).toISOString();
export const isoOrNull = (at: number | null): string | null => (at === null ? null : iso(at));

const METHODS = { mail: 'email', telegram: 'telegram' } as const;
export const methodOf = (channel: keyof typeof METHODS) => METHODS[channel];

/** BD as decimal text; null where nothing was read, or the decimals of BD are not known. */
export function amountText(amount: bigint | undefined, decimals: number | null): string | null {
  return amount === undefined || decimals === null ? null : toDecimalText(amount, decimals);
}

export function applicationRowOf(row: ListedRows['applications'], decimals: number | null): ApplicationRow {
  const { id, referenceNumber, name, email, status, walletAddress, isOwnershipProven, checked } = row;
  return {
    id,
    referenceNumber,
    name,
    email,
    tier: checked ? checked.tier : row.statedTier,
    bdAmount: checked ? amountText(checked.amount, decimals) : row.statedAmount,
    isStakeChecked: checked !== null,
    emailSent: row.isMailSent,
    telegramSent: row.isNoticeSent,
    createdAt: iso(row.createdAt),
    status,
    changedAt: iso(row.changedAt),
    walletAddress,
    isOwnershipProven,
  };
}

export function contactRowOf(row: ListedRows['contacts']): ContactRow {
  const { id, referenceNumber, name, email, subject, category } = row;
  return {
    id,
    referenceNumber,
    name,
    email,
    subject,
    category,
    emailSent: row.isMailSent,
    telegramSent: row.isNoticeSent,
    createdAt: iso(row.createdAt),
  };
}

export function requestRowOf(row: ListedRows['requests']): RequestRow {
  const { id, referenceNumber, walletAddress, email, telegram, claimedAmount, checkedDetection, status } =
    row;
  return {
    id,
    referenceNumber,
    walletAddress,
    email,
    telegram,
    claimedAmount,
    checkedDetection,
    isOwnershipProven: row.isOwnershipProven,
    emailSent: row.isMailSent,
    telegramSent: row.isNoticeSent,
    createdAt: iso(row.createdAt),
    status,
    changedAt: iso(row.changedAt),
  };
}

export function loanRowOf(row: ListedRows['loans']): LoanRow {
  const { id, referenceNumber, name, email, investmentAmount, investorType, country, status } = row;
  return {
    id,
    referenceNumber,
    name,
    email,
    investmentAmount,
    investorType,
    country,
    emailSent: row.isMailSent,
    telegramSent: row.isNoticeSent,
    createdAt: iso(row.createdAt),
    status,
    changedAt: iso(row.changedAt),
  };
}

export function deliveryLogRowOf(row: ListedRows['attempts']): DeliveryLogRow {
  const { id, deliveryId, kind, event, audience, referenceNumber, applicantName, outcome, error } = row;
  return {
    id,
    deliveryId,
    deliveryMethod: methodOf(row.channel),
    kind,
    event,
    audience,
    referenceNumber,
    applicantName,
    recipient: row.maskedRecipient,
    success: outcome === 'sent',
    outcome,
    error,
    attemptedAt: iso(row.at),
    latencyMs: row.latencyMs,
    deliveryState: row.deliveryState,
    isRetryable: row.deliveryState === 'dead' && row.isNewest,
  };
}
