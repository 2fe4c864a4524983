import { lazy, Suspense, useState } from 'react';
import { type CardTier, tierRank } from '../../../data/model/tiers.ts';
import styles from './position.module.css';

// If the dialog fails to load, nothing takes its place, and the rest of the page stays visible.
const TierActivatedDialog = lazy(() =>
  import('../tier-activated/TierActivatedDialog.tsx').catch(() => ({ default: () => <></> })),
);

interface ActiveTierProps {
  readonly wallet: string;
  readonly tier: CardTier | 'None';
  /** BD, decimal text. */
  readonly staked: string;
}

/** Shows the tier. A dialog with its benefits opens on demand, and automatically when the tier rises. */
export default function ActiveTier({ wallet, tier, staked }: ActiveTierProps) {
  const [lastTier, setLastTier] = useState(tier);
  const [isOpen, setOpen] = useState(false);
  if (lastTier !== tier) {
    setLastTier(tier);
    if (tierRank(tier) > tierRank(lastTier)) setOpen(true);
  }
  if (tier === 'None') return null;
  return (
    <>
      <p className={styles.activated} data-tier={tier}>
        <span>{tier} tier activated.</span>{' '}
        <button type="button" className="button" onClick={() => setOpen(true)}>
          View benefits
        </button>
      </p>
      {isOpen ? (
        <Suspense fallback={null}>
          <TierActivatedDialog
            tier={tier.toLowerCase()}
            stakedAmount={staked}
            walletAddress={wallet}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      ) : null}
    </>
  );
}
