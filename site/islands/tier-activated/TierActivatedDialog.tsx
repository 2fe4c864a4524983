import { useEffect, useRef } from 'react';
import { formatStake } from '../figure/moved-amount.ts';
import styles from './tier-activated.module.css';
import { tierActivatedWords } from './tier-activated-words.ts';
import { WalletPlate } from './WalletPlate.tsx';

export interface TierActivatedProps {
  /** `duckling`, `banker`, `raven`, or any other. */
  readonly tier: string;
  /** BD, decimal text. */
  readonly stakedAmount: string;
  readonly walletAddress: string;
  /** Called once it is closed, however that happens. */
  readonly onClose: () => void;
}

/** Tells that a stake has reached a tier, and leads on to the card. */
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
  const words = tierActivatedWords(tier);
  return (
    <dialog ref={dialog} className={styles.dialog} aria-labelledby="tier-activated-title" onClose={onClose}>
      {words.tier === null ? null : (
        <WalletPlate className={styles.artwork} tier={words.tier} walletAddress={walletAddress} />
      )}
      <h2 id="tier-activated-title">{words.title}</h2>
      <p>{words.text}</p>
      <dl className="definitions">
        <div>
          <dt>Tier</dt>
          <dd>{words.tier ?? 'None'}</dd>
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
      <div className={styles.ways}>
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
