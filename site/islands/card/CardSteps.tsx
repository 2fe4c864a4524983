import { lazy, type ReactNode, Suspense, useState } from 'react';
import { detectionText } from '../../../data/model/detection-text.ts';
import { bd } from '../../../data/model/facts/wording.ts';
import { shorten } from '../../../data/model/format.ts';
import { SERVICE_TIMES } from '../../../data/model/portal-terms.ts';
import { CARD_LIMIT, MINIMUM_STAKE_BD, termsOf } from '../../../data/model/tiers.ts';
import type { Eligibility, MyCard } from '../../data/card-calls.ts';
import { useHydrated } from '../../data/use-hydrated.ts';
import { momentText } from '../ui/format.ts';
import { RetryButton } from '../ui/ReadStates.tsx';
import uiStyles from '../ui/ui.module.css';
import { ManualRequest } from '../verification/ManualRequest.tsx';
import styles from './card.module.css';
import { EligibilityPanel, EligibilityResult } from './Eligibility.tsx';
import { GenerateForm } from './GenerateForm.tsx';
import type { SandboxTexts } from './OwnCard.tsx';
import type { Application } from './use-application.ts';
import type { CardWallet } from './use-card-wallet.ts';
import { type EligibilityReading, stakedText } from './use-eligibility.ts';
import type { OwnCard } from './use-own-card.ts';

// Loaded if the wallet has a card.
const CardControls = lazy(() => import('./OwnCard.tsx').then((module) => ({ default: module.CardControls })));

const ORDER = ['connect', 'prove', 'check', 'get'] as const;
export type StepId = (typeof ORDER)[number];

export interface CardStepsProps {
  readonly wallet: CardWallet;
  readonly reading: EligibilityReading;
  /** Whether the stake is enough for a card, or for the wallet's own; null while that is unknown. */
  readonly qualifies: boolean | null;
  readonly own: OwnCard;
  readonly application: Application;
  /** The step that comes next. */
  readonly due: StepId;
  readonly texts: SandboxTexts;
  /** Call it with each action of the visitor that may finish a step. */
  readonly followNext: () => void;
}

