import { lazy, Suspense, useState } from 'react';
import styles from './verification.module.css';
import type { StakeVerification } from './verify-stake.ts';

const InlineVerificationForm = lazy(() => import('../manual-verification/InlineVerificationForm.tsx'));

interface ManualRequestProps extends Pick<StakeVerification, 'walletAddress' | 'currentDetection'> {
  readonly isSecondary?: boolean;
}

export function ManualRequest({ isSecondary = false, ...props }: ManualRequestProps) {
  const [isOpen, setOpen] = useState(false);
  const [isSent, setSent] = useState(false);
  return (
    <>
      {/* Once the request is sent, the button is removed, so that the form stays open and shows the reference number. */}
      {isSent ? null : (
        <p className={styles.actions}>
          <button
            type="button"
            className={isSecondary ? 'button' : 'button gold'}
            aria-expanded={isOpen}
            onClick={() => setOpen((before) => !before)}
          >
            Request Manual Verification
          </button>
        </p>
      )}
      {isOpen ? (
        <Suspense fallback={<p role="status">Loading the form</p>}>
          <InlineVerificationForm {...props} onSuccess={() => setSent(true)} />
        </Suspense>
      ) : null}
    </>
  );
}
