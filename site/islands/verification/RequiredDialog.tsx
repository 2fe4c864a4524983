import { useEffect, useRef } from 'react';
import { bd } from '../../../data/model/facts/wording.ts';
import { shorten } from '../../../data/model/format.ts';
import { SERVICE_TIMES } from '../../../data/model/portal-terms.ts';
import { TIERS } from '../../../data/model/tiers.ts';
import dialogStyles from '../tier-activated/tier-activated.module.css';
import { groupDecimalText } from '../../../data/model/count.ts';
import { ManualRequest } from './ManualRequest.tsx';
import styles from './verification.module.css';
import type { StakeVerification } from './verify-stake.ts';

/** The requirements of each tier. */
function MembershipRequirements() {
  return (
    <>
      <dl className="definitions">
        {TIERS.map(({ tier, minimumStakeBd }) => (
          <div key={tier}>
            <dt>{tier}</dt>
            <dd>{bd(minimumStakeBd)} staked</dd>
          </div>
        ))}
      </dl>
      <p className={styles.quiet}>Card services are exclusively in USDT.</p>
    </>
  );
}

/** Characters shown at both ends of the wallet address. */
const SHOWN_ENDS = 8;

interface RequiredDialogProps {
  readonly result: StakeVerification;
  /** Called after it closes. */
  readonly onClose: () => void;
}

/** The result for a wallet without a tier, with the manual review. */
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
        <p>{result.currentDetection.replace(/^[\d.]+/, groupDecimalText)}</p>
        <p className={styles.quiet}>
          Wallet <span className={styles.wallet}>{shorten(result.walletAddress, SHOWN_ENDS)}</span>
        </p>
      </div>
      <h3>Manual Review Process</h3>
      <p>
        If you believe this is wrong, ask the team to review it. The team will reply by email within{' '}
        {SERVICE_TIMES.shortReviewHours} hours.
      </p>
      <ManualRequest walletAddress={result.walletAddress} currentDetection={result.currentDetection} />
      <h3>Membership Requirements</h3>
      <MembershipRequirements />
      <div className={dialogStyles.actions}>
        <button type="button" className="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
    </dialog>
  );
}
