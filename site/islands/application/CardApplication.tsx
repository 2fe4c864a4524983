import { useStore } from '@nanostores/react';
import { lazy, Suspense, useLayoutEffect } from 'react';
import styles from '../form/form.module.css';
import { addressOf, walletOfFragment } from '../position/wallet-address.ts';
import { IslandBoundary } from '../ui/IslandBoundary.tsx';
import { AddressForm } from '../verification/AddressForm.tsx';
import { useVerification } from '../verification/use-verification.ts';
import { verifyStake } from '../verification/verify-stake.ts';
import { $wallet } from '../wallet/wallet-stores.ts';

const ApplicationForm = lazy(() => import('./ApplicationForm.tsx'));
const NotEligible = lazy(() => import('./NotEligible.tsx'));

export default function CardApplication() {
  return (
    <IslandBoundary>
      <CheckAndForm />
    </IslandBoundary>
  );
}

function CheckAndForm() {
  const { walletAddress } = useStore($wallet, { ssr: 'initial' });
  const { verification, verify, clear } = useVerification(verifyStake);
  useLayoutEffect(() => {
    // A link may contain a wallet address.
    const linkedAddress = addressOf(walletOfFragment(location.hash)?.text ?? '');
    if (linkedAddress !== null) void verify(linkedAddress);
  }, [verify]);

  const result = verification.kind === 'decided' ? verification.result : null;
  if (result && result.tier !== 'None') {
    return (
      <Suspense fallback={<p role="status">Loading the application form…</p>}>
        <ApplicationForm
          key={result.walletAddress}
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
        connectedAddress={walletAddress}
        isVerifying={verification.kind === 'verifying'}
        onVerify={(address) => void verify(address)}
      />
      {verification.kind === 'failed' ? (
        <div className={styles.answer} role="alert">
          <p>{verification.message}</p>
          <p className={styles.quiet}>{verification.advice}</p>
        </div>
      ) : null}
      <Suspense fallback={null}>
        {result ? <NotEligible result={result} key={result.walletAddress} /> : null}
      </Suspense>
    </>
  );
}
