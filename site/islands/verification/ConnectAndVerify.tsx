import { lazy, Suspense, useState } from 'react';
import { useHydrated } from '../../data/use-hydrated.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import { groupDecimalText } from '../../../data/model/count.ts';
import { ProofError } from '../wallet/prove-owner.ts';
import { useWallet, WalletProvider } from '../wallet/WalletProvider.tsx';
import { $wallet } from '../wallet/wallet-stores.ts';
import { denialHint, denialToast } from './denial.ts';
import { ManualRequest } from './ManualRequest.tsx';
import { useVerification } from './use-verification.ts';
import styles from './verification.module.css';
import { type StakeVerification, type VerifyStake, verifyStake } from './verify-stake.ts';

/** Loaded for a wallet that qualifies. */
const CardApplicationOverlay = lazy(() => import('../application/CardApplicationOverlay.tsx'));

interface ConnectAndVerifyProps {
  /** The page that sells BD. */
  readonly market: string;
  /** Called with a wallet that qualifies and whose ownership is proven. */
  readonly onConnect?: (walletAddress: string) => void;
}

/** Connects a wallet, checks its stake, proves its ownership and opens the application. */
export default function ConnectAndVerify(props: ConnectAndVerifyProps) {
  return (
    <WalletProvider>
      <Steps {...props} check={verifyStake} />
    </WalletProvider>
  );
}

interface StepsProps extends ConnectAndVerifyProps {
  readonly check: VerifyStake;
}

function Steps({ market, onConnect, check }: StepsProps) {
  const { walletAddress, isConnected, isConnecting, connect, prove } = useWallet();
  const { verification, verify, clear } = useVerification(check);
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
      <button type="button" className="button" disabled={!isHydrated || isBusy} onClick={() => void begin()}>
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
      {/* Hidden if a different wallet has been connected since. */}
      {denied && denied.walletAddress === walletAddress ? (
        <div className={styles.detected}>
          <p>{denialHint(denied)}</p>
          <p className={styles.quiet}>{denied.currentDetection.replace(/^[\d.]+/, groupDecimalText)}</p>
          <ManualRequest walletAddress={denied.walletAddress} currentDetection={denied.currentDetection} />
        </div>
      ) : null}
      {approved && approved.tier !== 'None' ? (
        <Suspense fallback={<p role="status">Loading the application</p>}>
          <CardApplicationOverlay
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
