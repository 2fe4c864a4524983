import { lazy, type ReactNode, Suspense, useEffect, useRef } from 'react';
import { tierRank } from '../../../data/model/tiers.ts';
import { walletIsland } from '../wallet/WalletProvider.tsx';
import type { SandboxTexts } from './CardControls.tsx';
import { CardSteps, type StepId } from './CardSteps.tsx';
import styles from './card.module.css';
import plate from './card-plate.module.css';
import { useApplication } from './use-application.ts';
import { useCardWallet } from './use-card-wallet.ts';
import { stakedText, useEligibility } from './use-eligibility.ts';
import { useOwnCard } from './use-own-card.ts';

const CardFace = lazy(() => import('./CardControls.tsx').then((module) => ({ default: module.CardFace })));
const CardApplicationOverlay = lazy(() => import('../application/CardApplicationOverlay.tsx'));

interface CardStepperProps {
  readonly texts: SandboxTexts;
  /** The URL of a page where visitors can buy BD. */
  readonly market: string;
  /** The sample artwork, shown until there is a card. */
  readonly children?: ReactNode;
}

/** The card, and the steps to get it: connect a wallet, prove its ownership, check its stake, generate or apply. */
export default walletIsland(ConnectedStepper);

export function ConnectedStepper({ texts, market, children }: CardStepperProps) {
  const wallet = useCardWallet();
  const reading = useEligibility(wallet.walletAddress);
  const ownCard = useOwnCard(wallet);
  const application = useApplication(wallet, ownCard.prove, market);
  const { card, shown } = ownCard;
  const eligibility = reading.kind === 'known' ? reading.body : null;
  // An existing card requires the stake for the card's own tier.
  const qualifies =
    eligibility === null
      ? null
      : eligibility.eligible && tierRank(eligibility.tier) >= tierRank(card?.tier ?? 'None');
  const nextStep = findNextStep({ wallet, qualifies, hasCard: card !== null });
  const section = useRef<HTMLElement>(null);
  const isPending =
    wallet.isConnecting ||
    reading.kind === 'checking' ||
    ownCard.isReading ||
    ownCard.task !== 'none' ||
    application.isApplying ||
    (wallet.isProven === null && wallet.retry === null);
  const moveFocusOnNextStep = useFocusOnNextStep(section, {
    nextStep,
    cardId: card?.cardId ?? null,
    isPending,
  });
  const { applicant } = application;
  return (
    <>
      <div className={styles.art}>
        {card === null ? (
          children
        ) : (
          <Suspense fallback={<div className={plate.plate} aria-busy="true" />}>
            <CardFace {...{ card, texts }} secret={shown.secret} />
          </Suspense>
        )}
      </div>
      <section className={styles.getCard} id="get-card" aria-labelledby="get-card-title" ref={section}>
        <h2 id="get-card-title">{card === null ? 'Get your card' : 'Your card'}</h2>
        <CardSteps
          {...{ wallet, reading, qualifies, ownCard, application, nextStep, texts, moveFocusOnNextStep }}
        />
      </section>
      {/* The application belongs to the wallet that applied, not to one that connected later. */}
      {applicant && applicant.walletAddress === wallet.walletAddress && applicant.tier !== 'None' ? (
        <Suspense fallback={<p role="status">Loading the application form…</p>}>
          <CardApplicationOverlay
            key={applicant.walletAddress}
            walletAddress={applicant.walletAddress}
            tier={applicant.tier}
            stakedAmount={stakedText(applicant)}
            onClose={application.close}
          />
        </Suspense>
      ) : null}
    </>
  );
}

interface Progress {
  readonly wallet: { readonly walletAddress: string | null; readonly isProven: boolean | null };
  /** Null while the stake is unknown. */
  readonly qualifies: boolean | null;
  readonly hasCard: boolean;
}

/** While the stake is too small, the next step is the stake check, because a proof of ownership would not help yet. */
function findNextStep({ wallet, qualifies, hasCard }: Progress): StepId {
  if (wallet.walletAddress === null) return 'connect';
  if (qualifies === false) return 'check';
  if (hasCard) return 'get';
  if (wallet.isProven !== true) return 'prove';
  return qualifies === null ? 'check' : 'get';
}

interface FocusState {
  readonly nextStep: StepId;
  readonly cardId: string | null;
  readonly isPending: boolean;
}

/**
 * Moves the focus to the heading of the next step when the visitor's own action has changed the step or the card. A wallet
 * that reconnects after a reload does not move the focus. The focus also stays if the visitor has moved it elsewhere.
 * @returns a function to call at the start of each visitor action
 */
function useFocusOnNextStep(
  section: { readonly current: HTMLElement | null },
  { nextStep, cardId, isPending }: FocusState,
): () => void {
  const isRequested = useRef(false);
  const previousState = useRef({ nextStep, cardId });
  useEffect(() => {
    const hasChanged = previousState.current.nextStep !== nextStep || previousState.current.cardId !== cardId;
    previousState.current = { nextStep, cardId };
    const { activeElement } = document;
    // When a finished step removes its focused button, the body gets the focus.
    const isFocusFree =
      activeElement === document.body || activeElement?.matches('[data-step] > h3') === true;
    if (hasChanged && isRequested.current && isFocusFree)
      section.current?.querySelector<HTMLElement>(`#step-${nextStep}`)?.focus();
    if (!isPending) isRequested.current = false;
  }, [section, nextStep, cardId, isPending]);
  return () => {
    isRequested.current = true;
  };
}
