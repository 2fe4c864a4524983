import { useEffect, useRef } from 'react';
import { bdText } from '../../../data/model/facts/amount-text.ts';
import { shorten } from '../../../data/model/format.ts';
import { SERVICE_TIMES } from '../../../data/model/portal-terms.ts';
import { TIER_TERMS } from '../../../data/model/tiers.ts';
import dialogStyles from '../tier-activated/tier-activated.module.css';
import { Definition } from '../ui/Definition.tsx';
import { OwnName } from '../ui/OwnName.tsx';
import { SolName } from '../ui/SolName.tsx';
import { ManualRequest } from './ManualRequest.tsx';
import styles from './verification.module.css';
import type { StakeVerification } from './verify-stake.ts';

/** The number of characters that are shown at each end of the wallet address. */
const SHOWN_END_LENGTH = 8;

interface VerificationRequiredDialogProps {
  readonly result: StakeVerification;
  readonly onClose: () => void;
}

export default function VerificationRequiredDialog({ result, onClose }: VerificationRequiredDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (dialog.current?.open === false) dialog.current.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={dialogStyles.dialog}
      aria-labelledby="verification-required"
      onClose={onClose}
    >
      <h2 id="verification-required">Verification Required</h2>
      <div className={styles.detected}>
        <p>{result.currentDetection}</p>
        <p className={styles.quiet}>
          Wallet <span className={styles.wallet}>{shorten(result.walletAddress, SHOWN_END_LENGTH)}</span>
          <OwnName address={result.walletAddress} />
          <SolName wallet={result.walletAddress} />
        </p>
      </div>
      <h3>Manual Review Process</h3>
      <p>
        If you believe this is wrong, ask the team to review it. The team will reply by email within{' '}
        {SERVICE_TIMES.shortReviewHours} hours.
      </p>
      <ManualRequest
        key={result.walletAddress}
        walletAddress={result.walletAddress}
        currentDetection={result.currentDetection}
      />
      <h3>Membership Requirements</h3>
      <dl className="definitions">
        {TIER_TERMS.map(({ tier, minimumStakeBd }) => (
          <Definition key={tier} name={tier}>
            {bdText(minimumStakeBd)} staked
          </Definition>
        ))}
      </dl>
      <p className={styles.quiet}>Card services are exclusively in USDT.</p>
      <div className={dialogStyles.actions}>
        <button type="button" className="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
    </dialog>
  );
}
