import { useEffect, useRef } from 'react';
import { EXACT_DECIMALS, exactUnits } from '../../../data/model/amounts.ts';
import { formatCount } from '../../../data/model/digit-grouping.ts';
import { bdText } from '../../../data/model/facts/amount-text.ts';
import {
  CARD_TIERS,
  type CardTier,
  cardTier,
  MINIMUM_STAKE_BD,
  tierRank,
  tierTerms,
} from '../../../data/model/tiers.ts';
import { Definition } from '../ui/Definition.tsx';
import { formatStake } from '../ui/format.ts';
import { OwnName } from '../ui/OwnName.tsx';
import { SolName } from '../ui/SolName.tsx';
import styles from './tier-activated.module.css';
import { WalletArtwork } from './WalletArtwork.tsx';

/**
 * The texts for the tier with this name, ignoring case. For any other name, `tier` is null and no card is promised.
 * @param stakedAmount BD, decimal text. If it does not earn the tier, the team has whitelisted the wallet.
 */
export function tierActivatedTexts(name: string, stakedAmount: string) {
  const tier = CARD_TIERS.find((candidate) => candidate.toLowerCase() === name.toLowerCase()) ?? null;
  if (tier === null) {
    return {
      tier: null,
      title: 'Stake Activated',
      text: `Your stake is on the chain. Card tiers start at ${bdText(MINIMUM_STAKE_BD)} staked in one wallet.`,
    };
  }
  const { dailyLimitUsd, monthlyLimitUsd } = tierTerms(tier);
  const earnedTier = cardTier(exactUnits(stakedAmount), EXACT_DECIMALS) ?? 'None';
  const reason =
    tierRank(earnedTier) < tierRank(tier) ? 'Our team has whitelisted this wallet' : 'Your stake qualifies';
  const limits = `$${formatCount(dailyLimitUsd)} a day and $${formatCount(monthlyLimitUsd)} a month`;
  return {
    tier,
    title: `${tier} Tier Activated`,
    text: `${reason} for a ${tier} virtual card, with limits of ${limits}. It is funded in USDT only.`,
  };
}

export interface TierActivatedProps {
  /** `duckling`, `banker`, `raven`, or another string. */
  readonly tier: string;
  /** BD, decimal text. */
  readonly stakedAmount: string;
  readonly walletAddress: string;
  readonly onClose: () => void;
}

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
  const texts = tierActivatedTexts(tier, stakedAmount);
  return (
    <dialog ref={dialog} className={styles.dialog} aria-labelledby="tier-activated-title" onClose={onClose}>
      {texts.tier === null ? null : (
        <TierArtwork tier={texts.tier} stakedAmount={stakedAmount} walletAddress={walletAddress} />
      )}
      <h2 id="tier-activated-title">{texts.title}</h2>
      <p>{texts.text}</p>
      <dl className="definitions">
        {texts.tier === null ? (
          <Definition name="Staked">{formatStake(stakedAmount)} BD</Definition>
        ) : (
          <Definition name={`${texts.tier} tier from`}>
            {bdText(tierTerms(texts.tier).minimumStakeBd)}
          </Definition>
        )}
        <Definition name="Wallet" className="full-id">
          {walletAddress}
          <OwnName address={walletAddress} />
          <SolName wallet={walletAddress} />
        </Definition>
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

interface TierArtworkProps extends Pick<TierActivatedProps, 'stakedAmount' | 'walletAddress'> {
  readonly tier: CardTier;
}

function TierArtwork({ tier, stakedAmount, walletAddress }: TierArtworkProps) {
  return (
    <div className={styles.plate} data-tier={tier}>
      <WalletArtwork tier={tier} walletAddress={walletAddress} />
      <div className={styles.face}>
        <p className={styles.top}>
          <span className={styles.brand}>
            {/* The shape of the logo is defined in the page's header. */}
            <svg width="34" height="34" viewBox="0 0 64 64" aria-hidden="true">
              <use href="#brand-mark" />
            </svg>
            BlackDuck
          </span>
          <span>{tier}</span>
        </p>
        <p>
          <span className={styles.label}>Staked</span>
          <strong>{formatStake(stakedAmount)}</strong> BD
        </p>
      </div>
    </div>
  );
}
