import { toDecimalText } from '../../../data/model/amounts.ts';
import type { WalletNow } from '../../../data/model/approval-warnings.ts';
import { cardTier, higherTier } from '../../../data/model/tiers.ts';
import type { FullRecord } from '../../../data/store/record-port.ts';
import { readFreshStakes } from '../../cards/check-card-stakes.ts';
import type { PortalContext } from '../../portal-context.ts';

export type WalletContext = Pick<PortalContext, 'store' | 'figureInputs' | 'now'>;

export interface RecordWallet extends WalletNow {
  /** The staked BD as decimal text; null if the stake cannot be read. */
  readonly staked: string | null;
}

/**
 * The current tier and stake of a record's wallet, from the index; null if the record has no wallet. For an application, the
 * tier includes a whitelisting. For a verification request it does not, because the request asks for the whitelisting.
 */
export async function readCurrentWallet(
  portal: WalletContext,
  fullRecord: FullRecord,
): Promise<RecordWallet | null> {
  if (fullRecord.kind !== 'card-application' && fullRecord.kind !== 'verification-request') return null;
  const { walletAddress } = fullRecord.record;
  if (walletAddress === null) return null;
  const isApplication = fullRecord.kind === 'card-application';
  const whitelistedTier = isApplication ? await portal.store.sessions.whitelistedTier(walletAddress) : null;
  const stakes = readFreshStakes(portal);
  if (stakes === null) return { tier: whitelistedTier, staked: null };
  const amount = stakes.stakerByWallet.get(walletAddress)?.staked ?? 0n;
  const tier = higherTier(cardTier(amount, stakes.decimals) ?? 'None', whitelistedTier) ?? 'None';
  return { tier, staked: toDecimalText(amount, stakes.decimals) };
}
