import type { ReactNode } from 'react';
import type { StakeOrder } from '../../data/stake-calls.ts';
import { Definition } from '../ui/Definition.tsx';
import { FocusedHeading } from '../ui/FocusedHeading.tsx';
import styles from './stake.module.css';
import { solText } from './stake-amount.ts';

export interface OrderReviewProps {
  readonly order: Pick<StakeOrder, 'fee' | 'priorityFee' | 'rent'>;
  /** What the order does, as terms and definitions of a `<dl>`. */
  readonly details: ReactNode;
  readonly terms: ReactNode;
  readonly signLabel: string;
  readonly backLabel: string;
  readonly isExpired: boolean;
  readonly isSigning: boolean;
  readonly sign: () => void;
  readonly refresh: () => void;
  readonly back: () => void;
}

export function OrderReview(props: OrderReviewProps) {
  const { order, details, terms, signLabel, backLabel, isExpired, isSigning, sign, refresh, back } = props;
  return (
    <div className={styles.form} data-stake="review">
      <FocusedHeading>What you are about to sign</FocusedHeading>
      <dl className="definitions">
        {details}
        <Definition name="Network fee">
          {solText(order.fee)}
          {order.priorityFee === '0' ? null : `, including ${solText(order.priorityFee)} for priority`}
        </Definition>
        {order.rent === '0' ? null : (
          <Definition name="Account deposit (rent)">{solText(order.rent)}</Definition>
        )}
      </dl>
      {terms}
      {isExpired ? (
        <p className={styles.amber} role="status">
          This quote has expired. Refresh it to see current figures.
        </p>
      ) : null}
      <div className={styles.actions}>
        {isExpired ? (
          <button type="button" className="button gold" onClick={refresh}>
            Refresh the quote
          </button>
        ) : (
          <button type="button" className="button gold" onClick={sign} aria-disabled={isSigning}>
            {isSigning ? 'Waiting for your wallet…' : signLabel}
          </button>
        )}
        <button type="button" className="button" onClick={back}>
          {isSigning ? 'Stop Waiting' : backLabel}
        </button>
      </div>
    </div>
  );
}
