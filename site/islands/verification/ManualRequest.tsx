import { lazy, Suspense, useState } from 'react';
import styles from './verification.module.css';

/** Loaded on demand. */
const InlineVerificationForm = lazy(() => import('../manual-verification/InlineVerificationForm.tsx'));

interface ManualRequestProps {
  readonly walletAddress: string;
  readonly currentDetection: string;
}

/** A button that toggles the form for a manual verification. */
export function ManualRequest(props: ManualRequestProps) {
  const [isOpen, setOpen] = useState(false);
  const [isSent, setSent] = useState(false);
  return (
    <>
      {/* A sent request stays visible, with its reference number. */}
      {isSent ? null : (
        <p className={styles.actions}>
          <button
            type="button"
            className="button gold"
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
