import { useStore } from '@nanostores/react';
import { lazy, Suspense, useLayoutEffect } from 'react';
import { addressOf, walletOfFragment } from '../position/wallet-address.ts';
import { AddressForm } from '../verification/AddressForm.tsx';
import { useVerification } from '../verification/use-verification.ts';
import { verifyStake } from '../verification/verify-stake.ts';
import { $wallet } from '../wallet/wallet-stores.ts';

/** What follows the check is loaded for who gets there. */
const ApplicationForm = lazy(() => import('./ApplicationForm.tsx'));
const CheckFailed = lazy(() => import('./CheckFailed.tsx'));
const NotEligible = lazy(() => import('./NotEligible.tsx'));

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
      <Suspense fallback={null}>
        {verification.kind === 'failed' ? <CheckFailed {...verification} /> : null}
        {result ? <NotEligible result={result} key={result.walletAddress} /> : null}
      </Suspense>
    </>
  );
}
