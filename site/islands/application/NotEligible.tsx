import { lazy, Suspense, useState } from 'react';
import styles from '../form/form.module.css';
import { denialHint } from '../verification/denial.ts';
import type { StakeVerification } from '../verification/verify-stake.ts';

const ManualVerificationModal = lazy(() => import('../manual-verification/ManualVerificationModal.tsx'));

export default function NotEligible({ result }: { readonly result: StakeVerification }) {
  const [isRequesting, setRequesting] = useState(false);
  return (
    <>
      <div className={styles.answer} role="status">
        <p className={styles.title}>This wallet does not qualify for a card yet</p>
        <p>{denialHint(result)}.</p>
        <p className={styles.quiet}>Detected: {result.currentDetection}</p>
      </div>
      <p className={styles.actions}>
        <a className="button" href="/staking">
          Stake BD Token to Qualify
        </a>
        <button type="button" className="button" onClick={() => setRequesting(true)}>
          Request Manual Verification
        </button>
      </p>
      {isRequesting ? (
        <Suspense fallback={null}>
          <ManualVerificationModal
            walletAddress={result.walletAddress}
            currentDetection={result.currentDetection}
            onClose={() => setRequesting(false)}
          />
        </Suspense>
      ) : null}
    </>
  );
}
