import { useMemo } from 'react';
import type { CardSummary } from '../../../data/contract/cards.ts';
import { PLATE_CENTRE, plateLines, ROSETTE_OPACITY } from '../../components/cards/plate-artwork.ts';
import { PLATE } from '../../components/cards/plate-design.ts';
import { walletDesign } from '../../components/cards/wallet-design.ts';
import type { CardSecret } from '../../data/card-calls.ts';
import styles from './card.module.css';

interface CardPlateProps {
  readonly card: CardSummary;
  /** Null while it is masked. */
  readonly secret: CardSecret | null;
}

/** A wallet's card: engraved for that wallet alone, with its number while it may be seen. */
export function CardPlate({ card, secret }: CardPlateProps) {
  const { tier, walletAddress, lastFour, expiryDate, holderName, state } = card;
  const design = useMemo(() => walletDesign(tier, walletAddress), [tier, walletAddress]);
  const lines = useMemo(() => plateLines(design), [design]);
  const size = { width: PLATE.width, height: PLATE.height };
  return (
    <div className={styles.plate} data-tier={tier} data-card={state} data-shown={secret !== null}>
      <svg viewBox={`0 0 ${size.width} ${size.height}`} aria-hidden="true">
        <rect {...size} fill={design.paper} />
        <g fill="none" stroke={design.ink}>
          <path opacity={design.groundOpacity} d={lines.ground} />
          <path
            opacity={ROSETTE_OPACITY}
            transform={`translate(${PLATE_CENTRE.x} ${PLATE_CENTRE.y})`}
            d={lines.rosettes}
          />
        </g>
      </svg>
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
