import { useState } from 'react';
import type { CardSummary } from '../../../data/contract/cards.ts';
import { CopyButton } from '../copy/CopyButton.tsx';
import { CardPlate } from './CardPlate.tsx';
import styles from './card.module.css';
import type { ShownSecret } from './use-shown-secret.ts';
import { SHOWN_SECONDS } from './use-shown-secret.ts';

export interface SandboxWords {
  readonly badge: string;
  readonly text: string;
}

/** What is being done with the card. */
export type CardTask = 'none' | 'proving' | 'revealing' | 'changing' | 'asking';

interface OwnCardProps {
  readonly card: CardSummary;
  readonly shown: ShownSecret;
  readonly words: SandboxWords;
  readonly task: CardTask;
  /** What went wrong with the last thing that was tried; null where nothing did. */
  readonly fault: string | null;
  readonly reveal: () => void;
  readonly setFrozen: (frozen: boolean) => void;
  /** Asks the issuer again for a card that it has not told of yet. */
  readonly askAgain: () => void;
}

/** The card of the proved wallet: masked but for a minute, with what its owner can do to it. */
export default function OwnCard(props: OwnCardProps) {
  const { card, shown, words, fault } = props;
  return (
    <div className={styles.own}>
      <div>
        {card.isTestCard ? <p className={styles.test}>{words.badge}</p> : null}
        <CardPlate card={card} secret={shown.secret} />
      </div>
      <div>
        {card.isTestCard ? <p className={styles.quiet}>{words.text}</p> : null}
        {card.state === 'pending' ? <Pending {...props} /> : <Ways {...props} />}
        <div role="alert">{fault === null ? null : <p className={styles.fault}>{fault}</p>}</div>
      </div>
    </div>
  );
}

function Pending({ task, askAgain }: OwnCardProps) {
  return (
    <>
      <p role="status">The issuer is being asked for this card. The portal looks again every few seconds.</p>
      <button type="button" className="button" onClick={askAgain} aria-disabled={task !== 'none'}>
        {task === 'asking' ? 'Asking…' : 'Ask Again'}
      </button>
    </>
  );
}

function Ways({ card, shown, task, reveal, setFrozen }: OwnCardProps) {
  const [asksFirst, setAsksFirst] = useState(false);
  const isFrozen = card.state === 'frozen';
  const isBusy = task !== 'none';
  return (
    <>
      <p className={styles.status} data-eligible={!isFrozen}>
        {isFrozen ? 'Frozen: it pays for nothing' : 'Active'}
      </p>
      <div role="status">
        {shown.secret === null ? (
          <p className={styles.quiet}>Number and CVV are hidden. Showing them takes a new signature.</p>
        ) : (
          <p className={styles.quiet}>
            Hidden again after {SHOWN_SECONDS} seconds, and as soon as you leave this window.
          </p>
        )}
      </div>
      <div className={styles.ways}>
        {shown.secret === null ? (
          <button type="button" className="button gold" onClick={reveal} aria-disabled={isBusy}>
            {task === 'proving'
              ? 'Waiting for your wallet…'
              : task === 'revealing'
                ? 'Asking the issuer…'
                : 'Reveal Again'}
          </button>
        ) : (
          <>
            <CopyButton text={shown.secret.cardNumber} name="card number" isNamed />
            <button type="button" className="button" onClick={shown.hide}>
              Hide Now
            </button>
          </>
        )}
        {asksFirst ? null : (
          <button type="button" className="button" onClick={() => setAsksFirst(true)} aria-disabled={isBusy}>
            {task === 'changing' ? 'Asking the issuer…' : isFrozen ? 'Unfreeze' : 'Freeze'}
          </button>
        )}
      </div>
      {asksFirst ? (
        <fieldset className={styles.confirm}>
          <legend>
            {isFrozen
              ? 'Unfreeze the card? It can pay again at once.'
              : 'Freeze the card? It pays for nothing until you unfreeze it.'}
          </legend>
          <div className={styles.ways}>
            <button
              type="button"
              className="button gold"
              // The question takes the place of the button that asked it.
              ref={(button) => button?.focus()}
              onClick={() => {
                setAsksFirst(false);
                setFrozen(!isFrozen);
              }}
            >
              {isFrozen ? 'Yes, Unfreeze' : 'Yes, Freeze'}
            </button>
            <button type="button" className="button" onClick={() => setAsksFirst(false)}>
              Leave as It Is
            </button>
          </div>
        </fieldset>
      ) : null}
    </>
  );
}
