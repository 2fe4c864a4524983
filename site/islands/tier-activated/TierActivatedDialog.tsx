import { useEffect, useRef } from 'react';
import { formatCount } from '../../../data/model/count.ts';
import { bd } from '../../../data/model/facts/wording.ts';
import { CARD_TIERS, type CardTier, termsOf } from '../../../data/model/tiers.ts';
import { formatStake } from '../ui/format.ts';
import styles from './tier-activated.module.css';
import { WalletArtwork } from './WalletArtwork.tsx';

const [LOWEST] = CARD_TIERS;

interface TierActivatedTexts {
  /** Null if the stake does not qualify. */
  readonly tier: CardTier | null;
  readonly title: string;
  readonly text: string;
}

/** @param name `duckling`, `banker` or `raven` in any case, or any other */
export function tierActivatedTexts(name: string): TierActivatedTexts {
  const tier = CARD_TIERS.find((candidate) => candidate.toLowerCase() === name.toLowerCase()) ?? null;
  if (tier === null) {
    return {
      tier: null,
      title: 'Stake Activated',
      text: `Your stake is on the chain. The card tiers begin at ${bd(termsOf(LOWEST).minimumStakeBd)} staked in one wallet.`,
    };
  }
  const { dailyLimitUsd, monthlyLimitUsd } = termsOf(tier);
  const dollars = (amount: number) => `$${formatCount(amount)}`;
  const limits = `${dollars(dailyLimitUsd)} a day and ${dollars(monthlyLimitUsd)} a month`;
  return {
    tier,
    title: `${tier} Tier Activated`,
    text: `Your stake qualifies for a ${tier} virtual card, with limits of ${limits}. It is funded in USDT only.`,
  };
}

export interface TierActivatedProps {
  /** `duckling`, `banker`, `raven`, or any other. */
  readonly tier: string;
  /** BD, decimal text. */
  readonly stakedAmount: string;
  readonly walletAddress: string;
  /** Called when the dialog closes, for any reason. */
  readonly onClose: () => void;
}

/** Announces a tier and leads to the card. */
export default function TierActivatedDialog({
  tier,
  stakedAmount,
  walletAddress,
  onClose,
}: TierActivatedProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (dialog.current?.open === false) dialog.current.showModal();
  }, []);
  const texts = tierActivatedTexts(tier);
  return (
    <dialog ref={dialog} className={styles.dialog} aria-labelledby="tier-activated-title" onClose={onClose}>
      {texts.tier === null ? null : (
        <WalletArtwork className={styles.artwork} tier={texts.tier} walletAddress={walletAddress} />
      )}
      <h2 id="tier-activated-title">{texts.title}</h2>
      <p>{texts.text}</p>
      <dl className="definitions">
        <div>
          <dt>Tier</dt>
          <dd>{texts.tier ?? 'None'}</dd>
        </div>
        <div>
          <dt>Staked</dt>
          <dd>{formatStake(stakedAmount)} BD</dd>
        </div>
        <div>
          <dt>Wallet</dt>
          <dd className={styles.wallet}>{walletAddress}</dd>
        </div>
      </dl>
      <div className={styles.actions}>
        <a className="button gold" href="/card-registration">
          Go to Card Registration
        </a>
        <button type="button" className="button" onClick={() => dialog.current?.close()}>
          Continue Exploring Platform
        </button>
      </div>
    </dialog>
  );
}
