import { lazy, Suspense, useState } from 'react';
import { CARD_TIERS, type CardTier } from '../../../data/model/tiers.ts';
import styles from './position.module.css';

const TierActivatedDialog = lazy(() => import('../tier-activated/TierActivatedDialog.tsx'));

interface TierRiseProps {
  readonly wallet: string;
  readonly tier: CardTier | 'None';
  /** BD, decimal text. */
  readonly staked: string;
}

/** How far up the tiers one stands; 0 below the first. */
export function tierRank(tier: CardTier | 'None'): number {
  return tier === 'None' ? 0 : CARD_TIERS.indexOf(tier) + 1;
}

/** Tells that the tier is activated when it rises while the page is open, and whenever it is asked for. */
export function TierRise({ wallet, tier, staked }: TierRiseProps) {
  const [known, setKnown] = useState(tier);
  const [isOpen, setOpen] = useState(false);
  if (known !== tier) {
    setKnown(tier);
    if (tierRank(tier) > tierRank(known)) setOpen(true);
  }
  if (tier === 'None') return null;
  return (
    <>
      <p className={styles.activated}>
        <span>{tier} tier activated.</span>{' '}
        <button type="button" className="button" onClick={() => setOpen(true)}>
          What it opens
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
