import { type ReactNode, useState } from 'react';
import { detectionText } from '../../../data/model/detection-text.ts';
import { bdText } from '../../../data/model/facts/amount-text.ts';
import { shorten } from '../../../data/model/format.ts';
import { MINIMUM_STAKE_BD, tierTerms } from '../../../data/model/tiers.ts';
import type { Eligibility } from '../../data/card-calls.ts';
import { useHydrated } from '../../data/use-hydrated.ts';
import { momentText } from '../ui/format.ts';
import { OwnName } from '../ui/OwnName.tsx';
import { RetryButton } from '../ui/ReadStates.tsx';
import uiStyles from '../ui/ui.module.css';
import { ManualRequest } from '../verification/ManualRequest.tsx';
import styles from './card.module.css';
import { EligibilityPanel, EligibilitySummary } from './Eligibility.tsx';
import { GetCard, type GetCardProps, showsGenerateForm } from './GetCard.tsx';
import { type EligibilityReading, stakedText } from './use-eligibility.ts';

const STEP_IDS = ['connect', 'prove', 'check', 'get'] as const;
export type StepId = (typeof STEP_IDS)[number];

interface CardStepsProps extends Omit<GetCardProps, 'isDue'> {
  readonly reading: EligibilityReading;
  readonly nextStep: StepId;
}

export function CardSteps(props: CardStepsProps) {
  const { wallet, reading, ownCard } = props;
  const { walletAddress, proof } = wallet;
  const [openedStep, setOpenedStep] = useState<{
    readonly id: StepId;
    readonly walletAddress: string | null;
  } | null>(null);
  const isLast = props.nextStep === 'get';
  /** A step that the visitor opened for one wallet is closed again for another. */
  const stepProps = (id: StepId) => ({
    id,
    nextStep: props.nextStep,
    isOpen: openedStep?.id === id && openedStep.walletAddress === walletAddress,
    toggle: (isOpen: boolean) => setOpenedStep(isOpen ? { id, walletAddress } : null),
    failure: ownCard.failure?.step === id ? ownCard.failure.text : null,
  });
  return (
    <ol className={styles.steps}>
      <Step
        {...stepProps('connect')}
        title="Connect your staking wallet"
        result={
          walletAddress === null ? null : (
            <>
              <span className="short-id">{shorten(walletAddress)}</span>
              <OwnName address={walletAddress} /> {wallet.walletName}
            </>
          )
        }
        details={<ConnectedWallet {...props} />}
        detailsLabel="Change"
      >
        <ConnectContent {...props} />
      </Step>
      <Step
        {...stepProps('prove')}
        title="Prove ownership"
        result={wallet.isProven === true ? <>Signed{proof && ` ${momentText(proof.provedAt)}`}</> : null}
        details={<ProofDetails {...props} />}
      >
        <ProveContent {...props} />
      </Step>
      <Step
        {...stepProps('check')}
        title="Check your stake"
        eligibility={stateOf(reading)}
        result={
          props.qualifies === true && reading.kind === 'known' ? (
            <EligibilitySummary body={reading.body} />
          ) : null
        }
        details={reading.kind === 'unknown' ? null : <EligibilityPanel reading={reading} />}
      >
        <CheckContent {...props} />
      </Step>
      <Step
        {...stepProps('get')}
        title={ownCard.card === null ? 'Generate or apply' : 'Use your card'}
        // `GenerateCardForm` shows the failure next to its button, so the step does not show it.
        {...(showsGenerateForm({ ownCard, isDue: isLast }) ? { failure: null } : {})}
      >
        <GetCard {...props} isDue={isLast} />
      </Step>
    </ol>
  );
}

function stateOf(reading: EligibilityReading): string {
  if (reading.kind !== 'known') return reading.kind;
  return reading.body.eligible ? 'eligible' : 'not-eligible';
}

interface StepProps {
  readonly id: StepId;
  readonly nextStep: StepId;
  readonly title: string;
  /** The result of the step; null while the step is unfinished. */
  readonly result?: ReactNode;
  readonly details?: ReactNode;
  readonly detailsLabel?: string;
  readonly isOpen: boolean;
  readonly toggle: (isOpen: boolean) => void;
  /** The state of the stake check; set only for the step that checks the stake. */
  readonly eligibility?: string;
  readonly failure: string | null;
  /** Shown while the step is unfinished. */
  readonly children: ReactNode;
}

function Step({
  id,
  nextStep,
  title,
  result = null,
  details,
  detailsLabel = 'Details',
  ...props
}: StepProps) {
  const { isOpen, toggle } = props;
  const isDone = result !== null;
  return (
    <li
      data-step={isDone ? 'done' : id === nextStep ? 'due' : 'later'}
      data-eligibility={props.eligibility}
      aria-current={id === nextStep ? 'step' : undefined}
    >
      <h3 id={`step-${id}`} tabIndex={-1}>
        {title}
        {isDone ? <span className="visually-hidden">, done</span> : null}
      </h3>
      {/* Has the role `status`, because the check finishes without any action by the visitor. */}
      <div className={styles.result} role={props.eligibility && 'status'}>
        {result}
      </div>
      {isDone ? (
        <>
          <button
            type="button"
            className={`${uiStyles.retry} ${styles.more}`}
            aria-expanded={isOpen}
            onClick={() => toggle(!isOpen)}
          >
            {detailsLabel}
            <span className="visually-hidden"> of “{title}”</span>
          </button>
          {isOpen ? <div className={styles.body}>{details}</div> : null}
        </>
      ) : (
        <div className={styles.body}>{props.children}</div>
      )}
      <div className={styles.alert} role="alert">
        {props.failure === null ? null : <p className={styles.failure}>{props.failure}</p>}
      </div>
    </li>
  );
}

