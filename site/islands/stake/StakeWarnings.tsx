import { useQuery } from '@tanstack/react-query';
import * as PATHS from '../../../data/contract/paths.ts';
import { EXACT_DECIMALS, exactUnits } from '../../../data/model/amounts.ts';
import { groupDecimalText } from '../../../data/model/digit-grouping.ts';
import { shorten } from '../../../data/model/format.ts';
import { LOCK_DAYS } from '../../../data/model/staking-terms.ts';
import { cardTier } from '../../../data/model/tiers.ts';
import { OwnName } from '../ui/OwnName.tsx';
import { fetchSession } from '../wallet/proof-session.ts';
import styles from './stake.module.css';
import type { StakeOutlook } from './stake-amount.ts';

interface StakeWarningsProps {
  readonly walletAddress: string;
  /** The wallet's stake in BD, decimal text; null while it is unknown. */
  readonly staked: string | null;
  /** Null while no valid amount is typed. */
  readonly outlook: StakeOutlook | null;
}

export default function StakeWarnings({ walletAddress, staked, outlook }: StakeWarningsProps) {
  const { data: session } = useQuery({
    queryKey: [PATHS.walletSession, walletAddress],
    queryFn: fetchSession,
  });
  const provedAddress = session?.walletAddress ?? walletAddress;
  const isStaking = staked !== null && staked !== '0';
  const nextTier = outlook?.nextTier ?? null;
  const isSameTier = isStaking && outlook?.tier === cardTier(exactUnits(staked), EXACT_DECIMALS);
  return (
    <>
      {provedAddress === walletAddress ? null : (
        <p className={styles.amber} data-warning="other-wallet">
          You proved that you own <span className="short-id">{shorten(provedAddress)}</span>
          <OwnName address={provedAddress} />, but <span className="short-id">{shorten(walletAddress)}</span>
          <OwnName address={walletAddress} /> is connected. The stake and its tier belong to the connected
          wallet.
        </p>
      )}
      {isStaking && outlook !== null ? (
        <p className={styles.amber} data-warning="restart">
          This stake restarts the {LOCK_DAYS}-day lock of this wallet. To keep your current lock, stake from
          another wallet. What you stake there counts towards that wallet’s tier only.
        </p>
      ) : null}
      {outlook?.tier === null && nextTier !== null ? (
        <p className={styles.amber} data-warning="no-tier">
          This is below the lowest tier. Add {groupDecimalText(nextTier.amountToTier)} BD to this stake to
          reach {nextTier.tier}. Adding BD later restarts the lock.
        </p>
      ) : isSameTier && nextTier !== null ? (
        <p className={styles.amber} data-warning="same-tier">
          You stay in the {outlook?.tier} tier. Add {groupDecimalText(nextTier.amountToTier)} BD to this stake
          to reach {nextTier.tier}.
        </p>
      ) : null}
    </>
  );
}
