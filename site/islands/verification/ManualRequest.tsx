import { Suspense, useState } from 'react';
import { InlineVerificationForm } from './form-parts.ts';
import styles from './verification.module.css';

interface ManualRequestProps {
  readonly walletAddress: string;
  readonly currentDetection: string;
}

/** Opens and closes the form that asks the team to verify a wallet. */
export function ManualRequest(props: ManualRequestProps) {
  const [isOpen, setOpen] = useState(false);
  const [isSent, setSent] = useState(false);
  if (isSent) return <p role="status">Your request is with the team.</p>;
  return (
    <>
      <p className={styles.ways}>
        <button
          type="button"
          className="button gold"
          aria-expanded={isOpen}
          onClick={() => setOpen((before) => !before)}
        >
          Request Manual Verification
        </button>
      </p>
      {isOpen ? (
        <Suspense fallback={<p role="status">Loading the form</p>}>
          <InlineVerificationForm {...props} onSuccess={() => setSent(true)} />
        </Suspense>
      ) : null}
    </>
  );
}
