import { type CardTier, tierRank } from './tiers.ts';

export const APPROVAL_WARNINGS = {
  'no-wallet': 'There is no wallet in this application.',
  'ownership-unproven': 'The applicant has not proven control of the wallet.',
  'stake-unknown': 'The stake of the wallet cannot be read at the moment.',
  'no-tier': 'The wallet has no stake that earns a tier.',
  'tier-above-stake': 'The stake of the wallet earns only a lower tier.',
  'risk-not-understood': 'The applicant answered No to “I understand that I can lose the whole sum”.',
  'mailbox-unconfirmed': 'The applicant has not confirmed the email address.',
} as const;
export type ApprovalWarning = keyof typeof APPROVAL_WARNINGS;

export interface WalletNow {
  /**
   * The tier that the stake earns, or the whitelisted tier if that is higher; `None` if the wallet has neither. If the stake
   * cannot be read, this is the whitelisted tier, or null if there is none. For a verification request, the whitelisted tier
   * is ignored.
   */
  readonly tier: CardTier | 'None' | null;
}

/**
 * The warnings about approving a card, or a whitelisting, for a wallet.
 * @param wallet null if the application has none
 * @param tier the approved tier; null if the approval is not for a particular tier
 */
export function cardWarnings(
  wallet: WalletNow | null,
  isOwnershipProven: boolean,
  tier: CardTier | null,
): readonly ApprovalWarning[] {
  if (wallet === null) return ['no-wallet'];
  const warnings: ApprovalWarning[] = isOwnershipProven ? [] : ['ownership-unproven'];
  if (wallet.tier === null) warnings.push('stake-unknown');
  else if (wallet.tier === 'None') warnings.push('no-tier');
  else if (tier !== null && tierRank(tier) > tierRank(wallet.tier)) warnings.push('tier-above-stake');
  return warnings;
}

export function loanWarnings(loan: {
  readonly riskSuitability: string;
  readonly isMailboxConfirmed: boolean;
}): readonly ApprovalWarning[] {
  const warnings: ApprovalWarning[] = loan.riskSuitability === 'Yes' ? [] : ['risk-not-understood'];
  if (!loan.isMailboxConfirmed) warnings.push('mailbox-unconfirmed');
  return warnings;
}
