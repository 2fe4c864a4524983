import { toDecimalText } from '../../../data/model/amounts.ts';
import {
  type ApprovalWarning,
  cardWarnings,
  loanWarnings,
  type WalletNow,
} from '../../../data/model/approval-warnings.ts';
import { isLoanOpen, NEXT_APPLICATION_STATUSES } from '../../../data/model/submission-status.ts';
import { CARD_TIERS, type CardTier, cardTier, higherTier } from '../../../data/model/tiers.ts';
import type { DecidedRecord, FullRecord } from '../../../data/store/record-port.ts';
import { freshStakes } from '../../cards/check-card-stakes.ts';
import type { PortalContext } from '../../portal-context.ts';

type Portal = Pick<PortalContext, 'store' | 'figureInputs' | 'now'>;

export interface RecordWallet extends WalletNow {
  /** BD as decimal text; null if it cannot be read. */
  readonly staked: string | null;
}

/**
 * The wallet of a record according to the index; null if the record has none. A whitelisting counts for an application. For a
 * verification request it does not, because that decides about the whitelisting.
 */
export async function walletNow(portal: Portal, whole: FullRecord): Promise<RecordWallet | null> {
  if (whole.kind !== 'card-application' && whole.kind !== 'verification-request') return null;
  const { walletAddress } = whole.record;
  if (walletAddress === null) return null;
  const isApplication = whole.kind === 'card-application';
  const whitelisted = isApplication ? await portal.store.sessions.whitelistedTier(walletAddress) : null;
  const stakes = freshStakes(portal);
  if (stakes === null) return { tier: whitelisted, staked: null };
  const amount = stakes.byWallet.get(walletAddress)?.staked ?? 0n;
  const tier = higherTier(cardTier(amount, stakes.decimals) ?? 'None', whitelisted) ?? 'None';
  return { tier, staked: toDecimalText(amount, stakes.decimals) };
}

/**
 * What speaks against approving a record now. Nothing if the record is closed, or not as the admin saw it: the store refuses
 * such a decision.
 * @param tier the tier that a verification request is approved for
 */
export async function warningsNow(
  portal: Portal,
  { referenceNumber, changedAt }: DecidedRecord,
  tier: CardTier | null = null,
): Promise<readonly ApprovalWarning[]> {
  const whole = await portal.store.records.record(referenceNumber);
  if (!whole || whole.kind === 'contact-message' || whole.record.changedAt !== changedAt) return [];
  switch (whole.kind) {
    case 'card-application': {
      const { status, isOwnershipProven, checked, statedTier } = whole.record;
      if (NEXT_APPLICATION_STATUSES[status].length === 0) return [];
      const applied = CARD_TIERS.find((one) => one === (checked ? checked.tier : statedTier)) ?? null;
      return cardWarnings(await walletNow(portal, whole), isOwnershipProven, applied);
    }
    case 'verification-request': {
      const { status, isOwnershipProven } = whole.record;
      if (status !== 'received') return [];
      return cardWarnings(await walletNow(portal, whole), isOwnershipProven, tier);
    }
    case 'loan-application': {
      const { status, riskSuitability, mailboxConfirmedAt } = whole.record;
      if (!isLoanOpen(status)) return [];
      return loanWarnings({ riskSuitability, isMailboxConfirmed: mailboxConfirmedAt !== null });
    }
  }
}
