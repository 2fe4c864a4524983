import { useEffect, useRef } from 'react';
import type { StakeOrder } from '../../data/stake-calls.ts';
import { momentText } from '../position/moment-text.ts';
import { StakeTerms } from './StakeTerms.tsx';
import styles from './stake.module.css';
import { solText } from './stake-amount.ts';

interface StakeReviewProps {
  readonly order: StakeOrder;
  readonly isStaking: boolean;
  /** Too old to be sent. */
  readonly lapsed: boolean;
  readonly isSigning: boolean;
  readonly sign: () => void;
  readonly refresh: () => void;
  readonly back: () => void;
}

/** What will be signed, to the last base unit, and what it costs. */
export function StakeReview({ order, isStaking, lapsed, isSigning, sign, refresh, back }: StakeReviewProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <div className={styles.form} data-stake="review">
      <h3 ref={heading} tabIndex={-1}>
        What you are about to sign
      </h3>
      <dl className="definitions">
        <div>
          <dt>Stake</dt>
          <dd>{exactly(order.amount)} BD</dd>
        </div>
        <div>
          <dt>From wallet</dt>
          <dd className={styles.address}>{order.walletAddress}</dd>
        </div>
        <div>
          <dt>Locked until</dt>
          <dd>{momentText(order.unlockDate)}</dd>
        </div>
        <div>
          <dt>Network fee</dt>
          <dd>{solText(order.fee)}</dd>
        </div>
        <div>
          <dt>Laid down for accounts</dt>
          <dd>{solText(order.rent)}</dd>
        </div>
      </dl>
      <StakeTerms isStaking={isStaking} />
      {lapsed ? (
        <p className={styles.amber} role="status">
          This stake was prepared too long ago to be sent. Prepare it again to see its figures anew.
        </p>
      ) : null}
      <div className={styles.ways}>
        {lapsed ? (
          <button type="button" className="button gold" onClick={refresh}>
            Prepare It Again
          </button>
        ) : (
          <button type="button" className="button gold" onClick={sign} aria-disabled={isSigning}>
            {isSigning ? 'Waiting for your wallet…' : 'Sign and Stake'}
          </button>
        )}
        <button type="button" className="button" onClick={back}>
          {isSigning ? 'Stop Waiting' : 'Change the Amount'}
        </button>
      </div>
    </div>
  );
}

/** Grouped, with every decimal that there is: nothing of what is signed is rounded away. */
export function exactly(decimalText: string): string {
  const [whole = '', fraction] = decimalText.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}