export function CardSteps(props: CardStepsProps) {
  const { wallet, reading, own } = props;
  const { walletAddress, proof } = wallet;
  const [opened, setOpened] = useState<{ readonly id: StepId; readonly walletAddress: string | null } | null>(
    null,
  );
  /** The props of every step. A step that was opened for one wallet is closed for the next. */
  const step = (id: StepId) => ({
    id,
    due: props.due,
    isOpen: opened?.id === id && opened.walletAddress === walletAddress,
    toggle: (isOpen: boolean) => setOpened(isOpen ? { id, walletAddress } : null),
    failure: own.failure?.step === id ? own.failure.text : null,
  });
  return (
    <ol className={styles.steps}>
      <Step
        {...step('connect')}
        title="Connect your staking wallet"
        result={
          walletAddress === null ? null : (
            <>
              <span className={styles.address}>{shorten(walletAddress)}</span> {wallet.walletName}
            </>
          )
        }
        details={<ConnectedWallet {...props} />}
        detailsLabel="Change"
      >
        <Connect {...props} />
      </Step>
      <Step
        {...step('prove')}
        title="Prove ownership"
        result={wallet.isProved === true ? <>Signed{proof && ` ${momentText(proof.provedAt)}`}</> : null}
        details={<Proof {...props} />}
      >
        <Prove {...props} />
      </Step>
      <Step
        {...step('check')}
        title="Check your stake"
        eligibility={stateOf(reading)}
        result={
          props.qualifies === true && reading.kind === 'known' ? (
            <EligibilityResult body={reading.body} />
          ) : null
        }
        details={reading.kind === 'unknown' ? null : <EligibilityPanel reading={reading} />}
      >
        <Check {...props} />
      </Step>
      <Step
        {...step('get')}
        title={own.card === null ? 'Generate or apply' : 'Use your card'}
        // The form shows the failure beside its own button.
        {...(showsForm(props) ? { failure: null } : {})}
      >
        <GetCard {...props} />
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
  readonly due: StepId;
  readonly title: string;
  /** What the finished step found; null while it is not finished. */
  readonly result?: ReactNode;
  /** More about the result, and ways to change it. */
  readonly details?: ReactNode;
  readonly detailsLabel?: string;
  readonly isOpen: boolean;
  readonly toggle: (isOpen: boolean) => void;
  readonly eligibility?: string;
  /** Why the last action failed. */
  readonly failure: string | null;
  /** What the unfinished step asks for. */
  readonly children: ReactNode;
}

function Step({ id, due, title, result = null, details, detailsLabel = 'Details', ...props }: StepProps) {
  const { isOpen, toggle } = props;
  const isDone = result !== null;
  return (
    <li
      data-step={isDone ? 'done' : id === due ? 'due' : 'later'}
      data-eligibility={props.eligibility}
      aria-current={id === due ? 'step' : undefined}
    >
      <h3 id={`step-${id}`} tabIndex={-1}>
        {title}
        {isDone ? <span className="visually-hidden">, done</span> : null}
      </h3>
      {/* A status, because the check ends without an action of the visitor. */}
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

function Connect({ wallet: { isConnecting, connect }, followNext }: CardStepsProps) {
  const isHydrated = useHydrated();
  return (
    <>
      <p className={styles.quiet}>A Solana wallet, such as Phantom. On a phone, its app opens this page.</p>
      <button
        type="button"
        className="button gold script-only"
        onClick={() => {
          if (isConnecting) return;
          followNext();
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

function ConnectedWallet({ wallet: { walletAddress, connect, disconnect }, followNext }: CardStepsProps) {
  const change = async () => {
    followNext();
    await disconnect();
    followNext();
    await connect();
  };
  return (
    <>
      <p className={styles.address}>{walletAddress}</p>
      <p className={styles.quiet}>
        For another account of the same wallet, switch to it in the wallet. This page follows.
      </p>
      <button type="button" className="button" onClick={() => void change()}>
        Use Another Wallet
      </button>
    </>
  );
}

function Prove({ wallet, own, qualifies, followNext }: CardStepsProps) {
  if (wallet.walletAddress === null)
    return <p className={styles.quiet}>You sign a message. It costs nothing and moves no tokens.</p>;
  if (wallet.retry !== null) {
    return (
      <p className={styles.failure} role="alert">
        Could not check wallet ownership. <RetryButton retry={wallet.retry} what="the ownership check" />
      </p>
    );
  }
  if (wallet.isProved === null) return <p className={styles.quiet}>Checking wallet ownership…</p>;
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
          followNext();
          void own.prove();
        }}
        aria-disabled={own.task === 'proving'}
      >
        {own.task === 'proving' ? 'Waiting for your wallet…' : 'Prove Ownership'}
      </button>
    </>
  );
}

function Proof({ wallet: { proof }, own, followNext }: CardStepsProps) {
  return (
    <>
      <p className={styles.quiet}>
        {proof === null ? null : `It is valid until ${momentText(proof.expiresAt)}. `}
        Revealing a card requires a new signature.
      </p>
      <button
        type="button"
        className="button"
        onClick={() => {
          followNext();
          own.signOut();
        }}
      >
        Sign Out
      </button>
    </>
  );
}

function Check({ reading, qualifies, own: { card } }: CardStepsProps) {
  if (reading.kind === 'unknown') {
    return (
      <p className={styles.quiet}>
        At least {bd(MINIMUM_STAKE_BD)} staked in this wallet. The portal reads it from the chain.
      </p>
    );
  }
  return (
    <>
      <EligibilityPanel reading={reading} />
      {qualifies === false && card !== null && reading.kind === 'known' && reading.body.eligible ? (
        <p>
          Your {card.tier} card requires {bd(termsOf(card.tier).minimumStakeBd)} staked in this wallet.
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

/** Whether the form that generates a card is shown. */
function showsForm({ own, due }: CardStepsProps): boolean {
  return due === 'get' && own.card === null && own.retry === null && own.cardsLeft !== 0 && !own.isReading;
}

function GetCard(props: CardStepsProps) {
  const { own, due, qualifies, texts } = props;
  const { card, shown, task, reveal, setFrozen, generate } = own;
  if (card !== null) {
    return (
      <Suspense fallback={<p aria-busy="true" />}>
        <CardControls
          {...{ card, shown, texts, reveal, setFrozen }}
          isNext={due === 'get'}
          task={task === 'generating' ? 'checking' : task}
          checkAgain={() => generate(card.holderName)}
        />
      </Suspense>
    );
  }
  if (own.retry !== null) {
    return (
      <p className={styles.failure} role="alert">
        Could not load the card of this wallet. <RetryButton retry={own.retry} what="the card" />
      </p>
    );
  }
  const closed = own.lastClosed === null ? null : <Closed lastClosed={own.lastClosed} />;
  if (own.cardsLeft === 0) {
    return (
      <>
        {closed}
        <p data-cards-left={0}>
          All {CARD_LIMIT} cards have been issued. A new one can be issued when another is closed. Ask our
          team before you stake for a card.
        </p>
        <a className={due === 'get' ? 'button gold' : 'button'} href="/contact">
          Contact Support
        </a>
      </>
    );
  }
  return (
    <>
      {closed}
      <div className={styles.ways}>
        <section aria-labelledby="generate">
          <h4 id="generate">Generate it here</h4>
          <p className={styles.quiet}>
            You get the card at once and see its number on this page. You only choose the name on it.
          </p>
          {due === 'get' && own.isReading ? (
            <p className={styles.quiet}>Loading the card of this wallet…</p>
          ) : null}
          {showsForm(props) ? <GenerateForm own={own} followNext={props.followNext} /> : null}
        </section>
        <section aria-labelledby="apply">
          <h4 id="apply">Apply to our team</h4>
          <p className={styles.quiet}>
            We review your application within {SERVICE_TIMES.applicationReviewHours} hours and contact you by
            email and Telegram. Choose this if we asked for more documents, or if you want help.
          </p>
          {qualifies === false ? null : <Apply {...props} />}
        </section>
      </div>
      <p className={styles.quiet}>
        A wallet can have one card. Applied already? See your{' '}
        <a href="/application-status">application status</a>.
      </p>
    </>
  );
}

function Apply({ wallet, own, application, followNext }: CardStepsProps) {
  const isHydrated = useHydrated();
  const isBusy = application.isApplying || own.task !== 'none' || wallet.isConnecting;
  return (
    <button
      type="button"
      className="button script-only"
      disabled={!isHydrated}
      aria-disabled={isBusy}
      onClick={() => {
        if (isBusy) return;
        followNext();
        application.apply();
      }}
    >
      {wallet.walletAddress === null ? 'Connect Wallet and Apply' : 'Apply for a Card'}
    </button>
  );
}

function Closed({ lastClosed }: { readonly lastClosed: NonNullable<MyCard['lastClosed']> }) {
  const { closedAt, closedFor, lastFour } = lastClosed;
  const card = lastFour === null ? 'card' : `card ending in ${lastFour}`;
  return (
    <p className={styles.failure} data-closed-for={closedFor}>
      {closedFor === 'team' ? (
        <>
          Our team closed your {card} on {momentText(closedAt)}. To ask why, or for another card,{' '}
          <a href="/contact">contact support</a>.
        </>
      ) : (
        `We closed your ${card} on ${momentText(closedAt)}, because its stake was gone. Stake enough again to get another one while cards are left.`
      )}
    </p>
  );
}
