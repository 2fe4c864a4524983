import { useEffect, useRef } from 'react';
import { shorten } from '../../../data/model/format.ts';
import { SERVICE_TIMES } from '../../../data/model/service-times.ts';
import dialogStyles from '../tier-activated/tier-activated.module.css';
import { groupedAmount } from './grouped-amount.ts';
import { ManualRequest } from './ManualRequest.tsx';
import { MembershipRequirements } from './MembershipRequirements.tsx';
import styles from './verification.module.css';
import type { StakeVerification } from './verify-stake.ts';

/** Characters that are shown of either end of the wallet's address. */
const SHOWN_ENDS = 8;

interface RequiredDialogProps {
  readonly result: StakeVerification;
  /** Called once it is closed, however that happens. */
  readonly onClose: () => void;
}

/** Tells that no tier was found for a wallet, and how to have the team look. */
export default function RequiredDialog({ result, onClose }: RequiredDialogProps) {
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
        <p>{result.currentDetection.replace(/^[\d.]+/, groupedAmount)}</p>
        <p className={styles.quiet}>
          Wallet <span className={styles.wallet}>{shorten(result.walletAddress, SHOWN_ENDS)}</span>
        </p>
      </div>
      <h3>Manual Review Process</h3>
      <p>
        If you believe that this is wrong, ask the team to look. It reviews within{' '}
        {SERVICE_TIMES.shortReviewHours} hours and answers by email.
      </p>
      <ManualRequest walletAddress={result.walletAddress} currentDetection={result.currentDetection} />
      <h3>Membership Requirements</h3>
      <MembershipRequirements />
      <div className={dialogStyles.ways}>
        <button type="button" className="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
    </dialog>
  );
}
