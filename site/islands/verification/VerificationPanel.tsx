import { lazy, Suspense, useState } from 'react';
import { SERVICE_TIMES } from '../../../data/model/service-times.ts';
import { useWallet } from '../wallet/use-wallet.ts';
import { WalletProvider } from '../wallet/WalletProvider.tsx';
import { AddressForm } from './AddressForm.tsx';
import { Progress } from './Progress.tsx';
import { useVerification } from './use-verification.ts';
import styles from './verification.module.css';
import { type StakeVerification, type VerifyStake, verifyStake } from './verify-stake.ts';

/** What shows a decision is loaded with the first. */
const VerifiedDialog = lazy(() => import('./VerifiedDialog.tsx'));
const RequiredDialog = lazy(() => import('./RequiredDialog.tsx'));

/** Checks what any wallet stakes, and tells the tier that it earns. */
export default function VerificationPanel() {
  return (
    <WalletProvider>
      <Panel check={verifyStake} />
    </WalletProvider>
  );
}

/** A wallet of which nothing is known yet, so least of all that it stakes nothing, as the team is asked to look at it. */
const undecided = (walletAddress: string): StakeVerification => ({
  walletAddress,
  tier: 'None',
  stakedAmount: '0',
  detectionMethod: 'token_account_analysis',
  currentDetection: `The automatic check did not end within ${SERVICE_TIMES.verificationSeconds} seconds`,
});

export function Panel({ check }: { readonly check: VerifyStake }) {
  const { walletAddress } = useWallet();
  const { verification, verify, clear } = useVerification(check);
  const [unread, setUnread] = useState<StakeVerification | null>(null);
  const decided = verification.kind === 'decided' ? verification.result : null;
  const refused = unread ?? (decided?.tier === 'None' ? decided : null);
  return (
    <div className={styles.panel}>
      <AddressForm
        connected={walletAddress}
        isVerifying={verification.kind === 'verifying'}
        onVerify={(address) => void verify(address)}
      />
      <p className="visually-hidden" role="status">
        {verification.kind === 'verifying' ? 'Verifying...' : null}
      </p>
      {verification.kind === 'verifying' ? (
        <Progress
          startedAt={verification.startedAt}
          step={verification.step}
          onStop={clear}
          onManualRequest={() => {
            setUnread(undecided(verification.walletAddress));
            clear();
          }}
        />
      ) : null}
      {verification.kind === 'failed' ? (
        <div className={styles.failed}>
          <p>{verification.message}</p>
          <p className={styles.quiet}>{verification.advice}</p>
        </div>
      ) : null}
      <Suspense fallback={null}>
        {decided && decided.tier !== 'None' ? (
          <VerifiedDialog
            tier={decided.tier}
            stakedAmount={decided.stakedAmount}
            walletAddress={decided.walletAddress}
            onClose={clear}
          />
        ) : null}
        {refused ? (
          <RequiredDialog
            result={refused}
            onClose={() => {
              setUnread(null);
              clear();
            }}
          />
        ) : null}
      </Suspense>
    </div>
  );
}
