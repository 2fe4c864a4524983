import { lazy, Suspense, useState } from 'react';
import { groupDecimalText } from '../../../data/model/count.ts';
import { useHydrated } from '../../data/use-hydrated.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import { ProofError } from '../wallet/prove-owner.ts';
import { useWallet, WalletProvider } from '../wallet/WalletProvider.tsx';
import { $wallet } from '../wallet/wallet-stores.ts';
import { denialHint, denialToast } from './denial.ts';
import { ManualRequest } from './ManualRequest.tsx';
import { useVerification } from './use-verification.ts';
import styles from './verification.module.css';
import { type StakeVerification, verifyStake } from './verify-stake.ts';

const CardApplicationOverlay = lazy(() => import('../application/CardApplicationOverlay.tsx'));

interface ConnectAndVerifyProps {
  /** The URL of a page that sells BD. */
  readonly market: string;
  /** Called once a wallet qualifies and its ownership is proven. */
  readonly onConnect?: (walletAddress: string) => void;
}

/** Connects a wallet, checks its stake, asks for an ownership proof and opens the application. */
export default function ConnectAndVerify(props: ConnectAndVerifyProps) {
  return (
    <WalletProvider>
      <Steps {...props} />
    </WalletProvider>
  );
}

function Steps({ market, onConnect }: ConnectAndVerifyProps) {
  const { walletAddress, isConnected, isConnecting, connect, prove } = useWallet();
  const { verification, verify, clear } = useVerification(verifyStake);
  const [denied, setDenied] = useState<StakeVerification | null>(null);
  const [proof, setProof] = useState<'idle' | 'proving' | ProofError>('idle');
  const [approved, setApproved] = useState<StakeVerification | null>(null);
  const isHydrated = useHydrated();

  async function approve(result: StakeVerification): Promise<void> {
    setProof('proving');
    try {
      await prove();
    } catch (error) {
      if (!(error instanceof ProofError)) throw error;
      setProof(error);
      return;
    }
    setProof('idle');
    setApproved(result);
    onConnect?.(result.walletAddress);
  }

  async function begin(): Promise<void> {
    setDenied(null);
    setProof('idle');
    if (!isConnected) await connect();
    const connected = $wallet.get().walletAddress;
    if (connected === null) return;
    const result = await verify(connected);
    if (!result) return;
    clear();
    if (result.tier === 'None') {
      setDenied(result);
      await showToast(denialToast(result, market));
    } else {
      await approve(result);
    }
  }

  const isChecking = verification.kind === 'verifying';
  const isBusy = isConnecting || isChecking || proof === 'proving';
  return (
    <div className={`${styles.panel} script-only`}>
      <button
        type="button"
        className="button"
        disabled={!isHydrated}
        aria-disabled={isBusy}
        onClick={() => {
          if (!isBusy) void begin();
        }}
      >
        {isChecking
          ? 'Checking the stake…'
          : proof === 'proving'
            ? 'Waiting for the wallet…'
            : isConnected
              ? 'Check Stake and Apply'
              : 'Connect Wallet and Apply'}
      </button>
      <p className={styles.quiet}>
        Your wallet signs a message to prove ownership. It costs nothing and moves no tokens.
      </p>
      {verification.kind === 'failed' ? (
        <div className={styles.failed}>
          <p>{verification.message}</p>
          <p className={styles.quiet}>{verification.advice}</p>
        </div>
      ) : null}
      {proof instanceof ProofError ? (
        <p className={styles.failed} role="alert">
          {proof.message}
        </p>
      ) : null}
      {/* Hidden once another wallet connects. */}
      {denied && denied.walletAddress === walletAddress ? (
        <div className={styles.detected}>
          <p>{denialHint(denied)}</p>
          <p className={styles.quiet}>{denied.currentDetection.replace(/^[\d.]+/, groupDecimalText)}</p>
          <ManualRequest
            key={denied.walletAddress}
            walletAddress={denied.walletAddress}
            currentDetection={denied.currentDetection}
          />
        </div>
      ) : null}
      {approved && approved.tier !== 'None' ? (
        <Suspense fallback={<p role="status">Loading the application</p>}>
          <CardApplicationOverlay
            key={approved.walletAddress}
            walletAddress={approved.walletAddress}
            tier={approved.tier}
            stakedAmount={approved.stakedAmount}
            onClose={() => setApproved(null)}
          />
        </Suspense>
      ) : null}
    </div>
  );
}
