import type { z } from 'zod';
import type {
  applicationDetails,
  contactDetails,
  loanDetails,
  requestDetails,
} from '../../../data/contract/admin-record.ts';
import type { ListedRows } from '../../../data/store/record-port.ts';
import {
  amountText,
  applicationRowOf,
  contactRowOf,
  iso,
  isoOrNull,
  loanRowOf,
  requestRowOf,
} from './record-rows.ts';

/* Records with all their own fields, for the record's call and for exports. */

export function applicationDetailsOf(
  row: ListedRows['applications'],
  decimals: number | null,
): z.infer<typeof applicationDetails> {
  const { shape, phone, telegram, alias, statedAmount, statedTier, checked } = row;
  return {
    ...applicationRowOf(row, decimals),
    shape,
    phone,
    telegram,
    alias,
    applicantNotes: row.notes,
    statedAmount,
    statedTier,
    checkedAmount: amountText(checked?.amount, decimals),
    checkedTier: checked?.tier ?? null,
    checkedAt: isoOrNull(checked?.at ?? null),
  };
}

export function contactDetailsOf(row: ListedRows['contacts']): z.infer<typeof contactDetails> {
  return { ...contactRowOf(row), message: row.message, walletAddress: row.walletAddress };
}

export function requestDetailsOf(
  row: ListedRows['requests'],
): Omit<z.infer<typeof requestDetails>, 'whitelistedTier'> {
  const { reason, evidence, statedDetection, requestedAt, refusalReason } = row;
  return {
    ...requestRowOf(row),
    reason,
    evidence,
    statedDetection,
    requestedAt: iso(requestedAt),
    refusalReason,
  };
}

export function loanDetailsOf(
  row: ListedRows['loans'],
): Omit<z.infer<typeof loanDetails>, 'documents' | 'votes'> {
  const { riskSuitability, conversionOption, comments, refusalReason, decidedAt } = row;
  return {
    ...loanRowOf(row),
    riskSuitability,
    conversionOption,
    comments,
    refusalReason,
    decidedAt: isoOrNull(decidedAt),
  };
}
