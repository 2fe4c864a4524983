import { lazy, Suspense } from 'react';
import { durationWithUnit } from '../../../data/model/facts/amount-text.ts';
import { PORTAL_LIMITS, SERVICE_TIMES } from '../../../data/model/portal-terms.ts';
import { MAX_CARDS } from '../../../data/model/tiers.ts';
import type { MyCard } from '../../data/card-calls.ts';
import { useHydrated } from '../../data/use-hydrated.ts';
import { momentText } from '../ui/format.ts';
import { RetryButton } from '../ui/ReadStates.tsx';
import type { SandboxTexts } from './CardControls.tsx';
import styles from './card.module.css';
import { GenerateCardForm } from './GenerateCardForm.tsx';
import type { Application } from './use-application.ts';
import type { CardWallet } from './use-card-wallet.ts';
import type { OwnCard } from './use-own-card.ts';

const CardControls = lazy(() =>
  import('./CardControls.tsx').then((module) => ({ default: module.CardControls })),
);

export interface GetCardProps {
  readonly wallet: CardWallet;
  /** Whether the stake is enough for the wallet's card or, without a card, for a new one; null while unknown. */
  readonly qualifies: boolean | null;
  readonly ownCard: OwnCard;
  readonly application: Application;
  /** Whether this step is the next one. */
  readonly isDue: boolean;
  readonly texts: SandboxTexts;
  /** Lets the focus move to the next step. Must be called at the start of each visitor action that may finish a step. */
  readonly moveFocusOnNextStep: () => void;
}

export function showsGenerateForm({ ownCard, isDue }: Pick<GetCardProps, 'ownCard' | 'isDue'>): boolean {
  const isReady =
    ownCard.card === null && ownCard.retry === null && ownCard.cardsLeft !== 0 && !ownCard.isReading;
  return isDue && isReady && !mustWait(ownCard);
}

/** Whether the holder closed a card so recently that the wallet cannot get another one yet. */
function mustWait({ lastClosed }: OwnCard): boolean {
  const until = Date.parse(lastClosed?.closedAt ?? '') + PORTAL_LIMITS.newCardHours * 3_600_000;
  return lastClosed?.closedFor === 'holder' && Date.now() < until;
}

export function GetCard(props: GetCardProps) {
  const { ownCard, isDue, qualifies, texts } = props;
  const { card, task } = ownCard;
  if (card !== null) {
    return (
      <Suspense fallback={<p aria-busy="true" />}>
        <CardControls
          {...ownCard}
          card={card}
          shownSecret={ownCard.shown}
          texts={texts}
          closeCard={ownCard.close}
          isNext={isDue}
          task={task === 'generating' ? 'checking' : task}
          recheck={() => ownCard.generate(card.holderName)}
        />
      </Suspense>
    );
  }
  if (ownCard.retry !== null) {
    return (
      <p className={styles.failure} role="alert">
        Could not load this wallet’s card. <RetryButton retry={ownCard.retry} what="the card" />
      </p>
    );
  }
  const closedNotice =
    ownCard.lastClosed === null ? null : <ClosedCardNotice lastClosed={ownCard.lastClosed} />;
  if (ownCard.cardsLeft === 0) {
    return (
      <>
        {closedNotice}
        <p data-cards-left={0}>
          All {MAX_CARDS} cards have been issued. A new one can be issued when another is closed. Ask our team
          before you stake to get a card.
        </p>
        <a className={isDue ? 'button gold' : 'button'} href="/contact">
          Contact Support
        </a>
      </>
    );
  }
  return (
    <>
      {closedNotice}
      <div className={styles.options}>
        <section aria-labelledby="generate">
          <h4 id="generate">Generate a card here</h4>
          <p className={styles.quiet}>
            You get the card at once and see its number on this page.
            {ownCard.cardholderFields.length === 0 ? ' You only choose the name on it.' : null}
          </p>
          {isDue && ownCard.isReading ? <p className={styles.quiet}>Loading this wallet’s card…</p> : null}
          {showsGenerateForm(props) ? (
            <GenerateCardForm ownCard={ownCard} moveFocusOnNextStep={props.moveFocusOnNextStep} />
          ) : null}
        </section>
        <section aria-labelledby="apply">
          <h4 id="apply">Apply to our team</h4>
          <p className={styles.quiet}>
            We review your application within {SERVICE_TIMES.applicationReviewHours} hours and contact you by
            email and Telegram. Choose this if we asked for more documents, or if you want help.
          </p>
          {qualifies === false ? null : <ApplyButton {...props} />}
        </section>
      </div>
      <p className={styles.quiet}>
        A wallet can have one card. Applied already? See your{' '}
        <a
          href={`/application-status${ownCard.applicationReference === null ? '' : `#reference=${ownCard.applicationReference}`}`}
        >
          application status
        </a>
        .
      </p>
    </>
  );
}

function ApplyButton({ wallet, ownCard, application, moveFocusOnNextStep }: GetCardProps) {
  const isHydrated = useHydrated();
  const isBusy = application.isApplying || ownCard.task !== 'none' || wallet.isConnecting;
  return (
    <button
      type="button"
      className="button script-only"
      disabled={!isHydrated}
      aria-disabled={isBusy}
      onClick={() => {
        if (isBusy) return;
        moveFocusOnNextStep();
        application.apply();
      }}
    >
      {wallet.walletAddress === null ? 'Connect Wallet and Apply' : 'Apply for a Card'}
    </button>
  );
}

function ClosedCardNotice({ lastClosed }: { readonly lastClosed: NonNullable<MyCard['lastClosed']> }) {
  const { closedAt, closedFor, lastFour } = lastClosed;
  const card = lastFour === null ? 'card' : `card ending in ${lastFour}`;
  return (
    <p className={closedFor === 'holder' ? styles.quiet : styles.failure} data-closed-for={closedFor}>
      {closedFor === 'holder' ? (
        `You closed your ${card} on ${momentText(closedAt)}. This wallet can get another card ${durationWithUnit(PORTAL_LIMITS.newCardHours, 'hour')} after that.`
      ) : closedFor === 'issuer' ? (
        <>
          The card issuer closed your {card} on {momentText(closedAt)}. To ask why, or about a remaining
          balance, <a href="/contact">contact support</a>.
        </>
      ) : closedFor === 'team' ? (
        <>
          Your {card} was closed on {momentText(closedAt)}, after a decision by our team or the card issuer.
          To ask why, or for another card, <a href="/contact">contact support</a>.
        </>
      ) : (
        `We closed your ${card} on ${momentText(closedAt)}, because this wallet no longer had the required stake. To get another card, stake enough again while cards are left.`
      )}
    </p>
  );
}
