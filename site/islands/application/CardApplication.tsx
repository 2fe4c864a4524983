import { useStore } from '@nanostores/react';
import { lazy, Suspense, useLayoutEffect, useState } from 'react';
import styles from '../form/form.module.css';
import { addressOf, walletOfFragment } from '../position/wallet-address.ts';
import { AddressForm } from '../verification/AddressForm.tsx';
import { denialHint } from '../verification/denial.ts';
import { useVerification } from '../verification/use-verification.ts';
import { type StakeVerification, verifyStake } from '../verification/verify-stake.ts';
import { $wallet } from '../wallet/wallet-stores.ts';

/** Both are loaded for who gets there. */
const ApplicationForm = lazy(() => import('./ApplicationForm.tsx'));
const ManualVerificationModal = lazy(() => import('../manual-verification/ManualVerificationModal.tsx'));

/** The card application: first the wallet, whose stake has to qualify, then the form. */
export default function CardApplication() {
  const { walletAddress } = useStore($wallet, { ssr: 'initial' });
  const { verification, verify, clear } = useVerification(verifyStake);
  useLayoutEffect(() => {
    // A screen that knows the wallet may lead here with it.
    const named = addressOf(walletOfFragment(location.hash)?.text ?? '');
    if (named !== null) void verify(named);
  }, [verify]);

  const result = verification.kind === 'decided' ? verification.result : null;
  if (result && result.tier !== 'None') {
    return (
      <Suspense fallback={<p role="status">Loading the application</p>}>
        <ApplicationForm
          walletAddress={result.walletAddress}
          tier={result.tier}
          stakedAmount={result.stakedAmount}
          onOtherWallet={clear}
        />
      </Suspense>
    );
  }
  return (
    <>
      <AddressForm
        connected={walletAddress}
        isVerifying={verification.kind === 'verifying'}
        onVerify={(address) => void verify(address)}
      />
      {verification.kind === 'failed' ? (
        <div className={styles.answer} role="alert">
          <p>{verification.message}</p>
          <p className={styles.quiet}>{verification.advice}</p>
        </div>
      ) : null}
      {result ? <NotEligible result={result} key={result.walletAddress} /> : null}
    </>
  );
}

function NotEligible({ result }: { readonly result: StakeVerification }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <div className={styles.answer} role="status">
        <p className={styles.title}>This wallet does not qualify for a card yet</p>
        <p>{denialHint(result)}.</p>
        <p className={styles.quiet}>Detected: {result.currentDetection}</p>
      </div>
      <p className={styles.ways}>
        <a className="button" href="/staking">
          Stake BD Token to Qualify
        </a>
        <button type="button" className="button" onClick={() => setAsking(true)}>
          Request Manual Verification
        </button>
      </p>
      {isAsking ? (
        <Suspense fallback={null}>
          <ManualVerificationModal
            walletAddress={result.walletAddress}
            currentDetection={result.currentDetection}
            onClose={() => setAsking(false)}
          />
        </Suspense>
      ) : null}
    </>
  );
}