function ConnectContent({ wallet: { isConnecting, connect }, moveFocusOnNextStep }: CardStepsProps) {
  const isHydrated = useHydrated();
  return (
    <>
      <p className={styles.quiet}>
        A Solana wallet, such as Phantom. On a phone, the wallet’s app opens this page.
      </p>
      <button
        type="button"
        className="button gold script-only"
        onClick={() => {
          if (isConnecting) return;
          moveFocusOnNextStep();
          void connect();
        }}
        disabled={!isHydrated}
        aria-disabled={isConnecting}
      >
        {isConnecting ? 'Connecting…' : 'Connect Wallet'}
      </button>
    </>
  );
}

function ConnectedWallet({
  wallet: { walletAddress, connect, disconnect },
  moveFocusOnNextStep,
}: CardStepsProps) {
  const changeWallet = async () => {
    moveFocusOnNextStep();
    await disconnect();
    moveFocusOnNextStep();
    await connect();
  };
  return (
    <>
      <p className="full-id">{walletAddress}</p>
      <p className={styles.quiet}>
        To use another account of the same wallet, switch to it in the wallet. This page updates
        automatically.
      </p>
      <button type="button" className="button" onClick={() => void changeWallet()}>
        Use Another Wallet
      </button>
    </>
  );
}

function ProveContent({ wallet, ownCard, qualifies, moveFocusOnNextStep }: CardStepsProps) {
  if (wallet.walletAddress === null)
    return <p className={styles.quiet}>You sign a message. It costs nothing and moves no tokens.</p>;
  if (wallet.retry !== null) {
    return (
      <p className={styles.failure} role="alert">
        Could not check wallet ownership. <RetryButton retry={wallet.retry} what="the ownership check" />
      </p>
    );
  }
  if (wallet.isProven === null) return <p className={styles.quiet}>Checking wallet ownership…</p>;
  return (
    <>
      <p className={styles.quiet}>
        {qualifies === false
          ? 'Only needed if this wallet already has a card. Signing costs nothing and moves no tokens.'
          : 'Sign a message in your wallet. It costs nothing and moves no tokens.'}
      </p>
      <button
        type="button"
        className={qualifies === false ? 'button' : 'button gold'}
        onClick={() => {
          moveFocusOnNextStep();
          void ownCard.prove();
        }}
        aria-disabled={ownCard.task === 'proving'}
      >
        {ownCard.task === 'proving' ? 'Waiting for your wallet…' : 'Prove Ownership'}
      </button>
    </>
  );
}

function ProofDetails({ wallet: { proof }, ownCard, moveFocusOnNextStep }: CardStepsProps) {
  return (
    <>
      <p className={styles.quiet}>
        {proof === null ? null : `Your proof is valid until ${momentText(proof.expiresAt)}. `}
        Revealing a card requires a new signature.
      </p>
      <button
        type="button"
        className="button"
        onClick={() => {
          moveFocusOnNextStep();
          ownCard.signOut();
        }}
      >
        Sign Out
      </button>
    </>
  );
}

function CheckContent({ reading, qualifies, ownCard: { card } }: CardStepsProps) {
  if (reading.kind === 'unknown') {
    return (
      <p className={styles.quiet}>
        At least {bdText(MINIMUM_STAKE_BD)} staked in this wallet. The portal reads the stake from the chain.
      </p>
    );
  }
  return (
    <>
      <EligibilityPanel reading={reading} />
      {qualifies === false && card !== null && reading.kind === 'known' && reading.body.eligible ? (
        <p>
          Your {card.tier} card requires {bdText(tierTerms(card.tier).minimumStakeBd)} staked in this wallet.
        </p>
      ) : null}
      {qualifies === false && reading.kind === 'known' ? <NotQualified body={reading.body} /> : null}
    </>
  );
}

function NotQualified({ body }: { readonly body: Eligibility }) {
  const { walletAddress, bdBalanceText, detectionMethod: method } = body;
  const staked = stakedText(body);
  const held = method === 'token_account_analysis' ? bdBalanceText : null;
  return (
    <>
      <p className={styles.quiet}>BD that you hold but have not staked does not count.</p>
      <a className="button gold" href="/staking#stake">
        Stake BD Token to Qualify
      </a>
      <ManualRequest
        key={walletAddress}
        walletAddress={walletAddress}
        currentDetection={detectionText({ staked, held, method })}
        isSecondary
      />
    </>
  );
}
