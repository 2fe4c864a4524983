import { useEffect, useRef } from 'react';
import type { StakeOrder } from '../../data/stake-calls.ts';
import { groupDecimalText } from '../../../data/model/count.ts';
import { momentText } from '../ui/format.ts';
import { StakeTerms } from './StakeForm.tsx';
import styles from './stake.module.css';
import { solText } from './stake-amount.ts';

interface StakeReviewProps {
  readonly order: StakeOrder;
  readonly isStaking: boolean;
  /** Whether it is too old to be sent. */
  readonly isExpired: boolean;
  readonly isSigning: boolean;
  readonly sign: () => void;
  readonly refresh: () => void;
  readonly back: () => void;
}

/** The exact stake to sign, and its costs. */
export function StakeReview({
  order,
  isStaking,
  isExpired,
  isSigning,
  sign,
  refresh,
  back,
}: StakeReviewProps) {
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
          <dd>{groupDecimalText(order.amount)} BD</dd>
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
          <dd>
            {solText(order.fee)}
            {order.priorityFee === '0' ? null : `, including ${solText(order.priorityFee)} for priority`}
          </dd>
        </div>
        <div>
          <dt>Account deposit (rent)</dt>
          <dd>{solText(order.rent)}</dd>
        </div>
      </dl>
      <StakeTerms isStaking={isStaking} />
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
            {isSigning ? 'Waiting for your wallet…' : 'Sign and Stake'}
          </button>
        )}
        <button type="button" className="button" onClick={back}>
          {isSigning ? 'Stop Waiting' : 'Change Amount'}
        </button>
      </div>
    </div>
  );
}
