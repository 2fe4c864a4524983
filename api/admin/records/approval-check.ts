import { type ApprovalWarning, cardWarnings, loanWarnings } from '../../../data/model/approval-warnings.ts';
import { hasName } from '../../../data/model/has-name.ts';
import { isLoanOpen, NEXT_APPLICATION_STATUSES } from '../../../data/model/submission-status.ts';
import { CARD_TIERS, type CardTier } from '../../../data/model/tiers.ts';
import type { ApprovalOverride, FullRecord, SeenRecord } from '../../../data/store/record-port.ts';
import { ApiError } from '../../errors.ts';
import { readCurrentWallet, type WalletContext } from './current-wallet.ts';

/** The warnings that apply if a record is approved now; none if its status does not allow an approval. */
export async function warningsOf(
  portal: WalletContext,
  fullRecord: FullRecord,
  tier: CardTier | null,
): Promise<readonly ApprovalWarning[]> {
  switch (fullRecord.kind) {
    case 'card-application': {
      const { status, isOwnershipProven, checked, statedTier } = fullRecord.record;
      if (NEXT_APPLICATION_STATUSES[status].length === 0) return [];
      const appliedTier = CARD_TIERS.find((one) => one === (checked ? checked.tier : statedTier)) ?? null;
      return cardWarnings(await readCurrentWallet(portal, fullRecord), isOwnershipProven, appliedTier);
    }
    case 'verification-request': {
      const { status, isOwnershipProven } = fullRecord.record;
      if (status !== 'received') return [];
      return cardWarnings(await readCurrentWallet(portal, fullRecord), isOwnershipProven, tier);
    }
    case 'loan-application': {
      const { status, riskSuitability, mailboxConfirmedAt } = fullRecord.record;
      if (!isLoanOpen(status)) return [];
      return loanWarnings({ riskSuitability, isMailboxConfirmed: mailboxConfirmedAt !== null });
    }
    case 'contact-message':
      return [];
  }
}

function namesPerson(text: string, { record }: FullRecord): boolean {
  const wallet = 'walletAddress' in record ? record.walletAddress : null;
  const name = 'name' in record ? record.name.trim() : '';
  // A name without Latin letters also matches inside a word, because some scripts do not separate words with spaces.
  const isLatin = /\p{Script=Latin}/u.test(name);
  const lower = text.toLowerCase();
  const identifiers = [record.email, wallet, isLatin ? null : name];
  if (identifiers.some((part) => part && lower.includes(part.trim().toLowerCase()))) return true;
  // For names of one or two letters, the case must match too, because many of them are also words: an, do, so.
  return isLatin && hasName(text, name, name.length < 3 ? 'u' : 'iu');
}

/**
 * Checks an approval against the record's current warnings.
 * @param override the warnings that the admin read, and the reason for the approval
 * @param tier the tier that a verification request is approved for
 * @returns the warnings and the reason to store. Null if there are no warnings, or if the record has changed since the
 * admin saw it. In the second case, the store refuses the approval.
 * @throws {ApiError} `approval-warned` or `reason-names-person`
 */
export async function checkApproval(
  portal: WalletContext,
  { referenceNumber, changedAt }: SeenRecord,
  override: ApprovalOverride | null | undefined,
  tier: CardTier | null = null,
): Promise<ApprovalOverride | null> {
  const fullRecord = await portal.store.records.record(referenceNumber);
  if (!fullRecord || !('changedAt' in fullRecord.record) || fullRecord.record.changedAt !== changedAt)
    return null;
  const warnings = await warningsOf(portal, fullRecord, tier);
  if (warnings.length === 0) return null;
  if (!override || !warnings.every((warning) => override.warnings.includes(warning)))
    throw new ApiError('approval-warned');
  if (namesPerson(override.reason, fullRecord)) throw new ApiError('reason-names-person');
  return { warnings, reason: override.reason };
}
