import type { CardSummary } from '../../../data/contract/cards.ts';
import type { CardSecret } from '../../data/card-calls.ts';
import { WalletPlate } from '../tier-activated/WalletPlate.tsx';
import styles from './card.module.css';

interface CardPlateProps {
  readonly card: CardSummary;
  /** Null while it is masked. */
  readonly secret: CardSecret | null;
}

/** A wallet's card: engraved for that wallet alone, with its number while it may be seen. */
export function CardPlate({ card, secret }: CardPlateProps) {
  const { tier, walletAddress, lastFour, expiryDate, holderName, state } = card;
  return (
    <div className={styles.plate} data-tier={tier} data-card={state} data-shown={secret !== null}>
      <WalletPlate tier={tier} walletAddress={walletAddress} />
      <div className={styles.face}>
        <p className={styles.top}>
          <span>BlackDuck</span>
          <span className={styles.tier}>{state === 'frozen' ? `${tier} · Frozen` : tier}</span>
        </p>
        <dl>
          <div className={styles.number}>
            <dt className="visually-hidden">Card number</dt>
            <dd>{secret === null ? <MaskedNumber lastFour={lastFour} /> : inGroups(secret.cardNumber)}</dd>
          </div>
          <div>
            <dt>Valid thru</dt>
            <dd>{secret?.expiryDate ?? expiryDate ?? '••/••'}</dd>
          </div>
          <div>
            <dt>CVV</dt>
            <dd>{secret === null ? <Masked dots="•••" /> : secret.cvv}</dd>
          </div>
          <div className={styles.holder}>
            <dt>Cardholder</dt>
            <dd>{secret?.holderName ?? holderName}</dd>
          </div>
        </dl>
      </div>
    </div>
  );
}

/** A card number as it is printed: in groups of four. */
export function inGroups(cardNumber: string): string {
  return cardNumber.replace(/(\d{4})(?=\d)/g, '$1 ');
}

function Masked({ dots }: { readonly dots: string }) {
  return (
    <>
      <span aria-hidden="true">{dots}</span>
      <span className="visually-hidden">Hidden</span>
    </>
  );
}

function MaskedNumber({ lastFour }: { readonly lastFour: string | null }) {
  return (
    <>
      <span aria-hidden="true">•••• •••• •••• {lastFour ?? '••••'}</span>
      <span className="visually-hidden">
        {lastFour === null ? 'Not known yet' : `Hidden, ends in ${lastFour}`}
      </span>
    </>
  );
}
