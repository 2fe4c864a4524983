import { useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { CardSummary } from '../../../data/contract/cards.ts';
import { groupDigits } from '../../../data/model/digit-grouping.ts';
import { tierTerms } from '../../../data/model/tiers.ts';
import type { CardSecret } from '../../data/card-calls.ts';
import { focusOnMount } from '../form/focus-on-mount.ts';
import { WalletArtwork } from '../tier-activated/WalletArtwork.tsx';
import { CopyButton } from '../ui/CopyButton.tsx';
import { momentText } from '../ui/format.ts';
import { CardSettings, type CardSettingsProps } from './CardSettings.tsx';
import styles from './card.module.css';
import faceStyles from './card-plate.module.css';
import { SHOWN_SECONDS, type ShownSecret } from './use-own-card.ts';

interface CardFaceProps {
  readonly card: CardSummary;
  /** Null while the card is masked. */
  readonly secret: CardSecret | null;
  readonly texts: SandboxTexts;
}

export function CardFace({ card, secret, texts }: CardFaceProps) {
  const { tier, walletAddress, lastFour, expiryDate, holderName, state } = card;
  const face = useRef<HTMLDivElement>(null);
  const isShown = secret !== null;
  useEffect(() => {
    // Scrolls the card into view: on a phone, the button that reveals the number is below the card.
    if (isShown) face.current?.scrollIntoView({ block: 'nearest' });
  }, [isShown]);
  return (
    <div ref={face}>
      {card.isTestCard ? <p className={styles.testBadge}>{texts.badge}</p> : null}
      <div className={faceStyles.plate} data-tier={tier} data-card={state} data-shown={isShown}>
        <WalletArtwork tier={tier} walletAddress={walletAddress} />
        <div className={faceStyles.face}>
          <p className={faceStyles.top}>
            <span>BlackDuck</span>
            <span className={faceStyles.tier}>{state === 'frozen' ? `${tier} · Frozen` : tier}</span>
          </p>
          <dl>
            <div className={faceStyles.number}>
              <dt className="visually-hidden">Card number</dt>
              <dd>
                {secret === null ? (
                  <MaskedText
                    dots={`•••• •••• •••• ${lastFour ?? '••••'}`}
                    text={lastFour === null ? 'Not available yet' : `Hidden, ends in ${lastFour}`}
                  />
                ) : (
                  secret.cardNumber.replace(/(\d{4})(?=\d)/g, '$1 ')
                )}
              </dd>
            </div>
            <div>
              <dt>Valid thru</dt>
              <dd>{secret?.expiryDate ?? expiryDate ?? '••/••'}</dd>
            </div>
            <div>
              <dt>CVV</dt>
              <dd>{secret === null ? <MaskedText dots="•••" text="Hidden" /> : secret.cvv}</dd>
            </div>
            <div className={faceStyles.holder}>
              <dt>Cardholder</dt>
              <dd translate="no">{secret?.holderName ?? holderName}</dd>
            </div>
          </dl>
        </div>
      </div>
    </div>
  );
}

function MaskedText({ dots, text }: { readonly dots: string; readonly text: string }) {
  return (
    <>
      <span aria-hidden="true">{dots}</span>
      <span className="visually-hidden">{text}</span>
    </>
  );
}

export interface SandboxTexts {
  readonly badge: string;
  readonly text: string;
}

interface CardControlsProps extends CardSettingsProps {
  readonly shownSecret: ShownSecret;
  readonly texts: SandboxTexts;
  /**
   * Whether using the card is the next step. False if something else must be done first, such as restoring a missing stake.
   */
  readonly isNext: boolean;
  readonly reveal: () => void;
  readonly setFrozen: (frozen: boolean) => void;
  readonly recheck: () => void;
}

export function CardControls(props: CardControlsProps) {
  const { card, texts } = props;
  return (
    <>
      {card.state === 'pending' ? (
        <PendingCard {...props} />
      ) : card.isClosing ? (
        <p role="status" data-card-closing>
          This card is being closed. The issuer has not confirmed it yet, so we keep trying. You can no longer
          change the card or cancel the closure.
        </p>
      ) : (
        <>
          <CardActions {...props} />
          <CardSettings {...props} />
        </>
      )}
      {card.isTestCard ? <p className={styles.quiet}>{texts.text}</p> : null}
    </>
  );
}

function PendingCard({ task, recheck }: CardControlsProps) {
  return (
    <>
      <p role="status">
        Waiting for the issuer. We try again every few minutes, and the card appears here automatically.
      </p>
      <button type="button" className="button" onClick={recheck} aria-disabled={task !== 'none'}>
        {task === 'checking' ? 'Checking…' : 'Check Again'}
      </button>
    </>
  );
}

function FreezeReason({ frozenFor, closesAt, tier }: CardSummary) {
  switch (frozenFor) {
    case null:
      return null;
    case 'team':
      return (
        <p data-frozen-for={frozenFor}>
          Our team froze this card, so you cannot unfreeze it. To ask why,{' '}
          <a href="/contact">contact support</a>.
        </p>
      );
    case 'no-stake':
      return (
        <p data-frozen-for={frozenFor}>
          This wallet no longer has the stake of {groupDigits(String(tierTerms(tier).minimumStakeBd))} BD that
          this card requires. Restore the stake, wait until the portal shows it, then unfreeze the card.
          {closesAt === null
            ? null
            : ` Otherwise we close the card on ${momentText(closesAt)}, and another wallet can get a card instead.`}
        </p>
      );
  }
}

function CardActions({ card, shownSecret, task, isNext, reveal, setFrozen }: CardControlsProps) {
  const [isConfirming, setConfirming] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const endConfirming = () => {
    flushSync(() => setConfirming(false));
    // The focused button is gone, so the focus returns to the button that opened the confirmation.
    opener.current?.focus();
  };
  const isFrozen = card.state === 'frozen';
  const isBusy = task !== 'none';
  const isMasked = shownSecret.secret === null;
  return (
    <>
      <p className={styles.status} data-eligible={!isFrozen}>
        {isFrozen ? 'Frozen: payments are declined' : 'Active'}
      </p>
      <FreezeReason {...card} />
      <div role="status">
        <p className={styles.quiet}>
          {isMasked
            ? 'Number and CVV are hidden. Revealing them requires a new signature.'
            : `Hidden after ${SHOWN_SECONDS} seconds, and when you leave this window.`}
        </p>
      </div>
      <div className={styles.actions}>
        {/* One element for both labels, so that the button keeps the focus. */}
        <button
          type="button"
          className={isMasked && isNext ? 'button gold' : 'button'}
          onClick={isMasked ? reveal : shownSecret.hide}
          aria-disabled={isBusy && isMasked}
        >
          {!isMasked
            ? 'Hide Now'
            : task === 'proving'
              ? 'Waiting for your wallet…'
              : task === 'revealing'
                ? 'Loading…'
                : 'Reveal'}
        </button>
        {shownSecret.secret === null ? null : (
          <CopyButton text={shownSecret.secret.cardNumber} name="card number" showsName />
        )}
        {isConfirming || card.frozenFor === 'team' ? null : (
          <button
            ref={opener}
            type="button"
            className="button"
            onClick={() => setConfirming(true)}
            aria-disabled={isBusy}
          >
            {task === 'changing' ? 'Updating…' : isFrozen ? 'Unfreeze' : 'Freeze'}
          </button>
        )}
      </div>
      {isConfirming ? (
        <fieldset className={styles.confirm}>
          <legend>
            {isFrozen
              ? 'Unfreeze the card? Payments will work again immediately.'
              : 'Freeze the card? Payments are declined until you unfreeze it.'}
          </legend>
          <div className={styles.actions}>
            <button
              type="button"
              className="button gold"
              // Takes the focus, because the button that had it was removed.
              ref={focusOnMount}
              onClick={() => {
                endConfirming();
                setFrozen(!isFrozen);
              }}
            >
              {isFrozen ? 'Yes, Unfreeze' : 'Yes, Freeze'}
            </button>
            <button type="button" className="button" onClick={endConfirming}>
              Cancel
            </button>
          </div>
        </fieldset>
      ) : null}
    </>
  );
}
