import { lazy, Suspense, useEffect, useState } from 'react';
import type { VerificationStep } from '../../../data/contract/verification.ts';
import { SERVICE_TIMES } from '../../../data/model/portal-terms.ts';
import { useTicking } from '../../data/ticking-clock.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import type { TierActivatedProps } from '../tier-activated/TierActivatedDialog.tsx';
import { formatStake } from '../ui/format.ts';
import { IslandBoundary } from '../ui/IslandBoundary.tsx';
import { useWallet, WalletProvider } from '../wallet/WalletProvider.tsx';
import { ADDRESS_FIELD_ID, AddressForm } from './AddressForm.tsx';
import { useVerification } from './use-verification.ts';
import styles from './verification.module.css';
import { type StakeVerification, type VerifyStake, verifyStake } from './verify-stake.ts';

const SLOW_AFTER_SECONDS = 20;

/** How long a check has been running, compared with the usual time. At `too-long`, the visitor can stop the check. */
export function waitLevel(seconds: number): 'usual' | 'slow' | 'too-long' {
  if (seconds >= SERVICE_TIMES.verificationSeconds) return 'too-long';
  return seconds >= SLOW_AFTER_SECONDS ? 'slow' : 'usual';
}

/** Whole seconds between two moments (Unix ms); 0 if the clock was set back. */
export function secondsSince(startedAt: number, now: number): number {
  return Math.max(0, Math.floor((now - startedAt) / 1_000));
}

const STEP_LABELS: readonly (readonly [VerificationStep, string])[] = [
  ['started', 'Address is valid'],
  ['stake-entries-read', 'Reading the stake from the chain'],
  ['token-accounts-read', 'No stake found: checking the balance'],
  ['decided', 'Tier determined'],
];

interface ProgressProps {
  /** Unix ms. */
  readonly startedAt: number;
  /** The last finished step; null before the first. */
  readonly step: VerificationStep | null;
  readonly onStop: () => void;
  readonly onManualRequest: () => void;
}

function Progress({ startedAt, step, onStop, onManualRequest }: ProgressProps) {
  const seconds = useTicking((now) => secondsSince(startedAt, now));
  const doneStepCount = STEP_LABELS.findIndex(([id]) => id === step) + 1;
  const level = waitLevel(seconds);
  return (
    <div className={styles.progress}>
      <ol>
        {STEP_LABELS.map(([id, label], index) => (
          <li
            key={id}
            data-step={index < doneStepCount ? 'done' : index === doneStepCount ? 'now' : undefined}
            aria-current={index === doneStepCount ? 'step' : undefined}
          >
            {label}
          </li>
        ))}
      </ol>
      <p className={styles.quiet} aria-hidden="true">
        {seconds} s of up to {SERVICE_TIMES.verificationSeconds} s
      </p>
      <div role="status" data-waiting={level}>
        {level === 'usual' ? null : <p>This is taking longer than usual.</p>}
        {level === 'too-long' ? (
          <p>You can stop and try again later, or ask the team for manual verification.</p>
        ) : null}
      </div>
      {level === 'too-long' ? (
        <p className={styles.actions}>
          <button type="button" className="button" onClick={onStop}>
            Stop Waiting
          </button>
          <button type="button" className="button" onClick={onManualRequest}>
            Request Manual Verification
          </button>
        </p>
      ) : null}
    </div>
  );
}

/**
 * Moves the focus to the address field before the focused button disappears. If a dialog opens next, it returns the focus to
 * the field when it closes.
 */
const focusAddress = () => document.getElementById(ADDRESS_FIELD_ID)?.focus();

const TierActivatedDialog = lazy(() => import('../tier-activated/TierActivatedDialog.tsx'));
const VerificationRequiredDialog = lazy(() => import('./VerificationRequiredDialog.tsx'));

export default function VerificationPanel({
  isSecondary = false,
}: Pick<VerificationPanelViewProps, 'isSecondary'>) {
  return (
    <IslandBoundary>
      <WalletProvider>
        <VerificationPanelView check={verifyStake} isSecondary={isSecondary} />
      </WalletProvider>
    </IslandBoundary>
  );
}

/** The result for a check that did not finish, so that the visitor can request manual verification. */
const undecidedResult = (walletAddress: string): StakeVerification => ({
  walletAddress,
  tier: 'None',
  stakedAmount: '0',
  detectionMethod: 'token_account_analysis',
  currentDetection: `The automatic check did not finish within ${SERVICE_TIMES.verificationSeconds} seconds`,
});

function VerifiedDialog(props: TierActivatedProps) {
  const { tier, stakedAmount } = props;
  useEffect(() => {
    // Shown after the dialog has opened, because an earlier toast would be behind it.
    void showToast({
      title: 'Verification complete',
      text: `${tier} tier, ${formatStake(stakedAmount)} BD staked.`,
      kind: 'success',
      seconds: 5,
      // At the bottom, the toast would cover the dialog's buttons.
      corner: 'top',
    });
  }, [tier, stakedAmount]);
  return <TierActivatedDialog {...props} />;
}

interface VerificationPanelViewProps {
  readonly check: VerifyStake;
  readonly isSecondary?: boolean;
}

export function VerificationPanelView({ check, isSecondary = false }: VerificationPanelViewProps) {
  const { walletAddress } = useWallet();
  const { verification, verify, clear } = useVerification(check);
  const [unfinishedResult, setUnfinishedResult] = useState<StakeVerification | null>(null);
  const decidedResult = verification.kind === 'decided' ? verification.result : null;
  const ineligibleResult = unfinishedResult ?? (decidedResult?.tier === 'None' ? decidedResult : null);
  return (
    <div className={styles.panel}>
      <AddressForm
        connectedAddress={walletAddress}
        isVerifying={verification.kind === 'verifying'}
        isSecondary={isSecondary}
        onVerify={(address) => void verify(address)}
      />
      <p className="visually-hidden" role="status">
        {verification.kind === 'verifying' ? 'Verifying...' : null}
      </p>
      {verification.kind === 'verifying' ? (
        <Progress
          startedAt={verification.startedAt}
          step={verification.step}
          onStop={() => {
            focusAddress();
            clear();
          }}
          onManualRequest={() => {
            focusAddress();
            setUnfinishedResult(undecidedResult(verification.walletAddress));
            clear();
          }}
        />
      ) : null}
      {verification.kind === 'failed' ? (
        <div className={styles.failed} data-check="failed">
          <p>{verification.message}</p>
          <p className={styles.quiet}>{verification.advice}</p>
        </div>
      ) : null}
      <Suspense fallback={null}>
        {decidedResult && decidedResult.tier !== 'None' ? (
          <VerifiedDialog
            tier={decidedResult.tier}
            stakedAmount={decidedResult.stakedAmount}
            walletAddress={decidedResult.walletAddress}
            onClose={clear}
          />
        ) : null}
        {ineligibleResult ? (
          <VerificationRequiredDialog
            result={ineligibleResult}
            onClose={() => {
              setUnfinishedResult(null);
              clear();
            }}
          />
        ) : null}
      </Suspense>
    </div>
  );
}
